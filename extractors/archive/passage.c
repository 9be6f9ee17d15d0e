/* SPDX-License-Identifier: Apache-2.0 */
/* Bytes of one member, wherever they come from, to those who want them. */
#include "frame.h"

#include "extractors/item.h"
#include "extractors/stream/unpack.h"

int passage_next(struct passage *p, size_t most, struct span *piece, struct err *e)
{
	size_t again = p->stream.again;
	int rc = zip_stream_next(&p->stream, most, piece, e);

	if (rc == 0 && p->digest)
		digest_add(p->digest, span_after(*piece, again));
	if (rc == 0 && p->staging)
		staging_bytes(p, span_after(*piece, again));
	return rc;
}

void passage_unreadable(struct passage *p, const struct err *e)
{
	if (p->staging)
		staging_fault(p, e);
	else if (p->hidden)
		problem_err(&p->a->facts->problems, p->a->ctx->mem, PROBLEM_ANOMALY, FINDING_OBJECT_UNREADABLE, p->path,
		            e);
	else
		archive_fault(p->a, p->f, FINDING_OBJECT_UNREADABLE, p->path, e);
}

bool passage_sound(struct passage *p)
{
	struct err e = ERR_INIT;

	switch (zip_stream_verdict(&p->stream, &e)) {
	case ZIP_SOUND:
		return true;
	case ZIP_ODD:
		p->fewer = p->stream.given < p->m.size;
		p->m.size = p->fewer ? p->stream.given : p->m.size;
		problem_err(&p->a->facts->problems, p->a->ctx->mem, PROBLEM_ANOMALY, FINDING_ARCHIVE_MALFORMED, p->path,
		            &e);
		return true;
	case ZIP_WRONG:
		break;
	}
	passage_unreadable(p, &e);
	return false;
}

int passage_over(struct passage *p, int rc, struct err *e)
{
	struct span piece;

	while (rc == 0 && p->stream.given <= p->stream.m.size)
		rc = passage_next(p, ZIP_PIECE, &piece, e);
	return rc < 0 ? -1 : 1;
}

/* Nobody said how long the member is before its bytes, and the reader must know. */
static void late_to_reader(struct passage *p, struct span piece)
{
	const struct file_reader *reader = p->a->ctx->reader;
	struct inflated in;
	bool more = true, whole;
	uint64_t size;
	void *handle;

	if (!passage_inflate(p, piece, &in))
		return;
	size = in.n < p->stream.m.size ? in.n : p->stream.m.size;
	handle = reader->begin(p->a->ctx, p->path, size, in.p);
	for (uint64_t at = 0; more && at < size; at += ZIP_PIECE)
		more = reader->feed(handle, span_first((struct span){in.p + at, ZIP_PIECE}, (size_t)(size - at)));
	if (in.failed)
		passage_unreadable(p, &in.fault);
	whole = !in.failed && (!more || passage_sound(p));
	reader->end(handle, p->a->facts, whole);
	inflated_free(&in);
}

static void to_reader(struct passage *p, struct span piece)
{
	const struct file_reader *reader = p->a->ctx->reader;
	void *handle = reader->begin(p->a->ctx, p->path, p->stream.m.size, NULL);
	bool more = true, whole = true;
	struct err e = ERR_INIT;
	uint64_t fed = 0;
	int rc = 0;

	while (rc == 0 && more && p->stream.given <= p->stream.m.size) {
		more = reader->feed(handle, piece);
		fed = p->stream.given;
		if (more)
			rc = passage_next(p, ZIP_PIECE, &piece, &e);
	}
	if (rc == 0 && more && fed < p->stream.m.size)
		reader->feed(handle, span_first(piece, (size_t)(p->stream.m.size - fed)));
	if (rc < 0) {
		passage_unreadable(p, &e);
		whole = false;
	} else if (more) {
		whole = passage_sound(p);
	}
	reader->end(handle, p->a->facts, whole);
}

/* Bytes that no reader wants: small members are held against their checksum, of large ones the front is enough. */
static void unwanted(struct passage *p, int rc)
{
	struct err e = ERR_INIT;

	if (p->stream.m.size <= PASSAGE_SMALL) {
		if (passage_over(p, rc, &e) < 0)
			passage_unreadable(p, &e);
		else
			passage_sound(p);
	}
}

/* A zip archive, or a script with one behind it, as zipapp makes them. */
static bool begins_archive(struct span front)
{
	static const struct span mark = SPAN_INIT("PK\3\4");

	return span_starts(front, mark) ||
	       (span_starts(front, SPAN("#!")) && memmem(front.p, front.n, mark.p, mark.n) != NULL);
}

/* Of a small member all, so that its size is known, too. */
static size_t first_piece(const struct passage *p)
{
	if (p->stream.late)
		return PASSAGE_SMALL + 1;
	return p->stream.m.size > PASSAGE_SMALL ? READER_FRONT : ZIP_PIECE;
}

static void bytes_read(struct passage *p)
{
	struct err e = ERR_INIT;
	struct span piece, front;
	int rc = passage_next(p, first_piece(p), &piece, &e);

	front = p->stream.m.size > PASSAGE_SMALL ? span_first(piece, READER_FRONT) : piece;
	if (rc < 0) {
		passage_unreadable(p, &e);
	} else if (rc == 0 && p->a->ctx->reader->wants(span_first(piece, READER_FRONT))) {
		p->stream.late ? late_to_reader(p, piece) : to_reader(p, piece);
	} else if (rc == 0 && begins_archive(front)) {
		passage_nested(p, piece);
	} else {
		if (rc == 0 && p->f->conda && unpack_codec(piece) != CODEC_NONE)
			passage_tar(p, piece);
		unwanted(p, rc);
	}
}

static void digest_begin(struct passage *p)
{
	if (!p->a->ctx->verify || p->hidden)
		return;
	p->digest = digest_new();
	if (!p->digest)
		out_of_memory();
}

static void digest_keep(struct passage *p, bool whole)
{
	uint8_t sum[DIGEST_BYTES];

	if (!p->digest)
		return;
	digest_end(p->digest, sum);
	p->digest = NULL;
	if (whole)
		item_digest(p->a->ctx, p->a->facts, p->path, sum);
}

/* A digest is one of all bytes, so whatever nobody else wanted is read now. What was told before is not told twice. */
static void digest_finish(struct passage *p)
{
	struct err e = ERR_INIT;
	bool whole = false;

	if (!p->digest)
		return;
	if (passage_over(p, 0, &e) < 0)
		passage_unreadable(p, &e);
	else
		whole = passage_sound(p);
	digest_keep(p, whole);
}

void passage_read(struct passage *p)
{
	digest_begin(p);
	bytes_read(p);
	digest_finish(p);
}

void passage_empty(struct passage *p)
{
	digest_begin(p);
	digest_keep(p, true);
}
