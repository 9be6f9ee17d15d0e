/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One layer after another: first what it takes away, wherever in the layer that stands, then what it brings, then hard
 * links in their order. Engines on overlayfs unpack each layer into a folder of its own; whatever they refuse is told,
 * and then the whole is done again as the specification has it.
 */
#include "layers.h"

#include <stdlib.h>

static bool is_meta(struct span name)
{
	return span_starts(name, SPAN(".wh..wh."));
}

void layers_tell(struct layering *l, struct span path, const char *why, bool refused)
{
	struct problem *p;

	if (l->spec || l->plain)
		return;
	l->refused = l->refused || refused;
	path = arena_copy(l->m->mem, path);
	p = list_add(l->m->mem, &l->m->to->anomalies);
	*p = (struct problem){.grade = PROBLEM_ANOMALY,
	                      .id = FINDING_LAYER_MERGE_AMBIGUOUS,
	                      .path = path,
	                      .reason = span_of(why),
	                      .layer = l->set->layer};
	spans_add(l->m->mem, &l->m->to->ambiguous, path);
}

void layers_malformed(struct layering *l, struct span path, const char *why)
{
	if (l->spec && !l->plain)
		return;
	*list_add(l->m->mem, &l->m->to->anomalies) = (struct problem){.grade = PROBLEM_ANOMALY,
	                                                              .id = FINDING_ARCHIVE_MALFORMED,
	                                                              .path = arena_copy(l->m->mem, path),
	                                                              .reason = span_of(why),
	                                                              .layer = l->plain ? 0 : l->set->layer};
}

void layers_lost(struct layering *l, struct span path)
{
	if (l->lost_told || l->tree.full)
		return;
	l->lost_told = true;
	*list_add(l->m->mem, &l->m->to->anomalies) =
	        (struct problem){.grade = PROBLEM_ANOMALY,
	                         .id = FINDING_ARCHIVE_MALFORMED,
	                         .path = arena_copy(l->m->mem, path),
	                         .reason = SPAN("its folder lies behind symbolic links that loop or go on for too "
	                                        "long, so that it has no place"),
	                         .layer = l->plain ? 0 : l->set->layer};
}

/* The entry's name is no longer what it was in lower layers. path: where that is. */
static void name_remove(struct layering *l, uint32_t folder, struct span name, struct span path, uint32_t number)
{
	uint32_t i = tree_find(&l->tree, folder, name);
	const struct node *n = i == NO_NODE ? NULL : tree_node(&l->tree, i);

	if (n && n->layer == l->set->layer) {
		if (n->kind == NODE_GONE)
			return;
		layers_tell(l, path, "a whiteout, and files below the same name in one layer", true);
	}
	i = tree_put(&l->tree, folder, name, NODE_GONE, l->set->layer);
	if (i != NO_NODE)
		tree_node(&l->tree, i)->by = number;
}

static void root_empty(struct layering *l)
{
	size_t n = l->tree.n;

	if (l->spec) {
		uint32_t fresh = tree_put(&l->tree, TREE_ROOT, SPAN_NONE, ENTRY_FOLDER, l->set->layer);

		if (fresh == NO_NODE)
			return;
		tree_node(&l->tree, l->root)->gone_in = (uint16_t)l->set->layer;
		l->root = fresh;
		return;
	}
	for (; l->root_told < n; l->root_told++) {
		const struct node *node = tree_node(&l->tree, l->root_told);

		if (l->root_told > TREE_STORE && node->parent == TREE_ROOT && !node->gone_in && node_stands(node) &&
		    node->layer < l->set->layer)
			layers_tell(
			        l, node_name(node),
			        "an opaque mark in the root has no effect in overlay engines, and hides this in others",
			        false);
	}
}

/* The folder loses what lower layers brought below it. */
static void folder_empty(struct layering *l, uint32_t folder, const struct entry *e, bool attribute)
{
	struct node *old = tree_node(&l->tree, folder), *n;
	struct folder_node had = *tree_folder(&l->tree, old), *f;
	uint32_t i;

	if (folder <= TREE_STORE || folder == l->root) {
		if (folder == l->root)
			root_empty(l);
		return;
	}
	i = tree_put(&l->tree, old->parent, node_name(old), ENTRY_FOLDER, l->set->layer);
	if (i == NO_NODE)
		return;
	old->dropped = attribute && had.opaque_in != l->set->layer;
	n = tree_node(&l->tree, i);
	f = tree_folder(&l->tree, n);
	n->content = old->content;
	f->listed = had.listed;
	f->opaque_in = l->set->layer;
	f->opaque = attribute ? 0 : e->order;
}

