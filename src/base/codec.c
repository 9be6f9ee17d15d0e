/* SPDX-License-Identifier: Apache-2.0 */
#include "base/codec.h"

#include <stdlib.h>

#include "base/codec_row.h"

#define PADDING_MAX 8 /* bytes that may follow a whole stream */
#define KEPT_MAX    ((size_t)4 << 20) /* of a stream that is not in use, in the long run */

struct codec_stream {
	const struct codec_row *row;
	void *state;
	struct limits limits;
	enum codec codec;
	bool ended, broken;
};

static void *stored_open(const struct limits *l)
{
	void *state = malloc(1);

	if (!state)
		out_of_memory();
	return state;
}

/* Stored bytes have no end of their own. */
static int stored_step(void *state, const struct limits *l, struct codec_io *io, struct err *e)
{
	io->n = io->in.n < io->cap ? io->in.n : io->cap;
	if (io->n)
		memcpy(io->out, io->in.p, io->n);
	io->in = span_after(io->in, io->n);
	return 0;
}

static const struct codec_row codec_stored = {"none", stored_open, stored_step, free, NULL, NULL};
static const struct codec_row codec_lz4_block = {"lz4", NULL, NULL, NULL, NULL, NULL};

static const struct codec_row *const rows[CODEC_COUNT] = {
	[CODEC_NONE] = &codec_stored, [CODEC_DEFLATE] = &codec_deflate,     [CODEC_ZLIB] = &codec_zlib,
	[CODEC_GZIP] = &codec_gzip,   [CODEC_LZ4_BLOCK] = &codec_lz4_block, [CODEC_LZ4_FRAME] = &codec_lz4_frame,
	[CODEC_ZSTD] = &codec_zstd,
};

const char *codec_name(enum codec c)
{
	return c < CODEC_COUNT ? rows[c]->name : "";
}

struct codec_stream *codec_stream_new(enum codec c, const struct limits *l, struct err *e)
{
	const struct codec_row *row = c < CODEC_COUNT ? rows[c] : NULL;
	struct codec_stream *s;

	if (!row || !row->open) {
		err_set(e, ERR_UNSUPPORTED, 0, "%s has no streams",
			c == CODEC_LZ4_BLOCK ? "an lz4 block" : "this codec");
		return NULL;
	}
	s = calloc(1, sizeof(*s));
	if (!s)
		out_of_memory();
	s->row = row;
	s->codec = c;
	s->limits = *l;
	s->state = row->open(l);
	return s;
}

int codec_stream_step(struct codec_stream *s, struct span *in, uint8_t *out, size_t out_cap, size_t *out_n,
                      struct err *e)
{
	struct codec_io io = {*in, out, out_cap, 0};
	int rc;

	*out_n = 0;
	if (s->broken)
		return err_set(e, ERR_FORMAT, 0, "%s stream is damaged", s->row->name);
	if (s->ended)
		return 1;
	rc = s->row->step(s->state, &s->limits, &io, e);
	/* Room and input, and nothing moved: it never would. */
	if (rc == 0 && in->n && out_cap && io.in.n == in->n && io.n == 0)
		rc = err_set(e, ERR_FORMAT, 0, "%s stream is damaged", s->row->name);
	s->ended = rc == 1;
	s->broken = rc < 0;
	*in = io.in;
	*out_n = io.n;
	return rc;
}

void codec_stream_free(struct codec_stream *s)
{
	if (!s)
		return;
	s->row->close(s->state);
	free(s);
}

struct codec_stream *codec_streams_take(struct codec_streams *k, enum codec c, const struct limits *l, struct err *e)
{
	struct codec_stream *s = k && c < CODEC_COUNT ? k->kept[c] : NULL;

	if (!s)
		return codec_stream_new(c, l, e);
	k->kept[c] = NULL;
	s->limits = *l;
	s->ended = s->broken = false;
	s->row->reset(s->state, l);
	return s;
}

