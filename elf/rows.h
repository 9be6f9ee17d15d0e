/* SPDX-License-Identifier: Apache-2.0 */
/* What the search found becomes device-code rows, units, evidence and problems of the object. */
#ifndef POSTERN_ELF_ROWS_H
#define POSTERN_ELF_ROWS_H

#include "elf/host.h"
#include "elf/search/search.h"

struct rows_target {
	const struct job_context *ctx;
	struct arena *scratch; /* `found` lives there; what stays is copied into ctx->mem */
	struct object *object;
	struct problems *problems;
	struct host_elf *host; /* of a host ELF file, else NULL */
	struct span where;     /* of all rows, when there is no host: "@file", "(ar)" */
	bool loose;            /* the file itself is device code: every fault counts */
};

void rows_add(const struct rows_target *t, const struct found *found);

#endif
