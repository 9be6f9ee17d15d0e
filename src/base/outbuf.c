/* SPDX-License-Identifier: Apache-2.0 */
#include "base/outbuf.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#define SINK_BYTES ((size_t)64 << 10)
#define LARGE ((size_t)4 << 20)

static bool outbuf_reserve(struct outbuf *b, size_t more)
{
	size_t cap = b->cap ? b->cap : 256;
	uint8_t *p;

	if (b->failed || more > b->max || b->n > b->max - more) {
		b->failed = true;
		return false;
	}
	/* Large ones grow by a quarter: what is not used yet counts against a worker's memory. */
	while (cap < b->n + more)
		cap += cap < LARGE ? cap : cap / 4;
	if (cap == b->cap)
		return true;
	p = realloc(b->p, cap);
	if (!p) {
		b->failed = true;
		return false;
	}
	b->p = p;
	b->cap = cap;
	return true;
}

void outbuf_flush(struct outbuf *b)
{
	if (b->sink && !b->failed && b->n && !b->sink(b->sink_handle, outbuf_span(b)))
		b->failed = true;
	b->max -= b->sink ? b->n : 0;
	b->n = b->sink ? 0 : b->n;
}

void outbuf_put(struct outbuf *b, struct span s)
{
	if (b->sink && b->n && b->n + s.n > SINK_BYTES)
		outbuf_flush(b);
	if (s.n && outbuf_reserve(b, s.n)) {
		memcpy(b->p + b->n, s.p, s.n);
		b->n += s.n;
	}
}

void outbuf_text(struct outbuf *b, const char *text)
{
	outbuf_put(b, span_of(text));
}

void outbuf_char(struct outbuf *b, char c)
{
	outbuf_put(b, (struct span){(const uint8_t *)&c, 1});
}

void outbuf_printf(struct outbuf *b, const char *fmt, ...)
{
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(NULL, 0, fmt, ap);
	va_end(ap);
	if (n < 0 || !outbuf_reserve(b, (size_t)n + 1))
		return;
	va_start(ap, fmt);
	vsnprintf((char *)b->p + b->n, (size_t)n + 1, fmt, ap);
	va_end(ap);
	b->n += (size_t)n;
}

void outbuf_release(struct outbuf *b)
{
	free(b->p);
	*b = (struct outbuf){.max = b->max, .sink = b->sink, .sink_handle = b->sink_handle};
}
