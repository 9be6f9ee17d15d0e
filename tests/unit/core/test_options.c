/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "options.h"

static struct arena mem;
static struct options o;
static struct err e;

/* words: parted by one blank. */
static int parse(const char *words)
{
	static char copy[512];
	static char *argv[32];
	int argc = 1;
	char *s = copy;

	arena_clear(&mem);
	memset(&e, 0, sizeof(e));
	snprintf(copy, sizeof(copy), "%s", words);
	argv[0] = (char *)"postern";
	while (*s && argc < 31) {
		argv[argc++] = s;
		s += strcspn(s, " ");
		if (*s)
			*s++ = '\0';
	}
	argv[argc] = NULL;
	return options_parse(&o, argc, argv, &mem, &e);
}

static void assert_refused(const char *words, const char *text)
{
	assert_int_equal(parse(words), -1);
	assert_int_equal(e.code, ERR_USAGE);
	assert_string_equal(e.text, text);
}

static void rows_are_sorted_unique_and_have_help(void **state)
{
	(void)state;
	for (size_t i = 0; option_at(i); i++) {
		const struct option_row *row = option_at(i);

		if (i)
			assert_true(strcmp(option_at(i - 1)->name, row->name) < 0);
		assert_true(row->help[0] && row->help[strlen(row->help) - 1] != '.');
		assert_true(row->commands != 0);
		assert_true(row->target < sizeof(struct options));
		assert_true((row->kind == OPTION_FLAG) == (row->argument == NULL));
		assert_true((row->kind == OPTION_COUNT) == (row->max > 0));
		for (size_t k = 0; row->letter && k < i; k++)
			assert_int_not_equal(row->letter, option_at(k)->letter);
		assert_true(i < 32);
	}
}

static void commands_are_sorted_and_have_help(void **state)
{
	(void)state;
	for (size_t i = 0; i < COMMAND_COUNT; i++) {
		const struct command *c = command_at(i);

		if (i)
			assert_true(strcmp(command_at(i - 1)->name, c->name) < 0);
		assert_true(c->run && c->help[0] && c->more[0] && c->arguments[0]);
	}
	assert_null(command_at(COMMAND_COUNT));
}

static void values_may_stand_in_every_gnu_form(void **state)
{
	static const char *const forms[] = {"scan -j4 x", "scan -j 4 x", "scan --jobs=4 x", "scan --jobs 4 x",
	                                    "-j4 scan x", "scan x -j4",  "scan -vj4 x"};

	(void)state;
	for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]); i++) {
		assert_int_equal(parse(forms[i]), 0);
		assert_int_equal(o.jobs, 4);
		assert_int_equal(o.names.n, 1);
		assert_string_equal(o.names.v[0], "x");
		assert_ptr_equal(o.command, &command_scan);
	}
}

static void after_two_dashes_all_words_are_names(void **state)
{
	(void)state;
	assert_int_equal(parse("scan -- --pretty -j4 --"), 0);
	assert_int_equal(o.names.n, 3);
	assert_string_equal(o.names.v[0], "--pretty");
	assert_string_equal(o.names.v[2], "--");
	assert_false(o.pretty);
	assert_int_equal(parse("scan -"), 0);
	assert_string_equal(o.names.v[0], "-");
}

static void defaults_are_text_and_all_processors(void **state)
{
	(void)state;
	assert_int_equal(parse("targets a b"), 0);
	assert_string_equal(o.format->name, "text");
	assert_int_equal(o.jobs, usable_processors());
	assert_true(o.jobs >= 1);
	assert_int_equal(o.limits.v[LIMIT_INDEX_DEPTH], 8);
	assert_false(o.no_digests || o.verbose || o.pretty || o.help || o.version);
}

