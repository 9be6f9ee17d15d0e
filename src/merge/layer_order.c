/* SPDX-License-Identifier: Apache-2.0 */
/* The entries of a layer as they stand in its tar. */
#include <stdlib.h>

#include "layers.h"

static int by_order(const void *x, const void *y, void *list)
{
	uint32_t a = *(const uint32_t *)x, b = *(const uint32_t *)y;
	uint32_t c = entries_row(list, a).order, d = entries_row(list, b).order;

	return c != d ? (c > d) - (c < d) : (a > b) - (a < b);
}

static uint32_t *room_get(size_t n)
{
	uint32_t *v = calloc(n + 1, sizeof(*v));

	if (!v)
		out_of_memory();
	return v;
}

static bool wanted(const struct entry_cursor *c, bool all)
{
	return all || c->row.kind == ENTRY_HARDLINK;
}

/* Those that have no order come first. Where orders count from 1 without much between, their own numbers sort them. */
uint32_t *layers_by_order(const struct layer_set *s, bool all, size_t *n)
{
	const struct entries *l = &s->entries;
	struct entry_cursor c = {0};
	size_t most = 0, kept = 0;
	uint32_t *v, *slots;
	bool clear = true;

	for (*n = 0; entries_next(l, &c);) {
		*n += wanted(&c, all);
		most = c.row.order > most ? c.row.order : most;
	}
	v = room_get(*n);
	slots = most < 16 * *n + 64 ? room_get(most) : NULL;
	c = (struct entry_cursor){0};
	while (entries_next(l, &c)) {
		if (!wanted(&c, all))
			continue;
		if (slots && c.row.order) {
			clear = clear && slots[c.row.order] == 0;
			slots[c.row.order] = c.at;
		} else {
			v[kept++] = c.at;
		}
	}
	for (size_t i = 1; slots && clear && i <= most; i++)
		if (slots[i])
			v[kept++] = slots[i];
	if (slots && !clear) {
		c = (struct entry_cursor){0};
		for (kept = 0; entries_next(l, &c);)
			if (wanted(&c, all))
				v[kept++] = c.at;
	}
	if (!slots || !clear)
		qsort_r(v, *n, sizeof(*v), by_order, (void *)(uintptr_t)l);
	free(slots);
	return v;
}
