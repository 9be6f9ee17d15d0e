/* SPDX-License-Identifier: Apache-2.0 */
/* What counts where a zip archive contradicts itself (artifacts.md B3; zipfile, unzip and libzip as judges). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "extractors/fake_job.h"
#include "extractors/zip_maker.h"

#define ODD(j, text)  fake_problems(j, PROBLEM_ANOMALY, FINDING_ARCHIVE_MALFORMED, text)
#define LOST(j, text) fake_problems(j, PROBLEM_INCOMPLETE, FINDING_OBJECT_UNREADABLE, text)

static const struct span elf = SPAN_INIT("\x7f"
                                         "ELF and what follows");

static void a_plain_archive_gives_entries_and_objects(void **state)
{
	struct fake_job *j = *state;
	struct maker m = maker_new();

	maker_file(&m, "a/x.so", elf);
	maker_file(&m, "a/text", SPAN("text"));
	maker_add(&m, (struct maker_member){.name = "late.so", .data = elf, .deflated = true, .descriptor = true});
	maker_add(&m, (struct maker_member){.name = "folder/", .mode = 040755});
	fake_scan(j, maker_done(&m), "x.zip", 0);
	assert_int_equal(j->facts.problems.n, 0);
	assert_int_equal(j->facts.entries.n, 4);
	assert_int_equal(j->facts.objects.n, 2);
	assert_int_equal(fake_object(j, "a/x.so")->bytes, elf.n);
	assert_int_equal(fake_object(j, "a/x.so")->units, fake_sum(0, elf));
	assert_int_equal(fake_entry(j, "folder")->kind, ENTRY_FOLDER);
	assert_span(j->facts.plan.kind, "zip");
	maker_free(&m);
}

static void the_directory_is_walked_whatever_its_count_says(void **state)
{
	for (size_t count = 0; count <= 1000; count += 1000) {
		struct fake_job *j;
		struct maker m = maker_new();

		fake_setup((void **)&j);
		maker_file(&m, "a", SPAN("x"));
		fake_scan(j, maker_end(&m, count, SPAN_NONE), "x.zip", 0);
		assert_int_equal(j->facts.entries.n, 1);
		assert_int_equal(ODD(j, "another number of members"), 1);
		fake_teardown((void **)&j);
		maker_free(&m);
	}
}

static void what_the_directory_hides_is_read_all_the_same(void **state)
{
	struct fake_job *j = *state;
	struct maker m = maker_new(), hidden = maker_new();

	maker_file(&hidden, "hidden.so", elf);
	maker_file(&m, "visible", SPAN("x"));
	put_bytes(m.p, &m.n, (struct span){hidden.p, hidden.n});
	fake_scan(j, maker_done(&m), "x.zip", 0);
	assert_int_equal(j->facts.entries.n, 1);
	assert_int_equal(ODD(j, "directory does not list"), 1);
	assert_int_equal(j->facts.objects.n, 1);
	assert_int_equal(j->facts.objects.v[0].bytes, elf.n);
	maker_free(&m);
	maker_free(&hidden);
}

/* pip writes a file wherever no slash ends the name, whatever the mode says. */
static void a_folder_by_its_mode_hides_no_bytes(void **state)
{
	struct fake_job *j = *state;
	struct maker m = maker_new();

	maker_add(&m, (struct maker_member){.name = "p/x.so", .data = elf, .mode = 040755});
	fake_scan(j, maker_done(&m), "x.zip", 0);
	assert_int_equal(fake_object(j, "p/x.so")->units, fake_sum(0, elf));
	assert_int_equal(fake_entry(j, "p/x.so")->kind, ENTRY_FILE);
	maker_free(&m);
}

/* "." cannot be written, so nobody reads it: the next one with its bytes is the one. */
static void a_member_without_a_path_stands_for_no_other(void **state)
{
	struct fake_job *j = *state;
	struct maker m = maker_new();
	uint32_t at;

	maker_file(&m, "text", SPAN("text"));
	at = (uint32_t)m.n;
	maker_add(&m, (struct maker_member){.name = ".", .data = elf});
	maker_add(&m, (struct maker_member){.name = "x.so", .data = elf, .at = at});
	fake_scan(j, maker_done(&m), "x.zip", 0);
	assert_int_equal(fake_object(j, "x.so")->units, fake_sum(0, elf));
	maker_free(&m);
}

/* Installers that stream see the local header only. */
static void a_local_method_of_its_own_is_read_too(void **state)
{
	struct fake_job *j = *state;
	struct maker m = maker_new();
	uint8_t block[64] = {1, (uint8_t)elf.n, 0, (uint8_t)~elf.n, 0xff};

	memcpy(block + 5, elf.p, elf.n);
	maker_add(&m, (struct maker_member){.name = "x.so", .data = {block, 5 + elf.n}});
	m.p[8] = 8;
	fake_scan(j, maker_done(&m), "x.zip", 0);
	assert_int_equal(ODD(j, "another method"), 1);
	assert_int_equal(fake_object(j, "hidden-local!/x.so")->bytes, elf.n);
	maker_free(&m);
}

