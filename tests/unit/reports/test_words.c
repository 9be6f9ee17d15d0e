/* SPDX-License-Identifier: Apache-2.0 */
/* Sizes, numbers, cut names and cut lists. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "reports/text/line.h"

static struct outbuf out;
static struct arena mem;
static struct report_options options;
static struct text t;

static int set_up(void **state)
{
	out = outbuf_limited(1 << 20);
	mem = (struct arena)ARENA_INIT;
	options = (struct report_options){.width = 80};
	t = (struct text){.out = &out, .o = &options, .mem = &mem, .width = 80};
	return 0;
}

static int tear_down(void **state)
{
	outbuf_release(&out);
	arena_clear(&mem);
	return 0;
}

static void is(struct span got, const char *want)
{
	struct span text = arena_printf(&mem, "%.*s", TEXT_ARG(got));
	char *copy = strndup(text.p ? (const char *)text.p : "", text.n);

	assert_string_equal(copy, want);
	free(copy);
}

static void sizes_have_three_digits_and_decimal_units(void **state)
{
	is(text_size(&t, 0), "0 bytes");
	is(text_size(&t, 1), "1 byte");
	is(text_size(&t, 999), "999 bytes");
	is(text_size(&t, 1000), "1.00 kB");
	is(text_size(&t, 9994), "9.99 kB");
	is(text_size(&t, 9996), "10.0 kB");
	is(text_size(&t, 99960), "100 kB");
	is(text_size(&t, 999499), "999 kB");
	is(text_size(&t, 999500), "1.00 MB");
	is(text_size(&t, 571000000), "571 MB");
	is(text_size(&t, UINT64_MAX), "18.4 EB");
}

static void numbers_are_grouped(void **state)
{
	is(text_number(&t, 0), "0");
	is(text_number(&t, 999), "999");
	is(text_number(&t, 24454), "24,454");
	is(text_number(&t, UINT64_MAX), "18,446,744,073,709,551,615");
	is(text_many(&t, 1, "image"), "1 image");
	is(text_many(&t, 11651, "image"), "11,651 images");
}

static void names_are_cut_by_columns_not_bytes(void **state)
{
	is(text_cut_end(&t, SPAN("abcdefghij"), 10), "abcdefghij");
	is(text_cut_end(&t, SPAN("abcdefghij"), 8), "abcde...");
	is(text_cut_start(&t, SPAN("abcdefghij"), 8), "...fghij");
	is(text_cut_middle(&t, SPAN("abcdefghijklm"), 8), "abc...lm");
	is(text_cut_path(&t, SPAN("lib/a.so"), 8), "lib/a.so");
	is(text_cut_path(&t, SPAN("lib64/a.so"), 9), ".../a.so");
	is(text_cut_path(&t, SPAN("lib64/abcdef.so"), 9), "...def.so");
	options.utf8 = true;
	is(text_cut_end(&t, SPAN("ääää"), 4), "ääää");
	is(text_cut_start(&t, SPAN("ääääb"), 3), "…äb");
	is(text_cut_end(&t, SPAN("abc"), 0), "…");
}

static void names_of_artifacts_cannot_move_the_cursor(void **state)
{
	is(text_shown(&t, SPAN("a\033[2Jb\nc\xff\xe2\x80\xae")), "a\\x1b[2Jb\\x0ac\\xff\\xe2\\x80\\xae");
}

static void targets_are_sorted_as_people_count(void **state)
{
	static const char *const mixed[] = {"sm_100", "sm_75", "sm_90a", "sm_90", "sm_75"};
	static const char *const gfx[] = {"gfx1100", "gfx942", "gfx90a:xnack+", "gfx90a", "gfx906", "gfx9-4-generic"};
	struct spans l = {0};

	for (size_t i = 0; i < 5; i++)
		spans_add(&mem, &l, span_of(mixed[i]));
	text_sort_targets(&l);
	is(text_words(&t, &l, " ", 0), "sm_75 sm_90 sm_90a sm_100");
	l = (struct spans){0};
	for (size_t i = 0; i < 6; i++)
		spans_add(&mem, &l, span_of(gfx[i]));
	text_sort_targets(&l);
	is(text_words(&t, &l, " ", 0), "gfx9-4-generic gfx906 gfx90a gfx90a:xnack+ gfx942 gfx1100");
}

static void long_lists_end_in_a_count(void **state)
{
	static const char *const sm[] = {"sm_50", "sm_60", "sm_70", "sm_75", "sm_80", "sm_90"};
	struct spans l = {0};

	for (size_t i = 0; i < 6; i++)
		spans_add(&mem, &l, span_of(sm[i]));
	is(text_fit_targets(&t, &l, 35), "sm_50 sm_60 sm_70 sm_75 sm_80 sm_90");
	is(text_fit_targets(&t, &l, 34), "sm_50 sm_60 sm_70 ... sm_90 (6)");
	is(text_fit_targets(&t, &l, 5), "sm_50 ... sm_90 (6)");
	is(text_words(&t, &l, ", ", 3), "sm_50, sm_60, sm_70 and 3 more");
	options.verbose = true;
	is(text_fit_targets(&t, &l, 5), "sm_50 sm_60 sm_70 sm_75 sm_80 sm_90");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test_setup_teardown(sizes_have_three_digits_and_decimal_units, set_up, tear_down),
	        cmocka_unit_test_setup_teardown(numbers_are_grouped, set_up, tear_down),
	        cmocka_unit_test_setup_teardown(names_are_cut_by_columns_not_bytes, set_up, tear_down),
	        cmocka_unit_test_setup_teardown(names_of_artifacts_cannot_move_the_cursor, set_up, tear_down),
	        cmocka_unit_test_setup_teardown(targets_are_sorted_as_people_count, set_up, tear_down),
	        cmocka_unit_test_setup_teardown(long_lists_end_in_a_count, set_up, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
