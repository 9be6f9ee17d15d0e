/* SPDX-License-Identifier: Apache-2.0 */
#include "staging.h"

#include <stdlib.h>

#include "extractors/path.h"

static struct staged *staged_add(struct staging *st)
{
	const struct facts *f = &st->facts;
	struct staged *r = list_add(&st->seen.mem, &st->list);

	r->entries = entries_end(&f->entries);
	r->objects = (uint32_t)f->objects.n;
	r->packages = (uint32_t)f->packages.n;
	r->digests = (uint32_t)f->digests.n;
	r->problems = (uint32_t)f->problems.n;
	r->faults = (uint32_t)st->faults.n;
	return r;
}

/* What is staged now: the last but the end mark is added when the member ended. */
static struct staged *current(struct staging *st)
{
	return &st->list.v[st->list.n - 1];
}

void staging_begin(struct staging *st, const struct zip_member *m)
{
	const struct job_context *ctx = st->a.ctx;
	struct staged *r = st->list.n ? current(st) : staged_add(st);
	struct span name, folder;
	unsigned odd;

	name = span_first(path_normalise(ctx->mem, m->name, &odd), (size_t)ctx->limits->v[LIMIT_PATH_BYTES]);
	r->path = path_join(ctx->mem, st->f.prefix, name.n ? name : SPAN("-"));
	st->text_wanted = package_file_of(name, &folder) != PACKAGE_NONE;
	st->text_n = 0;
	st->small_n = 0;
}

static struct span kept_copy(struct staging *st, struct span s, bool *kept)
{
	*kept = s.n <= st->kept_room;
	if (!*kept)
		return SPAN_NONE;
	st->kept_room -= s.n;
	return arena_copy(st->a.ctx->mem, s);
}

void staging_bytes(struct passage *p, struct span fresh)
{
	struct staging *st = p->staging;
	size_t small = st->small_n < STAGED_SMALL ? STAGED_SMALL - st->small_n : 0;
	uint64_t most = st->a.ctx->limits->v[LIMIT_METADATA_BYTES];

	small = small < fresh.n ? small : fresh.n;
	memcpy(st->small + st->small_n, fresh.p, small);
	st->small_n += small;
	if (!st->text_wanted)
		return;
	if (fresh.n > most || st->text_n > most - fresh.n) {
		st->text_wanted = false; /* what it is will be said by its size in the directory */
		return;
	}
	if (st->text_n + fresh.n > st->text_room) {
		st->text_room = 2 * (st->text_n + fresh.n);
		st->text = realloc(st->text, st->text_room);
		if (!st->text)
			out_of_memory();
	}
	memcpy(st->text + st->text_n, fresh.p, fresh.n);
	st->text_n += fresh.n;
}

/* What may be the target of a link, should the directory say so. Lines of text are not kept for that. */
static void link_keep(struct staging *st, struct staged *r, const struct passage *p)
{
	struct span s = {st->small, st->small_n};

	if (!p->stream.ended || p->stream.given > st->a.ctx->limits->v[LIMIT_PATH_BYTES])
		return;
	if (p->stream.given == s.n && (span_find(s, 0) < s.n || (s.n && st->a.ctx->reader->wants(s))))
		return; /* it is none, whatever its mode */
	if (p->stream.given == s.n && span_find(s, '\n') == s.n)
		r->link = kept_copy(st, s, &r->link_kept);
	r->link_over = !r->link_kept;
}

static void text_keep(struct staging *st, struct staged *r, struct passage *p)
{
	struct span text = {st->text, st->text_n};

	if (!st->text_wanted || !p->stream.ended || p->stream.failed || p->stream.given > p->stream.m.size)
		return;
	r->text = kept_copy(st, text, &r->text_kept);
	r->text_over = !r->text_kept;
}

/* All that passes of a member goes where that of one in a directory goes. */
static void bytes_pass(struct staging *st, struct passage *p)
{
	struct err e = ERR_INIT;

	if (zip_stream_begin_front(&p->stream, &st->front, &p->m, st->a.rooms, st->a.ctx->limits, &e)) {
		passage_unreadable(p, &e);
	} else {
		passage_read(p);
		if (st->text_wanted)
			passage_over(p, 0, &e);
	}
	link_keep(st, current(st), p);
	text_keep(st, current(st), p);
	zip_stream_end(&p->stream);
}

void staging_member(struct staging *st, const struct zip_member *m)
{
	struct passage p = {.a = &st->a, .f = &st->f, .m = *m, .path = current(st)->path, .staging = st};
	struct zip_passed *z = &st->seen.entries.v[st->seen.entries.n - 1];
	struct staged *r;

	if (m->size || m->stored || m->crc || zip_member_late(m)) {
		bytes_pass(st, &p);
		current(st)->fewer = p.fewer;
		current(st)->size = p.m.size;
		z->m.crc = p.stream.m.crc;
		z->m.size = p.stream.m.size;
		z->m.stored = p.stream.m.stored;
	} else {
		r = current(st);
		r->link_kept = r->text_kept = true;
		r->text = SPAN("");
	}
	archive_run(&st->a);
	staged_add(st);
}

void staging_tar(struct passage *p)
{
	struct staged *r = current(p->staging);

	r->tar = true;
	r->tar_problems = (uint32_t)p->staging->facts.problems.n;
}

void staging_nested(struct passage *p)
{
	current(p->staging)->nested = true;
}

void staging_fault(struct passage *p, const struct err *e)
{
	struct arena *mem = p->a->ctx->mem;

	*list_add(mem, &p->staging->faults) =
	        (struct staged_fault){e->code, e->limit, arena_printf(mem, "%s", e->text)};
}
