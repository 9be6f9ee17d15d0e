/* SPDX-License-Identifier: Apache-2.0 */
#include "extractors/archive_frame.h"

#include <sys/stat.h>

#include "extractors/item.h"
#include "extractors/path.h"
#include "extractors/stream/unpack.h"

int passage_next(struct passage *p, size_t most, struct span *piece, struct err *e)
{
	int rc = zip_stream_next(&p->stream, most, piece, e);

	if (rc == 0 && p->digest)
		digest_add(p->digest, *piece);
	return rc;
}

void passage_unreadable(struct passage *p, const struct err *e)
{
	if (p->hidden)
		problem_err(&p->a->facts->problems, p->a->ctx->mem, PROBLEM_ANOMALY, FINDING_OBJECT_UNREADABLE, p->path,
		            e);
	else
		archive_fault(p->a, p->f, FINDING_OBJECT_UNREADABLE, p->path, e);
}

/* True when the bytes are those that the directory promised, or odd in a way that loses none. */
static bool sound(struct passage *p)
{
	struct err e = ERR_INIT;

	switch (zip_stream_verdict(&p->stream, &e)) {
	case ZIP_SOUND:
		return true;
	case ZIP_ODD:
		problem_err(&p->a->facts->problems, p->a->ctx->mem, PROBLEM_ANOMALY, FINDING_ARCHIVE_MALFORMED, p->path,
		            &e);
		return true;
	case ZIP_WRONG:
		break;
	}
	passage_unreadable(p, &e);
	return false;
}

/* Reads on to the end, or to where more came than was promised. 1 at the end, -1 damaged. */
static int pass_over(struct passage *p, int rc, struct err *e)
{
	struct span piece;

	while (rc == 0 && p->stream.given <= p->m.size)
		rc = passage_next(p, ZIP_PIECE, &piece, e);
	return rc < 0 ? -1 : 1;
}

static void to_reader(struct passage *p, struct span piece)
{
	const struct file_reader *reader = p->a->ctx->reader;
	void *handle = reader->begin(p->a->ctx, p->path, p->m.size, NULL);
	bool more = true, whole = true;
	struct err e = ERR_INIT;
	uint64_t fed = 0;
	int rc = 0;

	while (rc == 0 && more && p->stream.given <= p->m.size) {
		more = reader->feed(handle, piece);
		fed = p->stream.given;
		if (more)
			rc = passage_next(p, ZIP_PIECE, &piece, &e);
	}
	if (rc == 0 && more && fed < p->m.size)
		reader->feed(handle, span_first(piece, (size_t)(p->m.size - fed)));
	if (rc < 0) {
		passage_unreadable(p, &e);
		whole = false;
	} else if (more) {
		whole = sound(p);
	}
	reader->end(handle, p->a->facts, whole);
}

/* Bytes that no reader wants: small members are held against their checksum, of large ones the front is enough. */
static void unwanted(struct passage *p, int rc)
{
	struct err e = ERR_INIT;

	if (p->m.size <= PASSAGE_SMALL) {
		if (pass_over(p, rc, &e) < 0)
			passage_unreadable(p, &e);
		else
			sound(p);
	}
}

/* A zip archive, or a script with one behind it, as zipapp makes them. */
static bool begins_archive(struct span front)
{
	static const struct span mark = SPAN_INIT("PK\3\4");

	return span_starts(front, mark) ||
	       (span_starts(front, SPAN("#!")) && memmem(front.p, front.n, mark.p, mark.n) != NULL);
}

static void bytes_read(struct passage *p)
{
	size_t most = p->m.size > PASSAGE_SMALL ? READER_FRONT : ZIP_PIECE;
	struct err e = ERR_INIT;
	struct span piece;
	int rc = passage_next(p, most, &piece, &e);

	if (rc < 0)
		passage_unreadable(p, &e);
	else if (rc == 0 && p->a->ctx->reader->wants(span_first(piece, READER_FRONT)))
		to_reader(p, piece);
	else if (rc == 0 && begins_archive(piece))
		passage_nested(p, piece);
	else if (rc == 0 && p->f->conda && unpack_codec(piece) != CODEC_NONE)
		passage_tar(p);
	else
		unwanted(p, rc);
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
	if (pass_over(p, 0, &e) < 0)
		passage_unreadable(p, &e);
	else
		whole = sound(p);
	digest_keep(p, whole);
}

