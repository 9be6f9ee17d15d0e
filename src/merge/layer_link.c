/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Hard links: bound to the content that the other name has at that moment. Engines on overlayfs unpack a layer by
 * itself, so that they refuse links to files of lower layers.
 */
#include "layers.h"

static bool has_content(const struct node *n)
{
	return n->kind != NODE_GONE && n->kind != ENTRY_FOLDER;
}

/* What the name had before this layer, or NO_NODE. */
static uint32_t lower_of(const struct layering *l, uint32_t i)
{
	while (i != NO_NODE && tree_node(&l->tree, i)->layer == l->set->layer)
		i = tree_node(&l->tree, i)->prior;
	return i != NO_NODE && has_content(tree_node(&l->tree, i)) ? i : NO_NODE;
}

/* The layer's own file of that name comes before the link. */
static bool stands_before(const struct layering *l, uint32_t i, const struct entry *e)
{
	const struct node *n = tree_node(&l->tree, i);

	return n->layer == l->set->layer && has_content(n) && layers_row(l, n->by).order <= e->order;
}

/* The same, or nothing else is there. */
static bool own_comes_first(const struct layering *l, uint32_t i, const struct entry *e)
{
	const struct node *n = tree_node(&l->tree, i);

	return stands_before(l, i, e) ||
	       (n->layer == l->set->layer && has_content(n) && lower_of(l, i) == NO_NODE);
}

/* The row "duplicate-N!/PATH", or NO_PLACE. */
static uint32_t duplicate_find(const struct layering *l, struct span path, size_t n, struct entry_row *row)
{
	struct arena scratch = ARENA_INIT;
	struct span name = arena_printf(&scratch, "duplicate-%zu!/%.*s", n, (int)path.n, (const char *)path.p);
	uint32_t place = entries_find(&l->set->entries, name);

	if (place != NO_PLACE)
		*row = entries_row(&l->set->entries, place);
	arena_clear(&scratch);
	return place;
}

/*
 * What this layer had under the link's other name at that moment, when it was replaced later on: the last of the earlier
 * ones that stand before the link. The higher their numbers, the earlier they are. NO_NODE: there is none.
 */
static uint32_t replaced_later(const struct layering *l, const struct entry *e)
{
	size_t low = 0, high = 1; /* number low comes after the link; number high is before it, or is none */
	struct entry_row row;
	uint32_t place;

	while ((place = duplicate_find(l, e->target, high, &row)) != NO_PLACE && row.order > e->order) {
		low = high;
		high *= 2;
	}
	while (high - low > 1) {
		size_t mid = low + (high - low) / 2;
		uint32_t there = duplicate_find(l, e->target, mid, &row);

		if (there != NO_PLACE && row.order > e->order) {
			low = mid;
		} else {
			high = mid;
			place = there;
		}
	}
	if (place == NO_PLACE)
		return NO_NODE;
	row = entries_row(&l->set->entries, place);
	return row.kind == ENTRY_FOLDER || row.kind == ENTRY_HARDLINK ? NO_NODE : l->set->first + place;
}

static uint32_t bound_to(struct layering *l, const struct entry *e, uint32_t content)
{
	if (layers_set(l, content) != l->set)
		layers_tell(l, e->path, "a hard link to a file of a lower layer", true);
	return content;
}

uint32_t layers_linked(struct layering *l, const struct layer_entry *x)
{
	const struct entry *e = &x->e;
	uint32_t i = layers_look(l, e->target, false), lower = replaced_later(l, e);

	if (lower != NO_NODE && !(i != NO_NODE && stands_before(l, i, e)))
		return lower;
	if (i != NO_NODE && own_comes_first(l, i, e))
		return bound_to(l, e, tree_node(&l->tree, i)->content);
	if (i == NO_NODE)
		i = layers_look(l, e->target, true);
	lower = lower_of(l, i);
	if (i != NO_NODE && lower == NO_NODE && has_content(tree_node(&l->tree, i)))
		lower = i;
	if (lower == NO_NODE) {
		layers_malformed(l, e->path, "a hard link to a file that is not there");
		return NO_NODE;
	}
	if (tree_node(&l->tree, lower)->layer == l->set->layer)
		layers_tell(l, e->path, "a hard link through a symbolic link", true);
	return bound_to(l, e, tree_node(&l->tree, lower)->content);
}
