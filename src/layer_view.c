/* SPDX-License-Identifier: Apache-2.0 */
/* The tree as facts again, so that the merge need not know about layers. */
#include <stdlib.h>

#include "merge_layers.h"

/* A node is out of reach from the layer on that replaced it or a folder above it; parents stand before their children.
 */
static void reach_fill(struct layering *l, struct layer_view *v)
{
	v->hidden_by = arena_alloc(l->scratch, (l->tree.nodes.n + 1) * sizeof(*v->hidden_by));
	for (size_t i = 0; i < l->tree.nodes.n; i++) {
		const struct node *n = &l->tree.nodes.v[i];

		if (i == TREE_STORE)
			v->hidden_by[i] = UINT32_MAX;
		else if (n->gone_in || i == TREE_ROOT || i == l->root)
			v->hidden_by[i] = n->gone_in;
		else
			v->hidden_by[i] = v->hidden_by[n->parent];
	}
}

static int by_content(const void *x, const void *y)
{
	const struct name_row *a = x, *b = y;
	int c = by_number(a->content, b->content);

	c = c ? c : (a->hidden_by != 0) - (b->hidden_by != 0);
	c = c ? c : (int)a->foreign - (int)b->foreign;
	c = c ? c : span_cmp(a->path, b->path);
	return c ? c : by_number(a->node, b->node);
}

/* The tree's own path: in the specification's reading a link may have led elsewhere. */
static struct span path_of(struct layering *l, uint32_t node, struct span written)
{
	struct span path;

	if (!l->spec)
		return written;
	path = layers_path(l, node);
	return span_eq(path, written) ? written : path;
}

static void names_fill(struct layering *l, struct layer_view *v)
{
	for (size_t i = 0; i < l->tree.nodes.n; i++) {
		const struct node *n = &l->tree.nodes.v[i];
		const struct layer_set *set;
		struct name_row *row;

		if (n->content == NO_NODE || n->kind == ENTRY_FOLDER || !node_stands(n))
			continue;
		row = list_add(l->scratch, &v->names);
		row->content = n->content;
		row->node = (uint32_t)i;
		row->hidden_by = v->hidden_by[i];
		layers_entry(l, n->content, &set);
		if (row->hidden_by == UINT32_MAX)
			row->hidden_by = set->layer;
		row->foreign = n->layer != set->layer;
		row->path = layers_entry(l, n->named_by, NULL)->path;
		if (row->hidden_by == 0)
			row->path = path_of(l, (uint32_t)i, row->path);
	}
	if (v->names.n == 0)
		return;
	qsort(v->names.v, v->names.n, sizeof(*v->names.v), by_content);
	for (size_t i = 1, first = 0; i < v->names.n; i++) {
		struct name_row *row = &v->names.v[first];

		if (v->names.v[i].content != row->content)
			first = i;
		else if (row->hidden_by && v->names.v[i].hidden_by > row->hidden_by)
			row->hidden_by = v->names.v[i].hidden_by;
	}
}

/* The first name of a content, or NULL: it has no node. */
static const struct name_row *name_find(const struct layer_view *v, uint32_t content)
{
	size_t low = 0, high = v->names.n;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (v->names.v[mid].content < content)
			low = mid + 1;
		else
			high = mid;
	}
	return low < v->names.n && v->names.v[low].content == content ? &v->names.v[low] : NULL;
}

static struct place place_of_link(struct layering *l, const struct layer_view *v, const struct layer_set *s,
                                  const struct entry *e)
{
	uint32_t i = layers_look(l, e->path, false);
	bool visible = i != NO_NODE && v->hidden_by[i] == 0 &&
	               l->tree.nodes.v[i].named_by == s->first + (uint32_t)(e - s->entries);

	return (struct place){visible || l->tree.full, visible ? 0 : s->layer, e->path};
}

static struct place place_of(struct layering *l, const struct layer_view *v, const struct layer_set *s,
                             struct span path)
{
	const struct entry *e = layers_find(s, path);
	size_t cut = e ? layers_archive(s, e) : 0;
	const struct name_row *row;
	struct place p = {.visible = true, .path = path};

	if (cut)
		e = layers_find(s, span_first(path, cut));
	if (!e || e->kind == ENTRY_FOLDER)
		return p;
	if (e->kind == ENTRY_HARDLINK)
		return place_of_link(l, v, s, e);
	row = name_find(v, s->first + (uint32_t)(e - s->entries));
	/* Without a node it was replaced in its own layer; in a tree that is not whole nobody knows. */
	if (!row)
		return (struct place){l->tree.full, l->tree.full ? 0 : s->layer, path};
	p.visible = row->hidden_by == 0;
	p.hidden_by = row->hidden_by;
	if (!p.visible || span_eq(row->path, e->path))
		return p;
	p.path = row->path;
	if (cut)
		p.path = arena_printf(l->m->mem, "%.*s%.*s", (int)row->path.n, (const char *)row->path.p,
		                      (int)(path.n - cut), (const char *)path.p + cut);
	return p;
}

static void entry_show(struct layering *l, struct layer_view *v, struct entry e, struct span path, uint32_t layer)
{
	e.path = path;
	e.layer = layer;
	*list_add(l->scratch, &v->shown.entries) = e;
}

