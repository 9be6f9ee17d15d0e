/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An arena owns everything that one job or one run keeps, and dies as a whole: parsers hold no free. Memory is zeroed and
 * aligned for any type. It never returns NULL: when the system has no more (a worker's RLIMIT_DATA), the process ends with
 * EXIT_NO_MEMORY, and the parent says which job hit job-memory.
 */
#ifndef POSTERN_BASE_ARENA_H
#define POSTERN_BASE_ARENA_H

#include "base/err.h"

#define EXIT_NO_MEMORY 4 /* of a worker, which says nothing else so, and of a command: a fault of our own */

struct arena_block;

struct arena {
	struct arena_block *blocks;
	uint64_t held; /* bytes given out */
};

#define ARENA_INIT {NULL, 0}

void *arena_alloc(struct arena *a, size_t n);
/* A copy of s that lives as long as the arena. */
struct span arena_copy(struct arena *a, struct span s);
struct span arena_printf(struct arena *a, const char *fmt, ...) PRINTF_LIKE(2, 3);
/* Frees everything; the arena is empty and usable again. */
void arena_clear(struct arena *a);
/* Memory of malloc that dies with the arena from now on. */
void arena_own(struct arena *a, void *owned);
/* All that `from` holds is a's; `from` is empty. */
void arena_join(struct arena *a, struct arena *from);
/* What an arena gave out since arena_here is free again after arena_back. */
struct arena_mark {
	struct arena_block *block, *behind;
	size_t used;
	uint64_t held;
};
struct arena_mark arena_here(const struct arena *a);
void arena_back(struct arena *a, struct arena_mark m);
/* Ends the process as out of memory. */
_Noreturn void out_of_memory(void);

/*
 * Growing lists: LIST(struct entry) has v, n, cap; list_add(arena, &list) gives a zeroed new last element. The old array
 * stays in the arena, so pointers into a list die when it grows, but never dangle.
 */
#define LIST(type)                                                                                                              \
	struct {                                                                                                                \
		type *v;                                                                                                        \
		size_t n, cap;                                                                                                  \
	}
void *list_room(struct arena *a, void *v, size_t n, size_t *cap, size_t size);
#define list_add(a, l) ((l)->v = list_room((a), (l)->v, (l)->n, &(l)->cap, sizeof(*(l)->v)), &(l)->v[(l)->n++])

struct spans {
	struct span *v;
	size_t n, cap;
};

/* Keeps s as it is: copy it first when its owner dies earlier than the list. */
static inline void spans_add(struct arena *a, struct spans *l, struct span s)
{
	*list_add(a, l) = s;
}

/* Bytewise order, doubles taken out. */
void spans_sort_unique(struct spans *l);

#endif
