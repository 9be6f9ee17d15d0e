/* SPDX-License-Identifier: Apache-2.0 */
/* The tree as facts again, so that the merge need not know about layers. */
#include <stdlib.h>

#include "layers.h"

/* A node is out of reach from the layer on that replaced it or a folder above it; parents stand before their children.
 */
static void reach_fill(struct layering *l, struct layer_view *v)
{
	v->hidden_by = calloc(l->tree.n + 1, sizeof(*v->hidden_by));
	if (!v->hidden_by)
		out_of_memory();
	for (uint32_t i = 0; i < l->tree.n; i++) {
		const struct node *n = tree_node(&l->tree, i);

		if (i == TREE_STORE)
			v->hidden_by[i] = UINT16_MAX;
		else if (n->gone_in || i == TREE_ROOT || i == l->root)
			v->hidden_by[i] = n->gone_in;
		else
			v->hidden_by[i] = v->hidden_by[n->parent];
	}
}

static struct place place_of_link(struct layer_view *v, const struct layer_set *s, uint32_t at, struct span path)
{
	struct layering *l = v->l;
	uint32_t i = layers_look(l, path, false);
	const struct node *n = i == NO_NODE ? NULL : tree_node(&l->tree, i);
	bool visible = n && v->hidden_by[i] == 0 && n->kind != ENTRY_FOLDER && n->by == s->first + at;

	return (struct place){visible || l->tree.full, visible ? 0 : s->layer, path};
}

/* Of the entry at that place. path: of it, or of what lies in it, when it is an archive; its own has own_n bytes. */
static struct place place_at(struct layer_view *v, const struct layer_set *s, uint32_t at, struct span path,
                             size_t own_n)
{
	struct entry_row e = entries_row(&s->entries, at);
	struct place p = {.visible = true, .path = path};
	struct name_row row;
	struct span name;

	if (e.kind == ENTRY_FOLDER || s->left_out)
		return p;
	if (e.kind == ENTRY_HARDLINK)
		return place_of_link(v, s, at, path);
	/* Without a node it was replaced in its own layer; in a tree that is not whole nobody knows. */
	if (!name_find(v, s->first + at, &row, NULL))
		return (struct place){v->l->tree.full, v->l->tree.full ? 0 : s->layer, path};
	p.visible = row.hidden_by == 0;
	p.hidden_by = row.hidden_by;
	if (!p.visible)
		return p;
	name = layers_path(v->l, row.node, &v->room);
	if (!span_eq(name, span_first(path, own_n)))
		p.path = arena_printf(v->l->m->mem, "%.*s%.*s", (int)name.n, (const char *)name.p,
		                      (int)(path.n - own_n), (const char *)path.p + own_n);
	return p;
}

struct place place_of_row(struct layer_view *v, const struct layer_set *s, struct entry_cursor *c)
{
	size_t cut = s->archives[c->folder];
	struct span path;

	if (c->row.kind == ENTRY_FOLDER && !cut)
		return (struct place){.visible = true};
	path = entries_path(&s->entries, c);
	return place_at(v, s, cut ? entries_find(&s->entries, span_first(path, cut)) : c->at, path, cut ? cut : path.n);
}

static struct place place_of(struct layer_view *v, const struct layer_set *s, struct span path)
{
	uint32_t at = entries_find(&s->entries, path);
	size_t cut = at == NO_PLACE ? 0 : s->archives[entries_folder_of(&s->entries, at)];

	if (cut)
		at = entries_find(&s->entries, span_first(path, cut));
	if (at == NO_PLACE)
		return (struct place){.visible = true, .path = path};
	return place_at(v, s, at, path, cut ? cut : path.n);
}

bool is_sign(const struct layering *l, struct span path)
{
	return !l->plain && (span_starts(span_base_name(path), SPAN(".wh.")) || span_starts(path, SPAN(".wh..wh.")));
}

/* Members of archives stand beside the tree; and of a tree that is not whole everything does. */
static bool set_members(struct layer_view *v, const struct layer_set *s)
{
	struct entry_cursor c = {0};
	bool hides = false;

	while (entries_next(&s->entries, &c)) {
		struct place p = place_of_row(v, s, &c);
		struct entry e;

		if (!p.visible) {
			hides = hides || !is_sign(v->l, entries_path(&s->entries, &c));
			continue;
		}
		if (!s->archives[c.folder] && !v->l->tree.full)
			continue;
		e = entries_entry(&s->entries, &c);
		e.path = arena_copy(v->l->m->mem, p.path.n ? p.path : e.path);
		e.layer = s->layer;
		*list_add(v->l->m->mem, &v->members) = e;
	}
	entries_done(&c);
	return hides;
}

static void set_objects(struct layer_view *v, const struct layer_set *s, struct facts *hidden)
{
	struct arena *mem = v->l->scratch;

	for (size_t i = 0; i < s->facts->objects.n; i++) {
		struct object o = s->facts->objects.v[i];
		struct place p = place_of(v, s, o.path);

		o.path = p.path;
		o.layer = s->layer;
		o.hidden = !p.visible;
		o.hidden_by = p.hidden_by;
		if (p.visible)
			*list_add(mem, &v->shown.objects) = o;
		else
			*list_add(mem, &hidden->objects) = o;
	}
	for (size_t i = 0; i < s->facts->digests.n; i++) {
		struct file_digest d = s->facts->digests.v[i];
		struct place p = place_of(v, s, d.path);

		d.path = p.path;
		if (p.visible)
			*list_add(v->l->m->mem, &v->shown.digests) = d;
	}
}

/* A package is there as long as its METADATA is. */
static void set_packages(struct layer_view *v, const struct layer_set *s, struct facts *hidden)
{
	struct arena *mem = v->l->m->mem;
	struct span file = SPAN("/METADATA");

	for (size_t i = 0; i < s->facts->packages.n; i++) {
		struct package p = s->facts->packages.v[i];
		struct span metadata = arena_printf(mem, "%.*s%.*s", (int)p.path.n, (const char *)p.path.p,
		                                    (int)file.n, (const char *)file.p);
		struct place at = place_of(v, s, metadata);

		p.layer = s->layer;
		p.hidden = !at.visible;
		*list_add(mem, &hidden->packages) = p;
		if (at.visible && span_ends(at.path, file))
			p.path = span_first(at.path, at.path.n - file.n);
		if (at.visible)
			*list_add(mem, &v->shown.packages) = p;
	}
}

static void set_problems(struct layer_view *v, const struct layer_set *s)
{
	for (size_t i = 0; i < s->facts->problems.n; i++) {
		struct problem *p = list_add(v->l->m->mem, &v->shown.problems);

		*p = s->facts->problems.v[i];
		p->layer = s->layer;
	}
}

void layers_view(struct layering *l, struct layer_view *v)
{
	*v = (struct layer_view){.l = l, .n = l->n};
	v->hidden = arena_alloc(l->m->mem, (l->n + 1) * sizeof(*v->hidden));
	v->hides = arena_alloc(l->m->mem, (l->n + 1) * sizeof(*v->hides));
	reach_fill(l, v);
	names_fill(v);
	for (size_t i = 0; i < l->n; i++) {
		const struct layer_set *s = &l->sets[i];

		v->hidden[i].layer = s->layer;
		v->hides[i] = set_members(v, s);
		set_objects(v, s, &v->hidden[i]);
		set_packages(v, s, &v->hidden[i]);
		set_problems(v, s);
	}
}
