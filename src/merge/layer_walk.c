/* SPDX-License-Identifier: Apache-2.0 */
/* Ways through the tree: folder by folder, and in the specification's reading through symbolic links. */
#include <stdlib.h>

#include "layers.h"

#define LINKS_MAX 255
#define STEPS_MAX ((uint64_t)1 << 26)

/* A folder that has no entry: nobody else keeps its name. */
static uint32_t folder_put(struct layering *l, uint32_t parent, struct span name)
{
	return tree_put(&l->tree, parent, arena_copy(l->scratch, name), ENTRY_FOLDER, l->set->layer);
}

static uint32_t root_of(const struct layering *l, struct span path)
{
	return span_starts(path, SPAN(".wh..wh.")) && !l->plain ? TREE_STORE : l->root;
}

static struct span part_take(struct span *rest)
{
	size_t n = span_find(*rest, '/');
	struct span part = span_first(*rest, n);

	*rest = span_after(*rest, n + 1);
	return part;
}

/*
 * From a folder along a path, through links. make: what is missing is made, else NO_NODE. Links lead on as the kernel
 * follows them; the texts that are still to be walked lie on a stack.
 */
static uint32_t follow(struct layering *l, uint32_t at, struct span path, bool make)
{
	struct span rest[LINKS_MAX + 1];
	uint64_t most = l->m->limits->v[LIMIT_LINK_STEPS];
	size_t depth = 1, links = 0;

	rest[0] = path;
	while (depth) {
		struct span part = part_take(&rest[depth - 1]);
		const struct node *n;
		uint32_t i;

		depth -= rest[depth - 1].n == 0;
		if (++l->steps > STEPS_MAX) {
			l->tree.full = true;
			return NO_NODE;
		}
		if (part.n == 0 || span_eq(part, SPAN(".")))
			continue;
		if (span_eq(part, SPAN(".."))) {
			at = tree_node(&l->tree, at)->parent;
			continue;
		}
		i = tree_find(&l->tree, at, part);
		n = i == NO_NODE ? NULL : tree_node(&l->tree, i);
		if (n && n->kind == ENTRY_SYMLINK) {
			if (++links > most || links > LINKS_MAX)
				return NO_NODE;
			rest[depth] = layers_row(l, n->content).target;
			at = rest[depth].n && rest[depth].p[0] == '/' ? l->root : at;
			depth++;
			continue;
		}
		if (n && n->kind == ENTRY_FOLDER)
			at = i;
		else
			at = make && !(n && node_stands(n)) ? folder_put(l, at, part) : NO_NODE;
		if (at == NO_NODE)
			return NO_NODE;
	}
	return at;
}

uint32_t layers_look(struct layering *l, struct span path, bool links)
{
	struct span name = span_base_name(path), folder = span_first(path, path.n - name.n);
	uint32_t at = root_of(l, path);

	if (links)
		at = follow(l, at, folder, false);
	while (!links && folder.n && at != NO_NODE) {
		at = tree_find(&l->tree, at, part_take(&folder));
		if (at != NO_NODE && tree_node(&l->tree, at)->kind != ENTRY_FOLDER)
			at = NO_NODE;
	}
	return at == NO_NODE || name.n == 0 ? NO_NODE : tree_find(&l->tree, at, name);
}

/* Something that is no folder stands in the way. False: what wants to go through it does not get there. */
static bool way_made(struct layering *l, const struct node *n, struct span path, const struct entry *e)
{
	bool own = n->layer == l->set->layer;

	if (n->kind == NODE_GONE) {
		if (own)
			layers_tell(l, path, "a whiteout, and files below the same name in one layer", true);
		return true;
	}
	if (n->kind == ENTRY_SYMLINK)
		layers_tell(l, path,
		            own ? "a symbolic link, and files through it in one layer"
		                : "a folder of a later layer hides the symbolic link in overlay engines, others write "
		                  "through it",
		            own);
	else
		layers_tell(l, path, "a file, and files below the same name", own);
	/* The later one wins. */
	return !own || n->kind == ENTRY_SYMLINK || layers_row(l, n->by).order <= e->order;
}

