/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Names in a tree that layers change one after another. A name that is replaced gets a new node, so that all below the
 * old one is out of reach at once, whatever its size. Nothing is ever freed; parents stand before their children.
 */
#ifndef POSTERN_MERGE_LAYER_TREE_H
#define POSTERN_MERGE_LAYER_TREE_H

#include "model/facts.h"

#define NO_NODE    UINT32_MAX
#define NODE_GONE  ENTRY_KIND_COUNT /* a whiteout: nothing is there */
#define TREE_ROOT  0
#define TREE_STORE 1 /* a root of its own: content that has no name, but can be linked to */
#define LAYER_MOST (UINT16_MAX - 1)

/* 32 bytes: there are millions. Its name lies where the layer's facts have it. */
struct node {
	const uint8_t *name;
	uint32_t parent;
	uint32_t content; /* number of the entry whose content it has; NO_NODE: a folder without one */
	uint32_t by;      /* number of the entry that gave it this name; of a folder its place in tree.folders */
	uint32_t prior;   /* what had this name before, or NO_NODE */
	uint16_t name_n;  /* NAME_LONG: its length stands in front of it */
	uint16_t layer;   /* that touched it last */
	uint16_t gone_in; /* the layer that replaced or removed it; 0: it stands */
	uint8_t kind;     /* of entry, or NODE_GONE */
	bool dropped;     /* its children are gone for engines that know the attribute of overlay */
};

#define NAME_LONG UINT16_MAX

struct folder_node {
	uint32_t listed;            /* the last layer with an entry for it */
	uint32_t opaque_in, opaque; /* the last layer with an opaque mark in it, and the mark's order */
};

#define NODES_BITS 14 /* nodes of one piece */

struct tree {
	struct arena *mem;
	struct node **pieces;
	size_t n;
	struct folder_node *folders;
	size_t folder_n, folder_cap;
	uint32_t *slots; /* numbers of nodes, plus one, by hash */
	size_t slot_n, used;
	uint64_t key, most;
	uint64_t changes; /* names that got another node, so that ways through them may lead elsewhere */
	bool full;        /* above the limit: nodes are missing */
};

static inline struct node *tree_node(const struct tree *t, uint32_t i)
{
	return &t->pieces[i >> NODES_BITS][i & (((uint32_t)1 << NODES_BITS) - 1)];
}

static inline struct folder_node *tree_folder(const struct tree *t, const struct node *n)
{
	return &t->folders[n->by];
}

struct span node_name(const struct node *n);
/* mem: for long names, which are copied; others stay where they are. */
void tree_init(struct tree *t, struct arena *mem, uint64_t most);
void tree_free(struct tree *t);
/* What has this name now, or NO_NODE: a whiteout too. */
uint32_t tree_find(const struct tree *t, uint32_t parent, struct span name);
/* A new node of that name; what had it before is gone. NO_NODE: the tree is full. */
uint32_t tree_put(struct tree *t, uint32_t parent, struct span name, uint8_t kind, uint32_t layer);
/* What stood there before has its name back. */
void tree_restore(struct tree *t, uint32_t node);

#endif
