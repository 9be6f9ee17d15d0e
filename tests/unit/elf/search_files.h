/* SPDX-License-Identifier: Apache-2.0 */
/* Small files for the tests of the search. */
#ifndef POSTERN_TESTS_SEARCH_FILES_H
#define POSTERN_TESTS_SEARCH_FILES_H

#include "device_rows.h"

static inline struct bytes host(size_t zeros)
{
	struct bytes b = {0};

	put_zeros(&b, zeros);
	return b;
}

static inline void put_text(struct bytes *b, const char *text)
{
	put(b, text, strlen(text) + 1);
}

static inline void put_fatbin(struct bytes *b, uint64_t size)
{
	put_number(b, 0xBA55ED50, 4);
	put_number(b, 1, 2);
	put_number(b, 16, 2);
	put_number(b, size, 8);
}

/* An entry of obfuscated LTO code: its payload is not looked at. */
static inline void put_entry(struct bytes *b, uint64_t size)
{
	put_number(b, 8, 2);
	put_number(b, 0x101, 2);
	put_number(b, 64, 4);
	put_number(b, size, 8);
	put_number(b, 0, 4);
	put_number(b, 0, 4);
	put_number(b, 0x10001, 4);
	put_number(b, 90, 4);
	put_zeros(b, 8);
	put_number(b, 0x10011, 8);
	put_zeros(b, 16);
}

#endif
