/* SPDX-License-Identifier: Apache-2.0 */
/* Every way that this machine has finds the places that the definition names, in blocks made to mislead it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

#include "elf/device/format.h"
#include "elf/search/bytes.h"

#define AHEAD 3

/* formats.md: fatbin and its wrapper, ELF, CCOB, the bundle and a zstd frame. */
static const char magics[][5] = {"\x50\xed\x55\xba", "\x01\x5a\xe5\x1e", "\x7f\x45LF", "CCOB", "__CL",
                                 "\x28\xb5\x2f\xfd"};

static uint32_t next_random(uint32_t *seed)
{
	*seed = *seed * 1664525 + 1013904223;
	return *seed >> 8;
}

static bool is_magic(const uint8_t *p)
{
	for (size_t i = 0; i < sizeof(magics) / sizeof(magics[0]); i++)
		if (memcmp(p, magics[i], 4) == 0)
			return true;
	return false;
}

/* Behind a NUL, four bytes of text as far as the block goes. */
static bool is_text(const uint8_t *p, size_t i, size_t place, bool after_nul)
{
	if (i ? p[i - 1] != 0 : !after_nul)
		return false;
	for (size_t k = 0; k < 4 && place % BYTES_BLOCK + k < BYTES_BLOCK; k++)
		if (p[i + k] < 0x09 || p[i + k] > 0x7f)
			return false;
	return true;
}

static void assert_places(const struct place_set *s, size_t at, size_t n, const bool *expected)
{
	size_t next = BYTES_SLICE;

	for (size_t i = n; i-- > 0;) {
		size_t block = (at + i) / BYTES_BLOCK;

		next = expected[i] ? at + i : next;
		assert_int_equal(s->in[block] >> (at + i) % BYTES_BLOCK & 1, expected[i]);
		assert_int_equal(s->any >> block & 1, s->in[block] != 0);
		assert_int_equal(place_set_next(s, at + i), next);
	}
	/* Nothing before and behind. */
	assert_int_equal(s->in[at / BYTES_BLOCK] & ~(~0ull << at % BYTES_BLOCK), 0);
	assert_int_equal(s->in[(at + n - 1) / BYTES_BLOCK] & ~1ull << (at + n - 1) % BYTES_BLOCK, 0);
	for (size_t block = 0; block < BYTES_BLOCKS; block++)
		if (block < at / BYTES_BLOCK || block > (at + n - 1) / BYTES_BLOCK)
			assert_int_equal(s->any >> block & 1, 0);
}

/* n bytes and those ahead, and not one more. */
static void assert_found(const uint8_t *bytes, size_t at, size_t n, bool after_nul)
{
	static struct slice_places found;
	bool magic[BYTES_SLICE], text[BYTES_SLICE];
	uint8_t *p = malloc(n + AHEAD);

	assert_non_null(p);
	memcpy(p, bytes, n + AHEAD);
	for (unsigned step = 2; step <= 8; step += 6) {
		struct byte_scan b = byte_scan_new(step);

		for (size_t i = 0; i < n; i++) {
			magic[i] = (at + i) % step == 0 && is_magic(p + i);
			text[i] = is_text(p, i, at + i, after_nul);
		}
		for (size_t way = 0; (b.way = bytes_way_get(way)); way++) {
			memset(&found, 0xa5, sizeof(found));
			byte_scan_run(&b, at, p, n, after_nul, &found);
			assert_places(&found.magics, at, n, magic);
			assert_places(&found.texts, at, n, text);
		}
	}
	free(p);
}

/* Bytes at the edges of what counts, and pieces of magics. */
static void fill(uint8_t *p, size_t n, unsigned kind, uint32_t *seed)
{
	static const uint8_t edges[] = {0, 0, 0x08, 0x09, 0x1f, 'a', 'a', 'a', 0x7e, 0x7f, 0x80, 0xff};

	for (size_t i = 0; i < n; i++) {
		uint32_t r = next_random(seed);

		if (kind == 0)
			p[i] = (uint8_t)r;
		else if (kind == 1)
			p[i] = edges[r % sizeof(edges)];
		else if (kind == 2)
			p[i] = r % 5 ? 'a' : 0;
		else
			p[i] = (uint8_t)magics[r % 6][i % 4];
	}
	for (size_t i = 0; kind >= 4 && i + 4 <= n; i += kind == 4 ? 4 : 2 + next_random(seed) % 9)
		memcpy(p + i, magics[next_random(seed) % 6], 4);
}

static void all_ways_find_what_the_definition_names(void **state)
{
	static uint8_t bytes[BYTES_SLICE + AHEAD];
	uint32_t seed = 1;

	(void)state;
	for (unsigned kind = 0; kind <= 5; kind++) {
		fill(bytes, sizeof(bytes), kind, &seed);
		assert_found(bytes, 0, BYTES_SLICE, kind & 1);
		for (size_t at = 0; at <= 2 * BYTES_BLOCK; at++) {
			size_t n = 1 + next_random(&seed) % (3 * BYTES_BLOCK);

			fill(bytes, sizeof(bytes), kind, &seed);
			assert_found(bytes, at, n, at & 1);
			assert_found(bytes, at, 1 + n % 8, !(at & 1));
			assert_found(bytes, BYTES_SLICE - at - 1, at + 1, true);
		}
	}
}

/* One at each place of two blocks, whole and cut off by the end. */
static void a_single_place_is_found_wherever_it_lies(void **state)
{
	static const char fillers[] = {'\0', 'a', '\x80'};

	(void)state;
	for (size_t f = 0; f < sizeof(fillers); f++) {
		for (size_t at = 1; at + 5 < 2 * BYTES_BLOCK; at++) {
			uint8_t bytes[2 * BYTES_BLOCK + AHEAD];

			memset(bytes, fillers[f], sizeof(bytes));
			memcpy(bytes + at - 1, "\0text", 6);
			assert_found(bytes, 0, 2 * BYTES_BLOCK, false);
			assert_found(bytes, 0, at + 1, false);
			assert_found(bytes, 3, at, true);
			memcpy(bytes + at, magics[at % 6], 4);
			assert_found(bytes, 0, 2 * BYTES_BLOCK, false);
			assert_found(bytes, 0, at + 1, false);
			assert_found(bytes, BYTES_BLOCK - 2, at + 1, true);
		}
	}
}

/* There is room for so many magics; a format too many would never be found. */
static void every_magic_of_every_format_is_looked_for(void **state)
{
	static struct slice_places found;
	struct byte_scan b = byte_scan_new(8);
	size_t n = 0;

	for (size_t i = 0; device_formats[i]; i++) {
		for (size_t k = 0; k < 4 && device_formats[i]->magics[k].n; k++, n++) {
			uint8_t bytes[BYTES_BLOCK + AHEAD] = {0};

			memcpy(bytes + 8, device_formats[i]->magics[k].p, 4);
			memset(&found, 0, sizeof(found));
			byte_scan_run(&b, 0, bytes, BYTES_BLOCK, true, &found);
			assert_int_equal(found.magics.in[0], 1 << 8);
		}
	}
	assert_true(n >= sizeof(magics) / sizeof(magics[0]));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(all_ways_find_what_the_definition_names),
	        cmocka_unit_test(every_magic_of_every_format_is_looked_for),
	        cmocka_unit_test(a_single_place_is_found_wherever_it_lies),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
