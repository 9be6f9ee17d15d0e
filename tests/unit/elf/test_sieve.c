/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "elf/sieve.h"

#define BYTES 100000

static uint8_t file[BYTES];

static int fill(void **state)
{
	for (size_t i = 0; i < BYTES; i++)
		file[i] = (uint8_t)(i * 7 + i / 251);
	return 0;
}

static struct limits limits(uint64_t head, uint64_t tail, uint64_t ranges)
{
	struct limits l;

	limits_default(&l);
	l.v[LIMIT_SIEVE_HEAD] = head;
	l.v[LIMIT_SIEVE_TAIL] = tail;
	l.v[LIMIT_OBJECT_RANGES] = ranges;
	return l;
}

static struct sieve *passed(struct arena *mem, const struct limits *l, uint64_t claimed, size_t piece, uint64_t at,
                            uint64_t n)
{
	struct sieve *s = sieve_begin(mem, l, claimed, piece ? NULL : file, NULL);

	sieve_keep(s, at, n);
	for (size_t i = 0; piece && i < BYTES; i += piece)
		sieve_put(s, (struct span){file + i, BYTES - i < piece ? BYTES - i : piece});
	sieve_close(s);
	return s;
}

static void assert_kept(const struct sieve *s, uint64_t at, uint64_t n)
{
	const uint8_t *p = sieve_at(s, at, n);

	assert_non_null(p);
	assert_memory_equal(p, file + at, n);
}

static void head_tail_and_named_ranges_are_kept_and_nothing_else(void **state)
{
	static const size_t pieces[] = {0, 1, 777, 4096, BYTES};
	struct limits l = limits(5000, 3000, 1000);

	for (size_t i = 0; i < sizeof(pieces) / sizeof(pieces[0]); i++) {
		struct arena mem = ARENA_INIT;
		struct sieve *s = passed(&mem, &l, BYTES, pieces[i], 50001, 600);

		assert_int_equal(sieve_size(s), BYTES);
		assert_kept(s, 0, 5000);
		assert_kept(s, 50001, 600);
		assert_kept(s, BYTES - 3000, 3000);
		assert_null(sieve_at(s, 4999, 2));
		assert_null(sieve_at(s, 50000, 1));
		assert_null(sieve_at(s, 50600, 2));
		assert_null(sieve_at(s, BYTES - 3001, 1));
		assert_null(sieve_at(s, BYTES, 1));
		assert_null(sieve_at(s, UINT64_MAX, 1));
		assert_int_equal(sieve_run(s, 50500).n, 101);
		assert_int_equal(sieve_limit(s), LIMIT_SIEVE_HEAD);
		sieve_free(s);
		arena_clear(&mem);
	}
}

/* Zeros are kept like any bytes, and readable wherever they lie. */
static void skipped_zeros_are_kept_as_zeros(void **state)
{
	struct limits l = limits(5000, 3000, 1000);

	for (uint64_t hole = 1; hole < 20000; hole = hole * 3 + 1) {
		for (uint64_t at = 0; at + hole <= BYTES; at += 13331) {
			struct arena mem = ARENA_INIT;
			struct sieve *s = sieve_begin(&mem, &l, BYTES, NULL, NULL);

			sieve_keep(s, 50001, 600);
			sieve_put(s, (struct span){file, (size_t)at});
			sieve_skip(s, hole);
			sieve_put(s, (struct span){file + at + hole, (size_t)(BYTES - at - hole)});
			sieve_close(s);
			assert_int_equal(sieve_size(s), BYTES);
			for (uint64_t i = 0; i < BYTES; i++) {
				bool kept = i < 5000 || i >= BYTES - 3000 || (i >= 50001 && i < 50601);
				const uint8_t *p = sieve_at(s, i, 1);

				assert_true(kept == (p != NULL));
				assert_true(!p || *p == (i >= at && i < at + hole ? 0 : file[i]));
			}
			sieve_free(s);
			arena_clear(&mem);
		}
	}
}

/* A file of nothing but 0xff, in the room of the next. */
static void leave_ones(const struct limits *l, struct room *room, size_t n)
{
	static uint8_t ones[BYTES];
	struct arena mem = ARENA_INIT;
	struct sieve *s = sieve_begin(&mem, l, n, NULL, room);

	memset(ones, 0xff, BYTES);
	sieve_put(s, (struct span){ones, n});
	sieve_close(s);
	sieve_free(s);
	arena_clear(&mem);
}

