/* SPDX-License-Identifier: Apache-2.0 */
#include "model/prefix_index.h"

#include <stdlib.h>

#include "model/catalogue.h"

bool pattern_matches(struct span pattern, struct span text)
{
	size_t p = 0, t = 0, star = SIZE_MAX, mark = 0;

	while (t < text.n) {
		if (p < pattern.n && pattern.p[p] == '*') {
			star = p++;
			mark = t;
		} else if (p < pattern.n && pattern.p[p] == text.p[t]) {
			p++;
			t++;
		} else if (star != SIZE_MAX) {
			p = star + 1;
			t = ++mark;
		} else {
			return false;
		}
	}
	while (p < pattern.n && pattern.p[p] == '*')
		p++;
	return p == pattern.n;
}

struct span literal_prefix(struct span pattern)
{
	return span_first(pattern, span_find(pattern, '*'));
}

static int by_prefix(const void *x, const void *y)
{
	const struct prefix_key *a = x, *b = y;
	int c = span_cmp(a->prefix, b->prefix);

	/* Rows of one prefix: the later first, because the walk goes upwards. */
	return c ? c : (a->row < b->row) - (a->row > b->row);
}

void prefixes_link(struct prefix_index *x)
{
	size_t first = 0;

	qsort(x->v, x->n, sizeof(*x->v), by_prefix);
	for (size_t i = 0; i < x->n; i++) {
		size_t up = i ? i - 1 : NO_KEY;

		while (up != NO_KEY && !span_starts(x->v[i].prefix, x->v[up].prefix))
			up = x->v[up].up;
		x->v[i].up = up;
	}
	for (size_t i = 0; i <= 256; i++) {
		while (first < x->n && (x->v[first].prefix.n == 0 || x->v[first].prefix.p[0] < i))
			first++;
		x->starts[i] = first;
	}
}

size_t prefixes_find(const struct prefix_index *x, struct span text)
{
	size_t lo = text.n ? x->starts[text.p[0]] : x->starts[0], hi = text.n ? x->starts[text.p[0] + 1] : lo, i;

	/* The greatest key that is not above text: every prefix of text is this one or above it. */
	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (span_cmp(x->v[mid].prefix, text) <= 0)
			lo = mid + 1;
		else
			hi = mid;
	}
	i = lo ? lo - 1 : NO_KEY;
	while (i != NO_KEY && !span_starts(text, x->v[i].prefix))
		i = x->v[i].up;
	return i;
}

struct prefix_index prefixes_new(struct arena *mem, size_t n)
{
	return (struct prefix_index){arena_alloc(mem, (n ? n : 1) * sizeof(struct prefix_key)), n, {0}};
}
