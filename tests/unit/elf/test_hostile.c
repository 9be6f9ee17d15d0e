/* SPDX-License-Identifier: Apache-2.0 */
/* Files in which a small number once cost minutes, or made unread bytes look read. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "elf/make_elf.h"
#include "stopwatch.h"

#define LARGE (8u << 20)

static struct reading r;
static struct made m;

static int fresh(void **state)
{
	(void)state;
	reading_begin(&r);
	made_begin(&m, true, false);
	return 0;
}

static int done(void **state)
{
	(void)state;
	reading_end(&r);
	return 0;
}

static void assert_limit(enum limit_id id)
{
	bool told = false;

	for (size_t i = 0; i < r.facts.problems.n; i++)
		told = told || (r.facts.problems.v[i].limit == id &&
		                r.facts.problems.v[i].grade == PROBLEM_INCOMPLETE);
	assert_true(told);
}

/* The made file, and zeros behind it that belong to its first segment. */
static uint8_t *large(void)
{
	uint8_t *p = calloc(1, LARGE);

	if (!p)
		abort();
	made_end(&m);
	made_segment_put(&m, 0, PT_LOAD, 0, LARGE);
	memcpy(p, m.b, MADE_BYTES);
	return p;
}

static void put(uint8_t *p, size_t at, uint64_t v, size_t n)
{
	for (size_t i = 0; i < n; i++)
		p[at + i] = (uint8_t)(v >> 8 * i);
}

/* Symbols are kept as part of the tail, their names lie between it and the head. */
static void names_of_symbols_that_are_not_kept_are_incomplete(void **state)
{
	(void)state;
	m.strings = 0x100;
	made_symbol(&m, "cudaMalloc", STB_GLOBAL, SHN_UNDEF);
	made_end(&m);
	reading_made(&r, &m);
	assert_non_null(reading_evidence(&r, EVIDENCE_SYMBOL, "cuda-runtime"));
	assert_int_equal(r.facts.problems.n, 0);
	r.facts.objects.n = 0;
	r.limits.v[LIMIT_SIEVE_HEAD] = AT_STRINGS + 0x20;
	r.limits.v[LIMIT_SIEVE_TAIL] = MADE_BYTES - AT_SYMBOLS;
	reading_run(&r, "lib/a.so", m.b, MADE_BYTES, MADE_BYTES, 512);
	assert_null(reading_evidence(&r, EVIDENCE_SYMBOL, "cuda-runtime"));
	assert_limit(LIMIT_SIEVE_HEAD);
}

/* As ELF's own escape for large numbers, or as that many: no loader reads so many. */
static void the_largest_number_of_segments_is_incomplete(void **state)
{
	uint8_t *p = large();

	(void)state;
	put(p, 56, 65535, 2);
	reading_run(&r, "lib/a.so", p, LARGE, LARGE, 0);
	assert_true(r.facts.problems.n > 0);
	assert_int_equal(r.facts.problems.v[0].grade, PROBLEM_INCOMPLETE);
	free(p);
}

static void many_small_segments_do_not_slow_many_names_down(void **state)
{
	enum { SEGMENTS = 4080, NAMES = 200000, TABLE = 0x100000, ENTRIES = 0x200000 };
	double start = stopwatch();
	uint8_t *p = large();

	(void)state;
	/* The first two as they were, then one byte each, far from everything. */
	memcpy(p + TABLE, p + 0x40, 2 * 56);
	put(p, 32, TABLE, 8);
	put(p, 56, SEGMENTS, 2);
	for (size_t i = 2; i < SEGMENTS; i++) {
		size_t at = TABLE + i * 56;

		put(p, at, PT_LOAD, 4);
		put(p, at + 8, AT_TEXTS, 8);
		put(p, at + 16, ((uint64_t)1 << 32) + i * 0x1000, 8);
		put(p, at + 32, 1, 8);
		put(p, at + 40, 1, 8);
	}
	memcpy(p + ENTRIES, p + AT_DYNAMIC, 5 * 16);
	for (size_t i = 5; i < 5 + NAMES - 10; i++) {
		put(p, ENTRIES + i * 16, DT_NEEDED, 8);
		put(p, ENTRIES + i * 16 + 8, i % 100, 8);
	}
	put(p, TABLE + 56 + 8, ENTRIES, 8);
	put(p, TABLE + 56 + 16, ENTRIES, 8);
	put(p, TABLE + 56 + 32, NAMES * 16, 8);
	put(p, TABLE + 56 + 40, NAMES * 16, 8);
	reading_run(&r, "lib/a.so", p, LARGE, LARGE, 0);
	assert_true(r.facts.objects.v[0].elf.needed.n > 1000 || r.facts.problems.n > 0);
	assert_faster(start, 3);
	free(p);
}