static struct span beside(struct layering *l, struct span path, struct span name)
{
	size_t folder = path.n - span_base_name(path).n;

	return arena_printf(l->m->mem, "%.*s%.*s", (int)folder, (const char *)path.p, (int)name.n,
	                    (const char *)name.p);
}

static void whiteout(struct layering *l, const struct layer_entry *x)
{
	const struct entry *e = &x->e;
	struct span name = x->name, bare = span_after(name, 4), folder;
	struct walk w;

	folder = span_first(e->path, e->path.n - name.n ? e->path.n - name.n - 1 : 0);
	if (span_eq(name, SPAN(".wh..wh..opq"))) {
		if (layers_walk(l, x, &w))
			folder_empty(l, w.at, e, false);
		return;
	}
	if (is_meta(name))
		return;
	if (bare.n == 0 || span_eq(bare, SPAN(".")) || span_eq(bare, SPAN(".."))) {
		layers_malformed(l, e->path, "a whiteout that names no file");
		/* The specification does not take it either: the reading stays. */
		layers_tell(l, folder.n ? folder : e->path, "a whiteout that names no file", false);
		return;
	}
	if (layers_walk(l, x, &w))
		name_remove(l, w.at, bare, beside(l, e->path, bare), x->number);
}

/* True when the entry does nothing but take away. */
static bool takes_away(const struct layering *l, const struct entry *e)
{
	if (l->plain || span_starts(e->path, SPAN(".wh..wh.")))
		return false;
	if (e->kind == ENTRY_SPECIAL)
		return !l->spec && span_eq(e->target, SPAN("0:0"));
	return span_starts(span_base_name(e->path), SPAN(".wh."));
}

static bool is_opaque_folder(const struct layering *l, const struct entry *e)
{
	return e->kind == ENTRY_FOLDER && !l->plain && span_eq(e->target, SPAN("opaque"));
}

static void take_away(struct layering *l, const struct layer_entry *x)
{
	const struct entry *e = &x->e;
	struct walk w;

	if (layers_duplicate(e->path) || l->set->archives[x->folder])
		return;
	if (!l->plain && span_eq(e->path, SPAN(".wh..wh..opq"))) {
		folder_empty(l, l->root, e, false);
	} else if (takes_away(l, e) && e->kind != ENTRY_SPECIAL) {
		whiteout(l, x);
	} else if (takes_away(l, e)) {
		layers_tell(l, e->path, "a device 0:0 is a whiteout in overlay engines, and a file in others", false);
		if (layers_walk(l, x, &w))
			name_remove(l, w.at, x->name, e->path, x->number);
	} else if (is_opaque_folder(l, e) && !l->spec && layers_walk(l, x, &w)) {
		uint32_t i = tree_find(&l->tree, w.at, x->name);

		if (i != NO_NODE && tree_node(&l->tree, i)->kind == ENTRY_FOLDER)
			folder_empty(l, i, e, true);
	}
}

/* Something in this layer has or takes away the same name: engines do not agree what comes out. */
static void name_check(struct layering *l, const struct entry *e, const struct node *n)
{
	if (!n || n->layer != l->set->layer)
		return;
	if (n->kind != NODE_GONE)
		layers_tell(l, e->path, "the same name twice in one layer", true);
	else if (layers_row(l, n->by).order > e->order)
		layers_tell(l, e->path, "a file, and then a whiteout of it in one layer", true);
}

static void folder_bring(struct layering *l, const struct layer_entry *x, uint32_t folder)
{
	const struct entry *e = &x->e;
	struct span name = x->name;
	uint32_t i = tree_find(&l->tree, folder, name);
	struct node *n = i == NO_NODE ? NULL : tree_node(&l->tree, i);

	name_check(l, e, n && n->kind == ENTRY_FOLDER ? NULL : n);
	if (n && n->kind == NODE_GONE && n->layer == l->set->layer) {
		uint32_t before = n->prior;

		layers_tell(l, e->path, "a whiteout and a folder of the same name in one layer", false);
		/* Engines on overlayfs replace the whiteout by the folder, through which lower layers show. */
		if (!l->spec && before != NO_NODE && tree_node(&l->tree, before)->kind == ENTRY_FOLDER) {
			tree_restore(&l->tree, before);
			i = before;
			n = tree_node(&l->tree, i);
		}
	}
	if (!n || n->kind != ENTRY_FOLDER) {
		i = tree_put(&l->tree, folder, name, ENTRY_FOLDER, l->set->layer);
		if (i == NO_NODE)
			return;
	}
	n = tree_node(&l->tree, i);
	n->layer = (uint16_t)l->set->layer;
	n->content = x->number;
	tree_folder(&l->tree, n)->listed = l->set->layer;
}