void codec_streams_give(struct codec_streams *k, struct codec_stream *s)
{
	if (s && k && s->row->reset && !k->kept[s->codec])
		k->kept[s->codec] = s;
	else
		codec_stream_free(s);
}

static void streams_free(struct codec_streams *k, size_t above)
{
	for (size_t i = 0; i < CODEC_COUNT; i++) {
		struct codec_stream *s = k->kept[i];

		if (!s || (above && (!s->row->held || s->row->held(s->state) <= above)))
			continue;
		codec_stream_free(s);
		k->kept[i] = NULL;
	}
}

void codec_streams_trim(struct codec_streams *k)
{
	streams_free(k, KEPT_MAX);
}

void codec_streams_clear(struct codec_streams *k)
{
	streams_free(k, 0);
}

int codec_streams_front(struct codec_streams *k, enum codec c, const struct limits *l, struct span in, uint8_t *out,
                        size_t out_cap, size_t *out_n, struct err *e)
{
	uint8_t narrow[ZSTD_NARROW_HEADER];
	struct span head = {narrow, 0};
	struct codec_stream *s;
	size_t n = 1;
	int rc = 0;

	*out_n = 0;
	if (c == CODEC_LZ4_BLOCK)
		return lz4_block_front(in, out, out_cap, out_n, e);
	if (c == CODEC_ZSTD && zstd_narrow(l, &in, out_cap, narrow, &head.n, e) < 0)
		return -1;
	s = codec_streams_take(k, c, l, e);
	if (!s)
		return -1;
	if (head.n)
		rc = codec_stream_step(s, &head, out, out_cap, &n, e);
	n = 1;
	while (rc == 0 && *out_n < out_cap && (in.n || n)) {
		rc = codec_stream_step(s, &in, out + *out_n, out_cap - *out_n, &n, e);
		*out_n += n;
	}
	codec_streams_give(k, s);
	/* Damage behind the bytes that were asked for is not looked for. */
	return rc < 0 && (*out_n == 0 || e->code == ERR_LIMIT) ? -1 : 0;
}

int codec_front(enum codec c, const struct limits *l, struct span in, uint8_t *out, size_t out_cap, size_t *out_n,
                struct err *e)
{
	return codec_streams_front(NULL, c, l, in, out, out_cap, out_n, e);
}

int codec_streams_whole(struct codec_streams *k, enum codec c, const struct limits *l, struct span in, uint8_t *out,
                        size_t out_cap, size_t *out_n, struct err *e)
{
	struct codec_stream *s;
	uint8_t beyond;
	int rc = 0;

	*out_n = 0;
	if (c == CODEC_LZ4_BLOCK)
		return lz4_block_whole(in, out, out_cap, out_n, e);
	s = codec_streams_take(k, c, l, e);
	if (!s)
		return -1;
	while (rc == 0) {
		bool full = *out_n == out_cap, empty = in.n == 0;
		size_t n;

		/* When all room is used, one byte more tells whether the stream ends here. */
		rc = full ? codec_stream_step(s, &in, &beyond, 1, &n, e)
			  : codec_stream_step(s, &in, out + *out_n, out_cap - *out_n, &n, e);
		if (full && n)
			rc = err_set(e, ERR_FORMAT, 0, "%s stream has more than %zu bytes", codec_name(c), out_cap);
		else
			*out_n += n;
		if (rc == 0 && empty && n == 0)
			rc = c == CODEC_NONE ? 1
					     : err_set(e, ERR_TRUNCATED, 0, "%s stream ends too early", codec_name(c));
	}
	codec_streams_give(k, s);
	if (rc == 1 && in.n > PADDING_MAX)
		return err_set(e, ERR_FORMAT, 0, "%zu bytes follow the %s stream", in.n, codec_name(c));
	return rc == 1 ? 0 : -1;
}

int codec_whole(enum codec c, const struct limits *l, struct span in, uint8_t *out, size_t out_cap, size_t *out_n,
                struct err *e)
{
	return codec_streams_whole(NULL, c, l, in, out, out_cap, out_n, e);
}
