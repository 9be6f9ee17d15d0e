/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Stores: a folder at the top of a package with more than KERNEL_FILES loose kernel files below it is one row with
 * sums, not thousands of objects (inventory.md).
 */
#include <stdlib.h>

#include "base/checked.h"
#include "parts.h"

#define KERNEL_FILES 32

/* A loose kernel file that may become part of a store. */
struct loose {
	size_t owner;
	uint32_t layer;
	struct span folder, backend;
	size_t object; /* index in to->objects */
};

struct looses {
	struct loose *v;
	size_t n, cap;
};

/* One image row of a store, before rows of one target are added up. */
struct image_row {
	struct span target;
	size_t object;
	uint64_t count, bytes;
};

struct images {
	struct image_row *v;
	size_t n, cap;
};

static bool is_kernel_file(enum object_type t)
{
	return t == OBJECT_CUBIN || t == OBJECT_FATBIN || t == OBJECT_PTX || t == OBJECT_HIPFB || t == OBJECT_HSACO;
}

/* False when the file's code is of no backend, or of several: such a file stays an object. */
static bool backend_of(const struct object *o, struct span *backend)
{
	if (o->device_code.n == 0)
		return false;
	*backend = o->device_code.v[0].backend;
	for (size_t i = 1; i < o->device_code.n; i++)
		if (!span_eq(*backend, o->device_code.v[i].backend))
			return false;
	return true;
}

/* The folder at the top of the file's package, or of the archive or artifact that it lies in. False: it lies in none.
 */
static bool top_folder(struct merge *m, const struct object *o, size_t owner, struct span *folder)
{
	size_t base = merge_archive_part(m, o->path), slash;

	if (owner != NO_OWNER) {
		struct span root = m->to->packages.v[owner].root;

		if (root.n > base && span_starts(o->path, root))
			base = root.n;
	}
	slash = span_find(span_after(o->path, base), '/');
	if (base + slash >= o->path.n)
		return false;
	*folder = span_first(o->path, base + slash);
	return true;
}

static int loose_cmp(const void *x, const void *y)
{
	const struct loose *a = x, *b = y;
	int c = span_cmp(a->folder, b->folder);

	c = c ? c : (a->owner > b->owner) - (a->owner < b->owner);
	c = c ? c : by_number(a->layer, b->layer);
	c = c ? c : span_cmp(a->backend, b->backend);
	return c ? c : (a->object > b->object) - (a->object < b->object);
}

static int image_cmp(const void *x, const void *y)
{
	const struct image_row *a = x, *b = y;
	int c = span_cmp(a->target, b->target);

	return c ? c : (a->object > b->object) - (a->object < b->object);
}

static void targets_sum(struct merge *m, struct store *s, struct images *l)
{
	struct target_sum *t = NULL;

	if (l->n == 0)
		return;
	qsort(l->v, l->n, sizeof(*l->v), image_cmp);
	for (size_t i = 0; i < l->n; i++) {
		if (!t || !span_eq(t->target, l->v[i].target)) {
			t = list_add(m->mem, &s->targets);
			t->target = l->v[i].target;
		}
		if (i == 0 || !span_eq(l->v[i - 1].target, t->target) || l->v[i - 1].object != l->v[i].object)
			t->files++;
		t->count = sum_capped(t->count, l->v[i].count);
		t->bytes = sum_capped(t->bytes, l->v[i].bytes);
	}
}

/* files: n of one folder, owner, layer and backend. */
static void store_add(struct merge *m, const struct loose *files, size_t n)
{
	struct store *s = list_add(m->mem, &m->to->stores);
	struct images images = {NULL, 0, 0};

	s->path = files[0].folder;
	s->kind = SPAN("kernel-files");
	s->backend = files[0].backend;
	s->layer = files[0].layer;
	s->hidden = m->hidden;
	if (files[0].owner != NO_OWNER)
		s->package = m->to->packages.v[files[0].owner].id;
	s->files = n;
	for (size_t i = 0; i < n; i++) {
		const struct object *o = &m->to->objects.v[files[i].object];

		m->stored[files[i].object] = true;
		s->bytes = sum_capped(s->bytes, o->bytes);
		s->hidden_by = o->hidden_by > s->hidden_by ? o->hidden_by : s->hidden_by;
		for (size_t k = 0; k < o->device_code.n; k++) {
			struct image_row *image = list_add(m->mem, &images);

			image->target = o->device_code.v[k].target;
			image->object = files[i].object;
			image->count = o->device_code.v[k].count;
			image->bytes = o->device_code.v[k].bytes;
		}
	}
	targets_sum(m, s, &images);
}

/* files: n of one folder, owner and layer, sorted by backend. */
static void folder_store(struct merge *m, const struct loose *files, size_t n)
{
	size_t from = 0;

	if (n <= KERNEL_FILES)
		return;
	for (size_t i = 1; i <= n; i++) {
		if (i < n && span_eq(files[i].backend, files[from].backend))
			continue;
		store_add(m, files + from, i - from);
		from = i;
	}
}

void merge_stores(struct merge *m)
{
	struct looses l = {NULL, 0, 0};
	size_t from = 0;

	for (size_t i = 0; i < m->to->objects.n; i++) {
		const struct object *o = &m->to->objects.v[i];
		struct loose one = {.owner = m->owners[i], .layer = o->layer, .object = i};

		if (is_kernel_file(o->type) && backend_of(o, &one.backend) && top_folder(m, o, one.owner, &one.folder))
			*list_add(m->mem, &l) = one;
	}
	if (l.n == 0)
		return;
	qsort(l.v, l.n, sizeof(*l.v), loose_cmp);
	for (size_t i = 1; i <= l.n; i++) {
		if (i < l.n && span_eq(l.v[i].folder, l.v[from].folder) && l.v[i].owner == l.v[from].owner &&
		    l.v[i].layer == l.v[from].layer)
			continue;
		folder_store(m, l.v + from, i - from);
		from = i;
	}
}