static bool step(struct layering *l, const struct entry *e, struct span name, struct span path, struct walk *w)
{
	uint32_t i = tree_find(&l->tree, w->at, name);
	struct folder_node *f;
	struct node *n = i == NO_NODE ? NULL : tree_node(&l->tree, i);

	w->odd = w->odd || !n || n->kind != ENTRY_FOLDER;
	if (n && n->kind == ENTRY_SYMLINK && l->spec) {
		w->at = follow(l, w->at, name, true);
		if (w->at == NO_NODE) {
			layers_lost(l, e->path);
			return false;
		}
	} else if (n && n->kind == ENTRY_FOLDER) {
		w->at = i;
	} else {
		if (n && !way_made(l, n, path, e))
			return false;
		w->at = folder_put(l, w->at, name);
		if (w->at == NO_NODE)
			return false;
	}
	n = tree_node(&l->tree, w->at);
	n->layer = (uint16_t)l->set->layer;
	f = tree_folder(&l->tree, n);
	w->odd = w->odd || f->opaque_in == l->set->layer;
	if (f->opaque_in == l->set->layer && f->opaque > e->order)
		w->below_opaque = true;
	else if (w->below_opaque && f->listed != l->set->layer)
		w->unlisted = true;
	return true;
}

/* Most entries lie in the folder of the one before, and nothing on the way is of note. */
static bool way_known(const struct layering *l, const struct layer_entry *x)
{
	const struct known_way *k = &l->way;

	return x->folder != ENTRIES_ROOT && k->set == l->set && k->folder == x->folder && k->root == l->root &&
	       k->changes == l->tree.changes;
}

bool layers_walk(struct layering *l, const struct layer_entry *x, struct walk *w)
{
	struct span path = x->e.path;
	size_t from = 0, end;

	*w = (struct walk){.at = way_known(l, x) ? l->way.at : root_of(l, path)};
	if (way_known(l, x))
		return true;
	while ((end = from + span_find(span_after(path, from), '/')) < path.n) {
		if (!step(l, &x->e, span_first(span_after(path, from), end - from), span_first(path, end), w))
			return false;
		from = end + 1;
	}
	if (!w->odd)
		l->way = (struct known_way){l->set, x->folder, l->root, w->at, l->tree.changes};
	return true;
}

static void room_get(struct path_room *room, size_t n)
{
	if (n <= room->cap)
		return;
	room->cap = n < 256 ? 256 : 2 * n;
	room->p = realloc(room->p, room->cap);
	if (!room->p)
		out_of_memory();
}

static bool is_top(const struct layering *l, uint32_t node)
{
	return node <= TREE_STORE || node == l->root || node_name(tree_node(&l->tree, node)).n == 0;
}

struct span layers_path(const struct layering *l, uint32_t node, struct path_room *room)
{
	const struct node *leaf = tree_node(&l->tree, node);
	struct span name = node_name(leaf);
	size_t n = 0, at;

	if (is_top(l, node))
		return SPAN_NONE;
	if (room->folder != leaf->parent + 1) {
		for (uint32_t i = leaf->parent; !is_top(l, i); i = tree_node(&l->tree, i)->parent)
			n += node_name(tree_node(&l->tree, i)).n + 1;
		room_get(room, n);
		at = n;
		for (uint32_t i = leaf->parent; !is_top(l, i); i = tree_node(&l->tree, i)->parent) {
			struct span part = node_name(tree_node(&l->tree, i));

			at -= part.n + 1;
			memcpy(room->p + at, part.p, part.n);
			room->p[at + part.n] = '/';
		}
		room->n = n;
		room->folder = leaf->parent + 1;
	}
	room_get(room, room->n + name.n);
	memcpy(room->p + room->n, name.p, name.n);
	return (struct span){room->p, room->n + name.n};
}
