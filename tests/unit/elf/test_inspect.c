/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>

#include "elf/make_elf.h"

static void good(struct made *m, bool wide, bool big)
{
	made_begin(m, wide, big);
	made_dynamic(m, DT_NEEDED, made_string(m, "libcudart.so.12"));
	made_dynamic(m, DT_NEEDED, made_string(m, "libc.so.6"));
	made_dynamic(m, DT_SONAME, made_string(m, "liba.so.1"));
	made_dynamic(m, DT_RUNPATH, made_string(m, ""));
	made_symbol(m, "cudaMalloc", STB_GLOBAL, SHN_UNDEF);
	made_symbol(m, "PyInit_a", STB_GLOBAL, 1);
	made_end(m);
}

/* Everything of the one object that must not depend on how the bytes came. */
static void assert_good(const struct reading *r)
{
	const struct object *o = &r->facts.objects.v[0];

	assert_int_equal(r->facts.objects.n, 1);
	assert_int_equal(r->facts.problems.n, 0);
	assert_int_equal(o->type, OBJECT_ELF);
	assert_int_equal(o->elf.needed.n, 2);
	assert_true(span_eq(o->elf.needed.v[0], SPAN("libcudart.so.12")));
	assert_true(span_eq(o->elf.needed.v[1], SPAN("libc.so.6")));
	assert_true(o->elf.has_soname && span_eq(o->elf.soname, SPAN("liba.so.1")));
	assert_true(o->elf.has_runpath && o->elf.runpath.n == 0 && !o->elf.has_rpath);
	assert_true(o->elf.exports_python);
	assert_true(span_eq(o->elf.type, SPAN("dyn")));
	assert_int_equal(o->faults.n, 0);
	assert_int_equal(o->evidence.n, 2);
	assert_int_equal(reading_evidence(r, EVIDENCE_NEEDED, "libcudart.so.12")->strength, STRENGTH_HARD);
	assert_int_equal(reading_evidence(r, EVIDENCE_SYMBOL, "cuda-runtime")->strength, STRENGTH_HARD);
}

static void every_class_and_byte_order_is_read(void **state)
{
	for (int i = 0; i < 4; i++) {
		struct reading r;
		struct made m;

		good(&m, i & 1, i & 2);
		reading_begin(&r);
		reading_made(&r, &m);
		assert_good(&r);
		assert_int_equal(r.facts.objects.v[0].elf.class_bits, i & 1 ? 64 : 32);
		assert_int_equal(r.facts.objects.v[0].elf.big_endian, (i & 2) != 0);
		assert_true(span_eq(r.facts.objects.v[0].elf.machine, i & 1 ? SPAN("ppc64") : SPAN("ppc")));
		reading_end(&r);
	}
}

static void pieces_of_any_size_give_what_a_mapping_gives(void **state)
{
	static const size_t pieces[] = {1, 3, 63, 64, 65, 300, 4095, 4096, 1 << 20};
	struct made m;

	good(&m, true, false);
	for (size_t i = 0; i < sizeof(pieces) / sizeof(pieces[0]); i++) {
		struct reading r;

		reading_begin(&r);
		reading_run(&r, "lib/a.so", m.b, MADE_BYTES, MADE_BYTES, pieces[i]);
		assert_good(&r);
		reading_end(&r);
	}
}

static void assert_alike(const struct reading *a, const struct reading *b)
{
	const struct object *o = &a->facts.objects.v[0], *x = &b->facts.objects.v[0];

	assert_int_equal(a->facts.objects.n, 1);
	assert_int_equal(b->facts.objects.n, 1);
	assert_int_equal(o->bytes, x->bytes);
	assert_int_equal(o->evidence.n, x->evidence.n);
	for (size_t i = 0; i < o->evidence.n; i++) {
		assert_int_equal(o->evidence.v[i].kind, x->evidence.v[i].kind);
		assert_int_equal(o->evidence.v[i].offset, x->evidence.v[i].offset);
		assert_true(span_eq(o->evidence.v[i].value, x->evidence.v[i].value));
	}
	assert_int_equal(o->units, x->units);
	assert_int_equal(o->device_code.n, x->device_code.n);
	for (size_t i = 0; i < o->device_code.n; i++)
		assert_int_equal(o->device_code.v[i].offset, x->device_code.v[i].offset);
	assert_int_equal(o->elf.needed.n, x->elf.needed.n);
	assert_int_equal(a->facts.problems.n, b->facts.problems.n);
	for (size_t i = 0; i < a->facts.problems.n; i++)
		assert_true(span_eq(a->facts.problems.v[i].reason, b->facts.problems.v[i].reason));
}