/* Installers know no links: an archive under the mode of one is an archive on disk. */
static void an_archive_with_the_mode_of_a_link_is_entered(void **state)
{
	struct fake_job *j = *state;
	struct maker m = maker_new(), inner = maker_new();

	maker_file(&inner, "x.so", elf);
	maker_add(&m, (struct maker_member){.name = "in.zip", .data = maker_done(&inner), .mode = 0120777});
	fake_scan(j, maker_done(&m), "x.zip", 0);
	assert_int_equal(fake_object(j, "in.zip!/x.so")->units, fake_sum(0, elf));
	maker_free(&m);
	maker_free(&inner);
}

/* Python runs a zip archive behind a line of script. */
static void a_script_with_an_archive_behind_it_is_entered(void **state)
{
	struct fake_job *j = *state;
	struct maker m = maker_new(), inner = maker_new();

	put_bytes(inner.p, &inner.n, SPAN("#!/usr/bin/env python3\n"));
	maker_file(&inner, "x.so", elf);
	maker_file(&m, "app", maker_done(&inner));
	fake_scan(j, maker_done(&m), "x.zip", 0);
	assert_int_equal(fake_object(j, "app!/x.so")->units, fake_sum(0, elf));
	maker_free(&m);
	maker_free(&inner);
}

static void damaged_bytes_are_incomplete_by_member(void **state)
{
	struct fake_job *j = *state;
	struct maker m = maker_new();

	maker_add(&m, (struct maker_member){.name = "crc", .data = elf, .deflated = true, .crc = 1});
	maker_add(&m, (struct maker_member){.name = "garbage", .data = SPAN("\xff\xff\xff\xff\xff"), .method = 8});
	maker_add(&m, (struct maker_member){.name = "beyond", .data = SPAN("x"), .at = 0x7ffffff0});
	maker_add(&m, (struct maker_member){.name = "secret", .data = SPAN("x"), .flags = 1});
	maker_add(&m, (struct maker_member){.name = "aes", .data = SPAN("x"), .method = 99});
	maker_add(&m, (struct maker_member){.name = "longer", .data = SPAN("123456"), .size = 3});
	fake_scan(j, maker_done(&m), "x.zip", 0);
	assert_int_equal(LOST(j, "checksum"), 1);
	assert_int_equal(LOST(j, "damaged"), 1);
	assert_int_equal(LOST(j, "no local header"), 1);
	assert_int_equal(LOST(j, "encrypted"), 1);
	assert_int_equal(LOST(j, "method 99"), 1);
	assert_int_equal(LOST(j, "it has 6 bytes"), 1);
	assert_false(fake_object(j, "crc")->elf.present);
	maker_free(&m);
}

static void a_size_too_large_is_odd_when_the_checksum_holds(void **state)
{
	struct fake_job *j = *state;
	struct maker m = maker_new();

	maker_add(&m, (struct maker_member){.name = "b", .data = SPAN("y"), .deflated = true, .size = 1000});
	fake_scan(j, maker_done(&m), "x.zip", 0);
	assert_int_equal(ODD(j, "it has 1 bytes"), 1);
	assert_int_equal(LOST(j, ""), 0);
	maker_free(&m);
}

static void the_name_of_the_directory_counts(void **state)
{
	struct fake_job *j = *state;
	struct maker m = maker_new();

	maker_add(&m, (struct maker_member){.name = "evil.so", .local_name = "good.py", .data = elf});
	fake_scan(j, maker_done(&m), "x.zip", 0);
	assert_non_null(fake_object(j, "evil.so"));
	assert_int_equal(ODD(j, "another name"), 1);
	maker_free(&m);
}

static void members_on_one_place_are_read_once(void **state)
{
	struct fake_job *j = *state;
	struct maker m = maker_new();
	size_t second;

	maker_file(&m, "000", elf);
	second = m.directory_n;
	memcpy(m.directory + second, m.directory, second);
	m.directory[2 * second - 1] = '1';
	m.directory_n *= 2;
	m.members = 2;
	fake_scan(j, maker_done(&m), "x.zip", 0);
	assert_int_equal(j->facts.entries.n, 2);
	assert_int_equal(j->facts.objects.n, 1);
	assert_int_equal(ODD(j, "belong to another member"), 1);
	maker_free(&m);
}

static void of_doubles_the_last_one_has_the_path(void **state)
{
	struct fake_job *j = *state;
	struct maker m = maker_new();

	maker_file(&m, "pkg/a.so", elf);
	maker_file(&m, "pkg//a.so",
	           SPAN("\x7f"
	                "ELF second"));
	fake_scan(j, maker_done(&m), "x.zip", 0);
	assert_int_equal(fake_object(j, "pkg/a.so")->bytes, 11);
	assert_int_equal(fake_object(j, "duplicate-1!/pkg/a.so")->bytes, elf.n);
	assert_int_equal(ODD(j, "several members"), 1);
	maker_free(&m);
}

