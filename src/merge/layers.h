/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Layers joined into one tree, as overlay engines do; where those refuse, as the specification says. Private to
 * merge*.c.
 */
#ifndef POSTERN_MERGE_LAYERS_H
#define POSTERN_MERGE_LAYERS_H

#include "layer_tree.h"
#include "parts.h"

/* The facts of one layer. */
struct layer_set {
	const struct facts *facts;
	struct entries entries; /* sealed */
	uint32_t layer;         /* from 1 */
	uint32_t *archives;     /* of each folder: bytes of its path that name the outermost archive which it lies in */
	uint32_t first;         /* its entries' numbers are their places, counted on over all layers */
	bool left_out;          /* numbers do not reach so far */
};

/* An entry on its way into the tree. */
struct layer_entry {
	struct entry e;   /* its path lives until the next one comes */
	struct span name; /* the last part of it, which stays */
	uint32_t number, folder;
};

/* The way to a folder, as it was found last. */
struct known_way {
	const struct layer_set *set;
	uint32_t folder, root, at;
	uint64_t changes; /* of the tree, then */
};

struct layering {
	struct merge *m;
	struct arena *scratch;  /* for what nobody needs after the merge */
	struct layer_set *sets; /* lowest first */
	bool left_out;          /* some layer has no numbers */
	size_t n;
	struct tree tree;
	uint32_t root;
	bool plain;                  /* a root file system that is no image: nothing is a whiteout, nobody refuses */
	bool spec;                   /* the specification's reading, else that of overlay engines */
	bool refused;                /* overlay engines do not take this image */
	const struct layer_set *set; /* the layer that is being applied */
	bool lost_told;              /* of this layer: some entry has no place */
	uint64_t steps;              /* taken through symbolic links */
	struct known_way way;
	uint32_t root_told;          /* nodes before this one were looked at for an opaque mark in the root */
};

/* A name of a file's content in the tree, or one that it had. */
struct name_row {
	uint32_t content, node;
	uint32_t hidden_by; /* layer; 0: visible. Of the first row of a content: the last layer that hid one of its
	                       names */
	bool foreign;       /* a name that another layer gave */
};

/* What is left of a layer's path in the tree. */
struct place {
	bool visible;
	uint32_t hidden_by;
	struct span path; /* where it is visible, else as it was */
};

/* The tree as facts: of all that is visible, and of what each layer has that is not. */
struct layer_view {
	struct layering *l;
	struct facts shown;
	LIST(struct entry) members; /* that are visible, of archives: all others are in the tree */
	struct facts *hidden;       /* n: object.hidden and package.hidden say which */
	bool *hides;                /* n: something of that layer is hidden */
	size_t n;
	uint32_t *names; /* nodes that have a content, by number of it; visible ones first */
	size_t names_n, at;
	uint16_t *hidden_by; /* of each node */
	struct path_room room;
};

/* The entries of one layer, hidden ones among them. */
struct set_view {
	struct layer_view *v;
	const struct layer_set *s;
};

/* Where a path leads. */
struct walk {
	uint32_t at;       /* folder; NO_NODE: nowhere */
	bool below_opaque; /* some folder on the way gets an opaque mark later in the layer */
	bool unlisted;     /* and a folder below that has no entry of its own */
	bool odd;          /* not only through folders that hold nothing of note */
};

/* layers.c: the tree of all layers. */
void layers_apply(struct layering *l);
/* Engines differ on this path; refused: those on overlayfs do not take the image. */
void layers_tell(struct layering *l, struct span path, const char *why, bool refused);
/* The entry's folder cannot be reached; told once a layer. */
void layers_lost(struct layering *l, struct span path);
void layers_malformed(struct layering *l, struct span path, const char *why);

/* layer_names.c: who has which content. */
void names_fill(struct layer_view *v);
void names_free(struct layer_view *v);
struct name_row name_row(const struct layer_view *v, uint32_t node);
/* The first name of a content; false: it has no node. *at (may be NULL): where it stands in v->names. */
bool name_find(struct layer_view *v, uint32_t content, struct name_row *row, size_t *at);
/* layer_view.c */
void layers_view(struct layering *l, struct layer_view *v);
/* What is left of the row at which c stands. */
struct place place_of_row(struct layer_view *v, const struct layer_set *s, struct entry_cursor *c);
/* Names that only say something about other names. */
bool is_sign(const struct layering *l, struct span path);
/* layer_source.c: what is visible, and what one layer has, for the merge. */
extern const struct source_kind tree_source, set_source;

/* layer_walk.c: the folder that an entry lies in; folders that are missing are made. False: it lies nowhere. */
bool layers_walk(struct layering *l, const struct layer_entry *x, struct walk *w);
/* The same without a change: the node of a path, or NO_NODE. */
uint32_t layers_look(struct layering *l, struct span path, bool links);
/* The path of a node, as the tree has it, in room. */
struct span layers_path(const struct layering *l, uint32_t node, struct path_room *room);

/* layer_link.c: the content that a hard link is bound to, or NO_NODE. */
uint32_t layers_linked(struct layering *l, const struct layer_entry *x);

/* layer_set.c: the layers as they are. */
void layers_sort(struct layering *l, const struct facts *facts, size_t n);
/* The layer of the entry with this number, and the entry. */
const struct layer_set *layers_set(const struct layering *l, uint32_t number);
struct entry_row layers_row(const struct layering *l, uint32_t number);
/* Places in the order of the tar: of all entries, or of hard links only. malloc'ed; *n are there. */
uint32_t *layers_by_order(const struct layer_set *s, bool all, size_t *n);
/* "duplicate-N!/": an earlier entry of a name that stands twice. */
size_t layers_duplicate(struct span path);

static inline bool node_stands(const struct node *n)
{
	return n->kind != NODE_GONE;
}

#endif
