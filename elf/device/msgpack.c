/* SPDX-License-Identifier: Apache-2.0 */
#include "elf/device/amdgpu.h"

#define DEPTH_MAX 64

/* A big-endian number of n bytes. */
static uint64_t big(struct cursor *c, unsigned n)
{
	uint64_t v = 0;

	while (n--)
		v = v << 8 | cursor_u8(c);
	return v;
}

enum shape { FIXED, COUNTED, LIST_OF, MAP_OF };

/* Values whose first byte is first..last: so many bytes that are fixed, or a length or number of members in so many bytes. */
static const struct shape_row {
	uint8_t first, last;
	enum shape shape;
	uint8_t bytes; /* of the first one; each next one has twice as many */
	uint8_t extra; /* further bytes: the type of an extension */
} shapes[] = {
        {0xc4, 0xc6, COUNTED, 1, 0}, {0xc7, 0xc9, COUNTED, 1, 1}, {0xca, 0xcb, FIXED, 4, 0},
        {0xcc, 0xcf, FIXED, 1, 0},   {0xd0, 0xd3, FIXED, 1, 0},   {0xd4, 0xd8, FIXED, 1, 1},
        {0xd9, 0xdb, COUNTED, 1, 0}, {0xdc, 0xdd, LIST_OF, 2, 0}, {0xde, 0xdf, MAP_OF, 2, 0},
};

/* A value whose first byte needs a row; *inside as below. */
static void shaped_skip(struct cursor *c, uint8_t b, uint64_t *inside)
{
	for (size_t i = 0; i < sizeof(shapes) / sizeof(*shapes); i++) {
		const struct shape_row *s = &shapes[i];
		unsigned n;

		if (b < s->first || b > s->last)
			continue;
		n = (unsigned)s->bytes << (b - s->first);
		if (s->shape == FIXED)
			cursor_skip(c, (uint64_t)n + s->extra);
		else if (s->shape == COUNTED)
			cursor_skip(c, big(c, n) + s->extra);
		else
			*inside = big(c, n) * (s->shape == MAP_OF ? 2 : 1);
		return;
	}
	if (b == 0xc1)
		c->bad = true;
}

/* Passes over one value; *inside: how many values follow that are part of it. */
static void value_skip(struct cursor *c, uint64_t *inside)
{
	uint8_t b = cursor_u8(c);

	*inside = 0;
	if (b <= 0x7f || b >= 0xe0)
		return;
	if (b <= 0x8f)
		*inside = (uint64_t)(b & 15) * 2;
	else if (b <= 0x9f)
		*inside = b & 15;
	else if (b <= 0xbf)
		cursor_skip(c, b & 31);
	else
		shaped_skip(c, b, inside);
	/* Each of them needs a byte at least. */
	if (*inside > cursor_left(c))
		c->bad = true;
}

bool msgpack_sound(struct span m, unsigned depth)
{
	struct cursor c = cursor_over(m);
	uint64_t left[DEPTH_MAX];
	unsigned level = 0;

	if (m.n == 0 || !((m.p[0] & 0xf0) == 0x80 || m.p[0] == 0xde || m.p[0] == 0xdf))
		return false;
	left[0] = 1;
	for (;;) {
		uint64_t inside;

		while (left[level] == 0) {
			if (level == 0)
				return !c.bad;
			level--;
		}
		left[level]--;
		value_skip(&c, &inside);
		if (c.bad)
			return false;
		if (inside == 0)
			continue;
		if (level + 1 >= DEPTH_MAX || level + 1 > depth)
			return false;
		left[++level] = inside;
	}
}
