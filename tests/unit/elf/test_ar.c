/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "elf/ar.h"

#define MAGIC              "!<arch>\n"
#define HEADER(name, size) name "0           0     0     644     " size "`\n"

static bool whole(struct span file, size_t piece, bool *deep)
{
	struct arena mem = ARENA_INIT;
	struct limits l;
	struct ar *a;
	struct span fault;

	limits_default(&l);
	a = ar_begin(&mem, &l, file.n);
	for (size_t at = 0; at < file.n; at += piece)
		ar_feed(a, at, span_first(span_after(file, at), piece));
	fault = ar_end(a, deep);
	arena_clear(&mem);
	return fault.n == 0;
}

static const struct {
	const char *what;
	struct span file;
	bool sound;
} rows[] = {
        {"no member", SPAN_INIT(MAGIC), true},
        {"one member", SPAN_INIT(MAGIC HEADER("a.o/            ", "4         ") "abcd"), true},
        {"an odd length without its filler at the end", SPAN_INIT(MAGIC HEADER("a.o/            ", "3         ") "abc"),
         true},
        {"an odd length with its filler",
         SPAN_INIT(MAGIC HEADER("a.o/            ", "3         ") "abc\n" HEADER("b.o/            ", "0         ")),
         true},
        {"a long name in its table",
         SPAN_INIT(
                 MAGIC HEADER("//              ", "10        ") "long.o/   " HEADER("/0              ", "0         ")),
         true},
        {"a long name without a table", SPAN_INIT(MAGIC HEADER("/99999999       ", "4         ") "abcd"), false},
        {"a BSD name within its member", SPAN_INIT(MAGIC HEADER("#1/4            ", "6         ") "nameab"), true},
        {"a BSD name longer than its member", SPAN_INIT(MAGIC HEADER("#1/8            ", "6         ") "nameab"),
         false},
        {"a size beyond the file", SPAN_INIT(MAGIC HEADER("a/              ", "9999999999") "x"), false},
        {"a negative size", SPAN_INIT(MAGIC HEADER("a/              ", "-8        ") "x"), false},
        {"a size in letters", SPAN_INIT(MAGIC HEADER("a/              ", "zzzz      ") "x"), false},
        {"a header without its end mark",
         SPAN_INIT(MAGIC "a/              0           0     0     644     1         xx"), false},
        {"a header that is cut", SPAN_INIT(MAGIC "a/              0   "), false},
        {"thin: members lie elsewhere", SPAN_INIT("!<thin>\n" HEADER("a.o/            ", "30000     ")), true},
};

static void members_are_checked_by_their_lengths(void **state)
{
	bool deep;

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		for (size_t piece = 1; piece < 200; piece += 33)
			if (whole(rows[i].file, piece, &deep) != rows[i].sound || deep)
				fail_msg("%s", rows[i].what);
}

/* n archives, each the only member of the one around it. */
static size_t nest(uint8_t *out, int n)
{
	size_t at = 8 + (size_t)(n - 1) * 68;

	memcpy(out + at - 8, MAGIC, 8);
	for (int i = 1; i < n; i++) {
		char header[96];

		snprintf(header, sizeof(header), MAGIC "n/              0           0     0     644     %-10zu`\n",
		         (size_t)i * 68 - 60);
		memcpy(out + at - 8 - (size_t)i * 68, header, 68);
	}
	return at;
}

static void archives_in_archives_are_entered_up_to_the_limit(void **state)
{
	uint8_t file[68 * 300];
	bool deep;

	assert_true(whole((struct span){file, nest(file, 8)}, 50, &deep));
	assert_false(deep);
	assert_true(whole((struct span){file, nest(file, 9)}, 50, &deep));
	assert_true(deep);
	assert_true(whole((struct span){file, nest(file, 300)}, 50, &deep));
	assert_true(deep);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(members_are_checked_by_their_lengths),
	        cmocka_unit_test(archives_in_archives_are_entered_up_to_the_limit),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
