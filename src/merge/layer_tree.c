/* SPDX-License-Identifier: Apache-2.0 */
#include "layer_tree.h"

#include <stdlib.h>

#include "base/name_hash.h"

#define PIECE_NODES ((size_t)1 << NODES_BITS)

_Static_assert(sizeof(struct node) == 32, "the limit tree-nodes says so");

struct span node_name(const struct node *n)
{
	uint32_t length = n->name_n;

	if (length == NAME_LONG)
		memcpy(&length, n->name - sizeof(length), sizeof(length));
	return (struct span){n->name, length};
}

/* The slot of that name, or the free one where it belongs. */
static size_t slot_find(const struct tree *t, uint32_t parent, struct span name)
{
	size_t i = name_hash(t->key, parent, name) & (t->slot_n - 1);

	for (; t->slots[i]; i = (i + 1) & (t->slot_n - 1)) {
		const struct node *n = tree_node(t, t->slots[i] - 1);

		if (n->parent == parent && span_eq(node_name(n), name))
			break;
	}
	return i;
}

static void slots_grow(struct tree *t)
{
	uint32_t *old = t->slots;
	size_t n = t->slot_n;

	t->slot_n = n ? 2 * n : 64;
	t->slots = calloc(t->slot_n, sizeof(*t->slots));
	if (!t->slots)
		out_of_memory();
	for (size_t i = 0; i < n; i++) {
		const struct node *node;

		if (old[i] == 0)
			continue;
		node = tree_node(t, old[i] - 1);
		t->slots[slot_find(t, node->parent, node_name(node))] = old[i];
	}
	free(old);
}

static void *grown(void *v, size_t n, size_t size)
{
	void *p = realloc(v, n * size);

	if (!p)
		out_of_memory();
	return p;
}

static uint32_t folder_add(struct tree *t)
{
	if (t->folder_n == t->folder_cap) {
		t->folder_cap = t->folder_cap ? t->folder_cap + t->folder_cap / 2 : 64;
		t->folders = grown(t->folders, t->folder_cap, sizeof(*t->folders));
	}
	t->folders[t->folder_n] = (struct folder_node){0};
	return (uint32_t)t->folder_n++;
}

static void name_set(struct tree *t, struct node *n, struct span name)
{
	uint32_t length = (uint32_t)name.n;
	uint8_t *p;

	n->name = name.p;
	n->name_n = (uint16_t)length;
	if (name.n < NAME_LONG)
		return;
	p = arena_alloc(t->mem, sizeof(length) + name.n);
	memcpy(p, &length, sizeof(length));
	memcpy(p + sizeof(length), name.p, name.n);
	n->name = p + sizeof(length);
	n->name_n = NAME_LONG;
}

static uint32_t node_add(struct tree *t, uint32_t parent, struct span name, uint8_t kind)
{
	size_t piece = t->n >> NODES_BITS;
	struct node *n;

	if (t->n % PIECE_NODES == 0) {
		t->pieces = grown(t->pieces, piece + 1, sizeof(*t->pieces));
		t->pieces[piece] = grown(NULL, PIECE_NODES, sizeof(**t->pieces));
	}
	n = tree_node(t, (uint32_t)t->n);
	*n = (struct node){.parent = parent, .kind = kind, .content = NO_NODE, .by = NO_NODE, .prior = NO_NODE};
	name_set(t, n, name);
	if (kind == ENTRY_FOLDER)
		n->by = folder_add(t);
	return (uint32_t)t->n++;
}

void tree_init(struct tree *t, struct arena *mem, uint64_t most)
{
	*t = (struct tree){.mem = mem, .most = most < NO_NODE - 2 ? most : NO_NODE - 2};
	t->key = name_hash_key();
	slots_grow(t);
	node_add(t, TREE_ROOT, SPAN_NONE, ENTRY_FOLDER);
	node_add(t, TREE_STORE, SPAN_NONE, ENTRY_FOLDER);
}

void tree_free(struct tree *t)
{
	for (size_t i = 0; i < t->n; i += PIECE_NODES)
		free(t->pieces[i >> NODES_BITS]);
	free(t->pieces);
	free(t->folders);
	free(t->slots);
	*t = (struct tree){0};
}

uint32_t tree_find(const struct tree *t, uint32_t parent, struct span name)
{
	size_t i = slot_find(t, parent, name);

	return t->slots[i] ? t->slots[i] - 1 : NO_NODE;
}

uint32_t tree_put(struct tree *t, uint32_t parent, struct span name, uint8_t kind, uint32_t layer)
{
	uint32_t old, node;
	size_t i;

	if (t->n >= t->most + 2) {
		t->full = true;
		return NO_NODE;
	}
	if (4 * (t->used + 1) > 3 * t->slot_n)
		slots_grow(t);
	i = slot_find(t, parent, name);
	old = t->slots[i] ? t->slots[i] - 1 : NO_NODE;
	t->used += old == NO_NODE;
	t->changes += old != NO_NODE;
	node = node_add(t, parent, name, kind);
	tree_node(t, node)->prior = old;
	tree_node(t, node)->layer = (uint16_t)layer;
	if (old != NO_NODE)
		tree_node(t, old)->gone_in = (uint16_t)layer;
	t->slots[i] = node + 1;
	return node;
}

void tree_restore(struct tree *t, uint32_t node)
{
	struct node *n = tree_node(t, node);
	size_t i = slot_find(t, n->parent, node_name(n));

	if (t->slots[i])
		tree_node(t, t->slots[i] - 1)->gone_in = n->gone_in;
	n->gone_in = 0;
	t->slots[i] = node + 1;
	t->changes++;
}
