/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A growing buffer of bytes with a ceiling set at birth. Going above it, or having no memory, makes it `failed` for ever;
 * later writes do nothing, so write everything and check once. outbuf_release frees it; it is then empty.
 */
#ifndef POSTERN_BASE_OUTBUF_H
#define POSTERN_BASE_OUTBUF_H

#include "base/err.h"

struct outbuf {
	uint8_t *p;
	size_t n, cap;
	size_t max;
	bool failed;
	/* With a sink bytes go there whenever a piece is full, and only what it took counts; false: it takes no more. */
	bool (*sink)(void *handle, struct span piece);
	void *sink_handle;
};

static inline struct outbuf outbuf_limited(size_t max)
{
	return (struct outbuf){.max = max};
}

void outbuf_put(struct outbuf *b, struct span s);
void outbuf_text(struct outbuf *b, const char *text);
void outbuf_char(struct outbuf *b, char c);
void outbuf_printf(struct outbuf *b, const char *fmt, ...) PRINTF_LIKE(2, 3);
/* Hands what is left to the sink, if there is one. */
void outbuf_flush(struct outbuf *b);
void outbuf_release(struct outbuf *b);

static inline struct span outbuf_span(const struct outbuf *b)
{
	return (struct span){b->p, b->n};
}

#endif
