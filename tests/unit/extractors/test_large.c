/* SPDX-License-Identifier: Apache-2.0 */
/* Archives with very many members and lines: twice as many take twice as much. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <cmocka.h>

#include "extractors/fake_job.h"
#include "extractors/zip_maker.h"
#include "stopwatch.h"

/* A zip64 directory is not needed below 65,536 members. */
#define MEMBERS 65000

static struct maker large_maker(size_t bytes)
{
	return (struct maker){calloc(1, bytes), calloc(1, bytes), 0, 0, 0};
}

/* Seconds for n empty members in one folder. */
static double members(size_t n)
{
	struct maker m = large_maker(16u << 20);
	struct fake_job *j;
	struct span zip;
	char name[32];
	double start;

	fake_setup((void **)&j);
	for (size_t i = 0; i < n; i++) {
		snprintf(name, sizeof(name), "folder/%06zu", i * 7919 % n);
		maker_add(&m, (struct maker_member){.name = name});
	}
	zip = maker_done(&m);
	start = stopwatch();
	fake_scan(j, zip, "x.zip", 1);
	start = stopwatch() - start;
	assert_true(j->facts.entries.n >= n);
	assert_true(j->mem.held < (64u << 20));
	assert_int_equal(j->facts.problems.n, 0);
	fake_teardown((void **)&j);
	maker_free(&m);
	return start;
}

static void time_grows_with_the_number_of_members(void **state)
{
	double few, many;

	(void)state;
	few = members(MEMBERS / 4);
	many = members(MEMBERS);
	if (many > 10 * few + 0.1 * STOPWATCH_FACTOR)
		fail_msg("%.2f s for a quarter, %.2f s for all", few, many);
}

/* Each line names a file by its whole path, which begins with that of the .dist-info folder's parent. */
static void a_long_record_in_a_deep_folder_takes_no_path_a_line(void **state)
{
	enum { LINES = 100000, DEEP = 1200 };
	struct maker m = large_maker(4u << 20);
	struct fake_job *j = *state;
	char *record = malloc(LINES * 12), folder[DEEP + 64];
	size_t n = 0, at = 0;

	assert_non_null(record);
	for (size_t i = 0; i < LINES; i++)
		n += (size_t)snprintf(record + n, 12, "f%06zu,,\n", i);
	while (at < DEEP)
		at += (size_t)snprintf(folder + at, sizeof(folder) - at, "a-folder-of-30-letters-in-all/");
	snprintf(folder + at, sizeof(folder) - at, "p-1.dist-info/RECORD");
	maker_add(&m, (struct maker_member){.name = folder, .data = {(uint8_t *)record, n}});
	fake_scan(j, maker_done(&m), "p-1-py3-none-any.whl", 1);
	assert_int_equal(fake_limits(j, LIMIT_METADATA_BYTES), 0);
	assert_int_equal(j->facts.packages.n, 1);
	/* 1,200 bytes for each line would be 120 MB. */
	assert_true(j->mem.held < (48u << 20));
	free(record);
	maker_free(&m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(time_grows_with_the_number_of_members),
	        cmocka_unit_test_setup_teardown(a_long_record_in_a_deep_folder_takes_no_path_a_line, fake_setup,
	                                        fake_teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
