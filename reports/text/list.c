/* SPDX-License-Identifier: Apache-2.0 */
/* Lists of words that end in a count when they are long. */
#include <stdlib.h>

#include "line.h"

static struct span taken(struct text *t, struct outbuf *b)
{
	struct span s = arena_copy(t->mem, outbuf_span(b));

	t->out->failed = t->out->failed || b->failed;
	outbuf_release(b);
	return s;
}

struct span text_words(struct text *t, const struct spans *l, const char *between, size_t most)
{
	struct outbuf b = outbuf_limited(t->out->max);
	size_t shown = most && l->n > most + 1 && !t->o->verbose ? most : l->n;

	for (size_t i = 0; i < shown; i++) {
		outbuf_text(&b, i ? between : "");
		outbuf_put(&b, l->v[i]);
	}
	if (shown < l->n)
		outbuf_printf(&b, " and %zu more", l->n - shown);
	return taken(t, &b);
}

/* The part of "gfx90a:xnack+" or "gfx9-4-generic" that is a number, in hexadecimal. */
static struct span gfx_number(struct span target)
{
	size_t n = 3;

	while (n < target.n && target.p[n] != ':' && target.p[n] != '-')
		n++;
	return span_after(span_first(target, n), 3);
}

static bool is_digit(uint8_t c)
{
	return c >= '0' && c <= '9';
}

/* Runs of digits count as numbers. */
static int cmp_natural(struct span a, struct span b)
{
	size_t i = 0, k = 0;

	while (i < a.n && k < b.n) {
		size_t from_a, from_b;
		int c;

		if (!is_digit(a.p[i]) || !is_digit(b.p[k])) {
			if (a.p[i] != b.p[k])
				return a.p[i] < b.p[k] ? -1 : 1;
			i++;
			k++;
			continue;
		}
		for (from_a = i; i < a.n && is_digit(a.p[i]);)
			i++;
		for (from_b = k; k < b.n && is_digit(b.p[k]);)
			k++;
		if (i - from_a != k - from_b)
			return i - from_a < k - from_b ? -1 : 1;
		c = memcmp(a.p + from_a, b.p + from_b, i - from_a);
		if (c)
			return c;
	}
	return (a.n - i > b.n - k) - (a.n - i < b.n - k);
}

static int by_target(const void *x, const void *y)
{
	struct span a = *(const struct span *)x, b = *(const struct span *)y;

	if (span_starts(a, SPAN("gfx")) && span_starts(b, SPAN("gfx"))) {
		size_t n = gfx_number(a).n, m = gfx_number(b).n;

		return n != m ? (n < m ? -1 : 1) : span_cmp(a, b);
	}
	return cmp_natural(a, b);
}

void text_sort_targets(struct spans *l)
{
	size_t kept = 0;

	if (l->n == 0)
		return;
	qsort(l->v, l->n, sizeof(*l->v), by_target);
	for (size_t i = 1; i < l->n; i++)
		if (!span_eq(l->v[kept], l->v[i]))
			l->v[++kept] = l->v[i];
	l->n = kept + 1;
}

/* The last one is told where targets are a row of versions; those of AMD are not. */
struct span text_fit_targets(struct text *t, const struct spans *l, size_t columns)
{
	struct outbuf b = outbuf_limited(t->out->max);
	struct span tail, last = SPAN_NONE;
	size_t all = 0, used, n;

	for (size_t i = 0; i < l->n; i++)
		all += text_columns(l->v[i]) + (i > 0);
	if (l->n < 3 || all <= columns || t->o->verbose)
		return text_words(t, l, " ", 0);
	if (!span_starts(l->v[0], SPAN("gfx")))
		last = l->v[l->n - 1];
	tail = arena_printf(t->mem, " %s%s%.*s (%zu)", text_dots(t), last.n ? " " : "", TEXT_ARG(last), l->n);
	outbuf_put(&b, l->v[0]);
	used = text_columns(l->v[0]) + text_columns(tail);
	for (n = 1; n + 2 < l->n && used + 1 + text_columns(l->v[n]) <= columns; n++) {
		outbuf_char(&b, ' ');
		outbuf_put(&b, l->v[n]);
		used += 1 + text_columns(l->v[n]);
	}
	outbuf_put(&b, tail);
	return taken(t, &b);
}
