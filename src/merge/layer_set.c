/* SPDX-License-Identifier: Apache-2.0 */
/* The layers' entries, by number and by name. */
#include <stdlib.h>

#include "layers.h"

static int by_layer(const void *x, const void *y)
{
	return by_number(((const struct layer_set *)x)->layer, ((const struct layer_set *)y)->layer);
}

/*
 * For each folder how much of its path is the name of the outermost archive that it lies in. A folder may be called
 * "x!": only what lies beside a file "x" is in an archive. Parents come first.
 */
static void archives_find(struct arena *mem, struct layer_set *s)
{
	const struct entries *l = &s->entries;
	uint32_t *length = calloc(l->folder_n + 1, sizeof(*length));

	if (!length)
		out_of_memory();
	s->archives = arena_alloc(mem, (l->folder_n + 1) * sizeof(*s->archives));
	for (size_t i = 1; i < l->folder_n; i++) {
		const struct entry_folder *f = entries_folder(l, i);
		struct span name = {f->name, f->name_n};
		uint32_t file;

		length[i] = (f->parent ? length[f->parent] + 1 : 0) + f->name_n;
		s->archives[i] = s->archives[f->parent];
		if (s->archives[i] || !span_ends(name, SPAN("!")))
			continue;
		file = entries_find_in(l, f->parent, span_first(name, name.n - 1));
		if (file != NO_PLACE && entries_row(l, file).kind == ENTRY_FILE)
			s->archives[i] = length[i] - 1;
	}
	free(length);
}

void layers_sort(struct layering *l, const struct facts *facts, size_t n)
{
	uint64_t first = 0;

	l->sets = arena_alloc(l->scratch, (n + 1) * sizeof(*l->sets));
	for (size_t i = 0; i < n; i++) {
		struct layer_set *s = &l->sets[l->n];

		if (facts[i].layer == 0 && !l->plain)
			continue;
		*s = (struct layer_set){.facts = &facts[i], .layer = l->plain ? 1 : facts[i].layer};
		s->entries = facts[i].entries;
		entries_seal(&s->entries, l->m->mem);
		l->n++;
	}
	qsort(l->sets, l->n, sizeof(*l->sets), by_layer);
	for (size_t i = 0; i < l->n; i++) {
		struct layer_set *s = &l->sets[i];

		/* Numbers are 32 bits wide, those of layers in the tree 16: more is more than an image may have. */
		s->left_out = s->entries.bytes.n >= NO_NODE - first || s->layer > LAYER_MOST;
		l->left_out = l->left_out || s->left_out;
		s->first = (uint32_t)first;
		archives_find(l->scratch, s);
		first += s->left_out ? 0 : s->entries.bytes.n + 1;
	}
}

const struct layer_set *layers_set(const struct layering *l, uint32_t number)
{
	size_t low = 0, high = l->n;

	while (high - low > 1) {
		size_t mid = low + (high - low) / 2;

		if (l->sets[mid].first <= number)
			low = mid;
		else
			high = mid;
	}
	/* One that was left out begins where the one before it ends. */
	while (l->sets[low].left_out && low)
		low--;
	return &l->sets[low];
}

struct entry_row layers_row(const struct layering *l, uint32_t number)
{
	const struct layer_set *s = layers_set(l, number);

	return entries_row(&s->entries, number - s->first);
}

size_t layers_duplicate(struct span path)
{
	struct span word = SPAN("duplicate-");
	size_t i = word.n;

	if (!span_starts(path, word))
		return 0;
	while (i < path.n && path.p[i] >= '0' && path.p[i] <= '9')
		i++;
	return i > word.n && span_starts(span_after(path, i), SPAN("!/")) ? i + 2 : 0;
}