static void passage_begin(struct passage *p, uint64_t data)
{
	struct err e = ERR_INIT;

	if (zip_stream_begin(&p->stream, &p->f->zip, &p->m, data, p->a->rooms, p->a->ctx->limits, &e)) {
		passage_unreadable(p, &e);
	} else {
		digest_begin(p);
		bytes_read(p);
		digest_finish(p);
	}
	zip_stream_end(&p->stream);
}

void archive_hidden(struct archive *a, struct frame *f, const struct zip_hidden *h)
{
	struct passage p = {.a = a, .f = f, .m = h->m, .hidden = true};
	unsigned odd;
	struct span name = path_normalise(a->ctx->mem, h->m.name, &odd);

	name = span_first(name, (size_t)a->ctx->limits->v[LIMIT_PATH_BYTES]);
	p.path = path_join(a->ctx->mem, f->prefix, path_join(a->ctx->mem, SPAN("hidden-local!/"), name));
	passage_begin(&p, h->data);
}

static void entry_add(struct passage *p, enum entry_kind kind, struct span target)
{
	struct entry e = {.path = p->path,
	                  .kind = kind,
	                  .bytes = kind == ENTRY_FILE ? p->m.size : 0,
	                  .target = target};

	entries_add(&p->a->facts->entries, p->a->ctx->mem, &e);
}

/*
 * A symbolic link by its mode. Installers know none and write a file: what is no plausible target is read as one. True
 * when it was a link.
 */
static bool link_read(struct passage *p, uint64_t data)
{
	struct err e = ERR_INIT;
	struct span target = SPAN_NONE;
	bool done = false;

	if (p->m.size > p->a->ctx->limits->v[LIMIT_PATH_BYTES])
		return false;
	if (zip_stream_begin(&p->stream, &p->f->zip, &p->m, data, p->a->rooms, p->a->ctx->limits, &e) == 0 &&
	    zip_stream_next(&p->stream, ZIP_PIECE, &target, &e) >= 0 && p->stream.ended &&
	    zip_stream_verdict(&p->stream, &e) != ZIP_WRONG && span_find(target, 0) == target.n &&
	    !(target.n && p->a->ctx->reader->wants(target))) {
		entry_add(p, ENTRY_SYMLINK, target);
		done = true;
	}
	zip_stream_end(&p->stream);
	return done;
}

/* The path in the artifact; false when there is nothing to read under it. */
static bool path_make(struct passage *p, size_t i)
{
	struct arena *mem = p->a->ctx->mem;
	struct span before = p->f->prefix;
	uint32_t later = zip_names_later(&p->f->names, (uint32_t)i);
	unsigned odd;
	struct span path = path_normalise(mem, p->m.name, &odd);
	enum limit_id limit = path_limit(p->a->ctx->limits, path);

	if (path.n == 0)
		return false; /* the root: installers cannot write it, archive_check tells it */
	if (later)
		before = path_join(mem, before, arena_printf(mem, "duplicate-%u!/", later));
	p->path = path_join(mem, before, limit ? span_first(path, 256) : path);
	if (limit)
		problem_limit(&p->a->facts->problems, mem, p->a->ctx->limits, limit, p->path,
		              "the name that begins so");
	return limit == LIMIT_NONE;
}

void archive_member(struct archive *a, struct frame *f, size_t i)
{
	struct passage p = {.a = a, .f = f};
	struct err e = ERR_INIT;
	struct zip_local local;

	zip_member_at(&f->zip, i, &p.m);
	if (!path_make(&p, i))
		return;
	if (zip_member_folder(&p.m)) {
		entry_add(&p, ENTRY_FOLDER, SPAN_NONE);
		return;
	}
	if (p.m.size == 0 && p.m.stored == 0 && p.m.crc == 0 && (p.m.mode & S_IFMT) != S_IFLNK) {
		entry_add(&p, ENTRY_FILE, SPAN_NONE);
		digest_begin(&p);
		digest_keep(&p, true);
		return;
	}
	if (zip_local_find(&f->zip, &p.m, &local, &e)) {
		entry_add(&p, ENTRY_FILE, SPAN_NONE);
		passage_unreadable(&p, &e);
		return;
	}
	if ((p.m.mode & S_IFMT) == S_IFLNK && link_read(&p, local.data))
		return;
	entry_add(&p, ENTRY_FILE, SPAN_NONE);
	if (f->names.firsts[i] == i)
		passage_begin(&p, local.data);
}