/* A file of n bytes, mapped and in any pieces with any holes. */
static void assert_holes_alike(const char *name, const uint8_t *p, size_t n)
{
	struct reading whole, r;

	for (int i = 0; i < 4; i++) {
		bool small = i & 1, mapped = i & 2;

		reading_begin(&whole);
		whole.limits.v[LIMIT_SIEVE_HEAD] = small ? AT_NOTES : n;
		whole.limits.v[LIMIT_SIEVE_TAIL] = small ? 100 : n;
		reading_run(&whole, name, p, n, n, 0);
		for (size_t shortest = 1; shortest < 40000; shortest = shortest * 6 + 1) {
			reading_begin(&r);
			r.limits = whole.limits;
			reading_holes(&r, name, p, n, shortest, shortest * 3, mapped);
			assert_alike(&whole, &r);
			reading_end(&r);
		}
		reading_end(&whole);
	}
}

static void a_hole_gives_what_its_zeros_give(void **state)
{
	static const uint8_t fatbin[80] = {0x50,     0xed, 0x55, 0xba, 1,  0,           16,  [8] = 64 + 0x70,
	                                   0x4e, /* 20,080 bytes */
	                                   [16] = 1, 0,    1,    1,    64, [24] = 0x20, 0x4e};
	static uint8_t file[100000];
	struct made m;

	good(&m, true, false);
	made_segment_put(&m, 2, PT_NOTE, 60000, 64);
	made_segment_put(&m, 3, PT_NOTE, 80000 - 64, 128);
	memcpy(file, m.b, MADE_BYTES);
	memcpy(file + 20000, fatbin, sizeof(fatbin));
	memcpy(file + 80000, "\4\0\0\0\1\0\0\0\1\0\0\0x", 13);
	memcpy(file + 99990, "end", 3);
	assert_holes_alike("lib/a.so", file, sizeof(file));
	/* Its front, or all of it but the magic. */
	memset(file + 4, 0, 20000);
	assert_holes_alike("lib/a.so", file, sizeof(file));
	assert_holes_alike("lib/a.so", file, 5);
	assert_holes_alike("lib/a.so", file, READER_FRONT);
}

static void a_hole_in_an_archive_is_its_zeros(void **state)
{
	static const char head[] = "!<arch>\na.o/            0           0     0     644     ";
	static uint8_t file[100000];

	for (int good = 0; good < 2; good++) {
		memset(file, 0, sizeof(file));
		snprintf((char *)file, 200, "%s%-10d`\n", head, good ? 99932 : 50000);
		file[68] = 0;
		assert_holes_alike("lib/a.a", file, sizeof(file));
	}
}

static void a_claimed_size_is_never_believed(void **state)
{
	static const uint64_t claims[] = {MADE_BYTES + 1, 1 << 20, (uint64_t)1 << 44, (uint64_t)1 << 62, UINT64_MAX};
	struct made m;

	good(&m, true, false);
	for (size_t i = 0; i < sizeof(claims) / sizeof(claims[0]); i++) {
		struct reading r;

		reading_begin(&r);
		reading_run(&r, "lib/a.so", m.b, MADE_BYTES, claims[i], 1000);
		assert_good(&r);
		assert_int_equal(r.facts.objects.v[0].bytes, MADE_BYTES);
		reading_end(&r);
	}
}

