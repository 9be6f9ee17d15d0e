/* SPDX-License-Identifier: Apache-2.0 */
/* Private to codec*.c: what one family of codecs gives to the table in codec.c. */
#ifndef POSTERN_BASE_CODEC_ROW_H
#define POSTERN_BASE_CODEC_ROW_H

#include "base/codec.h"

/* One step: `in` is moved on, `n` of `cap` bytes at `out` are filled. */
struct codec_io {
	struct span in;
	uint8_t *out;
	size_t cap, n;
};

struct codec_row {
	const char *name;
	/* A state from the heap, never NULL; NULL here: the codec has no streams. */
	void *(*open)(const struct limits *l);
	/* 0 more to come, 1 the stream ended and its checks hold, -1 damaged. */
	int (*step)(void *state, const struct limits *l, struct codec_io *io, struct err *e);
	void (*close)(void *state);
};

extern const struct codec_row codec_deflate, codec_zlib, codec_gzip, codec_zstd, codec_lz4_frame;

/* What an LZ4 block gives up to its cut; -1 when it is damaged before any byte came out. */
int lz4_block_front(struct span in, uint8_t *out, size_t out_cap, size_t *out_n, struct err *e);
int lz4_block_whole(struct span in, uint8_t *out, size_t out_cap, size_t *out_n, struct err *e);

#endif
