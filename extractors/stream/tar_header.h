/* SPDX-License-Identifier: Apache-2.0 */
/* What libarchive takes without a word, and other readers of tar archives take in another way (artifacts.md A5). */
#ifndef POSTERN_EXTRACTORS_STREAM_TAR_HEADER_H
#define POSTERN_EXTRACTORS_STREAM_TAR_HEADER_H

#include "base/span.h"

#define TAR_BLOCK 512u

/* An octal or base-256 field; false when it is no number. */
bool tar_number(struct span field, uint64_t *v);
/* True when this block is a header: it has the mark of ustar, or its checksum holds. */
bool tar_block_is_header(struct span block);
/*
 * headers: all blocks of one entry before its bytes, or the last ones of them. file: it has bytes, `size` of them, as the
 * reader says. NULL when nothing is odd. *denied: bytes that the header claims for an entry that has none.
 */
const char *tar_header_oddity(struct span headers, bool file, uint64_t size, uint64_t *denied);

#endif
