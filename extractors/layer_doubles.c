/* SPDX-License-Identifier: Apache-2.0 */
/* Paths that stand more than once in one tar: the last one counts, and what was there before must not speak for it. */
#include <stdlib.h>

#include "extractors/layer_parts.h"
#include "extractors/path.h"

static int by_path(const void *a, const void *b)
{
	const struct layer_mark *x = a, *y = b;
	int c = span_cmp(x->path, y->path);

	return c ? c : (x->order > y->order) - (x->order < y->order);
}

/* The path itself, or one of an archive that lies there. */
static void rename_one(struct arena *mem, struct span *path, struct span old, struct span before)
{
	if (span_starts(*path, old) && (path->n == old.n || span_starts(span_after(*path, old.n), SPAN("!/"))))
		*path = path_join(mem, before, *path);
}

/* All that the entry of this mark brought; `next` is the mark behind it in the tar. */
static void move_aside(struct layer_job *l, const struct layer_mark *m, const struct layer_mark *next, size_t later)
{
	struct arena *mem = l->ctx->mem;
	struct facts *f = l->facts;
	struct span before = arena_printf(mem, "duplicate-%zu!/", later);

	for (size_t i = m->entries; i < next->entries; i++)
		rename_one(mem, &f->entries.v[i].path, m->path, before);
	for (size_t i = m->objects; i < next->objects; i++)
		rename_one(mem, &f->objects.v[i].path, m->path, before);
	for (size_t i = m->packages; i < next->packages; i++)
		rename_one(mem, &f->packages.v[i].path, m->path, before);
	for (size_t i = m->digests; i < next->digests; i++)
		rename_one(mem, &f->digests.v[i].path, m->path, before);
	for (size_t i = m->problems; i < next->problems; i++)
		rename_one(mem, &f->problems.v[i].path, m->path, before);
	for (size_t i = m->parts; i < next->parts; i++)
		l->parts.list.v[i].kind = PACKAGE_NONE;
}

static struct layer_mark end_mark(const struct layer_job *l)
{
	const struct facts *f = l->facts;

	return (struct layer_mark){.entries = f->entries.n,
	                           .objects = f->objects.n,
	                           .packages = f->packages.n,
	                           .digests = f->digests.n,
	                           .problems = f->problems.n,
	                           .parts = l->parts.list.n};
}

void layer_doubles(struct layer_job *l)
{
	size_t n = l->marks.n, end;
	struct layer_mark *sorted = malloc((n + 1) * sizeof(*sorted));
	struct layer_mark last = end_mark(l);

	if (!sorted)
		out_of_memory();
	if (n)
		memcpy(sorted, l->marks.v, n * sizeof(*sorted));
	qsort(sorted, n, sizeof(*sorted), by_path);
	for (size_t i = 0; i < n; i = end) {
		bool folders = true;

		for (end = i; end < n && span_eq(sorted[end].path, sorted[i].path); end++)
			folders &= sorted[end].kind == ENTRY_FOLDER;
		if (folders) /* said twice, and nothing is lost by it */
			continue;
		for (size_t k = i; k + 1 < end; k++) {
			const struct layer_mark *m = &sorted[k];

			move_aside(l, m, m->order + 1 < n ? &l->marks.v[m->order + 1] : &last, end - 1 - k);
		}
		if (end - i > 1)
			layer_odd_count(l, ODD_TWICE, sorted[i].path,
			                "this path stands more than once in the tar, and the last one counts");
	}
	free(sorted);
}
