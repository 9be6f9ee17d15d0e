/* SPDX-License-Identifier: Apache-2.0 */
/* Objects of all jobs in one order, what names alone tell, and the hard links of each. */
#include <stdlib.h>

#include "parts.h"
#include "model/names.h"

/* Pointers into one array: equal objects keep the order in which they were read. */
static int object_cmp(const void *x, const void *y)
{
	const struct object *a = *(const struct object *const *)x, *b = *(const struct object *const *)y;
	int c = span_cmp(a->path, b->path);

	c = c ? c : by_number(a->layer, b->layer);
	c = c ? c : (int)a->hidden - (int)b->hidden;
	c = c ? c : by_number(a->bytes, b->bytes);
	c = c ? c : (int)a->type - (int)b->type;
	c = c ? c : span_cmp(a->build_id, b->build_id);
	c = c ? c : by_number(a->evidence.n, b->evidence.n);
	c = c ? c : by_number(a->device_code.n, b->device_code.n);
	return c ? c : (a > b) - (a < b);
}

/* Files whose content says what they are count by that; others only by what is known of them. */
static bool object_counts(const struct object *o)
{
	switch (o->type) {
	case OBJECT_LINK:
	case OBJECT_EMPTY:
	case OBJECT_LFS_POINTER:
	case OBJECT_SOURCE:
	case OBJECT_OTHER:
	case OBJECT_TYPE_COUNT:
		return o->evidence.n > 0 || o->device_code.n > 0;
	default:
		return true;
	}
}

void merge_objects_sort(struct merge *m)
{
	size_t n = m->to->objects.n;
	const struct object **order = arena_alloc(m->mem, (n + 1) * sizeof(*order));
	struct object *sorted = arena_alloc(m->mem, (n + 1) * sizeof(*sorted));

	for (size_t i = 0; i < n; i++)
		order[i] = &m->to->objects.v[i];
	if (n)
		qsort(order, n, sizeof(*order), object_cmp);
	for (size_t i = 0; i < n; i++)
		sorted[i] = *order[i];
	m->to->objects.v = sorted;
	m->to->objects.cap = n;
}

static int path_cmp(const void *x, const void *y)
{
	return span_cmp(((const struct object *)x)->path, ((const struct object *)y)->path);
}

static bool objects_have(const struct artifact *a, size_t sorted, struct span path)
{
	struct object key = {.path = path};

	return sorted && bsearch(&key, a->objects.v, sorted, sizeof(*a->objects.v), path_cmp);
}

/* What the entry's name alone makes of it; false: nothing. */
static bool named(struct merge *m, const struct entry *e, struct object *o)
{
	*o = (struct object){.path = e->path,
	                     .bytes = e->bytes,
	                     .type = OBJECT_OTHER,
	                     .layer = e->layer,
	                     .hidden = m->hidden,
	                     .hidden_by = e->hidden_by};
	if (e->kind == ENTRY_SYMLINK) {
		o->type = OBJECT_LINK;
		o->link_target = e->target;
	} else if (e->bytes == 0) {
		o->type = OBJECT_EMPTY;
	}
	return names_evidence(o, m->mem, m->catalogue, SPAN_NONE);
}

/* Of equal paths the first counts, and those of the source come last. */
static bool first_of_path(const struct merge *m, const struct merge_walk *w)
{
	size_t i = w->i - 1;

	if (!w->beside)
		return i == 0 || !span_eq(m->entries.v[i - 1].path, w->e.path);
	i = merge_entry_place(m, w->e.path);
	return i == m->entries.n || !span_eq(m->entries.v[i].path, w->e.path);
}

/* Links, empty files and files of other kinds that have the name of a library, driver file or tool. */
static void objects_by_name(struct merge *m)
{
	size_t sorted = m->to->objects.n;
	struct merge_walk w = {0};

	while (merge_next(m, &w)) {
		struct entry e = w.e;
		struct object o;

		if ((m->hidden && e.layer == 0) || (e.kind != ENTRY_FILE && e.kind != ENTRY_SYMLINK) ||
		    !named(m, &e, &o) || objects_have(m->to, sorted, e.path))
			continue;
		if (!first_of_path(m, &w))
			continue;
		e.path = arena_copy(m->mem, e.path);
		named(m, &e, &o);
		object_sort(&o, m->mem);
		*list_add(m->mem, &m->to->objects) = o;
	}
}

/* A further name of an object. */
struct link {
	struct span target, path;
};

static int by_target(const void *x, const void *y)
{
	const struct link *a = x, *b = y;
	int c = span_cmp(a->target, b->target);

	return c ? c : span_cmp(a->path, b->path);
}

/* Objects are sorted by path: their links come in the same order. */
static void links_join(struct merge *m)
{
	LIST(struct link) links = {NULL, 0, 0};
	size_t n = m->to->objects.n, at = 0;
	struct merge_walk w = {0};

	while (merge_next(m, &w))
		if (w.e.kind == ENTRY_HARDLINK && objects_have(m->to, n, w.e.target))
			*list_add(m->mem, &links) =
			        (struct link){arena_copy(m->mem, w.e.target), arena_copy(m->mem, w.e.path)};
	if (links.n == 0)
		return;
	qsort(links.v, links.n, sizeof(*links.v), by_target);
	for (size_t i = 0; i < n; i++) {
		struct object *o = &m->to->objects.v[i];

		while (at < links.n && span_cmp(links.v[at].target, o->path) < 0)
			at++;
		for (; at < links.n && span_eq(links.v[at].target, o->path); at++)
			spans_add(m->mem, &o->links, links.v[at].path);
	}
}

void merge_objects(struct merge *m, const struct facts *facts, size_t n)
{
	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; k < facts[i].objects.n; k++)
			if (object_counts(&facts[i].objects.v[k]))
				*list_add(m->mem, &m->to->objects) = facts[i].objects.v[k];
	merge_objects_sort(m);
	objects_by_name(m);
	merge_objects_sort(m);
	links_join(m);
}
