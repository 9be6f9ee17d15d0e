/* SPDX-License-Identifier: Apache-2.0 */
/* The layers' entries, by number and by name. */
#include <stdlib.h>

#include "merge_layers.h"

static int by_layer(const void *x, const void *y)
{
	return by_number(((const struct layer_set *)x)->layer, ((const struct layer_set *)y)->layer);
}

static int by_path(const void *x, const void *y)
{
	return span_cmp(((const struct entry *)x)->path, ((const struct entry *)y)->path);
}

static const struct entry *entries_sorted(struct arena *mem, const struct facts *f)
{
	struct entry *copy;

	for (size_t i = 1; i < f->entries.n; i++) {
		if (by_path(&f->entries.v[i - 1], &f->entries.v[i]) <= 0)
			continue;
		copy = arena_alloc(mem, f->entries.n * sizeof(*copy));
		memcpy(copy, f->entries.v, f->entries.n * sizeof(*copy));
		qsort(copy, f->entries.n, sizeof(*copy), by_path);
		return copy;
	}
	return f->entries.v;
}

/* Files whose names the path begins with, the shortest first. */
struct beginnings {
	uint32_t *v;
	size_t n, cap;
};

/*
 * For each entry how much of its path is the name of the outermost archive that it lies in. In order of paths whatever
 * begins a path stands before it, so that one sweep finds them, in time that grows with the length of all paths.
 */
static void archives_find(struct arena *mem, struct layer_set *s)
{
	struct beginnings open = {NULL, 0, 0};

	s->archives = arena_alloc(mem, (s->n + 1) * sizeof(*s->archives));
	for (size_t i = 0; i < s->n; i++) {
		const struct entry *e = &s->entries[i];

		while (open.n && !span_starts(e->path, s->entries[open.v[open.n - 1]].path))
			open.n--;
		/* A folder may be called "x!": only what is a file can be an archive. */
		for (size_t k = 0; k < open.n && !s->archives[i]; k++) {
			size_t n = s->entries[open.v[k]].path.n;

			if (span_starts(span_after(e->path, n), SPAN("!/")))
				s->archives[i] = (uint32_t)n;
		}
		if (e->kind == ENTRY_FILE)
			*list_add(mem, &open) = (uint32_t)i;
	}
}

void layers_sort(struct layering *l, const struct facts *facts, size_t n)
{
	uint32_t first = 0;

	l->sets = arena_alloc(l->scratch, (n + 1) * sizeof(*l->sets));
	for (size_t i = 0; i < n; i++) {
		struct layer_set *s = &l->sets[l->n];

		if (facts[i].layer == 0 && !l->plain)
			continue;
		*s = (struct layer_set){.facts = &facts[i], .layer = l->plain ? 1 : facts[i].layer};
		s->entries = entries_sorted(l->scratch, &facts[i]);
		s->n = facts[i].entries.n;
		l->n++;
	}
	qsort(l->sets, l->n, sizeof(*l->sets), by_layer);
	for (size_t i = 0; i < l->n; i++) {
		/* Numbers are 32 bits wide: more entries do not fit into any memory that we may have. */
		if (l->sets[i].n > NO_NODE - 1 - first)
			l->sets[i].n = NO_NODE - 1 - first;
		l->sets[i].first = first;
		archives_find(l->scratch, &l->sets[i]);
		first += (uint32_t)l->sets[i].n;
	}
}

const struct entry *layers_entry(const struct layering *l, uint32_t number, const struct layer_set **set)
{
	size_t low = 0, high = l->n;

	while (high - low > 1) {
		size_t mid = low + (high - low) / 2;

		if (l->sets[mid].first <= number)
			low = mid;
		else
			high = mid;
	}
	/* Of layers without entries the last begins where the next one does, so it is the one that has some. */
	if (set)
		*set = &l->sets[low];
	return &l->sets[low].entries[number - l->sets[low].first];
}

const struct entry *layers_find(const struct layer_set *s, struct span path)
{
	size_t low = 0, high = s->n;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (span_cmp(s->entries[mid].path, path) <= 0)
			low = mid + 1;
		else
			high = mid;
	}
	return low && span_eq(s->entries[low - 1].path, path) ? &s->entries[low - 1] : NULL;
}

size_t layers_archive(const struct layer_set *s, const struct entry *e)
{
	return s->archives[e - s->entries];
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

struct span layers_path(struct layering *l, uint32_t node)
{
	size_t n = 0, at;
	uint8_t *p;

	for (uint32_t i = node; i > TREE_STORE && i != l->root && l->tree.nodes.v[i].name_n;
	     i = l->tree.nodes.v[i].parent)
		n += l->tree.nodes.v[i].name_n + 1;
	p = arena_alloc(l->m->mem, n + 1);
	at = n;
	for (uint32_t i = node; i > TREE_STORE && i != l->root && l->tree.nodes.v[i].name_n;
	     i = l->tree.nodes.v[i].parent) {
		const struct node *one = &l->tree.nodes.v[i];

		at -= one->name_n + 1;
		memcpy(p + at, one->name, one->name_n);
		p[at + one->name_n] = '/';
	}
	return (struct span){p, n ? n - 1 : 0};
}
