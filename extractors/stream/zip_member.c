/* SPDX-License-Identifier: Apache-2.0 */
#include "extractors/stream/zip_member.h"

#define METHOD_STORED  0
#define METHOD_DEFLATE 8

int zip_stream_begin(struct zip_stream *s, const struct zip_directory *z, const struct zip_member *m, uint64_t data,
                     struct zip_rooms *rooms, const struct limits *limits, struct err *e)
{
	*s = (struct zip_stream){.zip = z, .limits = limits, .rooms = rooms, .m = *m, .at = data, .left = m->stored};
	if (m->flags & ZIP_ENCRYPTED)
		return err_set(e, ERR_UNSUPPORTED, data, "it is encrypted");
	if (m->method == METHOD_STORED)
		return 0;
	if (m->method != METHOD_DEFLATE)
		return err_set(e, ERR_UNSUPPORTED, data, "compression method %u is not read", m->method);
	s->codec = codec_stream_new(CODEC_DEFLATE, limits, e);
	return s->codec ? 0 : -1;
}

void zip_stream_end(struct zip_stream *s)
{
	codec_stream_free(s->codec);
	s->codec = NULL;
}

static int fill(struct zip_stream *s, struct err *e)
{
	size_t n = s->left < sizeof(s->rooms->in) ? (size_t)s->left : sizeof(s->rooms->in);

	if (!zip_bytes_get(&s->zip->bytes, s->at, s->rooms->in, n))
		return err_set(e, ERR_IO, s->at, "%zu bytes at %llu cannot be read", n, (unsigned long long)s->at);
	s->in = (struct span){s->rooms->in, n};
	s->at += n;
	s->left -= n;
	return 0;
}

static int stored_step(struct zip_stream *s, uint8_t *out, size_t most, size_t *n, struct err *e)
{
	*n = 0;
	if (s->in.n == 0 && s->left == 0)
		return 1;
	if (s->in.n == 0 && fill(s, e))
		return -1;
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
	size_t done = 0;

	if (most > ZIP_PIECE)
		most = ZIP_PIECE;
	while (!s->ended && !s->failed && done < most) {
		size_t n = 0;
		int rc = s->codec ? deflate_step(s, s->rooms->out + done, most - done, &n, &s->fault)
		                  : stored_step(s, s->rooms->out + done, most - done, &n, &s->fault);

		done += n;
		s->ended = rc == 1;
		s->failed = rc < 0;
		if (s->given + done > s->limits->v[LIMIT_INFLATED_MEMBER]) {
			err_limit(&s->fault, LIMIT_INFLATED_MEMBER, s->limits, "a member");
			s->failed = true;
		}
	}
	*out = (struct span){s->rooms->out, done};
	s->given += done;
	s->crc = codec_crc32(s->crc, *out);
	if (done)
		return 0;
	if (s->failed)
		*e = s->fault;
	return s->failed ? -1 : 1;
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
	if (s->in.n + s->left) {
		err_set(e, ERR_FORMAT, 0, "%llu stored bytes follow its compressed stream",
		        (unsigned long long)(s->in.n + s->left));
		return ZIP_ODD;
	}
	return ZIP_SOUND;
}
