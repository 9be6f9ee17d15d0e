/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A span is bytes that somebody else owns: a pointer and a length, no terminator promised, any byte allowed.
 * It lives as long as its owner (a mapping, an arena, a string constant). Nothing here allocates or fails.
 */
#ifndef POSTERN_BASE_SPAN_H
#define POSTERN_BASE_SPAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct span {
	const uint8_t *p;
	size_t n;
};

#define SPAN_NONE ((struct span){NULL, 0})
/* For constants: SPAN("text") needs no strlen and works in static initialisers. */
#define SPAN_INIT(text) {(const uint8_t *)(text), sizeof(text) - 1}
#define SPAN(text) ((struct span)SPAN_INIT(text))

static inline struct span span_of(const char *text)
{
	return (struct span){(const uint8_t *)text, text ? strlen(text) : 0};
}

static inline bool span_eq(struct span a, struct span b)
{
	return a.n == b.n && (a.n == 0 || memcmp(a.p, b.p, a.n) == 0);
}

/* Bytewise order, the shorter first: the order of every list that we write. */
static inline int span_cmp(struct span a, struct span b)
{
	size_t n = a.n < b.n ? a.n : b.n;
	int c = n ? memcmp(a.p, b.p, n) : 0;

	return c ? c : (a.n > b.n) - (a.n < b.n);
}

static inline bool span_starts(struct span s, struct span with)
{
	return s.n >= with.n && (with.n == 0 || memcmp(s.p, with.p, with.n) == 0);
}

static inline bool span_ends(struct span s, struct span with)
{
	return s.n >= with.n && (with.n == 0 || memcmp(s.p + s.n - with.n, with.p, with.n) == 0);
}

/* Bytes with which both begin. */
static inline size_t span_common(struct span a, struct span b)
{
	size_t n = 0;

	while (n < a.n && n < b.n && a.p[n] == b.p[n])
		n++;
	return n;
}

/* What is left of s after its first n bytes; empty when there are fewer. */
static inline struct span span_after(struct span s, size_t n)
{
	return n >= s.n ? (struct span){s.p ? s.p + s.n : NULL, 0} : (struct span){s.p + n, s.n - n};
}

/* The first n bytes of s, or all of it. */
static inline struct span span_first(struct span s, size_t n)
{
	return (struct span){s.p, n < s.n ? n : s.n};
}

/* Place of the first byte c in s, or s.n. */
static inline size_t span_find(struct span s, uint8_t c)
{
	const uint8_t *at = s.n ? memchr(s.p, c, s.n) : NULL;

	return at ? (size_t)(at - s.p) : s.n;
}

/* What follows the last slash of a path; all of it when there is none. */
static inline struct span span_base_name(struct span path)
{
	size_t i = path.n;

	while (i && path.p[i - 1] != '/')
		i--;
	return span_after(path, i);
}

#endif
