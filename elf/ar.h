/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Member headers of an ar archive, checked as it passes, archives in archives included. Names and dates do not matter;
 * the lengths must agree.
 */
#ifndef POSTERN_ELF_AR_H
#define POSTERN_ELF_AR_H

#include "base/arena.h"

struct ar;

bool ar_starts(struct span front);
struct ar *ar_begin(struct arena *scratch, const struct limits *limits, uint64_t size);
/* Bytes in order, without gaps. */
void ar_feed(struct ar *a, uint64_t offset, struct span bytes);
/* The same for n zeros. */
void ar_skip(struct ar *a, uint64_t offset, uint64_t n);
/* No more bytes come. What is wrong with it, as a sentence, or SPAN_NONE. *deep: nested-containers was hit. */
struct span ar_end(struct ar *a, bool *deep);

#endif
