/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which of up to 64 sets of literals has a member somewhere inside a text: blocks without the first two bytes of any
 * are passed over. Mangled names are long and many, and nearly none of them is of a family.
 */
#ifndef POSTERN_MODEL_INNER_INDEX_H
#define POSTERN_MODEL_INNER_INDEX_H

#include "base/arena.h"

#define INNER_SETS  64
#define INNER_BLOCK 16

typedef uint8_t inner_block __attribute__((vector_size(INNER_BLOCK)));

struct inner_literal {
	struct span text; /* two bytes or more */
	unsigned set;
};

/* Two bytes that literals start with, each in every place of a block. */
struct inner_pair {
	inner_block first, second;
};

struct inner_index {
	LIST(struct inner_literal) literals;
	LIST(struct inner_pair) pairs; /* each once */
};

void inner_add(struct inner_index *x, struct arena *mem, struct span literal, unsigned set);
/* One bit a set. */
uint64_t inner_find(const struct inner_index *x, struct span text);

#endif