static void bytes_beyond_the_claimed_size_are_incomplete(void **state)
{
	static const uint64_t claims[] = {0, 1, 63, MADE_BYTES - 1};
	struct made m;

	good(&m, true, false);
	for (size_t i = 0; i < sizeof(claims) / sizeof(claims[0]); i++) {
		struct reading r;
		bool incomplete = false;

		reading_begin(&r);
		reading_run(&r, "lib/a.so", m.b, MADE_BYTES, claims[i], 1000);
		for (size_t k = 0; k < r.facts.problems.n; k++)
			incomplete = incomplete || r.facts.problems.v[k].grade == PROBLEM_INCOMPLETE;
		assert_true(incomplete);
		reading_end(&r);
	}
}

static void every_cut_of_a_file_is_an_anomaly(void **state)
{
	struct made m;

	good(&m, true, false);
	for (size_t n = 4; n < AT_DYNAMIC; n += n < 300 ? 1 : 37) {
		struct reading r;

		reading_begin(&r);
		reading_run(&r, "lib/a.so", m.b, n, n, 0);
		assert_int_equal(r.facts.objects.n, 1);
		assert_true(r.facts.problems.n > 0);
		assert_int_equal(r.facts.problems.v[0].grade, PROBLEM_ANOMALY);
		assert_int_equal(r.facts.problems.v[0].id, FINDING_OBJECT_UNREADABLE);
		assert_int_equal(r.facts.objects.v[0].elf.needed.n, 0);
		reading_end(&r);
	}
}

static void tables_outside_what_is_kept_are_incomplete_by_the_limit(void **state)
{
	for (size_t piece = 0; piece < 1000; piece += 333) {
		struct reading r;
		struct made m;

		good(&m, true, false);
		reading_begin(&r);
		r.limits.v[LIMIT_SIEVE_HEAD] = AT_STRINGS;
		r.limits.v[LIMIT_SIEVE_TAIL] = 16;
		reading_run(&r, "lib/a.so", m.b, MADE_BYTES, MADE_BYTES, piece);
		assert_int_equal(r.facts.problems.n, 1);
		assert_int_equal(r.facts.problems.v[0].grade, PROBLEM_INCOMPLETE);
		assert_int_equal(r.facts.problems.v[0].id, FINDING_SCAN_INCOMPLETE);
		assert_int_equal(r.facts.problems.v[0].limit, LIMIT_SIEVE_HEAD);
		reading_end(&r);
	}
}

static void a_class_that_musl_ignores_is_incomplete(void **state)
{
	struct reading r;
	struct made m;

	good(&m, true, false);
	m.b[EI_CLASS] = 9;
	reading_begin(&r);
	reading_made(&r, &m);
	assert_int_equal(r.facts.problems.n, 1);
	assert_int_equal(r.facts.problems.v[0].grade, PROBLEM_INCOMPLETE);
	assert_int_equal(r.facts.problems.v[0].id, FINDING_OBJECT_UNREADABLE);
	reading_end(&r);
}

static void only_files_of_known_kinds_are_wanted(void **state)
{
	assert_true(elf_reader.wants(SPAN("\x7f"
	                                  "ELF")));
	assert_true(elf_reader.wants(SPAN("!<arch>\n")));
	assert_true(elf_reader.wants(SPAN("!<thin>\n")));
	assert_false(elf_reader.wants(SPAN("\x7f"
	                                   "EL")));
	assert_false(elf_reader.wants(SPAN("/* GNU ld script */\n")));
	assert_false(elf_reader.wants(SPAN_NONE));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(every_class_and_byte_order_is_read),
	        cmocka_unit_test(pieces_of_any_size_give_what_a_mapping_gives),
	        cmocka_unit_test(a_hole_gives_what_its_zeros_give),
	        cmocka_unit_test(a_hole_in_an_archive_is_its_zeros),
	        cmocka_unit_test(a_claimed_size_is_never_believed),
	        cmocka_unit_test(bytes_beyond_the_claimed_size_are_incomplete),
	        cmocka_unit_test(every_cut_of_a_file_is_an_anomaly),
	        cmocka_unit_test(tables_outside_what_is_kept_are_incomplete_by_the_limit),
	        cmocka_unit_test(a_class_that_musl_ignores_is_incomplete),
	        cmocka_unit_test(only_files_of_known_kinds_are_wanted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
