/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which of up to 64 sets of literals has a member somewhere inside a text: one pass over it, however many literals
 * there are. Mangled names are long and many, and nearly none of them is of a family.
 */
#ifndef POSTERN_MODEL_INNER_INDEX_H
#define POSTERN_MODEL_INNER_INDEX_H

#include "base/arena.h"

#define INNER_SETS 64

struct inner_literal {
	struct span text; /* two bytes or more */
	unsigned set;
};

struct inner_index {
	LIST(struct inner_literal) literals;
	uint8_t starts[65536 / 8]; /* by the first two bytes */
};

void inner_add(struct inner_index *x, struct arena *mem, struct span literal, unsigned set);
/* One bit a set. */
uint64_t inner_find(const struct inner_index *x, struct span text);

#endif
