/* SPDX-License-Identifier: Apache-2.0 */
#include "base/arena.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/checked.h"

#define BLOCK_BYTES 65536

struct arena_block {
	struct arena_block *next;
	size_t used, size;
	void *owned; /* memory that came from elsewhere, and goes with the arena */
	max_align_t data[];
};

void out_of_memory(void)
{
	static const char text[] = "postern: out of memory\n";

	if (write(STDERR_FILENO, text, sizeof(text) - 1) < 0)
		_exit(EXIT_NO_MEMORY);
	_exit(EXIT_NO_MEMORY);
}

static struct arena_block *block_new(struct arena *a, size_t need)
{
	size_t size = need > BLOCK_BYTES / 4 ? need : BLOCK_BYTES;
	struct arena_block *b = size > SIZE_MAX - sizeof(*b) ? NULL : calloc(1, sizeof(*b) + size);

	if (!b)
		out_of_memory();
	b->size = size;
	/* A large piece goes behind the block in use, so that its rest is not lost. */
	if (size != BLOCK_BYTES && a->blocks) {
		b->next = a->blocks->next;
		a->blocks->next = b;
	} else {
		b->next = a->blocks;
		a->blocks = b;
	}
	return b;
}

void *arena_alloc(struct arena *a, size_t n)
{
	struct arena_block *b = a->blocks;
	void *p;

	if (n > SIZE_MAX - sizeof(max_align_t))
		out_of_memory();
	n = (n + _Alignof(max_align_t) - 1) / _Alignof(max_align_t) * _Alignof(max_align_t);
	if (!b || n > b->size - b->used)
		b = block_new(a, n);
	p = (uint8_t *)b->data + b->used;
	b->used += n;
	a->held += n;
	return p;
}

struct span arena_copy(struct arena *a, struct span s)
{
	uint8_t *p = arena_alloc(a, s.n ? s.n : 1);

	if (s.n)
		memcpy(p, s.p, s.n);
	return (struct span){p, s.n};
}

struct span arena_printf(struct arena *a, const char *fmt, ...)
{
	va_list ap;
	char *p;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(NULL, 0, fmt, ap);
	va_end(ap);
	if (n < 0)
		return SPAN_NONE;
	p = arena_alloc(a, (size_t)n + 1);
	va_start(ap, fmt);
	vsnprintf(p, (size_t)n + 1, fmt, ap);
	va_end(ap);
	return (struct span){(const uint8_t *)p, (size_t)n};
}

/* Frees the blocks from b on up to, and without, `end`. */
static void blocks_free(struct arena_block *b, const struct arena_block *end)
{
	while (b != end) {
		struct arena_block *next = b->next;

		free(b->owned);
		free(b);
		b = next;
	}
}

void arena_clear(struct arena *a)
{
	blocks_free(a->blocks, NULL);
	*a = (struct arena)ARENA_INIT;
}

void arena_own(struct arena *a, void *owned)
{
	struct arena_block *b = calloc(1, sizeof(*b));

	if (!b)
		out_of_memory();
	b->owned = owned;
	b->next = a->blocks ? a->blocks->next : NULL;
	if (a->blocks)
		a->blocks->next = b;
	else
		a->blocks = b;
}

void arena_join(struct arena *a, struct arena *from)
{
	struct arena_block *last = from->blocks;

	if (!last)
		return;
	while (last->next)
		last = last->next;
	/* The block in use stays in front. */
	last->next = a->blocks ? a->blocks->next : NULL;
	if (a->blocks)
		a->blocks->next = from->blocks;
	else
		a->blocks = from->blocks;
	a->held += from->held;
	*from = (struct arena)ARENA_INIT;
}

struct arena_mark arena_here(const struct arena *a)
{
	const struct arena_block *b = a->blocks;

	return (struct arena_mark){a->blocks, b ? b->next : NULL, b ? b->used : 0, a->held};
}

void arena_back(struct arena *a, struct arena_mark m)
{
	blocks_free(a->blocks, m.block);
	a->blocks = m.block;
	if (m.block) {
		blocks_free(m.block->next, m.behind);
		m.block->next = m.behind;
		memset((uint8_t *)m.block->data + m.used, 0, m.block->used - m.used);
		m.block->used = m.used;
	}
	a->held = m.held;
}

void *list_room(struct arena *a, void *v, size_t n, size_t *cap, size_t size)
{
	uint64_t bytes;
	size_t more;
	void *p;

	if (n < *cap)
		return v;
	more = *cap ? *cap * 2 : 4;
	if (!product_u64(more, size, &bytes) || bytes > SIZE_MAX)
		out_of_memory();
	p = arena_alloc(a, (size_t)bytes);
	if (n)
		memcpy(p, v, n * size);
	*cap = more;
	return p;
}

static int by_bytes(const void *a, const void *b)
{
	return span_cmp(*(const struct span *)a, *(const struct span *)b);
}

void spans_sort_unique(struct spans *l)
{
	size_t kept = 0;

	if (l->n == 0)
		return;
	qsort(l->v, l->n, sizeof(*l->v), by_bytes);
	for (size_t i = 1; i < l->n; i++)
		if (!span_eq(l->v[kept], l->v[i]))
			l->v[++kept] = l->v[i];
	l->n = kept + 1;
}
