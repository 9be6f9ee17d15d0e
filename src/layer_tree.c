/* SPDX-License-Identifier: Apache-2.0 */
#include "layer_tree.h"

#include <sys/random.h>

#define PRIME ((uint64_t)0x1fffffffffffffff) /* 2^61 - 1 */

__extension__ typedef unsigned __int128 wide;

/*
 * A polynomial in a key that nobody knows: names that are made to collide would cost a search of all of them. The key
 * decides about time only, never about the order of anything.
 */
static uint64_t hash_of(const struct tree *t, uint32_t parent, struct span name)
{
	uint64_t h = (uint64_t)parent + 1;

	for (size_t i = 0; i < name.n; i += 7) {
		uint64_t part = 0;

		for (size_t k = i; k < name.n && k < i + 7; k++)
			part = part << 8 | name.p[k];
		h = (uint64_t)(((wide)h * t->key + part) % PRIME);
	}
	return (uint64_t)(((wide)h * t->key + name.n) % PRIME);
}

static struct span name_of(const struct node *n)
{
	return (struct span){n->name, n->name_n};
}

/* The slot of that name, or the free one where it belongs. */
static size_t slot_find(const struct tree *t, uint32_t parent, struct span name)
{
	size_t i = hash_of(t, parent, name) & (t->slot_n - 1);

	for (; t->slots[i]; i = (i + 1) & (t->slot_n - 1)) {
		const struct node *n = &t->nodes.v[t->slots[i] - 1];

		if (n->parent == parent && span_eq(name_of(n), name))
			break;
	}
	return i;
}

static void slots_grow(struct tree *t)
{
	uint32_t *old = t->slots;
	size_t n = t->slot_n;

	t->slot_n = n ? 2 * n : 64;
	t->slots = arena_alloc(t->mem, t->slot_n * sizeof(*t->slots));
	for (size_t i = 0; i < n; i++) {
		const struct node *node;

		if (old[i] == 0)
			continue;
		node = &t->nodes.v[old[i] - 1];
		t->slots[slot_find(t, node->parent, name_of(node))] = old[i];
	}
}

static uint32_t node_add(struct tree *t, uint32_t parent, struct span name, uint8_t kind)
{
	struct node *n = list_add(t->mem, &t->nodes);

	n->name = name.p;
	n->name_n = (uint32_t)name.n;
	n->parent = parent;
	n->kind = kind;
	n->content = NO_NODE;
	n->named_by = NO_NODE;
	n->prior = NO_NODE;
	return (uint32_t)(t->nodes.n - 1);
}

void tree_init(struct tree *t, struct arena *mem, uint64_t most)
{
	*t = (struct tree){.mem = mem, .most = most < NO_NODE - 2 ? most : NO_NODE - 2};
	if (getrandom(&t->key, sizeof(t->key), 0) != sizeof(t->key))
		t->key = (uint64_t)(uintptr_t)t;
	t->key = t->key % (PRIME - 2) + 2;
	slots_grow(t);
	node_add(t, TREE_ROOT, SPAN_NONE, ENTRY_FOLDER);
	node_add(t, TREE_STORE, SPAN_NONE, ENTRY_FOLDER);
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

	if (t->nodes.n >= t->most + 2) {
		t->full = true;
		return NO_NODE;
	}
	if (2 * (t->used + 1) > t->slot_n)
		slots_grow(t);
	i = slot_find(t, parent, name);
	old = t->slots[i] ? t->slots[i] - 1 : NO_NODE;
	t->used += old == NO_NODE;
	node = node_add(t, parent, name, kind);
	t->nodes.v[node].prior = old;
	t->nodes.v[node].layer = layer;
	if (old != NO_NODE)
		t->nodes.v[old].gone_in = layer;
	t->slots[i] = node + 1;
	return node;
}

void tree_restore(struct tree *t, uint32_t node)
{
	struct node *n = &t->nodes.v[node];
	size_t i = slot_find(t, n->parent, name_of(n));

	if (t->slots[i])
		t->nodes.v[t->slots[i] - 1].gone_in = n->gone_in;
	n->gone_in = 0;
	t->slots[i] = node + 1;
}
