/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "model/policy.h"
#include "stopwatch.h"

/* The numbers are those of Python's datetime. */
static void days_are_counted_from_1970(void **state)
{
	static const struct {
		const char *text;
		int64_t day;
	} rows[] = {
	        {"1970-01-01", 0},     {"1969-12-31", -1},      {"2026-12-01", 20788},   {"2027-03-31", 20908},
	        {"2024-02-29", 19782}, {"2000-02-29", 11016},   {"2000-03-01", 11017},   {"1900-03-01", -25508},
	        {"2100-03-01", 47541}, {"0001-01-01", -719162}, {"9999-12-31", 2932896},
	};
	int64_t day;

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		assert_true(date_parse(span_of(rows[i].text), &day));
		assert_int_equal(day, rows[i].day);
	}
}

static void what_no_calendar_has_is_no_date(void **state)
{
	static const char *const wrong[] = {
	        "",           "2027-02-29",  "2027-02-30",           "2100-02-29",  "2027-04-31", "2027-13-01",
	        "2027-00-10", "2027-01-00",  "0000-01-01",           "2027-1-01",   "2027-01-1",  "27-01-01",
	        "2027/01/01", "2027-01-01 ", " 027-01-01",           "2027-01-01Z", "+027-01-01", "2027-0a-01",
	        "20270101",   "2027-01-32",  "2027-01-01T00:00:00Z",
	};
	int64_t day;

	for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++)
		if (date_parse(span_of(wrong[i]), &day))
			fail_msg("'%s' is a date", wrong[i]);
	assert_false(date_parse(SPAN_NONE, &day));
}

static void a_class_is_found_by_its_whole_name(void **state)
{
	struct node_class rows[] = {{.name = SPAN_INIT("mi300")}, {.name = SPAN_INIT("h100")}};
	struct policy p = {.classes = {rows, 2, 2}};

	assert_ptr_equal(policy_class(&p, SPAN("h100")), &rows[1]);
	assert_null(policy_class(&p, SPAN("mi30")));
	assert_null(policy_class(&p, SPAN("MI300")));
	assert_null(policy_class(&p, SPAN_NONE));
}

static void fits(const char *glob, const char *text, bool expected)
{
	if (glob_matches(span_of(glob), span_of(text)) != expected)
		fail_msg("'%s' on '%s' is not %d", glob, text, expected);
}

static void globs_are_anchored_and_stars_stop_at_slashes(void **state)
{
	fits("triton", "triton", true);
	fits("triton", "triton2", false);
	fits("triton", "pytriton", false);
	fits("lib*.so", "libx.so", true);
	fits("lib*.so", "lib.so", true);
	fits("lib*.so", "lib/x.so", false);
	fits("lib*.so", "libx.so.1", false);
	fits("*/serve:*", "team/serve:1", true);
	fits("*/serve:*", "host/team/serve:1", false);
	fits("opt/**", "opt/a/b", true);
	fits("opt/**", "opt", false);
	fits("opt**", "opt/a/b", true);
	fits("**.so", "a/b/c.so", true);
	fits("***", "a/b", true);
	fits("**/triton/backends/nvidia/**", "usr/lib/triton/backends/nvidia/bin/ptxas", true);
	fits("**/triton/**", "triton/backends/a", true);
	fits("**/triton/**", "pytriton/backends/a", false);
	fits("a/**/b", "a/b", true);
	fits("a/**/b", "a/x/y/b", true);
	fits("a/**/b", "ab", false);
	fits("a/**/b", "a/xb", false);
	fits("a**/b", "a/b", true);
	fits("a**/b", "ax/y/b", true);
	fits("a**/b", "ab", false);
	fits("sm_9?", "sm_90", true);
	fits("sm_9?", "sm_9", false);
	fits("a?b", "a/b", false);
}

