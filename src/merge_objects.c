/* SPDX-License-Identifier: Apache-2.0 */
/* Objects of all jobs in one order, what names alone tell, and the hard links of each. */
#include <stdlib.h>

#include "merge_parts.h"
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

/* Links, empty files and files of other kinds that have the name of a library, driver file or tool. */
static void objects_by_name(struct merge *m)
{
	size_t sorted = m->to->objects.n;

	for (size_t i = 0; i < m->entries.n; i++) {
		const struct entry *e = &m->entries.v[i];
		struct object o = {.path = e->path,
		                   .bytes = e->bytes,
		                   .type = OBJECT_OTHER,
		                   .layer = e->layer,
		                   .hidden = m->hidden};

		if (m->hidden && e->layer == 0)
			continue;
		if ((e->kind != ENTRY_FILE && e->kind != ENTRY_SYMLINK) || objects_have(m->to, sorted, e->path))
			continue;
		if (i && span_eq(m->entries.v[i - 1].path, e->path))
			continue;
		if (e->kind == ENTRY_SYMLINK) {
			o.type = OBJECT_LINK;
			o.link_target = e->target;
		} else if (e->bytes == 0) {
			o.type = OBJECT_EMPTY;
		}
		if (!names_evidence(&o, m->mem, m->catalogue, SPAN_NONE))
			continue;
		object_sort(&o, m->mem);
		*list_add(m->mem, &m->to->objects) = o;
	}
}

static int by_target(const void *x, const void *y)
{
	const struct entry *a = *(const struct entry *const *)x, *b = *(const struct entry *const *)y;
	int c = span_cmp(a->target, b->target);

	return c ? c : span_cmp(a->path, b->path);
}

/* Objects are sorted by path: their links come in the same order. */
static void links_join(struct merge *m)
{
	LIST(const struct entry *) links = {NULL, 0, 0};
	size_t at = 0;

	for (size_t i = 0; i < m->entries.n; i++)
		if (m->entries.v[i].kind == ENTRY_HARDLINK)
			*list_add(m->mem, &links) = &m->entries.v[i];
	if (links.n == 0)
		return;
	qsort(links.v, links.n, sizeof(*links.v), by_target);
	for (size_t i = 0; i < m->to->objects.n; i++) {
		struct object *o = &m->to->objects.v[i];

		while (at < links.n && span_cmp(links.v[at]->target, o->path) < 0)
			at++;
		for (; at < links.n && span_eq(links.v[at]->target, o->path); at++)
			spans_add(m->mem, &o->links, links.v[at]->path);
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