static void what_an_earlier_file_left_in_the_room_never_shows(void **state)
{
	static const size_t earlier[] = {1, 4096, 30000, BYTES};
	struct limits l = limits(50000, 3000, 1000);

	for (size_t i = 0; i < sizeof(earlier) / sizeof(earlier[0]); i++) {
		for (uint64_t hole = 0; hole < 60000; hole = hole * 3 + 1) {
			struct room room = ROOM_INIT;
			struct arena mem = ARENA_INIT;
			struct sieve *s;

			leave_ones(&l, &room, earlier[i]);
			assert_true(room.warm <= 50000);
			s = sieve_begin(&mem, &l, BYTES, NULL, &room);
			sieve_put(s, (struct span){file, 333});
			sieve_skip(s, hole);
			sieve_put(s, (struct span){file, 777});
			sieve_close(s);
			for (uint64_t at = 0; at < 333 + hole + 777; at++) {
				const uint8_t *p = sieve_at(s, at, 1);

				assert_true(at >= 50000 || p);
				if (p && at < 333)
					assert_int_equal(*p, file[at]);
				else if (p)
					assert_int_equal(*p, at < 333 + hole ? 0 : file[at - 333 - hole]);
			}
			/* The rest of the last page is zero, as behind the end of a mapped file. */
			for (uint64_t at = 333 + hole + 777; at < 50000 && at % 4096; at++)
				assert_int_equal(sieve_at(s, 0, 1)[at], 0);
			assert_true(room.taken);
			sieve_free(s);
			assert_false(room.taken);
			room_free(&room);
			arena_clear(&mem);
		}
	}
}

static void named_ranges_stay_within_their_budget(void **state)
{
	struct limits l = limits(100, 100, 1000);
	struct arena mem = ARENA_INIT;
	struct sieve *s = passed(&mem, &l, BYTES, 4096, 2000, UINT64_MAX);

	assert_int_equal(sieve_run(s, 2000).n, 1000);
	assert_int_equal(sieve_limit(s), LIMIT_OBJECT_RANGES);
	sieve_free(s);
	arena_clear(&mem);
}

static void a_range_that_touches_the_head_goes_on_from_it(void **state)
{
	struct limits l = limits(100, 0, 1000);
	struct arena mem = ARENA_INIT;
	struct sieve *s = sieve_begin(&mem, &l, BYTES, NULL, NULL);

	sieve_put(s, (struct span){file, 100});
	sieve_keep(s, 100, 50);
	sieve_put(s, (struct span){file + 100, BYTES - 100});
	sieve_close(s);
	assert_kept(s, 0, 150);
	assert_null(sieve_at(s, 149, 2));
	sieve_free(s);
	arena_clear(&mem);
}

static void a_file_that_ends_early_ends_there(void **state)
{
	static const uint64_t claims[] = {BYTES + 1, (uint64_t)1 << 40, (uint64_t)1 << 62, UINT64_MAX};

	for (size_t i = 0; i < sizeof(claims) / sizeof(claims[0]); i++) {
		struct limits l = limits(5000, 3000, 1000);
		struct arena mem = ARENA_INIT;
		struct sieve *s = passed(&mem, &l, claims[i], 999, 0, 0);

		assert_int_equal(sieve_size(s), BYTES);
		assert_kept(s, 0, 5000);
		assert_null(sieve_at(s, BYTES - 1, 2));
		sieve_free(s);
		arena_clear(&mem);
	}
}

static void bytes_beyond_the_claim_are_dropped(void **state)
{
	struct limits l = limits(5000, 3000, 1000);
	struct arena mem = ARENA_INIT;
	struct sieve *s = passed(&mem, &l, 777, 100, 0, 0);

	assert_int_equal(sieve_size(s), 777);
	assert_kept(s, 0, 777);
	assert_null(sieve_at(s, 776, 2));
	sieve_free(s);
	arena_clear(&mem);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(head_tail_and_named_ranges_are_kept_and_nothing_else),
	        cmocka_unit_test(skipped_zeros_are_kept_as_zeros),
	        cmocka_unit_test(what_an_earlier_file_left_in_the_room_never_shows),
	        cmocka_unit_test(named_ranges_stay_within_their_budget),
	        cmocka_unit_test(a_range_that_touches_the_head_goes_on_from_it),
	        cmocka_unit_test(a_file_that_ends_early_ends_there),
	        cmocka_unit_test(bytes_beyond_the_claim_are_dropped),
	};

	return cmocka_run_group_tests(tests, fill, NULL);
}