static void everything_else_is_itself(void **state)
{
	fits("a\\*b", "a*b", true);
	fits("a\\*b", "axb", false);
	fits("a\\?b", "a?b", true);
	fits("a\\?b", "axb", false);
	fits("a\\\\b", "a\\b", true);
	fits("a\\bc", "abc", true);
	fits("a\\", "a\\", true);
	fits("[a]", "[a]", true);
	fits("[a]", "a", false);
	fits("{a,b}", "a", false);
	fits("A", "a", false);
	fits("", "", true);
	fits("", "a", false);
	fits("*", "", true);
	fits("?", "", false);
	assert_true(glob_matches(SPAN("a?b*"), ((struct span){(const uint8_t *)"a\0b\xff", 4})));
}

/* The same by the definition alone, as slow as it is. folder: a folder of the glob starts here. */
static bool fits_slowly(const char *g, const char *t, bool folder);

static bool deep_fits(const char *g, const char *t, bool folder)
{
	const char *rest = g + strspn(g, "*");

	if (folder && *rest == '/' && fits_slowly(rest + 1, t, true))
		return true;
	for (;; t++) {
		if (!folder || *rest != '/' ? fits_slowly(rest, t, false)
		                            : *t == '/' && fits_slowly(rest + 1, t + 1, true))
			return true;
		if (*t == '\0')
			return false;
	}
}

static bool run_fits(const char *g, const char *t)
{
	while (!fits_slowly(g + 1, t, false))
		if (*t == '\0' || *t++ == '/')
			return false;
	return true;
}

static bool fits_slowly(const char *g, const char *t, bool folder)
{
	if (*g == '\0')
		return *t == '\0';
	if (*g == '*')
		return g[1] == '*' ? deep_fits(g, t, folder) : run_fits(g, t);
	if (*g == '?')
		return *t && *t != '/' && fits_slowly(g + 1, t + 1, false);
	if (*g == '\\' && g[1])
		g++;
	return *g == *t && fits_slowly(g + 1, t + 1, *g == '/');
}

/* All words of these letters with this many bytes, one after the other: number to word. */
static void word_of(char *out, size_t number, size_t bytes, const char *letters)
{
	for (size_t i = 0; i < bytes; i++) {
		out[i] = letters[number % strlen(letters)];
		number /= strlen(letters);
	}
	out[bytes] = '\0';
}

static void every_short_glob_means_what_the_definition_says(void **state)
{
	static const char letters[] = "a*/?\\", in_text[] = "a/\\*";
	char glob[8], text[8];

	for (size_t most = 1, bytes = 0; bytes <= 5; most *= 5, bytes++)
		for (size_t g = 0; g < most; g++) {
			word_of(glob, g, bytes, letters);
			for (size_t t_most = 1, n = 0; n <= 4; t_most *= 4, n++)
				for (size_t t = 0; t < t_most; t++) {
					word_of(text, t, n, in_text);
					fits(glob, text, fits_slowly(glob, text, true));
				}
		}
}

static void time_grows_with_the_product_of_the_lengths(void **state)
{
	static char glob[GLOB_BYTES + 2], text[4097];
	double start;

	/* A matcher that tries again would need longer than the world has been there. */
	for (size_t i = 0; i < GLOB_BYTES - 1; i += 4)
		memcpy(glob + i, i % 8 ? "*a/a" : "**a?", 4);
	glob[GLOB_BYTES - 1] = 'b';
	memset(text, 'a', 4096);
	for (size_t i = 3; i < 4096; i += 7)
		text[i] = '/';
	start = stopwatch();
	fits(glob, text, false);
	assert_faster(start, 1);
	memset(glob, 'a', GLOB_BYTES);
	memset(text, 'a', 4096);
	glob[GLOB_BYTES] = '\0';
	fits(glob, text, true);
	memset(glob, '*', GLOB_BYTES + 1);
	fits(glob, text, false);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(days_are_counted_from_1970),
	        cmocka_unit_test(what_no_calendar_has_is_no_date),
	        cmocka_unit_test(a_class_is_found_by_its_whole_name),
	        cmocka_unit_test(globs_are_anchored_and_stars_stop_at_slashes),
	        cmocka_unit_test(everything_else_is_itself),
	        cmocka_unit_test(every_short_glob_means_what_the_definition_says),
	        cmocka_unit_test(time_grows_with_the_product_of_the_lengths),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
