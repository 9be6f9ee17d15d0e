/* SPDX-License-Identifier: Apache-2.0 */
/* All entries of a list as an array sorted by path, for tests that look at single ones. */
#ifndef POSTERN_TEST_ENTRIES_LIST_H
#define POSTERN_TEST_ENTRIES_LIST_H

#include <stdlib.h>

#include "model/entries.h"

struct entry_list {
	struct entry *v;
	size_t n;
};

static inline int entry_by_path(const void *a, const void *b)
{
	return span_cmp(((const struct entry *)a)->path, ((const struct entry *)b)->path);
}

static inline struct entry_list entries_list(const struct entries *from, struct arena *mem)
{
	struct entry_list l = {arena_alloc(mem, (from->n + 1) * sizeof(struct entry)), 0};
	struct entry_cursor c = {0};

	while (entries_next(from, &c)) {
		l.v[l.n] = entries_entry(from, &c);
		l.v[l.n].path = arena_copy(mem, l.v[l.n].path);
		l.n++;
	}
	entries_done(&c);
	qsort(l.v, l.n, sizeof(*l.v), entry_by_path);
	return l;
}

#endif
