/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Hard links: bound to the content that the other name has at that moment. Engines on overlayfs unpack a layer by
 * itself, so that they refuse links to files of lower layers.
 */
#include "merge_layers.h"

static bool has_content(const struct node *n)
{
	return n->kind != NODE_GONE && n->kind != ENTRY_FOLDER;
}

/* What the name had before this layer, or NO_NODE. */
static uint32_t lower_of(const struct layering *l, uint32_t i)
{
	while (i != NO_NODE && l->tree.nodes.v[i].layer == l->set->layer)
		i = l->tree.nodes.v[i].prior;
	return i != NO_NODE && has_content(&l->tree.nodes.v[i]) ? i : NO_NODE;
}

/* Does the layer's own file of that name come before the link? */
static bool own_comes_first(const struct layering *l, uint32_t i, const struct entry *e)
{
	const struct node *n = &l->tree.nodes.v[i];

	if (n->layer != l->set->layer || !has_content(n))
		return false;
	return layers_entry(l, n->named_by, NULL)->order <= e->order || lower_of(l, i) == NO_NODE;
}

static uint32_t bound_to(struct layering *l, const struct entry *e, uint32_t content)
{
	const struct layer_set *set;

	layers_entry(l, content, &set);
	if (set != l->set)
		layers_tell(l, e->path, "a hard link to a file of a lower layer", true);
	return content;
}

uint32_t layers_linked(struct layering *l, const struct entry *e)
{
	uint32_t i = layers_look(l, e->target, false), lower;

	if (i != NO_NODE && own_comes_first(l, i, e))
		return bound_to(l, e, l->tree.nodes.v[i].content);
	if (i == NO_NODE)
		i = layers_look(l, e->target, true);
	lower = lower_of(l, i);
	if (i != NO_NODE && lower == NO_NODE && has_content(&l->tree.nodes.v[i]))
		lower = i;
	if (lower == NO_NODE) {
		layers_malformed(l, e->path, "a hard link to a file that is not there");
		return NO_NODE;
	}
	if (l->tree.nodes.v[lower].layer == l->set->layer)
		layers_tell(l, e->path, "a hard link through a symbolic link", true);
	return bound_to(l, e, l->tree.nodes.v[lower].content);
}
