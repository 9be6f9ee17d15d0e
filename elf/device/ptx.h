/* SPDX-License-Identifier: Apache-2.0 */
/* PTX text: in fatbins, as a string of a host file, or as a file. */
#ifndef POSTERN_ELF_DEVICE_PTX_H
#define POSTERN_ELF_DEVICE_PTX_H

#include "elf/device/format.h"

#define PTX_FRONT 4096 /* .version and .target nearly always stand in it; comments before them may be longer */

struct ptx {
	bool target_good; /* else no driver knows such a target */
	char target[24];  /* "compute_90a" */
	char isa[16];     /* "8.7" */
};

enum ptx_answer {
	PTX_NO,
	PTX_YES,
	PTX_OPEN, /* not to be told before more of it is seen */
};

/* PTX has .version M.m and .target, with comments and white space before and between. whole: nothing follows front. */
enum ptx_answer ptx_read(struct span front, bool whole, struct ptx *p);
/* Kernels (.entry) in all of a text. */
uint64_t ptx_kernels(struct span text);
/* A file's first bytes are PTX text, or what may stand before it as far as they go. */
bool ptx_is_text(struct span front);
/* Few bytes of a string: could it be one? */
bool ptx_may_start(struct span few);

#endif
