/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "output.h"

static char folder[] = "/tmp/postern-output-XXXXXX";

static int setup(void **state)
{
	(void)state;
	return mkdtemp(folder) && chdir(folder) == 0 ? 0 : -1;
}

static int teardown(void **state)
{
	static const char *const names[] = {"a", "b", "link", "hard"};

	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		unlink(names[i]);
	/* Fails when a temporary file was left behind. */
	return chdir("/") == 0 && rmdir(folder) == 0 ? 0 : -1;
}

static void put(const char *path, const char *text)
{
	struct err e = ERR_INIT;

	assert_int_equal(output_write(path, span_of(text), &e), 0);
}

static void assert_content(const char *path, const char *text)
{
	char got[64] = "";
	FILE *f = fopen(path, "r");

	assert_non_null(f);
	got[fread(got, 1, sizeof(got) - 1, f)] = '\0';
	fclose(f);
	assert_string_equal(got, text);
}

static void a_file_is_replaced_as_a_whole(void **state)
{
	struct stat before, after;

	(void)state;
	put("a", "first");
	assert_content("a", "first");
	assert_int_equal(chmod("a", 0640), 0);
	assert_int_equal(stat("a", &before), 0);
	put("a", "2");
	assert_content("a", "2");
	assert_int_equal(stat("a", &after), 0);
	assert_int_not_equal(before.st_ino, after.st_ino);
	assert_int_equal(after.st_mode & 0777, 0640);
}

static void a_link_stays_a_link(void **state)
{
	struct stat st;

	(void)state;
	put("b", "old");
	assert_int_equal(symlink("b", "link"), 0);
	put("link", "new");
	assert_content("b", "new");
	assert_int_equal(lstat("link", &st), 0);
	assert_true(S_ISLNK(st.st_mode));
}

static void what_is_no_file_is_written_to(void **state)
{
	struct stat st;
	struct err e = ERR_INIT;

	(void)state;
	put("/dev/null", "gone");
	assert_int_equal(stat("/dev/null", &st), 0);
	assert_true(S_ISCHR(st.st_mode));
	assert_int_equal(output_write("/dev/full", SPAN("x"), &e), -1);
	assert_string_equal(e.text, "cannot write '/dev/full': No space left on device");
}

static int check(const char *one, const char *two, const char *artifact, struct err *e)
{
	struct output outputs[2] = {{NULL, one}, {NULL, two}};
	const char *names[1] = {artifact};
	struct options o = {.command = NULL};

	o.outputs.v = outputs;
	o.outputs.n = two ? 2 : 1;
	o.names.v = names;
	o.names.n = 1;
	return outputs_check(&o, e);
}

static void two_reports_never_share_a_file(void **state)
{
	struct err e = ERR_INIT;
	char other[64];

	(void)state;
	put("a", "x");
	assert_int_equal(link("a", "hard"), 0);
	snprintf(other, sizeof(other), "%s/not-there", folder);
	assert_int_equal(check("a", "b", "x", &e), 0);
	assert_int_equal(check("a", "./a", "x", &e), -1);
	assert_string_equal(e.text, "two reports would go to './a'");
	assert_int_equal(check("a", "hard", "x", &e), -1);
	assert_int_equal(check("not-there", other, "x", &e), -1);
	assert_int_equal(e.code, ERR_USAGE);
	assert_int_equal(check("/dev/null", "/dev/null", "x", &e), 0);
}

static void no_artifact_is_replaced_and_no_folder_written(void **state)
{
	struct err e = ERR_INIT;

	(void)state;
	put("a", "x");
	assert_int_equal(check("a", NULL, "./a", &e), -1);
	assert_string_equal(e.text, "a report would replace the artifact 'a'");
	assert_int_equal(check(".", NULL, "x", &e), -1);
	assert_string_equal(e.text, "cannot write '.': it is a folder");
	assert_int_equal(check("no/r.json", NULL, "x", &e), -1);
	assert_string_equal(e.text, "cannot write 'no/r.json': No such file or directory");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(a_file_is_replaced_as_a_whole),
	        cmocka_unit_test(a_link_stays_a_link),
	        cmocka_unit_test(what_is_no_file_is_written_to),
	        cmocka_unit_test(two_reports_never_share_a_file),
	        cmocka_unit_test(no_artifact_is_replaced_and_no_folder_written),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
