/* SPDX-License-Identifier: Apache-2.0 */
#include "stream.h"

#include <stdlib.h>

#include "base/cursor.h"
#include "staging.h"
#include "extractors/path.h"

#define GAP_MOST    (64u << 10) /* of a gap this much is kept */
#define METHOD_MOST 99

static bool begins_local(struct span s)
{
	return span_starts(s, SPAN("PK\3\4"));
}

static bool begins_tail(struct span s)
{
	return span_starts(s, SPAN("PK\1\2")) || span_starts(s, SPAN("PK\5\6")) || span_starts(s, SPAN("PK\6\6"));
}

/* Where no header should be, one must look like one. */
static bool plausible(struct span s)
{
	struct zip_member m;
	uint64_t data;

	return zip_local_parse(s, 0, &m, &data) && m.method <= METHOD_MOST && data > ZIP_LOCAL_BYTES &&
	       (m.stored || m.size == 0 || zip_member_late(&m));
}

/* A folder has no bytes: when the next header follows, none are sought. */
static void folder_settle(struct staging *st, struct zip_member *m)
{
	if (!zip_member_late(m) || m->name.n == 0 || m->name.p[m->name.n - 1] != '/')
		return;
	zip_front_fill(&st->front, 4);
	if (begins_local(st->front.in) || begins_tail(st->front.in)) {
		m->flags &= (uint16_t)~ZIP_DESCRIPTOR;
		m->stored = m->size = 0;
	}
}

/* One local entry. False when it is cut, or nothing more can be kept. */
static bool member_pass(struct staging *st)
{
	struct zip_front *f = &st->front;
	struct zip_passed *z;
	struct zip_member m;
	struct span header;
	uint64_t data;

	if (!zip_local_parse(f->in, f->at, &m, &data) || data - f->at > ZIP_FRONT_MOST)
		return false;
	zip_front_fill(f, (size_t)(data - f->at));
	if (f->in.n < data - f->at)
		return false;
	header = zip_seen_keep(&st->seen, f->at, span_first(f->in, (size_t)(data - f->at)));
	z = header.n ? zip_seen_entry_add(&st->seen) : NULL;
	if (!z)
		return false;
	zip_local_parse(header, f->at, &m, &data);
	zip_front_use(f, header.n);
	folder_settle(st, &m);
	*z = (struct zip_passed){m, data};
	st->f.conda = st->f.depth == 0 && st->seen.entries.n <= CONDA_MEMBERS;
	staging_begin(st, &m);
	staging_member(st, &m);
	return true;
}

static void tail_pass(struct staging *st)
{
	struct zip_front *f = &st->front;

	for (;;) {
		zip_front_fill(f, 1);
		if (f->in.n == 0)
			return;
		zip_seen_keep_tail(&st->seen, f->at, f->in);
		zip_front_use(f, f->in.n);
	}
}

/* How far the bytes at hand belong to no entry. */
static size_t gap_find(const struct zip_front *f)
{
	for (size_t i = 1; i < f->in.n; i++) {
		struct span s = span_after(f->in, i);

		if (s.p[0] != 'P')
			continue;
		if (s.n < ZIP_LOCAL_BYTES && !f->dry)
			return i;
		if (begins_tail(s) || plausible(s))
			return i;
	}
	return f->in.n;
}

static void gap_pass(struct staging *st)
{
	struct zip_front *f = &st->front;
	size_t kept = 0;

	for (;;) {
		size_t n, some;

		zip_front_fill(f, 2 * ZIP_LOCAL_BYTES);
		if (f->in.n == 0)
			return;
		n = gap_find(f);
		some = n < GAP_MOST - kept ? n : GAP_MOST - kept;
		zip_seen_keep(&st->seen, f->at, span_first(f->in, some));
		kept += some;
		zip_front_use(f, n);
		zip_front_fill(f, ZIP_LOCAL_BYTES);
		if (begins_tail(f->in) || plausible(f->in))
			return;
	}
}

