/* SPDX-License-Identifier: Apache-2.0 */
#include "extractors/stream/unpack.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

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

/* More of the file behind what is left of u->in; at the end of the range nothing changes. */
static int fill(struct unpack *u)
{
	size_t n = u->in.n, most = UNPACK_PIECE - n;

	if (n && u->in.p != u->in_room)
		memmove(u->in_room, u->in.p, n);
	most = u->end - u->at < most ? (size_t)(u->end - u->at) : most;
	while (most) {
		ssize_t got = pread(u->fd, u->in_room + n, most, (off_t)u->at);

		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return err_set(&u->fault, ERR_IO, u->at, "it cannot be read: %s", strerror(errno));
		if (got == 0) {
			u->end = u->at;
			break;
		}
		n += (size_t)got;
		most -= (size_t)got;
		u->at += (uint64_t)got;
	}
	u->in = (struct span){u->in_room, n};
	return 0;
}

int unpack_open(struct unpack *u, int fd, uint64_t offset, uint64_t size, const struct limits *limits, struct err *e)
{
	*u = (struct unpack){.limits = limits, .fd = fd, .start = offset, .at = offset, .claimed = size, .fault = ERR_INIT};
	u->in_room = malloc(UNPACK_PIECE);
	u->out_room = malloc(UNPACK_PIECE);
	if (!u->in_room || !u->out_room)
		out_of_memory();
	if (__builtin_add_overflow(offset, size, &u->end) || u->end > INT64_MAX)
		return err_set(e, ERR_FORMAT, offset, "its place is beyond any file");
	if (fill(u)) {
		*e = u->fault;
		u->failed = true;
		return -1;
	}
	u->codec = unpack_codec(u->in);
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

static int cut(struct unpack *u)
{
	unsigned long long end = u->end - u->start, claimed = u->claimed;
	const char *name = u->codec == CODEC_NONE ? "tar" : codec_name(u->codec);

	if (end < claimed)
		return err_set(&u->fault, ERR_TRUNCATED, end, "the %s stream ends at byte %llu of %llu", name, end,
		               claimed);
	return err_set(&u->fault, ERR_TRUNCATED, end, "the %s stream ends too early, at byte %llu", name, end);
}

/* What follows the last stream: counted, and looked at only as far as it is zero. */
static int trail(struct unpack *u)
{
	u->trailing = u->in.n + (u->end - u->at);
	u->padding = true;
	while (u->padding && u->in.n) {
		for (size_t i = 0; u->padding && i < u->in.n; i++)
			u->padding = u->in.p[i] == 0;
		u->in = SPAN_NONE;
		if (u->padding && fill(u))
			return -1;
	}
	return 1;
}

/* Between two streams: 0 another one begins, 1 none does. */
static int stream_begin(struct unpack *u)
{
	bool first = u->at - u->start == u->in.n;

	if (u->in.n < 16 && fill(u))
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
		unsigned long long place = u->at - u->start - u->in.n;

		return err_wrap(&u->fault, "near byte %llu", place);
	}
	/* All of the range is used up, and the stream wants more. */
	if (*n == 0 && u->in.n == before && u->at == u->end)
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
	if (rc == 1 && u->end - u->start < u->claimed)
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
