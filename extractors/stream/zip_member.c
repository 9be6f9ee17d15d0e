/* SPDX-License-Identifier: Apache-2.0 */
#include "extractors/stream/zip_member.h"

#define METHOD_STORED  0
#define METHOD_DEFLATE 8

static int codec_begin(struct zip_stream *s, struct err *e)
{
	const struct zip_member *m = &s->m;

	if (m->flags & ZIP_ENCRYPTED)
		return err_set(e, ERR_UNSUPPORTED, s->data, "it is encrypted");
	if (m->method == METHOD_STORED)
		return 0;
	if (m->method != METHOD_DEFLATE)
		return err_set(e, ERR_UNSUPPORTED, s->data, "compression method %u is not read", m->method);
	s->codec = codec_stream_new(CODEC_DEFLATE, s->limits, e);
	return s->codec ? 0 : -1;
}

int zip_stream_begin(struct zip_stream *s, const struct zip_bytes *bytes, const struct zip_member *m, uint64_t data,
                     struct zip_rooms *rooms, const struct limits *limits, struct err *e)
{
	*s = (struct zip_stream){.bytes = bytes,
	                         .limits = limits,
	                         .rooms = rooms,
	                         .m = *m,
	                         .data = data,
	                         .at = data,
	                         .left = m->stored};
	return codec_begin(s, e);
}

int zip_stream_begin_front(struct zip_stream *s, struct zip_front *front, const struct zip_member *m,
                           struct zip_rooms *rooms, const struct limits *limits, struct err *e)
{
	int rc;

	*s = (struct zip_stream){.front = front,
	                         .limits = limits,
	                         .rooms = rooms,
	                         .m = *m,
	                         .data = front->at,
	                         .left = m->stored,
	                         .late = zip_member_late(m)};
	rc = codec_begin(s, e);
	if (!s->late)
		return rc;
	s->m.size = UINT64_MAX;
	s->left = s->codec ? UINT64_MAX : 0;
	s->ending_sought = !s->codec;
	s->ending = (struct zip_ending){.data = front->at, .blind = rc != 0};
	return rc;
}

/* More bytes whose end is sought. */
static void ending_seek(struct zip_stream *s)
{
	s->ending_sought = !zip_ending_next(s->front, &s->ending, &s->left);
	if (s->ending_sought && s->left == 0) {
		s->ending_sought = false;
		s->endless = true;
	}
}

/* The member's part of what is at hand. None at the end of the archive. */
static void fill_front(struct zip_stream *s)
{
	struct zip_front *f = s->front;

	if (s->left == 0 && s->ending_sought)
		ending_seek(s);
	if (s->left)
		zip_front_fill(f, 1);
	s->in = span_first(f->in, s->left < f->in.n ? (size_t)s->left : f->in.n);
	zip_front_use(f, s->in.n);
	if (s->left == UINT64_MAX && s->in.n)
		return;
	s->left = s->in.n ? s->left - s->in.n : 0;
}

/* What its stored bytes and the descriptor say, when all of the former passed. */
static void front_finish(struct zip_stream *s, bool read)
{
	struct zip_front *f = s->front;
	uint64_t size = s->m.size;
	uint32_t crc = s->m.crc;

	if (s->late) {
		zip_front_back(f, s->in.n);
		s->m.stored = f->at - s->data;
	} else {
		s->unused = s->in.n + s->left;
		zip_front_pass(f, s->left);
	}
	s->left = 0;
	s->in = SPAN_NONE;
	if (s->m.flags & ZIP_DESCRIPTOR) {
		if (s->late || (read && crc == 0)) {
			s->m.size = s->given;
			s->m.crc = s->crc;
		}
		zip_descriptor_take(f, &s->m, read);
		if (!s->late && crc) { /* the header said it, and is held to it */
			s->m.size = size;
			s->m.crc = crc;
		} else if (!s->late && size) {
			s->m.size = size;
		}
	}
	s->late = false;
}

static void ending_pass(struct zip_stream *s)
{
	s->in = SPAN_NONE;
	zip_front_pass(s->front, s->left);
	while (s->ending_sought) {
		ending_seek(s);
		zip_front_pass(s->front, s->left);
	}
}

void zip_stream_end(struct zip_stream *s)
{
	struct err unused = ERR_INIT;
	struct span piece;

	if (s->front && s->codec && s->late)
		while (zip_stream_next(s, ZIP_PIECE, &piece, &unused) == 0)
			;
	if (s->front && !s->ended) {
		if (s->late && !s->codec)
			ending_pass(s);
		front_finish(s, false);
	}
	codec_stream_free(s->codec);
	s->codec = NULL;
}

