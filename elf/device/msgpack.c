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

/* Passes over one value; *inside: how many values follow that are part of it. */
static void value_skip(struct cursor *c, uint64_t *inside)
{
	static const uint8_t fixed[] = {1, 2, 4, 8, 1, 2, 4, 8}; /* from 0xcc on */
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
	else if (b >= 0xc4 && b <= 0xc6)
		cursor_skip(c, big(c, 1u << (b - 0xc4)));
	else if (b >= 0xc7 && b <= 0xc9)
		cursor_skip(c, big(c, 1u << (b - 0xc7)) + 1);
	else if (b == 0xca || b == 0xcb)
		cursor_skip(c, b == 0xca ? 4 : 8);
	else if (b >= 0xcc && b <= 0xd3)
		cursor_skip(c, fixed[b - 0xcc]);
	else if (b >= 0xd4 && b <= 0xd8)
		cursor_skip(c, (1u << (b - 0xd4)) + 1);
	else if (b >= 0xd9 && b <= 0xdb)
		cursor_skip(c, big(c, 1u << (b - 0xd9)));
	else if (b == 0xdc || b == 0xdd)
		*inside = big(c, b == 0xdc ? 2 : 4);
	else if (b == 0xde || b == 0xdf)
		*inside = big(c, b == 0xde ? 2 : 4) * 2;
	else if (b == 0xc1)
		c->bad = true;
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