/* 60,000 versions of a library whose name has a megabyte: as text they would be 60 GB. */
static void a_long_name_is_not_written_out_for_each_version(void **state)
{
	enum { NAME = 0x100000, LETTERS = 1000000, NEED = 0x300000, PARTS = 60000 };
	uint8_t *p;

	(void)state;
	made_dynamic(&m, DT_VERNEED, NEED);
	made_dynamic(&m, DT_VERNEEDNUM, 1);
	p = large();
	memset(p + NAME, 'a', LETTERS);
	put(p, NEED, VER_NEED_CURRENT, 2);
	put(p, NEED + 2, PARTS, 2);
	put(p, NEED + 4, NAME - AT_STRINGS, 4);
	put(p, NEED + 8, 16, 4);
	for (size_t i = 0; i < PARTS; i++) {
		put(p, NEED + 16 + i * 16 + 8, NAME + LETTERS - 4 - AT_STRINGS, 4);
		put(p, NEED + 16 + i * 16 + 12, i + 1 < PARTS ? 16 : 0, 4);
	}
	reading_run(&r, "lib/a.so", p, LARGE, LARGE, 0);
	assert_limit(LIMIT_OBJECT_RANGES);
	assert_in_range(r.facts.objects.v[0].elf.verneed.n, 1, 100);
	assert_true(r.mem.held < 256u << 20);
	free(p);
}

/* One code object under 100,000 ids is read once. */
static void ids_that_share_a_code_object_cost_one_reading(void **state)
{
	static const char id[] = "hipv4-amdgcn-amd-amdhsa--gfx942";
	enum { IDS = 100000, ENTRY = 24 + sizeof(id) - 1, CODE = 65536 };
	size_t table = 32 + (size_t)IDS * ENTRY, n = table + CODE;
	double start = stopwatch();
	uint8_t *p = calloc(1, n), *code = p + table;

	(void)state;
	if (!p)
		abort();
	r.limits.v[LIMIT_BUNDLE_TABLE] = table;
	memcpy(p, "__CLANG_OFFLOAD_BUNDLE__", 24);
	put(p, 24, IDS, 8);
	for (size_t i = 0; i < IDS; i++) {
		put(p, 32 + i * ENTRY, table, 8);
		put(p, 32 + i * ENTRY + 8, CODE, 8);
		put(p, 32 + i * ENTRY + 16, sizeof(id) - 1, 8);
		memcpy(p + 32 + i * ENTRY + 24, id, sizeof(id) - 1);
	}
	/* gfx942, and more sections than fit: each reading walks through them. */
	memcpy(code, "\x7f"
	             "ELF\2\1\1\x40\4",
	       9);
	put(code, 16, ET_DYN, 2);
	put(code, 18, 224, 2);
	put(code, 20, 1, 4);
	put(code, 40, 64, 8);
	put(code, 48, 0x4c, 4);
	put(code, 52, 64, 2);
	put(code, 58, 64, 2);
	put(code, 60, 1000, 2);
	reading_run(&r, "a.hipfb", p, n, n, 0);
	assert_int_equal(r.facts.objects.v[0].device_code.n, 1);
	assert_int_equal(r.facts.objects.v[0].device_code.v[0].count, IDS);
	assert_faster(start, 0.5);
	free(p);
}

#define hostile_test(f) cmocka_unit_test_setup_teardown(f, fresh, done)

int main(void)
{
	const struct CMUnitTest tests[] = {
	        hostile_test(names_of_symbols_that_are_not_kept_are_incomplete),
	        hostile_test(the_largest_number_of_segments_is_incomplete),
	        hostile_test(many_small_segments_do_not_slow_many_names_down),
	        hostile_test(a_long_name_is_not_written_out_for_each_version),
	        hostile_test(ids_that_share_a_code_object_cost_one_reading),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
