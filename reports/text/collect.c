/* SPDX-License-Identifier: Apache-2.0 */
/* Who brings a backend: files, or packages where there are several. */
#include <stdlib.h>

#include "parts.h"

static bool touches(const struct object *o, struct span backend)
{
	for (size_t i = 0; i < o->evidence.n; i++)
		if (span_eq(o->evidence.v[i].backend, backend))
			return true;
	for (size_t i = 0; i < o->device_code.n; i++)
		if (span_eq(o->device_code.v[i].backend, backend))
			return true;
	return false;
}

static void add_object(struct bring *b, const struct object *o, struct span backend)
{
	b->n++;
	for (size_t i = 0; i < o->evidence.n; i++)
		if (span_eq(o->evidence.v[i].backend, backend) && o->evidence.v[i].strength == STRENGTH_HARD)
			b->hard = true;
	for (size_t i = 0; i < o->device_code.n; i++) {
		const struct device_code *d = &o->device_code.v[i];
		bool runs = d->form == FORM_NATIVE || d->form == FORM_PORTABLE;

		if (!span_eq(d->backend, backend))
			continue;
		b->images += runs ? d->count : 0;
		b->bytes += runs ? d->bytes : 0;
		b->other_images += runs ? 0 : d->count;
	}
}

static int by_owner(const void *x, const void *y)
{
	const struct object *a = *(const struct object *const *)x, *b = *(const struct object *const *)y;
	int c = span_cmp(a->package, b->package);

	c = c ? c : (a->layer > b->layer) - (a->layer < b->layer);
	return c ? c : span_cmp(a->path, b->path);
}

/* What must be there first, then what is largest, then by name. */
static int by_weight(const void *x, const void *y)
{
	const struct bring *a = x, *b = y;

	if (a->hard != b->hard)
		return a->hard ? -1 : 1;
	if (a->bytes != b->bytes)
		return a->bytes > b->bytes ? -1 : 1;
	return span_cmp(a->label, b->label);
}

/* Files of a folder are told by their packages, files of one wheel each by itself. */
void text_collect(struct text *t, const struct artifact *a, struct span backend, struct brings *to)
{
	LIST(const struct object *) found = {0};
	struct span last = SPAN_NONE;
	bool several = a->packages.n > 1 || a->layers.n;

	for (size_t i = 0; i < a->objects.n; i++)
		if (!a->objects.v[i].hidden && touches(&a->objects.v[i], backend))
			*list_add(t->mem, &found) = &a->objects.v[i];
	if (found.n && several)
		qsort(found.v, found.n, sizeof(*found.v), by_owner);
	for (size_t i = 0; i < found.n; i++) {
		bool owned = several && found.v[i]->package.n;

		if (!owned || to->n == 0 || !span_eq(last, found.v[i]->package) ||
		    to->v[to->n - 1].layer != found.v[i]->layer) {
			struct bring *b = list_add(t->mem, to);

			b->label = owned ? found.v[i]->package : found.v[i]->path;
			b->package = owned;
			b->layer = found.v[i]->layer;
			b->objects = &found.v[i];
		}
		last = owned ? found.v[i]->package : SPAN_NONE;
		add_object(&to->v[to->n - 1], found.v[i], backend);
	}
	if (to->n)
		qsort(to->v, to->n, sizeof(*to->v), by_weight);
}
