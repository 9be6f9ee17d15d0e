/* SPDX-License-Identifier: Apache-2.0 */
/* Mail headers, as METADATA and WHEEL have them: continuation lines, ended by the first blank line. */
#ifndef POSTERN_EXTRACTORS_PACKAGES_HEADERS_H
#define POSTERN_EXTRACTORS_PACKAGES_HEADERS_H

#include "base/arena.h"

struct headers {
	struct span rest;
};

/* The next header; its value has no line ends and no blanks around it. False when there is none. */
bool headers_next(struct headers *h, struct arena *mem, struct span *name, struct span *value);
/* Without regard to case. */
bool header_is(struct span name, const char *wanted);
struct span span_trim(struct span s);

#endif
