/* SPDX-License-Identifier: Apache-2.0 */
/* Arithmetic on numbers that a file claims. Nothing wraps: a sum that does not fit is told, not used. */
#ifndef POSTERN_BASE_CHECKED_H
#define POSTERN_BASE_CHECKED_H

#include <stdbool.h>
#include <stdint.h>

/* True when [off, off + size) lies inside [0, limit). */
static inline bool range_inside(uint64_t off, uint64_t size, uint64_t limit)
{
	return off <= limit && size <= limit - off;
}

/* *sum = a + b; false, and *sum untouched, when that does not fit. */
static inline bool sum_u64(uint64_t a, uint64_t b, uint64_t *sum)
{
	uint64_t s;

	if (__builtin_add_overflow(a, b, &s))
		return false;
	*sum = s;
	return true;
}

/* *product = a * b; false, and *product untouched, when that does not fit. */
static inline bool product_u64(uint64_t a, uint64_t b, uint64_t *product)
{
	uint64_t p;

	if (__builtin_mul_overflow(a, b, &p))
		return false;
	*product = p;
	return true;
}

/* a + b, or the largest number when that does not fit: for counters only. */
static inline uint64_t sum_capped(uint64_t a, uint64_t b)
{
	uint64_t s;

	return __builtin_add_overflow(a, b, &s) ? UINT64_MAX : s;
}

#endif
