/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Compressed bytes to plain ones. The only place that sees ISA-L, zstd, lz4 and zlib. Nothing is allocated from a size that a
 * file claims; windows of zstd are capped at zstd-window.
 */
#ifndef POSTERN_BASE_CODEC_H
#define POSTERN_BASE_CODEC_H

#include "base/arena.h"

enum codec {
	CODEC_NONE,
	CODEC_DEFLATE,   /* raw deflate, as in zip */
	CODEC_ZLIB,      /* 78 xx, adler32 checked at the end */
	CODEC_GZIP,      /* one member, CRC and length checked */
	CODEC_LZ4_BLOCK, /* raw block without frame */
	CODEC_LZ4_FRAME,
	CODEC_ZSTD, /* one frame */
	CODEC_COUNT
};

/* Name in reports: none, deflate, zlib, gzip, lz4, lz4, zstd. */
const char *codec_name(enum codec c);

/*
 * As many bytes as `in` gives, up to out_cap; `in` may be cut anywhere: what came out before the cut is the answer.
 * *out_n bytes were written. -1 (ERR_FORMAT) only when the stream is damaged before any byte came out, or when its window
 * is above zstd-window (ERR_LIMIT).
 */
int codec_front(enum codec c, const struct limits *l, struct span in, uint8_t *out, size_t out_cap, size_t *out_n, struct err *e);

/*
 * All of `in`, which must be exactly one complete stream followed by at most 8 zero or padding bytes. -1 when it is damaged,
 * cut (ERR_TRUNCATED), or inflates to more than out_cap bytes (ERR_FORMAT).
 */
int codec_whole(enum codec c, const struct limits *l, struct span in, uint8_t *out, size_t out_cap, size_t *out_n, struct err *e);

/*
 * A stream inflated piece by piece (not CODEC_LZ4_BLOCK). codec_stream_new gives NULL and fills e when it cannot be had; free
 * with codec_stream_free (NULL is fine).
 */
struct codec_stream;
struct codec_stream *codec_stream_new(enum codec c, const struct limits *l, struct err *e);
/*
 * Eats from the front of *in (which is moved on) and writes up to out_cap bytes. 0 more to come (wants more input when *in is
 * empty), 1 the stream ended exactly here and its checks hold (rest stays in *in), -1 damaged.
 */
int codec_stream_step(struct codec_stream *s, struct span *in, uint8_t *out, size_t out_cap, size_t *out_n, struct err *e);
void codec_stream_free(struct codec_stream *s);

/*
 * Streams that wait for their next use, one a codec: to make one costs more than a small payload. Empty when zeroed. All
 * take NULL for k, and then keep nothing. A stream that was taken starts afresh, and goes back with codec_streams_give.
 */
struct codec_streams {
	struct codec_stream *kept[CODEC_COUNT];
};
struct codec_stream *codec_streams_take(struct codec_streams *k, enum codec c, const struct limits *l, struct err *e);
void codec_streams_give(struct codec_streams *k, struct codec_stream *s);
/* Frees those that hold much memory. */
void codec_streams_trim(struct codec_streams *k);
void codec_streams_clear(struct codec_streams *k);
/* codec_front and codec_whole with streams of k. */
int codec_streams_front(struct codec_streams *k, enum codec c, const struct limits *l, struct span in, uint8_t *out,
                        size_t out_cap, size_t *out_n, struct err *e);
int codec_streams_whole(struct codec_streams *k, enum codec c, const struct limits *l, struct span in, uint8_t *out,
                        size_t out_cap, size_t *out_n, struct err *e);

/* CRC-32 as zip and gzip use it; start with 0. */
uint32_t codec_crc32(uint32_t crc, struct span s);

#endif
