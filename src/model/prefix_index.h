/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finds the rows of a list whose literal prefix a text starts with, the longest prefix first, without looking at the
 * others: for (i = prefixes_find(x, text); i != NO_KEY; i = x->v[i].up) ... x->v[i].row
 */
#ifndef POSTERN_MODEL_PREFIX_INDEX_H
#define POSTERN_MODEL_PREFIX_INDEX_H

#include "base/arena.h"

#define NO_KEY SIZE_MAX

struct prefix_key {
	struct span prefix;
	size_t row; /* place in the list of rules; rows of one prefix are met in the order of the list */
	size_t up;  /* the longest other key that this one starts with, or NO_KEY */
};

/* Sorted by prefix. */
struct prefix_index {
	struct prefix_key *v;
	size_t n;
	size_t starts[257]; /* by first byte: the first key that has it or a greater one */
};

/* What a pattern starts with before its first '*'. */
struct span literal_prefix(struct span pattern);

/* Room for n keys: fill prefix and row of each, then link. */
struct prefix_index prefixes_new(struct arena *mem, size_t n);
void prefixes_link(struct prefix_index *x);
/* The longest key that text starts with, or NO_KEY: the others are above it. */
size_t prefixes_find(const struct prefix_index *x, struct span text);

#endif
