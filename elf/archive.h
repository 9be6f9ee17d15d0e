/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Member headers of an ar archive, checked as it passes, archives in archives included. Names and dates do not matter;
 * the lengths must agree.
 */
#ifndef POSTERN_ELF_ARCHIVE_H
#define POSTERN_ELF_ARCHIVE_H

#include "base/arena.h"

struct archive;

bool archive_starts(struct span front);
struct archive *archive_begin(struct arena *scratch, const struct limits *limits, uint64_t size);
/* Bytes in order, without gaps. */
void archive_feed(struct archive *a, uint64_t offset, struct span bytes);
/* The same for n zeros. */
void archive_skip(struct archive *a, uint64_t offset, uint64_t n);
/* No more bytes come. What is wrong with it, as a sentence, or SPAN_NONE. *deep: nested-containers was hit. */
struct span archive_end(struct archive *a, bool *deep);

#endif
