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
	/* As opened just now; NULL: it is cheaper, or safer, to open another. */
	void (*reset)(void *state, const struct limits *l);
	/* Bytes that a state holds, where a stream can make them many. */
	size_t (*held)(const void *state);
};

#define ZSTD_NARROW_HEADER 6
/*
 * When no more than a small front is wanted (out_cap), a frame's header gives way to one with a small window: `in` is moved
 * behind the frame's own, *n bytes at `header` stand for it. What comes out of the front is the same, without the memory
 * that a frame can claim. *n is 0 when it must stay. -1: its window is above zstd-window.
 */
int zstd_narrow(const struct limits *l, struct span *in, size_t out_cap, uint8_t header[ZSTD_NARROW_HEADER], size_t *n,
                struct err *e);

extern const struct codec_row codec_deflate, codec_zlib, codec_gzip, codec_zstd, codec_lz4_frame;

/* What an LZ4 block gives up to its cut; -1 when it is damaged before any byte came out. */
int lz4_block_front(struct span in, uint8_t *out, size_t out_cap, size_t *out_n, struct err *e);
int lz4_block_whole(struct span in, uint8_t *out, size_t out_cap, size_t *out_n, struct err *e);

#endif
