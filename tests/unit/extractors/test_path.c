/* SPDX-License-Identifier: Apache-2.0 */
/* Names as paths (artifacts.md A5): what three engines made of them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "extractors/path.h"

static void names_are_clamped_at_the_root(void **state)
{
	static const struct {
		struct span raw;
		const char *path;
		unsigned odd;
	} cases[] = {
	        {SPAN_INIT("a/b.so"), "a/b.so", 0},
	        {SPAN_INIT("a/b/"), "a/b", PATH_FOLDER},
	        {SPAN_INIT("/abs"), "abs", PATH_ABSOLUTE},
	        {SPAN_INIT("../escape"), "escape", PATH_CLIMBS},
	        {SPAN_INIT("a/../../esc"), "esc", PATH_CLIMBS},
	        {SPAN_INIT("a/b/../c"), "a/c", PATH_CLIMBS},
	        {SPAN_INIT("./a//b/./c"), "a/b/c", PATH_UNTIDY},
	        {SPAN_INIT("..."), "...", 0},
	        {SPAN_INIT(".a/..b"), ".a/..b", 0},
	        {SPAN_INIT("..\\win"), "..\\win", 0},
	        {SPAN_INIT("C:\\x"), "C:\\x", 0},
	        {SPAN_INIT(""), "", PATH_UNTIDY},
	        {SPAN_INIT("."), "", PATH_UNTIDY},
	        {SPAN_INIT(".."), "", PATH_CLIMBS},
	        {SPAN_INIT("/"), "", PATH_ABSOLUTE | PATH_FOLDER},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct arena mem = ARENA_INIT;
		unsigned odd;
		struct span path = path_normalise(&mem, cases[i].raw, &odd);

		if (!span_eq(path, span_of(cases[i].path)) || odd != cases[i].odd)
			fail_msg("'%.*s' became '%.*s', %u", (int)cases[i].raw.n, (const char *)cases[i].raw.p,
			         (int)path.n, (const char *)path.p, odd);
		arena_clear(&mem);
	}
}

static void a_limit_is_hit_above_its_value(void **state)
{
	struct limits l;
	char text[] = "a/b/c";

	limits_default(&l);
	l.v[LIMIT_PATH_BYTES] = 5;
	l.v[LIMIT_PATH_DEPTH] = 3;
	assert_int_equal(path_limit(&l, span_of(text)), LIMIT_NONE);
	l.v[LIMIT_PATH_DEPTH] = 2;
	assert_int_equal(path_limit(&l, span_of(text)), LIMIT_PATH_DEPTH);
	l.v[LIMIT_PATH_BYTES] = 4;
	assert_int_equal(path_limit(&l, span_of(text)), LIMIT_PATH_BYTES);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(names_are_clamped_at_the_root),
	        cmocka_unit_test(a_limit_is_hit_above_its_value),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
