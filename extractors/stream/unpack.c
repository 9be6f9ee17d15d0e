/* SPDX-License-Identifier: Apache-2.0 */
#include "extractors/stream/unpack.h"

#include <stdlib.h>

#define MARK_BYTES 16 /* enough to see what begins */

static bool begins_zstd(struct span s)
{
	if (span_starts(s, SPAN("\x28\xb5\x2f\xfd")))
		return true;
	/* A frame to be skipped: sixteen marks. */
	return s.n > 3 && (s.p[0] & 0xf0) == 0x50 && span_starts(span_after(s, 1), SPAN("\x2a\x4d\x18"));
}

static bool begins_gzip(struct span s)
{
	return span_starts(s, SPAN("\x1f\x8b"));
}

enum codec unpack_codec(struct span front)
{
	if (begins_gzip(front))
		return CODEC_GZIP;
	return begins_zstd(front) ? CODEC_ZSTD : CODEC_NONE;
}

/* The next piece behind what is left of u->in; at the end nothing changes. */
static int fill(struct unpack *u)
{
	struct span piece;
	int rc;

	if (u->in.n) { /* the piece dies now */
		memmove(u->in_room, u->in.p, u->in.n);
		u->in.p = u->in_room;
	}
	rc = u->from->next(u->from, &piece, &u->fault);
	if (rc < 0)
		return -1;
	u->dry = rc == 1;
	u->taken += piece.n;
	if (u->in.n == 0) {
		u->in = piece;
	} else if (piece.n) {
		memcpy(u->in_room + u->in.n, piece.p, piece.n);
		u->in.n += piece.n;
	}
	return 0;
}

int unpack_open(struct unpack *u, struct flow *from, const struct limits *limits, struct err *e)
{
	*u = (struct unpack){.limits = limits, .from = from, .fault = ERR_INIT};
	u->in_room = malloc(MARK_BYTES + FLOW_PIECE);
	u->out_room = malloc(UNPACK_PIECE);
	if (!u->in_room || !u->out_room)
		out_of_memory();
	if (fill(u)) {
		*e = u->fault;
		u->failed = true;
		return -1;
	}
	u->codec = unpack_codec(u->in);
	if (u->codec == CODEC_NONE && from->lay)
		from->lay(from);
	return 0;
}

void unpack_close(struct unpack *u)
{
	uint8_t unused[DIGEST_BYTES];

	if (u->digest)
		digest_end(u->digest, unused);
	u->digest = NULL;
	codec_stream_free(u->stream);
	free(u->in_room);
	free(u->out_room);
	u->stream = NULL;
	u->in_room = u->out_room = NULL;
}

static bool size_known(const struct unpack *u)
{
	return u->from->size != FLOW_UNKNOWN;
}

/* It ended before the size that somebody claims. */
static bool is_short(const struct unpack *u)
{
	return u->dry && size_known(u) && u->taken < u->from->size;
}

static int cut(struct unpack *u)
{
	unsigned long long end = u->taken, claimed = u->from->size;
	const char *name = u->codec == CODEC_NONE ? "tar" : codec_name(u->codec);

	if (is_short(u))
		return err_set(&u->fault, ERR_TRUNCATED, end, "the %s stream ends at byte %llu of %llu", name, end,
		               claimed);
	return err_set(&u->fault, ERR_TRUNCATED, end, "the %s stream ends too early, at byte %llu", name, end);
}

static bool all_zero(struct span s)
{
	return s.n == 0 || (s.p[0] == 0 && memcmp(s.p, s.p + 1, s.n - 1) == 0);
}

/* What follows the last stream: counted, and where its size is known looked at only as far as it is zero. */
static int trail(struct unpack *u)
{
	bool known = size_known(u);

	u->trailing = u->in.n + (known && !u->dry ? u->from->size - u->taken : 0);
	u->padding = true;
	while (u->in.n) {
		u->padding = u->padding && all_zero(u->in);
		u->in = SPAN_NONE;
		if ((u->padding || !known) && fill(u))
			return -1;
		u->trailing += known ? 0 : u->in.n;
	}
	return 1;
}

/* Between two streams: 0 another one begins, 1 none does. */
static int stream_begin(struct unpack *u)
{
	bool first = u->taken == u->in.n;

	if (u->in.n < MARK_BYTES && fill(u))
		return -1;
	if (!first && (u->codec == CODEC_GZIP ? !begins_gzip(u->in) : !begins_zstd(u->in)))
		return trail(u);
	u->stream = codec_stream_new(u->codec, u->limits, &u->fault);
	return u->stream ? 0 : -1;
}

/* One step: 0 some came or may come, 1 the end, -1 the fault is told. */
static int inflate_step(struct unpack *u, uint8_t *out, size_t most, size_t *n)
{
	size_t before;
	int rc;

	if (!u->stream) {
		rc = stream_begin(u);
		if (rc)
			return rc;
	}
	if (u->in.n == 0 && fill(u))
		return -1;
	before = u->in.n;
	rc = codec_stream_step(u->stream, &u->in, out, most, n, &u->fault);
	if (rc == 1) {
		codec_stream_free(u->stream);
		u->stream = NULL;
		return 0;
	}
	if (rc < 0) {
		unsigned long long place = u->taken - u->in.n;

		return err_wrap(&u->fault, "near byte %llu", place);
	}
	/* All is used up, and the stream wants more. */
	if (*n == 0 && u->in.n == before && (before || u->dry))
		return cut(u);
	return 0;
}

static int stored_step(struct unpack *u, size_t *n)
{
	if (u->in.n == 0 && fill(u))
		return -1;
	*n = u->in.n;
	return u->in.n == 0;
}

/* Stored bytes are given where they lie. */
static struct span gather(struct unpack *u)
{
	size_t n = 0, got;
	struct span out;
	int rc = 0;

	if (u->codec == CODEC_NONE) {
		rc = stored_step(u, &n);
		out = u->in;
		u->in = SPAN_NONE;
	} else {
		while (rc == 0 && n < UNPACK_PIECE) {
			got = 0;
			rc = inflate_step(u, u->out_room + n, UNPACK_PIECE - n, &got);
			n += got;
		}
		out = (struct span){u->out_room, n};
	}
	if (rc == 1 && is_short(u))
		rc = cut(u);
	u->ended = rc == 1;
	u->failed = rc < 0;
	return out;
}

int unpack_next(struct unpack *u, struct span *out, struct err *e)
{
	*out = SPAN_NONE;
	if (!u->failed && !u->ended)
		*out = gather(u);
	u->given += out->n;
	if (u->digest)
		digest_add(u->digest, *out);
	if (u->codec != CODEC_NONE && u->given > u->limits->v[LIMIT_INFLATED_BYTES] && !u->failed) {
		err_limit(&u->fault, LIMIT_INFLATED_BYTES, u->limits, "this layer");
		u->failed = true;
	}
	if (out->n)
		return 0;
	if (u->failed)
		*e = u->fault;
	return u->failed ? -1 : 1;
}
