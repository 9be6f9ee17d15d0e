/* SPDX-License-Identifier: Apache-2.0 */
#include "base/name_hash.h"

#include <sys/random.h>

#define PRIME ((uint64_t)0x1fffffffffffffff) /* 2^61 - 1 */

__extension__ typedef unsigned __int128 wide;

uint64_t name_hash_key(void)
{
	uint64_t key;

	if (getrandom(&key, sizeof(key), 0) != sizeof(key))
		key = (uint64_t)(uintptr_t)&key;
	return key % (PRIME - 2) + 2;
}

static uint64_t times(uint64_t a, uint64_t b)
{
	wide w = (wide)a * b;
	uint64_t v = (uint64_t)(w & PRIME) + (uint64_t)(w >> 61);

	return v >= PRIME ? v - PRIME : v;
}

/*
 * Names that count up give values at equal steps, and a table takes the low bits: steps that are short there would make runs
 * of full slots. One to one, so that nothing collides that did not.
 */
static uint64_t spread(uint64_t h)
{
	h = (h ^ h >> 32) * 0x9e3779b97f4a7c15;
	h = (h ^ h >> 29) * 0xbf58476d1ce4e5b9;
	return h ^ h >> 32;
}

uint64_t name_hash(uint64_t key, uint32_t folder, struct span name)
{
	uint64_t h = (uint64_t)folder + 1;

	for (size_t i = 0; i < name.n; i += 7) {
		uint64_t part = 0;

		for (size_t k = i; k < name.n && k < i + 7; k++)
			part = part << 8 | name.p[k];
		h = times(h, key) + part;
	}
	return spread(times(h, key) + name.n);
}
