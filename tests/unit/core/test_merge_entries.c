/* SPDX-License-Identifier: Apache-2.0 */
/* Which names lie in archives, whose files weigh what, and how long it takes to see. */
#include "merge_kit.h"
#include "stopwatch.h"

/* Bytes count once: what lies in an archive is in the archive's. */
static void only_what_lies_beside_a_file_of_that_name_is_in_an_archive(void **state)
{
	struct facts f = facts_new();

	(void)state;
	file(&f, "a", 1);
	file(&f, "a!/b", 10);
	file(&f, "a!/b!/c", 10);
	file(&f, "a!x/b", 100);
	file(&f, "folder!/b", 1000);
	file(&f, "folder!/b!/c", 10);
	file(&f, "x/aa", 10000);
	file(&f, "x/a!/b", 100000);
	assert_int_equal(merged("root", "directory", &f, 1).bytes, 111101);
}

/* A long beginning, and behind it what looks like 200 archives: are they, or are they folders of that name? */
static void names_of_many_archives_take_no_longer_than_they_are_long(void **state)
{
	char deep[2801];

	(void)state;
	for (size_t i = 0; i < sizeof(deep) - 1; i++)
		deep[i] = i < 2000 ? 'a' : "x!/z"[i % 4];
	deep[2800] = 0;
	for (int archives = 0; archives < 2; archives++) {
		struct facts f = facts_new();
		double start = stopwatch();
		struct artifact a;

		for (int i = 0; i < 10000; i++)
			file(&f, (const char *)arena_printf(&mem, "%s/%d/f%c", deep, i, 0).p, 1);
		for (int i = 0; i < 200 * archives; i++)
			file(&f, (const char *)arena_printf(&mem, "%.*sx%c", 2000 + 4 * i, deep, 0).p, 1);
		package(&f, "w", "1", "w-1.dist-info");
		file(&f, "w-1.dist-info/METADATA", 1);
		a = merged("w.whl", "wheel", &f, 1);
		assert_int_equal(a.files, 10001 + 200 * archives);
		assert_int_equal(a.bytes, archives ? 2 : 10001);
		assert_faster(start, 1);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test_setup_teardown(only_what_lies_beside_a_file_of_that_name_is_in_an_archive, kit_setup,
	                                        kit_teardown),
	        cmocka_unit_test_setup_teardown(names_of_many_archives_take_no_longer_than_they_are_long, kit_setup,
	                                        kit_teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
