/* SPDX-License-Identifier: Apache-2.0 */
/* Archives inside archives, limits, links, and that slices change nothing. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <cmocka.h>

#include "extractors/fake_job.h"
#include "extractors/zip_maker.h"

static const struct span elf = SPAN_INIT("\x7f"
                                         "ELF and what follows");

/* An archive that holds the last one, this many times over, an ELF file in each. */
static struct span nest(struct maker *m, size_t depth, bool deflated)
{
	struct span inner = SPAN_NONE;

	for (size_t i = 0; i < depth; i++) {
		m[i] = maker_new();
		maker_file(&m[i], "x.so", elf);
		if (inner.n)
			maker_add(&m[i], (struct maker_member){.name = "in.zip", .data = inner, .deflated = deflated});
		inner = maker_done(&m[i]);
	}
	return inner;
}

static void archives_are_entered_two_deep(void **state)
{
	for (int deflated = 0; deflated < 2; deflated++) {
		struct fake_job *j;
		struct maker m[4];

		fake_setup((void **)&j);
		fake_scan(j, nest(m, 4, deflated), "x.zip", 0);
		assert_int_equal(j->facts.objects.n, 3);
		assert_int_equal(fake_object(j, "in.zip!/in.zip!/x.so")->units, fake_sum(0, elf));
		assert_int_equal(j->facts.problems.n, 1);
		assert_int_equal(j->facts.problems.v[0].limit, LIMIT_NESTED_ARCHIVES);
		assert_span(j->facts.problems.v[0].path, "in.zip!/in.zip!/in.zip");
		fake_teardown((void **)&j);
		for (size_t i = 0; i < 4; i++)
			maker_free(&m[i]);
	}
}

static void every_limit_is_incomplete_by_its_name(void **state)
{
	static const enum limit_id ids[] = {LIMIT_PATH_BYTES,      LIMIT_PATH_DEPTH,    LIMIT_ARTIFACT_ENTRIES,
	                                    LIMIT_INFLATED_MEMBER, LIMIT_OBJECT_RANGES, LIMIT_METADATA_BYTES};

	for (size_t i = 0; i < sizeof(ids) / sizeof(ids[0]); i++)
		for (uint64_t lower = 0; lower < 2; lower++) {
			static const uint64_t enough[] = {26, 3, 4, 132, 132, 21};
			struct fake_job *j;
			struct maker m[1], outer = maker_new();

			fake_setup((void **)&j);
			j->limits.v[ids[i]] = enough[i] - lower;
			maker_file(&outer, "a-1.dist-info/METADATA", SPAN("Name: a\nVersion: 1\n\n\n"));
			maker_file(&outer, "aaaaaaaaaaaaaaaaaaaa/bb/cc", SPAN("x"));
			maker_file(&outer, "in.zip", nest(m, 1, false));
			maker_file(&outer, "z", SPAN("x"));
			assert_int_equal(m[0].n, 132);
			fake_scan(j, maker_done(&outer), "x.zip", 1);
			if (fake_limits(j, ids[i]) != lower)
				fail_msg("%s: %zu", limit_row(ids[i])->name, fake_limits(j, ids[i]));
			fake_teardown((void **)&j);
			maker_free(&outer);
			maker_free(&m[0]);
		}
}

static void links_and_names_are_told(void **state)
{
	struct fake_job *j = *state;
	struct maker m = maker_new();

	maker_add(&m, (struct maker_member){.name = "lib/libcuda.so", .data = SPAN("libcuda.so.1"), .mode = 0120777});
	maker_add(&m, (struct maker_member){.name = "lib/libcuda.so.1"});
	maker_file(&m, "bin/nvcc", SPAN("#!/bin/sh"));
	maker_add(&m, (struct maker_member){.name = "trick", .data = elf, .mode = 0120777});
	maker_add(&m, (struct maker_member){.name = "up", .data = SPAN("/etc"), .mode = 0120777});
	maker_file(&m, "up/passwd", SPAN("x"));
	fake_scan(j, maker_done(&m), "x.zip", 0);
	assert_int_equal(fake_object(j, "lib/libcuda.so")->type, OBJECT_LINK);
	assert_span(fake_object(j, "lib/libcuda.so")->link_target, "libcuda.so.1");
	assert_int_equal(fake_object(j, "lib/libcuda.so.1")->type, OBJECT_EMPTY);
	assert_int_equal(fake_object(j, "bin/nvcc")->type, OBJECT_OTHER);
	/* Installers write a link as a file: an ELF file must not hide behind a mode. */
	assert_int_equal(fake_object(j, "trick")->type, OBJECT_ELF);
	assert_int_equal(fake_entry(j, "up")->kind, ENTRY_SYMLINK);
	assert_span(fake_entry(j, "up")->target, "/etc");
	assert_int_equal(fake_problems(j, PROBLEM_ANOMALY, FINDING_ARCHIVE_MALFORMED, "no folder"), 1);
	maker_free(&m);
}

