/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers of least length: LEB128, as facts have them. The reader takes no other form of a number than the shortest. */
#ifndef POSTERN_BASE_NUMBER_H
#define POSTERN_BASE_NUMBER_H

#include "base/cursor.h"

#define NUMBER_BYTES 10 /* of 64 bits */

/* How many bytes it took. */
static inline size_t number_put(uint8_t to[NUMBER_BYTES], uint64_t v)
{
	size_t n = 0;

	do {
		to[n++] = (uint8_t)((v & 0x7f) | (v > 0x7f ? 0x80 : 0));
		v >>= 7;
	} while (v);
	return n;
}

/* 0, and the cursor is bad, when there is none, when it has another form, and above max. */
static inline uint64_t number_get(struct cursor *c, uint64_t max)
{
	uint64_t v = 0;
	uint8_t byte = 0x80;

	for (unsigned shift = 0; byte & 0x80; shift += 7) {
		byte = cursor_u8(c);
		/* Ten bytes at most, the last of them 1, and none that adds nothing. */
		if (shift == 63 && byte > 1)
			c->bad = true;
		if (byte == 0 && shift)
			c->bad = true;
		if (c->bad)
			return 0;
		v |= (uint64_t)(byte & 0x7f) << shift;
	}
	if (v > max)
		c->bad = true;
	return c->bad ? 0 : v;
}

/* Of bytes that were checked already: goes behind the number. */
static inline uint64_t number_next(const uint8_t **p)
{
	uint64_t v = 0;
	uint8_t byte;
	unsigned shift = 0;

	do {
		byte = *(*p)++;
		v |= (uint64_t)(byte & 0x7f) << shift;
		shift += 7;
	} while (byte & 0x80 && shift < 64);
	return v;
}

#endif
