/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Layers joined into one tree, as overlay engines do; where those refuse, as the specification says. Private to
 * merge*.c.
 */
#ifndef POSTERN_MERGE_LAYERS_H
#define POSTERN_MERGE_LAYERS_H

#include "layer_tree.h"
#include "merge_parts.h"

/* The facts of one layer, its entries sorted by path. */
struct layer_set {
	const struct facts *facts;
	const struct entry *entries;
	size_t n;
	uint32_t layer;     /* from 1 */
	uint32_t *archives; /* of each entry: bytes of its path that name an archive which it lies in */
	uint32_t first;     /* number of its first entry, counted over all layers */
};

struct layering {
	struct merge *m;
	struct arena *scratch;  /* for what nobody needs after the merge */
	struct layer_set *sets; /* lowest first */
	size_t n;
	struct tree tree;
	uint32_t root;
	bool plain;                  /* a root file system that is no image: nothing is a whiteout, nobody refuses */
	bool spec;                   /* the specification's reading, else that of overlay engines */
	bool refused;                /* overlay engines do not take this image */
	const struct layer_set *set; /* the layer that is being applied */
	bool lost_told;              /* of this layer: some entry has no place */
	uint64_t steps;              /* taken through symbolic links */
	uint32_t root_told;          /* nodes before this one were looked at for an opaque mark in the root */
};

/* A name of a file's content in the tree, or one that it had. */
struct name_row {
	uint32_t content, node;
	uint32_t hidden_by; /* layer; 0: visible. Of the first row of a content: the last layer that hid one of its
	                       names */
	bool foreign;       /* a name that another layer gave */
	struct span path;
};

/* What is left of a layer's path in the tree. */
struct place {
	bool visible;
	uint32_t hidden_by;
	struct span path; /* where it is visible, else as it was */
};

/* The tree as facts: of all that is visible, and of what each layer has that is not. */
struct layer_view {
	struct facts shown;
	struct facts
	        *hidden; /* n: entry.layer is 0 of entries that are visible, and object.hidden, package.hidden say so */
	size_t n;
	LIST(struct name_row) names; /* sorted by content; visible ones first */
	uint32_t *hidden_by;         /* of each node */
};

/* Where a path leads. */
struct walk {
	uint32_t at;       /* folder; NO_NODE: nowhere */
	bool below_opaque; /* some folder on the way gets an opaque mark later in the layer */
	bool unlisted;     /* and a folder below that has no entry of its own */
};

/* merge_layers.c: the tree of all layers. */
void layers_apply(struct layering *l);
/* Engines differ on this path; refused: those on overlayfs do not take the image. */
void layers_tell(struct layering *l, struct span path, const char *why, bool refused);
/* The entry's folder cannot be reached; told once a layer. */
void layers_lost(struct layering *l, struct span path);
void layers_malformed(struct layering *l, struct span path, const char *why);

/* layer_view.c */
void layers_view(struct layering *l, struct layer_view *v);
/* The path of a node, as the tree has it. */
struct span layers_path(struct layering *l, uint32_t node);

/* layer_walk.c: the folder that an entry lies in; folders that are missing are made. False: it lies nowhere. */
bool layers_walk(struct layering *l, const struct entry *e, struct walk *w);
/* The same without a change: the node of a path, or NO_NODE. */
uint32_t layers_look(struct layering *l, struct span path, bool links);

/* layer_link.c: the content that a hard link is bound to, or NO_NODE. */
uint32_t layers_linked(struct layering *l, const struct entry *e);

/* layer_set.c: the layers as they are. */
/* The entry with this number; *set (may be NULL) is its layer. */
const struct entry *layers_entry(const struct layering *l, uint32_t number, const struct layer_set **set);
void layers_sort(struct layering *l, const struct facts *facts, size_t n);
/* How much of the entry's path names the archive that it lies in; 0: it lies in none. */
size_t layers_archive(const struct layer_set *s, const struct entry *e);
/* "duplicate-N!/": an earlier entry of a name that stands twice. */
size_t layers_duplicate(struct span path);
/* An entry of that path in that layer, or NULL. */
const struct entry *layers_find(const struct layer_set *s, struct span path);

static inline bool node_stands(const struct node *n)
{
	return n->kind != NODE_GONE;
}

#endif