static void archive_pass(struct staging *st)
{
	struct zip_front *f = &st->front;

	for (;;) {
		zip_front_fill(f, ZIP_LOCAL_BYTES);
		if (f->in.n == 0)
			return;
		if (begins_tail(f->in))
			break;
		if (!begins_local(f->in))
			gap_pass(st);
		else if (!member_pass(st))
			break;
	}
	tail_pass(st);
}

/* What came of an archive without a directory: nothing that a reader of directories would take. */
static void remains_tell(struct staging *st, struct archive *a)
{
	struct problems *problems = &a->facts->problems;
	struct err e = ERR_INIT;
	struct span folder;

	st->f.staged = st;
	for (size_t i = 0; i < st->seen.entries.n; i++) {
		const struct zip_passed *z = &st->seen.entries.v[i];

		st->f.wheel |= package_file_of(z->m.name, &folder) == PACKAGE_WHEEL &&
		               span_find(folder, '/') == folder.n;
		archive_hidden(a, &st->f, &(struct zip_hidden){z->m, z->data});
	}
	if (st->seen.full)
		return;
	err_set(&e, ERR_FORMAT, 0, "it begins like a zip archive, and no directory of one was found");
	problem_err(problems, a->ctx->mem, st->f.depth == 0 || st->f.wheel ? PROBLEM_INCOMPLETE : PROBLEM_ANOMALY,
	            FINDING_ARCHIVE_MALFORMED, st->f.path, &e);
}

static void archive_tell(struct staging *st, struct archive *a, const struct archive_stream_source *src)
{
	struct archive_source by_directory = {
	        .bytes = {.fd = -1, .size = st->seen.size, .seen = &st->seen},
	        .path = src->path,
	        .name = src->name,
	        .depth = src->depth,
	        .slices = 1,
	        .staged = st,
	};

	if (st->seen.full)
		problem_limit(&a->facts->problems, a->ctx->mem, a->ctx->limits, LIMIT_OBJECT_RANGES, src->path,
		              "what is kept of this archive as it passes");
	if (archive_push(a, &by_directory, NULL, 0))
		remains_tell(st, a);
	if (src->wheel)
		*src->wheel = a->stack.n ? a->stack.v[0]->wheel : st->f.wheel;
	archive_run(a);
}

static struct staging *staging_new(const struct job_context *ctx, const struct archive_stream_source *src)
{
	struct staging *st = calloc(1, sizeof(*st));

	if (!st)
		out_of_memory();
	st->facts.mem = ctx->mem;
	st->kept_room = ctx->limits->v[LIMIT_OBJECT_RANGES];
	zip_seen_open(&st->seen, st->kept_room);
	zip_front_open(&st->front, src->from, &st->seen);
	st->a = (struct archive){.ctx = ctx, .facts = &st->facts, .held = src->held, .streams = src->streams};
	st->a.rooms = malloc(sizeof(*st->a.rooms));
	if (!st->a.rooms)
		out_of_memory();
	st->f = (struct frame){.path = src->path, .name = src->name, .depth = src->depth};
	st->f.prefix = src->path.n ? path_join(ctx->mem, src->path, SPAN("!/")) : SPAN_NONE;
	return st;
}

static void staging_free(struct staging *st)
{
	zip_front_close(&st->front);
	zip_seen_close(&st->seen);
	free(st->a.rooms);
	free(st->text);
	free(st);
}

int archive_stream_read(const struct job_context *ctx, struct facts *facts, const struct archive_stream_source *src,
                        struct err *e)
{
	struct staging *st = staging_new(ctx, src);
	struct archive a = {
	        .ctx = ctx, .facts = facts, .rooms = st->a.rooms, .held = src->held, .streams = src->streams};
	int rc = 0;

	archive_pass(st);
	archive_tell(st, &a, src);
	if (st->front.failed) {
		*e = st->front.fault;
		rc = -1;
	}
	staging_free(st);
	return rc;
}