static int fill(struct zip_stream *s, struct err *e)
{
	size_t n = s->left < sizeof(s->rooms->in) ? (size_t)s->left : sizeof(s->rooms->in);

	if (s->front) {
		fill_front(s);
		return 0;
	}
	if (!zip_bytes_get(s->bytes, s->at, s->rooms->in, n))
		return err_set(e, ERR_IO, s->at, "%zu bytes at %llu cannot be read", n, (unsigned long long)s->at);
	s->in = (struct span){s->rooms->in, n};
	s->at += n;
	s->left -= n;
	return 0;
}

/* Stored bytes were promised, or may come, and the archive has no more. */
static bool is_cut(const struct zip_stream *s)
{
	return s->front && s->front->dry && s->front->in.n == 0 && s->in.n == 0 && s->left == 0;
}

static int stored_step(struct zip_stream *s, uint8_t *out, size_t most, size_t *n, struct err *e)
{
	bool wanted = s->left || s->ending_sought;

	*n = 0;
	if (s->in.n == 0 && !wanted)
		return s->endless ? err_set(e, ERR_TRUNCATED, s->data, "where it ends cannot be told") : 1;
	if (s->in.n == 0 && fill(s, e))
		return -1;
	if (s->in.n == 0 && !s->ending_sought && !s->endless && is_cut(s))
		return err_set(e, ERR_TRUNCATED, s->data, "its stored bytes end too early");
	*n = s->in.n < most ? s->in.n : most;
	memcpy(out, s->in.p, *n);
	s->in = span_after(s->in, *n);
	return 0;
}

static int deflate_step(struct zip_stream *s, uint8_t *out, size_t most, size_t *n, struct err *e)
{
	size_t before;
	int rc;

	*n = 0;
	if (s->in.n == 0 && s->left && fill(s, e))
		return -1;
	before = s->in.n;
	rc = codec_stream_step(s->codec, &s->in, out, most, n, e);
	if (rc == 0 && *n == 0 && s->in.n == before && s->left == 0)
		return err_set(e, ERR_TRUNCATED, s->at, "its compressed bytes end too early");
	return rc;
}

int zip_stream_next(struct zip_stream *s, size_t most, struct span *out, struct err *e)
{
	size_t done = s->again, again = s->again;
	bool ended = s->ended;

	if (most > ZIP_PIECE)
		most = ZIP_PIECE;
	s->again = 0;
	while (!s->ended && !s->failed && done < most) {
		size_t n = 0;
		int rc = s->codec ? deflate_step(s, s->rooms->out + done, most - done, &n, &s->fault)
		                  : stored_step(s, s->rooms->out + done, most - done, &n, &s->fault);

		done += n;
		s->ended = rc == 1;
		s->failed = rc < 0;
		if (s->given + (done - again) > s->limits->v[LIMIT_INFLATED_MEMBER]) {
			err_limit(&s->fault, LIMIT_INFLATED_MEMBER, s->limits, "a member");
			s->failed = true;
		}
	}
	*out = (struct span){s->rooms->out, done};
	s->given += done - again;
	s->crc = codec_crc32(s->crc, span_after(*out, again));
	if (s->front && s->ended && !ended)
		front_finish(s, true);
	else if (s->ended)
		s->unused = s->front ? s->unused : s->in.n + s->left;
	if (done)
		return 0;
	if (s->failed)
		*e = s->fault;
	return s->failed ? -1 : 1;
}

void zip_stream_again(struct zip_stream *s, struct span piece)
{
	s->again = piece.n;
}

enum zip_verdict zip_stream_verdict(const struct zip_stream *s, struct err *e)
{
	unsigned long long given = s->given, size = s->m.size;

	if (s->given > s->m.size) {
		err_set(e, ERR_FORMAT, 0, "it has %llu bytes, and the directory says %llu", given, size);
		return ZIP_WRONG;
	}
	if (s->crc != s->m.crc) {
		err_set(e, ERR_FORMAT, 0, "its checksum is %08x, and the directory says %08x", s->crc, s->m.crc);
		return ZIP_WRONG;
	}
	if (s->given < s->m.size) {
		err_set(e, ERR_FORMAT, 0, "it has %llu bytes, and the directory says %llu", given, size);
		return ZIP_ODD;
	}
	if (s->unused) {
		err_set(e, ERR_FORMAT, 0, "%llu stored bytes follow its compressed stream",
		        (unsigned long long)s->unused);
		return ZIP_ODD;
	}
	return ZIP_SOUND;
}