static void names_show(struct layering *l, struct layer_view *v)
{
	const struct name_row *first = NULL;

	for (size_t i = 0; i < v->names.n; i++) {
		const struct name_row *row = &v->names.v[i];
		const struct layer_set *set;
		struct entry e = *layers_entry(l, row->content, &set);

		if (row->hidden_by)
			continue;
		if (!first || first->content != row->content || e.kind != ENTRY_FILE) {
			first = row;
			entry_show(l, v, e, row->path,
			           e.kind == ENTRY_FILE ? set->layer : l->tree.nodes.v[row->node].layer);
			continue;
		}
		e.kind = ENTRY_HARDLINK;
		e.target = first->path;
		entry_show(l, v, e, row->path, l->tree.nodes.v[row->node].layer);
	}
}

static void folders_show(struct layering *l, struct layer_view *v)
{
	for (size_t i = 0; i < l->tree.nodes.n; i++) {
		const struct node *n = &l->tree.nodes.v[i];
		const struct entry *e;

		if (n->content == NO_NODE || n->kind != ENTRY_FOLDER || v->hidden_by[i])
			continue;
		e = layers_entry(l, n->content, NULL);
		entry_show(l, v, *e, path_of(l, (uint32_t)i, e->path), n->listed);
	}
}

/* Names that only say something about other names. */
static bool is_sign(const struct layering *l, const struct entry *e)
{
	return !l->plain &&
	       (span_starts(span_base_name(e->path), SPAN(".wh.")) || span_starts(e->path, SPAN(".wh..wh.")));
}

/* Members of archives go with these; the rest is in the tree already. How many are hidden. */
static size_t set_members(struct layering *l, struct layer_view *v, const struct layer_set *s)
{
	size_t hidden = 0;

	for (size_t i = 0; i < s->n; i++) {
		const struct entry *e = &s->entries[i];
		struct place p = place_of(l, v, s, e->path);

		if (p.visible && (layers_archive(s, e) || l->tree.full))
			entry_show(l, v, *e, p.path, s->layer);
		hidden += !p.visible && !is_sign(l, e);
	}
	return hidden;
}

/* All of a layer: what is hidden belongs to packages by what its own layer says. */
static void set_entries(struct layering *l, struct layer_view *v, const struct layer_set *s, struct facts *hidden)
{
	for (size_t i = 0; i < s->n; i++) {
		struct entry e = s->entries[i];

		e.layer = place_of(l, v, s, e.path).visible ? 0 : s->layer;
		if (!is_sign(l, &e))
			*list_add(l->scratch, &hidden->entries) = e;
	}
}

static void set_objects(struct layering *l, struct layer_view *v, const struct layer_set *s, struct facts *hidden)
{
	for (size_t i = 0; i < s->facts->objects.n; i++) {
		struct object o = s->facts->objects.v[i];
		struct place p = place_of(l, v, s, o.path);

		o.path = p.path;
		o.layer = s->layer;
		o.hidden = !p.visible;
		o.hidden_by = p.hidden_by;
		if (p.visible)
			*list_add(l->scratch, &v->shown.objects) = o;
		else
			*list_add(l->scratch, &hidden->objects) = o;
	}
	for (size_t i = 0; i < s->facts->digests.n; i++) {
		struct file_digest d = s->facts->digests.v[i];
		struct place p = place_of(l, v, s, d.path);

		d.path = p.path;
		if (p.visible)
			*list_add(l->m->mem, &v->shown.digests) = d;
	}
}

/* A package is there as long as its METADATA is. */
static void set_packages(struct layering *l, struct layer_view *v, const struct layer_set *s, struct facts *hidden)
{
	struct span file = SPAN("/METADATA");

	for (size_t i = 0; i < s->facts->packages.n; i++) {
		struct package p = s->facts->packages.v[i];
		struct span metadata = arena_printf(l->m->mem, "%.*s%.*s", (int)p.path.n, (const char *)p.path.p,
		                                    (int)file.n, (const char *)file.p);
		struct place at = place_of(l, v, s, metadata);

		p.layer = s->layer;
		p.hidden = !at.visible;
		*list_add(l->m->mem, &hidden->packages) = p;
		if (at.visible && span_ends(at.path, file))
			p.path = span_first(at.path, at.path.n - file.n);
		if (at.visible)
			*list_add(l->m->mem, &v->shown.packages) = p;
	}
}

static void set_problems(struct layering *l, struct layer_view *v, const struct layer_set *s)
{
	for (size_t i = 0; i < s->facts->problems.n; i++) {
		struct problem *p = list_add(l->m->mem, &v->shown.problems);

		*p = s->facts->problems.v[i];
		p->layer = s->layer;
	}
}

void layers_view(struct layering *l, struct layer_view *v)
{
	v->n = l->n;
	v->hidden = arena_alloc(l->m->mem, (l->n + 1) * sizeof(*v->hidden));
	reach_fill(l, v);
	names_fill(l, v);
	if (!l->tree.full) {
		names_show(l, v);
		folders_show(l, v);
	}
	for (size_t i = 0; i < l->n; i++) {
		const struct layer_set *s = &l->sets[i];

		v->hidden[i].layer = s->layer;
		if (set_members(l, v, s))
			set_entries(l, v, s, &v->hidden[i]);
		set_objects(l, v, s, &v->hidden[i]);
		set_packages(l, v, s, &v->hidden[i]);
		set_problems(l, v, s);
	}
}
