/* SPDX-License-Identifier: Apache-2.0 */
/* Paths that stand more than once in one tar: the last one counts, and what was there before must not speak for it. */
#include <stdlib.h>

#include "parts.h"
#include "extractors/path.h"

struct layer_had layer_had(const struct layer_job *l)
{
	const struct facts *f = l->facts;

	return (struct layer_had){(uint32_t)f->objects.n, (uint32_t)f->packages.n, (uint32_t)f->digests.n,
	                          (uint32_t)f->problems.n, (uint32_t)l->parts.list.n};
}

/* The path itself, or one of an archive that lies there. */
static void rename_one(struct arena *mem, struct span *path, struct span old, struct span before)
{
	if (span_starts(*path, old) && (path->n == old.n || span_starts(span_after(*path, old.n), SPAN("!/"))))
		*path = path_join(mem, before, *path);
}

static int by_place(const void *a, const void *b)
{
	uint32_t x = ((const struct layer_mark *)a)->place, y = ((const struct layer_mark *)b)->place;

	return (x > y) - (x < y);
}

/* What the entry at this place brought besides names. */
static void finds_move(struct layer_job *l, uint32_t place, struct span old, struct span before)
{
	struct layer_mark key = {.place = place}, *m = NULL;
	struct arena *mem = l->ctx->mem;
	struct facts *f = l->facts;

	if (l->marks.n)
		m = bsearch(&key, l->marks.v, l->marks.n, sizeof(key), by_place);
	if (!m)
		return;
	for (size_t i = m->from.objects; i < m->to.objects; i++)
		rename_one(mem, &f->objects.v[i].path, old, before);
	for (size_t i = m->from.packages; i < m->to.packages; i++)
		rename_one(mem, &f->packages.v[i].path, old, before);
	for (size_t i = m->from.digests; i < m->to.digests; i++)
		rename_one(mem, &f->digests.v[i].path, old, before);
	for (size_t i = m->from.problems; i < m->to.problems; i++)
		rename_one(mem, &f->problems.v[i].path, old, before);
	for (size_t i = m->from.parts; i < m->to.parts; i++)
		l->parts.list.v[i].kind = PACKAGE_NONE;
}

/* All that the entry at this place brought: its row, those of archives in it up to the tar's next one, and more. */
static void move_aside(struct layer_job *l, uint32_t place, size_t later)
{
	struct entries *rows = &l->facts->entries;
	struct arena *mem = l->ctx->mem;
	struct span before = arena_printf(mem, "duplicate-%zu!/", later), old;
	struct entry_cursor c = {0};
	uint32_t end = entries_end(rows);

	entries_go(rows, &c, place);
	old = arena_copy(mem, entries_path(rows, &c));
	do {
		struct span path = entries_path(rows, &c), moved = path;

		rename_one(mem, &moved, old, before);
		if (moved.p != path.p)
			entries_rename(rows, mem, &c, moved);
	} while (entries_next(rows, &c) && c.at < end && c.level != l->level);
	entries_done(&c);
	finds_move(l, place, old, before);
}

/* The least of all such paths stands for them. */
static void double_tell(struct layer_job *l, struct span path)
{
	struct layer_oddity *o = &l->odd[ODD_TWICE];

	layer_odd_count(l, ODD_TWICE, path, "this path stands more than once in the tar, and the last one counts");
	if (span_cmp(path, o->path) < 0)
		o->path = arena_copy(l->ctx->mem, path);
}

struct run {
	uint32_t folder;
	struct span name;
};

/* Is the cursor's row one of the same path? */
static bool run_has(const struct run *r, const struct entry_cursor *c)
{
	return c->folder == r->folder && span_eq(c->row.name, r->name);
}

void layer_doubles(struct layer_job *l)
{
	const struct entries *rows = &l->facts->entries;
	struct entry_cursor c = {0};
	size_t n, end;
	uint32_t *places = entries_order(rows, l->level, l->first, &n);

	for (size_t i = 0; i < n; i = end) {
		struct run run;
		bool folders;

		entries_go(rows, &c, places[i]);
		run = (struct run){c.folder, c.row.name};
		folders = c.row.kind == ENTRY_FOLDER;
		for (end = i + 1; end < n; end++) {
			entries_go(rows, &c, places[end]);
			if (!run_has(&run, &c))
				break;
			folders &= c.row.kind == ENTRY_FOLDER;
		}
		if (folders || end == i + 1) /* folders are said twice, and nothing is lost by it */
			continue;
		entries_go(rows, &c, places[i]);
		double_tell(l, entries_path(rows, &c));
		for (size_t k = i; k + 1 < end; k++)
			move_aside(l, places[k], end - 1 - k);
	}
	entries_done(&c);
	free(places);
}
