/* SPDX-License-Identifier: Apache-2.0 */
/* Files that a later layer hides: nothing loads them, but they are shipped. */
#include <stdlib.h>

#include "base/checked.h"
#include "parts.h"

static int backend_cmp(const void *x, const void *y)
{
	return span_cmp(((const struct backend_sum *)x)->backend, ((const struct backend_sum *)y)->backend);
}

static struct backend_sum *backend_find(struct artifact *to, size_t n, struct span backend)
{
	struct backend_sum key = {.backend = backend};

	return n ? bsearch(&key, to->backends.v, n, sizeof(*to->backends.v), backend_cmp) : NULL;
}

/* A backend that is in hidden files only is mentioned: nothing that can be loaded carries it. */
static void backends_join(struct artifact *to, const struct artifact *part, struct arena *mem)
{
	size_t n = to->backends.n;

	for (size_t i = 0; i < part->backends.n; i++) {
		const struct backend_sum *from = &part->backends.v[i];
		struct backend_sum *b = backend_find(to, n, from->backend);

		if (from->objects == 0 && from->carried_bytes == 0)
			continue;
		if (!b) {
			b = list_add(mem, &to->backends);
			b->backend = from->backend;
		}
		b->hidden_bytes = sum_capped(b->hidden_bytes, from->carried_bytes);
	}
	if (to->backends.n > n)
		qsort(to->backends.v, to->backends.n, sizeof(*to->backends.v), backend_cmp);
}

static int store_cmp(const void *x, const void *y)
{
	const struct store *a = x, *b = y;
	int c = span_cmp(a->path, b->path);

	c = c ? c : by_number(a->layer, b->layer);
	c = c ? c : (int)a->hidden - (int)b->hidden;
	c = c ? c : span_cmp(a->backend, b->backend);
	return c ? c : span_cmp(a->package, b->package);
}

void merge_hidden(struct artifact *to, const struct artifact *part, struct arena *mem)
{
	for (size_t i = 0; i < part->objects.n; i++)
		*list_add(mem, &to->objects) = part->objects.v[i];
	for (size_t i = 0; i < part->packages.n; i++) {
		if (!part->packages.v[i].hidden)
			continue;
		*list_add(mem, &to->packages) = part->packages.v[i];
		/* Its files are those of its layer only. */
		to->packages.v[to->packages.n - 1].has_record = false;
	}
	for (size_t i = 0; i < part->stores.n; i++)
		*list_add(mem, &to->stores) = part->stores.v[i];
	if (part->stores.n)
		qsort(to->stores.v, to->stores.n, sizeof(*to->stores.v), store_cmp);
	backends_join(to, part, mem);
}

void layers_forget(struct artifact *a)
{
	for (size_t i = 0; i < a->objects.n; i++)
		a->objects.v[i].layer = 0;
	for (size_t i = 0; i < a->packages.n; i++)
		a->packages.v[i].layer = 0;
	for (size_t i = 0; i < a->stores.n; i++)
		a->stores.v[i].layer = 0;
	for (size_t i = 0; i < a->backends.n; i++)
		a->backends.v[i].layers.n = 0;
	for (size_t i = 0; i < a->incomplete.n; i++)
		a->incomplete.v[i].layer = 0;
	for (size_t i = 0; i < a->anomalies.n; i++)
		a->anomalies.v[i].layer = 0;
}
