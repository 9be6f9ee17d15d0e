/* SPDX-License-Identifier: Apache-2.0 */
/* The headers of a zstd frame, read without inflating it. */
#ifndef POSTERN_ELF_DEVICE_ZSTD_FRAME_H
#define POSTERN_ELF_DEVICE_ZSTD_FRAME_H

#include "base/cursor.h"

struct zstd_header {
	size_t length; /* of the header */
	bool has_size, checksum, dictionary;
	uint64_t size; /* inflated, as the frame says */
};

/* False: no frame, or the header is not complete. */
bool zstd_header(struct span front, struct zstd_header *h);
/* Where the first block ends, from the frame's start. False: as zstd_header, or no such block. */
bool zstd_first_block(struct span front, uint64_t *end);

#endif