static void file_bring(struct layering *l, const struct layer_entry *x, uint32_t folder)
{
	const struct entry *e = &x->e;
	uint32_t i = tree_find(&l->tree, folder, x->name), content = x->number;
	uint8_t kind = (uint8_t)e->kind;

	if (e->kind == ENTRY_HARDLINK) {
		content = layers_linked(l, x);
		if (content == NO_NODE)
			return;
		kind = (uint8_t)layers_row(l, content).kind;
	}
	/* A link to itself changes nothing. */
	if (i != NO_NODE && e->kind == ENTRY_HARDLINK && tree_node(&l->tree, i)->content == content &&
	    !tree_node(&l->tree, i)->gone_in)
		return;
	name_check(l, e, i == NO_NODE ? NULL : tree_node(&l->tree, i));
	i = tree_put(&l->tree, folder, x->name, kind, l->set->layer);
	if (i == NO_NODE)
		return;
	tree_node(&l->tree, i)->content = content;
	tree_node(&l->tree, i)->by = x->number;
}

static void bring(struct layering *l, const struct layer_entry *x)
{
	const struct entry *e = &x->e;
	size_t duplicate = layers_duplicate(e->path);
	struct walk w;

	if (duplicate) {
		layers_tell(l, span_after(e->path, duplicate), "the same name twice in one layer", true);
		return;
	}
	if (x->name.n == 0 || takes_away(l, e) || l->set->archives[x->folder] || !layers_walk(l, x, &w))
		return;
	if (w.unlisted && e->kind != ENTRY_FOLDER)
		layers_tell(l, e->path, "below an opaque mark that follows it; engines without overlayfs lose it",
		            false);
	if (e->kind == ENTRY_FOLDER)
		folder_bring(l, x, w.at);
	else
		file_bring(l, x, w.at);
}

static struct layer_entry entry_at(const struct layering *l, struct entry_cursor *c)
{
	return (struct layer_entry){entries_entry(&l->set->entries, c), c->row.name, l->set->first + c->at, c->folder};
}

/* Hard links, which are bound to what is there at that moment; all entries, where one may go through another's link. */
static void bring_in_order(struct layering *l, bool all)
{
	size_t n;
	uint32_t *places = layers_by_order(l->set, all, &n);
	struct entry_cursor c = {0};

	for (size_t i = 0; i < n; i++) {
		struct layer_entry x;

		entries_go(&l->set->entries, &c, places[i]);
		x = entry_at(l, &c);
		bring(l, &x);
	}
	entries_done(&c);
	free(places);
}

static void set_apply(struct layering *l, bool spec)
{
	struct entry_cursor c = {0};
	struct layer_entry x;

	while (!l->plain && entries_next(&l->set->entries, &c)) {
		x = entry_at(l, &c);
		take_away(l, &x);
	}
	entries_done(&c);
	while (!spec && entries_next(&l->set->entries, &c)) {
		x = entry_at(l, &c);
		if (x.e.kind != ENTRY_HARDLINK)
			bring(l, &x);
	}
	entries_done(&c);
	bring_in_order(l, spec);
}

static void tree_build(struct layering *l, bool spec)
{
	tree_free(&l->tree);
	l->spec = spec;
	l->steps = 0;
	l->root = TREE_ROOT;
	l->root_told = 0;
	tree_init(&l->tree, l->scratch, l->m->limits->v[LIMIT_TREE_NODES]);
	l->tree.full = l->left_out;
	for (size_t i = 0; i < l->n; i++) {
		const struct layer_set *s = l->set = &l->sets[i];

		l->lost_told = false;
		l->way = (struct known_way){0};
		if (!s->left_out)
			set_apply(l, spec);
	}
}

/* Children of folders that lost them by an attribute which only overlay engines know. */
static void dropped_tell(struct layering *l)
{
	struct path_room room = {0};

	for (size_t i = TREE_STORE + 1; i < l->tree.n; i++) {
		const struct node *n = tree_node(&l->tree, (uint32_t)i);

		if (!n->gone_in && node_stands(n) && tree_node(&l->tree, n->parent)->dropped)
			layers_tell(l, layers_path(l, (uint32_t)i, &room),
			            "hidden by an attribute that only engines on overlayfs know", false);
	}
	free(room.p);
}

void layers_apply(struct layering *l)
{
	tree_build(l, l->plain);
	dropped_tell(l);
	if (l->refused && !l->tree.full)
		tree_build(l, true);
	if (l->tree.full)
		problem_limit(&l->m->to->incomplete, l->m->mem, l->m->limits, LIMIT_TREE_NODES, SPAN_NONE,
		              "the tree of all layers");
}
