/* SPDX-License-Identifier: Apache-2.0 */
/* Entries for the merge, one at a time: what is visible in the tree, and what one layer has. */
#include <stdlib.h>

#include "layers.h"

/* Of one content the first name is the file, and further ones are links to it. */
static bool tree_next(void *source, struct merge_walk *w)
{
	struct layer_view *v = source;
	const struct tree *t = &v->l->tree;

	for (; w->at < v->names_n; w->at++) {
		uint32_t node = v->names[w->at];
		const struct node *n = tree_node(t, node);
		bool further = w->at && tree_node(t, v->names[w->at - 1])->content == n->content;
		struct entry_row row;
		struct entry *e = &w->e;

		if (!further)
			w->first = node;
		if (v->hidden_by[node])
			continue;
		row = layers_row(v->l, n->content);
		*e = (struct entry){.kind = row.kind, .bytes = row.bytes, .target = row.target, .order = row.order};
		e->path = layers_path(v->l, node, &w->room);
		e->layer = further || row.kind != ENTRY_FILE ? n->layer : layers_set(v->l, n->content)->layer;
		if (further && row.kind == ENTRY_FILE) {
			e->kind = ENTRY_HARDLINK;
			e->target = layers_path(v->l, w->first, &w->target);
		}
		w->at++;
		return true;
	}
	return false;
}

static void walk_done(struct merge_walk *w)
{
	entries_done(&w->c);
	free(w->room.p);
	free(w->target.p);
	w->room = w->target = (struct path_room){0};
}

static bool tree_find_entry(void *source, struct span path, struct entry *e)
{
	struct layer_view *v = source;
	uint32_t i = layers_look(v->l, path, false);
	const struct node *n = i == NO_NODE ? NULL : tree_node(&v->l->tree, i);
	struct entry_row row;
	struct name_row first;

	if (!n || !node_stands(n) || v->hidden_by[i] || n->content == NO_NODE)
		return false;
	row = layers_row(v->l, n->content);
	*e = (struct entry){
	        .path = path, .kind = row.kind, .bytes = row.bytes, .target = row.target, .order = row.order};
	if (row.kind == ENTRY_FILE && name_find(v, n->content, &first, NULL) && first.node != i) {
		e->kind = ENTRY_HARDLINK;
		e->target = layers_path(v->l, first.node, &v->room);
	}
	return true;
}

static bool tree_file(const struct layer_view *v, uint32_t folder, struct span name)
{
	uint32_t i = tree_find(&v->l->tree, folder, name);

	return i != NO_NODE && v->hidden_by[i] == 0 && tree_node(&v->l->tree, i)->kind == ENTRY_FILE;
}

static void tree_archives(void *source, struct span folder, struct archive_parts *p)
{
	struct layer_view *v = source;
	uint32_t at = v->l->root;
	size_t from = 0;

	while (at != NO_NODE && from < folder.n) {
		struct span name = span_after(folder, from);

		name = span_first(name, span_find(name, '/'));
		from += name.n + 1;
		if (span_ends(name, SPAN("!")) && tree_file(v, at, span_first(name, name.n - 1)))
			archive_parts_add(p, from);
		at = tree_find(&v->l->tree, at, name);
		if (at != NO_NODE && tree_node(&v->l->tree, at)->kind != ENTRY_FOLDER)
			at = NO_NODE;
	}
}

const struct source_kind tree_source = {tree_next, walk_done, tree_find_entry, tree_archives};

static bool set_next(void *source, struct merge_walk *w)
{
	struct set_view *view = source;

	while (entries_next(&view->s->entries, &w->c)) {
		struct place p;

		w->e = entries_entry(&view->s->entries, &w->c);
		if (is_sign(view->v->l, w->e.path))
			continue;
		p = place_of_row(view->v, view->s, &w->c);
		w->e.layer = p.visible ? 0 : view->s->layer;
		w->e.hidden_by = p.hidden_by;
		return true;
	}
	return false;
}

static bool set_find(void *source, struct span path, struct entry *e)
{
	struct set_view *view = source;
	uint32_t at = entries_find(&view->s->entries, path);
	struct entry_row row;

	if (at == NO_PLACE || is_sign(view->v->l, path))
		return false;
	row = entries_row(&view->s->entries, at);
	*e = (struct entry){
	        .path = path, .kind = row.kind, .bytes = row.bytes, .target = row.target, .order = row.order};
	return true;
}

static bool set_file(const struct set_view *view, uint32_t folder, struct span name)
{
	uint32_t at = entries_find_in(&view->s->entries, folder, name);
	enum entry_kind kind = at == NO_PLACE ? ENTRY_FOLDER : entries_row(&view->s->entries, at).kind;

	return (kind == ENTRY_FILE || kind == ENTRY_HARDLINK) && !is_sign(view->v->l, name);
}

static void set_archives(void *source, struct span folder, struct archive_parts *p)
{
	struct set_view *view = source;
	uint32_t at = view->s->entries.n ? ENTRIES_ROOT : NO_PLACE;
	size_t from = 0;

	while (at != NO_PLACE && from < folder.n) {
		struct span name = span_after(folder, from);

		name = span_first(name, span_find(name, '/'));
		from += name.n + 1;
		if (span_ends(name, SPAN("!")) && set_file(view, at, span_first(name, name.n - 1)))
			archive_parts_add(p, from);
		at = entries_child(&view->s->entries, at, name);
	}
}

const struct source_kind set_source = {set_next, walk_done, set_find, set_archives};
