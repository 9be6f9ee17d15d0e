/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A cursor reads hostile bytes. It never leaves its span: the first read beyond the end makes it bad for ever, and every
 * read of a bad cursor gives zeros. Read everything, then check `bad` once. Numbers are little-endian, as in every
 * device-code container (formats.md). It owns nothing.
 */
#ifndef POSTERN_BASE_CURSOR_H
#define POSTERN_BASE_CURSOR_H

#include "base/span.h"

struct cursor {
	struct span s;
	size_t at;
	bool bad;
};

static inline struct cursor cursor_over(struct span s)
{
	return (struct cursor){s, 0, false};
}

static inline size_t cursor_left(const struct cursor *c)
{
	return c->bad ? 0 : c->s.n - c->at;
}

static inline struct span cursor_take(struct cursor *c, uint64_t n)
{
	struct span out = SPAN_NONE;

	if (c->bad || n > c->s.n - c->at) {
		c->bad = true;
		return out;
	}
	out = (struct span){c->s.p + c->at, (size_t)n};
	c->at += (size_t)n;
	return out;
}

static inline void cursor_skip(struct cursor *c, uint64_t n)
{
	(void)cursor_take(c, n);
}

static inline uint64_t cursor_uint(struct cursor *c, unsigned bytes)
{
	struct span s = cursor_take(c, bytes);
	uint64_t v = 0;

	for (size_t i = s.n; i > 0; i--)
		v = v << 8 | s.p[i - 1];
	return v;
}

static inline uint8_t cursor_u8(struct cursor *c)
{
	return (uint8_t)cursor_uint(c, 1);
}

static inline uint16_t cursor_u16(struct cursor *c)
{
	return (uint16_t)cursor_uint(c, 2);
}

static inline uint32_t cursor_u32(struct cursor *c)
{
	return (uint32_t)cursor_uint(c, 4);
}

static inline uint64_t cursor_u64(struct cursor *c)
{
	return cursor_uint(c, 8);
}

#endif
