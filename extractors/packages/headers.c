/* SPDX-License-Identifier: Apache-2.0 */
#include "extractors/packages/headers.h"

#include <strings.h>

static bool blank(uint8_t c)
{
	return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

struct span span_trim(struct span s)
{
	while (s.n && blank(s.p[0]))
		s = span_after(s, 1);
	while (s.n && blank(s.p[s.n - 1]))
		s.n--;
	return s;
}

bool header_is(struct span name, const char *wanted)
{
	return name.n == strlen(wanted) && strncasecmp((const char *)name.p, wanted, name.n) == 0;
}

/* Bytes of the first line of s, its line end with it. */
static size_t line_bytes(struct span s)
{
	size_t n = span_find(s, '\n');

	return n < s.n ? n + 1 : n;
}

/* One line of the lines in s, joined by single blanks. */
static struct span unfold(struct arena *mem, struct span s)
{
	uint8_t *out;
	size_t n = 0;

	s = span_trim(s);
	if (span_find(s, '\n') == s.n)
		return s;
	out = arena_alloc(mem, s.n);
	while (s.n) {
		struct span line = span_trim(span_first(s, line_bytes(s)));

		s = span_after(s, line_bytes(s));
		if (n && line.n)
			out[n++] = ' ';
		if (line.n)
			memcpy(out + n, line.p, line.n);
		n += line.n;
	}
	return (struct span){out, n};
}

bool headers_next(struct headers *h, struct arena *mem, struct span *name, struct span *value)
{
	while (h->rest.n) {
		size_t n = line_bytes(h->rest);
		size_t colon = span_find(span_first(h->rest, n), ':');
		struct span whole;

		if (span_trim(span_first(h->rest, n)).n == 0)
			return false;
		while (n < h->rest.n && (h->rest.p[n] == ' ' || h->rest.p[n] == '\t'))
			n += line_bytes(span_after(h->rest, n));
		whole = span_first(h->rest, n);
		h->rest = span_after(h->rest, n);
		if (colon >= whole.n || blank(whole.p[0]))
			continue;
		*name = span_trim(span_first(whole, colon));
		*value = unfold(mem, span_after(whole, colon + 1));
		return true;
	}
	return false;
}