static void a_prefix_moves_the_offsets(void **state)
{
	struct fake_job *j = *state;
	struct maker m = maker_new();
	uint8_t *joined = calloc(1, MAKER_BYTES);
	struct span archive;

	maker_file(&m, "a.so", elf);
	archive = maker_done(&m);
	memset(joined, 'J', 400);
	memcpy(joined + 400, archive.p, archive.n);
	fake_scan(j, (struct span){joined, 400 + archive.n}, "x.zip", 0);
	assert_non_null(fake_object(j, "a.so"));
	assert_int_equal(ODD(j, "before the archive"), 1);
	assert_int_equal(fake_problems(j, PROBLEM_INCOMPLETE, FINDING_ARCHIVE_MALFORMED, ""), 0);
	free(joined);
	maker_free(&m);
}

static void one_reading_of_two_archives_is_not_enough(void **state)
{
	struct fake_job *j = *state;
	struct maker inner = maker_new(), outer = maker_new();

	maker_file(&inner, "inner", SPAN("y"));
	maker_file(&outer, "outer", SPAN("x"));
	fake_scan(j, maker_end(&outer, 1, maker_done(&inner)), "x.zip", 0);
	assert_non_null(fake_entry(j, "inner"));
	assert_true(fake_problems(j, PROBLEM_INCOMPLETE, FINDING_ARCHIVE_MALFORMED, "two archives") == 1);
	maker_free(&inner);
	maker_free(&outer);
}

static void trailing_bytes_and_lying_extra_fields_are_odd(void **state)
{
	struct fake_job *j = *state;
	struct maker m = maker_new();

	maker_add(&m, (struct maker_member){.name = "a", .data = SPAN("x"), .extra = SPAN("\1\0\xff\xff")});
	maker_done(&m);
	put_bytes(m.p, &m.n, SPAN("TTTT"));
	fake_scan(j, (struct span){m.p, m.n}, "x.zip", 0);
	assert_int_equal(j->facts.entries.n, 1);
	assert_int_equal(ODD(j, "does not end where"), 1);
	assert_int_equal(ODD(j, "extra fields"), 1);
	maker_free(&m);
}

static void a_cut_archive_is_refused_by_name(void **state)
{
	static const struct span cut[] = {SPAN_INIT("PK\5\6"), SPAN_INIT("PK\5\6\xff\xff\xff\xff\xff\xff"),
	                                  SPAN_INIT("PK\3\4 and then nothing of the kind at all")};

	for (size_t i = 0; i < 3; i++) {
		struct fake_job *j = *state;

		fake_scan(j, cut[i], "x.zip", 0);
		assert_non_null(memmem(j->facts.plan.refused.p, j->facts.plan.refused.n, "zip", 3));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test_setup_teardown(a_plain_archive_gives_entries_and_objects, fake_setup, fake_teardown),
	        cmocka_unit_test(the_directory_is_walked_whatever_its_count_says),
	        cmocka_unit_test_setup_teardown(what_the_directory_hides_is_read_all_the_same, fake_setup,
	                                        fake_teardown),
	        cmocka_unit_test_setup_teardown(a_folder_by_its_mode_hides_no_bytes, fake_setup, fake_teardown),
	        cmocka_unit_test_setup_teardown(a_member_without_a_path_stands_for_no_other, fake_setup, fake_teardown),
	        cmocka_unit_test_setup_teardown(a_local_method_of_its_own_is_read_too, fake_setup, fake_teardown),
	        cmocka_unit_test_setup_teardown(an_archive_with_the_mode_of_a_link_is_entered, fake_setup,
	                                        fake_teardown),
	        cmocka_unit_test_setup_teardown(a_script_with_an_archive_behind_it_is_entered, fake_setup,
	                                        fake_teardown),
	        cmocka_unit_test_setup_teardown(damaged_bytes_are_incomplete_by_member, fake_setup, fake_teardown),
	        cmocka_unit_test_setup_teardown(a_size_too_large_is_odd_when_the_checksum_holds, fake_setup,
	                                        fake_teardown),
	        cmocka_unit_test_setup_teardown(the_name_of_the_directory_counts, fake_setup, fake_teardown),
	        cmocka_unit_test_setup_teardown(members_on_one_place_are_read_once, fake_setup, fake_teardown),
	        cmocka_unit_test_setup_teardown(of_doubles_the_last_one_has_the_path, fake_setup, fake_teardown),
	        cmocka_unit_test_setup_teardown(a_prefix_moves_the_offsets, fake_setup, fake_teardown),
	        cmocka_unit_test_setup_teardown(one_reading_of_two_archives_is_not_enough, fake_setup, fake_teardown),
	        cmocka_unit_test_setup_teardown(trailing_bytes_and_lying_extra_fields_are_odd, fake_setup,
	                                        fake_teardown),
	        cmocka_unit_test_setup_teardown(a_cut_archive_is_refused_by_name, fake_setup, fake_teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