static void limits_take_suffixes(void **state)
{
	(void)state;
	assert_int_equal(parse("scan --limit metadata-bytes=2M --limit=elf-notes=7 x"), 0);
	assert_int_equal(o.limits.v[LIMIT_METADATA_BYTES], 2 << 20);
	assert_int_equal(o.limits.v[LIMIT_ELF_NOTES], 7);
	assert_refused("scan --limit elf-note=7 x", "unknown limit 'elf-note'; did you mean 'elf-notes'?");
	assert_refused("scan --limit elf-notes=7Q x",
	               "'--limit elf-notes=7Q' needs a number, as in '--limit elf-notes=65536'");
	assert_refused("scan --limit elf-notes x",
	               "'--limit elf-notes' needs a number, as in '--limit elf-notes=65536'");
	assert_refused("scan --limit elf-notes=18446744073709551616 x",
	               "'--limit elf-notes=18446744073709551616' needs a number, as in '--limit elf-notes=65536'");
	assert_int_equal(parse("scan --limit elf-notes=99999999999T x"), -1);
}

static void outputs_are_kept_in_order(void **state)
{
	(void)state;
	assert_int_equal(parse("scan -f json -o text=a -o json=b=c x"), 0);
	assert_string_equal(o.format->name, "json");
	assert_int_equal(o.outputs.n, 2);
	assert_string_equal(o.outputs.v[0].format->name, "text");
	assert_string_equal(o.outputs.v[1].path, "b=c");
	assert_refused("scan -o json x",
	               "'--output json' needs a format and a file, as in '--output json=report.json'");
	assert_refused("scan -o jsn=a x", "'--output' knows no format 'jsn'; did you mean 'json'?");
	assert_refused("scan -f yaml9 x", "'--format' knows no format 'yaml9'; there are json and text");
}

static void errors_name_the_option_its_range_and_the_nearest(void **state)
{
	(void)state;
	assert_refused("scan --prety x", "unknown option '--prety'; did you mean '--pretty'?");
	assert_refused("scan --quux x", "unknown option '--quux'");
	assert_refused("scan -q x", "unknown option '-q'");
	assert_refused("scan x -j", "'-j' needs N");
	assert_refused("scan x --jobs", "'--jobs' needs N");
	assert_refused("scan x --jobs=257", "'--jobs' needs a number from 0 to 256, not '257'");
	assert_refused("scan x --jobs=", "'--jobs' needs a number from 0 to 256, not ''");
	assert_refused("scan x -j-1", "'--jobs' needs a number from 0 to 256, not '-1'");
	assert_refused("scan x -j4x", "'--jobs' needs a number from 0 to 256, not '4x'");
	assert_refused("scan x --pretty=yes", "'--pretty' takes no value");
	assert_refused("scna x", "unknown command 'scna'; did you mean 'scan'?");
	assert_refused("frobnicate x", "unknown command 'frobnicate'; 'postern --help' lists them");
	assert_refused("scan", "'scan' needs ARTIFACT...");
}

static void help_and_version_need_nothing_else(void **state)
{
	struct outbuf b = outbuf_limited(65536);

	(void)state;
	assert_int_equal(parse("--version"), 0);
	assert_true(o.version && !o.command);
	assert_int_equal(parse("scan --help"), 0);
	assert_true(o.help && o.command == &command_scan);
	assert_int_equal(parse(""), 0);
	assert_null(o.command);
	options_help(NULL, &b);
	options_help(&command_targets, &b);
	outbuf_char(&b, '\0');
	assert_false(b.failed);
	for (size_t i = 0; option_at(i); i++)
		assert_non_null(strstr((const char *)b.p, option_at(i)->help));
	outbuf_release(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(rows_are_sorted_unique_and_have_help),
	        cmocka_unit_test(commands_are_sorted_and_have_help),
	        cmocka_unit_test(values_may_stand_in_every_gnu_form),
	        cmocka_unit_test(after_two_dashes_all_words_are_names),
	        cmocka_unit_test(defaults_are_text_and_all_processors),
	        cmocka_unit_test(limits_take_suffixes),
	        cmocka_unit_test(outputs_are_kept_in_order),
	        cmocka_unit_test(errors_name_the_option_its_range_and_the_nearest),
	        cmocka_unit_test(help_and_version_need_nothing_else),
	};
	int rc = cmocka_run_group_tests(tests, NULL, NULL);

	arena_clear(&mem);
	return rc;
}