static void a_wheel_in_an_archive_is_a_package(void **state)
{
	struct fake_job *j = *state;
	struct maker wheel = maker_new(), outer = maker_new();

	maker_file(&wheel, "a-1.dist-info/METADATA", SPAN("Name: a\nVersion: 1\n"));
	maker_file(&wheel, "a-1.dist-info/WHEEL", SPAN("Tag: py3-none-any\n"));
	maker_add(&wheel, (struct maker_member){.name = "bad", .data = SPAN("x"), .crc = 7});
	maker_file(&outer, "w/a-1-py3-none-any-cu128.whl", maker_done(&wheel));
	fake_scan(j, maker_done(&outer), "x.zip", 0);
	assert_int_equal(j->facts.packages.n, 1);
	assert_span(j->facts.packages.v[0].path, "w/a-1-py3-none-any-cu128.whl!/a-1.dist-info");
	assert_span(j->facts.packages.v[0].variant, "cu128");
	assert_int_equal(fake_problems(j, PROBLEM_INCOMPLETE, FINDING_OBJECT_UNREADABLE, "checksum"), 1);
	maker_free(&wheel);
	maker_free(&outer);
}

static void damage_in_test_data_is_an_anomaly(void **state)
{
	struct fake_job *j = *state;
	struct maker inner = maker_new(), outer = maker_new();

	maker_add(&inner, (struct maker_member){.name = "bad", .data = SPAN("x"), .crc = 7});
	maker_file(&outer, "tests/broken.zip", maker_done(&inner));
	maker_file(&outer, "tests/cut.zip", SPAN("PK\3\4, and that is all"));
	fake_scan(j, maker_done(&outer), "x.zip", 0);
	assert_int_equal(fake_problems(j, PROBLEM_ANOMALY, FINDING_OBJECT_UNREADABLE, "checksum"), 1);
	assert_int_equal(fake_problems(j, PROBLEM_ANOMALY, FINDING_ARCHIVE_MALFORMED, "no directory"), 1);
	assert_int_equal(j->facts.problems.n, 2);
	maker_free(&inner);
	maker_free(&outer);
}

static int by_path(const void *a, const void *b)
{
	return span_cmp(((const struct entry *)a)->path, ((const struct entry *)b)->path);
}

static void slices_change_nothing(void **state)
{
	struct fake_job *whole = *state;
	struct maker m = maker_new();
	struct span archive;

	for (int i = 0; i < 100; i++) {
		char name[32];

		snprintf(name, sizeof(name), "%03d.so", i % 90);
		maker_add(&m,
		          (struct maker_member){.name = name, .data = elf, .deflated = i % 2, .crc = i % 7 ? 0 : 1});
	}
	maker_file(&m, "a-1.dist-info/WHEEL", SPAN("Tag: py3-none-any\n"));
	archive = maker_done(&m);
	fake_scan(whole, archive, "x.whl", 1);
	assert_span(whole->facts.plan.kind, "wheel");
	for (uint32_t n = 2; n < 150; n += 9) {
		struct fake_job *j;

		fake_setup((void **)&j);
		fake_scan(j, archive, "x.whl", n);
		assert_int_equal(j->facts.entries.n, whole->facts.entries.n);
		assert_int_equal(j->facts.objects.n, whole->facts.objects.n);
		assert_int_equal(j->facts.problems.n, whole->facts.problems.n);
		assert_int_equal(j->facts.packages.n, 1);
		qsort(j->facts.entries.v, j->facts.entries.n, sizeof(struct entry), by_path);
		for (size_t i = 1; i < j->facts.entries.n; i++)
			assert_true(by_path(&j->facts.entries.v[i - 1], &j->facts.entries.v[i]) < 0);
		fake_teardown((void **)&j);
	}
	maker_free(&m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(archives_are_entered_two_deep),
	        cmocka_unit_test(every_limit_is_incomplete_by_its_name),
	        cmocka_unit_test_setup_teardown(links_and_names_are_told, fake_setup, fake_teardown),
	        cmocka_unit_test_setup_teardown(a_wheel_in_an_archive_is_a_package, fake_setup, fake_teardown),
	        cmocka_unit_test_setup_teardown(damage_in_test_data_is_an_anomaly, fake_setup, fake_teardown),
	        cmocka_unit_test_setup_teardown(slices_change_nothing, fake_setup, fake_teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
