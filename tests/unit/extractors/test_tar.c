/* SPDX-License-Identifier: Apache-2.0 */
/* Names, links, holes and damage in one tar: what stands in it is told, and what cannot be told is said. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <cmocka.h>

#include "extractors/fake_job.h"
#include "extractors/layer/layer.h"
#include "extractors/tar_maker.h"

static const struct span elf = SPAN_INIT("\x7f"
                                         "ELF and what follows");

static void layer_of(struct fake_job *j, struct span bytes)
{
	int fd = fake_file(bytes);

	layer_range(&j->ctx, fd, 0, bytes.n, &j->facts);
	close(fd);
}

static bool is(const struct fake_job *j, const char *path, enum entry_kind kind, const char *target)
{
	const struct entry *e = fake_entry(j, path);

	return e && e->kind == kind && span_eq(e->target, span_of(target));
}

static void every_kind_of_entry_is_told(void **state)
{
	struct tarball t = tarball_new();
	struct fake_job *j = *state;

	tar_member(&t, (struct tar_member){.name = "./", .type = '5'});
	tar_member(&t, (struct tar_member){.name = "./usr/", .type = '5'});
	tar_file(&t, "/usr/x.so", elf);
	tar_member(&t, (struct tar_member){.name = "lib", .type = '2', .link = "../usr//."});
	tar_member(&t, (struct tar_member){.name = "y.so", .type = '1', .link = "./usr/../usr/x.so"});
	tar_member(&t, (struct tar_member){.name = "dev/sda", .type = '4'});
	tar_member(&t, (struct tar_member){.name = "gone", .type = '3'});
	tar_member(&t, (struct tar_member){.name = "fifo", .type = '6'});
	tar_member(&t, (struct tar_member){.name = "usr/.wh..wh..opq"});
	tar_member(&t, (struct tar_member){.name = "z", .prefix = "a/long/way", .data = elf});
	layer_of(j, tar_end(&t));
	assert_int_equal(j->facts.problems.n, 0);
	assert_int_equal(j->facts.entries.n, 9);
	assert_true(is(j, "usr", ENTRY_FOLDER, ""));
	assert_true(is(j, "usr/x.so", ENTRY_FILE, ""));
	assert_true(is(j, "lib", ENTRY_SYMLINK, "../usr//."));
	assert_true(is(j, "y.so", ENTRY_HARDLINK, "usr/x.so"));
	assert_true(is(j, "dev/sda", ENTRY_SPECIAL, ""));
	assert_true(is(j, "gone", ENTRY_SPECIAL, "0:0"));
	assert_true(is(j, "fifo", ENTRY_SPECIAL, ""));
	assert_true(is(j, "usr/.wh..wh..opq", ENTRY_FILE, ""));
	assert_true(is(j, "a/long/way/z", ENTRY_FILE, ""));
	assert_int_equal(fake_object(j, "usr/x.so")->units, fake_sum(0, elf));
	assert_true(fake_object(j, "a/long/way/z")->elf.present);
	assert_int_equal(j->facts.objects.n, 2);
	assert_span(j->facts.compression, "none");
	assert_int_equal(j->facts.unpacked, t.n);
	free(t.p);
}

static void names_are_bytes(void **state)
{
	static const char utf8[] = "d/\xc3\xa9.so", broken[] = "d/\xff\xfe\\.so";
	struct tarball t = tarball_new();
	struct fake_job *j = *state;
	char longest[301];

	memset(longest, 'n', 300);
	longest[300] = '\0';
	tar_pax(&t, 'x', "path", span_of(utf8));
	tar_file(&t, "short", elf);
	tar_pax(&t, 'x', "path", span_of(broken));
	tar_file(&t, "short", elf);
	tar_pax(&t, 'x', "linkpath", span_of(utf8));
	tar_member(&t, (struct tar_member){.name = "link", .type = '2', .link = "short"});
	tar_ahead(&t, 'L', (struct span){(const uint8_t *)longest, 301});
	tar_file(&t, "nnn", elf);
	layer_of(j, tar_end(&t));
	assert_int_equal(j->facts.problems.n, 0);
	assert_non_null(fake_object(j, utf8));
	assert_non_null(fake_object(j, broken));
	assert_true(is(j, "link", ENTRY_SYMLINK, utf8));
	assert_non_null(fake_object(j, longest));
	free(t.p);
}

static void names_are_clamped_at_the_root(void **state)
{
	struct tarball t = tarball_new();
	struct fake_job *j = *state;

	tar_file(&t, "../../a/../b", elf);
	tar_member(&t, (struct tar_member){.name = ".", .type = '2', .link = "/etc"});
	layer_of(j, tar_end(&t));
	assert_int_equal(j->facts.entries.n, 1);
	assert_non_null(fake_object(j, "b"));
	assert_int_equal(fake_problems(j, PROBLEM_ANOMALY, FINDING_ARCHIVE_MALFORMED, "'..'"), 1);
	assert_int_equal(fake_problems(j, PROBLEM_ANOMALY, FINDING_ARCHIVE_MALFORMED, "like the root"), 1);
	free(t.p);
}

/* GNU's old form: pieces in the header, here one of 16 bytes at 0 and one of none at the end. */
static void a_hole_is_no_bytes(void **state)
{
	struct tarball t = tarball_new();
	struct fake_job *j = *state;
	struct span front = span_first(elf, 16);
	uint32_t sum = fake_sum(0, front);
	uint8_t *h = tar_member(&t, (struct tar_member){.name = "holes", .type = 'S', .data = front});

	memset(h + 345, 0, 155);
	memcpy(h + 257, "ustar  ", 8);
	memcpy(h + 386, "00000000000\0" "00000000020\0" "00000200000\0" "00000000000", 47);
	memcpy(h + 483, "00000200000", 11);
	tar_sum(h, false);
	layer_of(j, tar_end(&t));
	for (size_t i = 16; i < 65536; i++)
		sum *= 31;
	assert_int_equal(j->facts.problems.n, 0);
	assert_int_equal(fake_entry(j, "holes")->bytes, 65536);
	assert_int_equal(fake_object(j, "holes")->bytes, 65536);
	assert_int_equal(fake_object(j, "holes")->units, sum);
	assert_int_equal(fake_holes, 65536 - READER_FRONT);
	free(t.p);
}

/* Members begin at 0, 1024 and 2560; the end marks at 4096. */
static void a_cut_is_incomplete_unless_a_header_would_stand_there(void **state)
{
	uint8_t data[1024] = {0x7f, 'E', 'L', 'F'};
	struct tarball t = tarball_new();

	tar_file(&t, "a", elf);
	tar_file(&t, "b", (struct span){data, 1000});
	tar_file(&t, "c", (struct span){data, 1024});
	tar_end(&t);
	assert_int_equal(t.n, 4096 + 1024);
	for (size_t cut = 0; cut <= t.n; cut += 256) {
		struct fake_job *j;
		bool whole = cut == 0 || cut == 1024 || cut == 2560 || cut >= 4096;
		size_t ended = (cut >= 1024) + (cut >= 2560) + (cut >= 4096), read = 0;

		if (cut % 512 && cut > 4096)
			continue;
		fake_setup((void **)&j);
		layer_of(j, (struct span){t.p, cut});
		for (size_t i = 0; i < j->facts.objects.n; i++)
			read += j->facts.objects.v[i].elf.present;
		assert_int_equal(read, ended);
		assert_int_equal(j->facts.problems.n, whole ? 0 : 1);
		if (!whole) {
			assert_int_equal(j->facts.problems.v[0].grade, PROBLEM_INCOMPLETE);
			assert_int_equal(j->facts.problems.v[0].id, FINDING_SCAN_INCOMPLETE);
		}
		fake_teardown((void **)&j);
	}
	free(t.p);
}

static void what_other_readers_take_otherwise_is_told(void **state)
{
	static const struct {
		const char *what;
		struct tar_member m;
	} cases[] = {
	        {"says that it has some", {.name = "d/", .type = '5', .says = "00000001000"}},
	        {"says that it has some", {.name = "l", .type = '2', .link = "x", .says = "00000001000"}},
	        {"no standard", {.name = "z", .type = 'Z'}},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct tarball t = tarball_new();
		struct fake_job *j;

		fake_setup((void **)&j);
		tar_member(&t, cases[i].m);
		tar_file(&t, "x.so", elf);
		layer_of(j, tar_end(&t));
		assert_int_equal(j->facts.problems.n, 1);
		assert_int_equal(fake_problems(j, PROBLEM_ANOMALY, FINDING_ARCHIVE_MALFORMED, cases[i].what), 1);
		assert_non_null(fake_object(j, "x.so"));
		fake_teardown((void **)&j);
		free(t.p);
	}
}

static void extended_headers_that_readers_differ_on_are_told(void **state)
{
	struct tarball t = tarball_new();
	struct fake_job *j = *state;

	tar_pax(&t, 'g', "path", SPAN("everybody"));
	tar_file(&t, "x.so", elf);
	tar_pax(&t, 'x', "path", SPAN("good.so\0bad"));
	tar_file(&t, "y", elf);
	tar_pax(&t, 'x', "size", SPAN("600"));
	tar_file(&t, "z", elf);
	t.n += 512;
	layer_of(j, tar_end(&t));
	assert_non_null(fake_object(j, "x.so"));
	assert_non_null(fake_object(j, "good.so"));
	assert_int_equal(fake_object(j, "z")->bytes, 600);
	assert_int_equal(j->facts.problems.n, 1);
	assert_int_equal(fake_problems(j, PROBLEM_ANOMALY, FINDING_ARCHIVE_MALFORMED, "(and 2 more like it)"), 1);
	free(t.p);
}

static void a_damaged_header_is_incomplete_and_the_rest_is_read(void **state)
{
	struct tarball t = tarball_new();
	struct fake_job *j = *state;

	tar_file(&t, "a.so", elf);
	tar_member(&t, (struct tar_member){.name = "lost.so", .data = elf, .bad_sum = true});
	tar_file(&t, "b.so", elf);
	layer_of(j, tar_end(&t));
	assert_int_equal(j->facts.objects.n, 2);
	assert_non_null(fake_object(j, "b.so"));
	assert_int_equal(fake_problems(j, PROBLEM_INCOMPLETE, FINDING_SCAN_INCOMPLETE, "2 blocks"), 1);
	free(t.p);
}

static void a_second_archive_is_told(void **state)
{
	struct tarball t = tarball_new();
	struct fake_job *j = *state;

	tar_file(&t, "first", elf);
	tar_end(&t);
	tar_file(&t, "second", elf);
	layer_of(j, tar_end(&t));
	assert_int_equal(j->facts.entries.n, 1);
	assert_int_equal(fake_problems(j, PROBLEM_ANOMALY, FINDING_ARCHIVE_MALFORMED, "follow the end marks"), 1);
	free(t.p);
}

static void what_is_no_tar_is_incomplete_and_nothing_is_empty(void **state)
{
	uint8_t zeros[20480] = {0}, text[4096];
	struct fake_job *j = *state;

	layer_of(j, SPAN_NONE);
	layer_of(j, (struct span){zeros, 512});
	layer_of(j, (struct span){zeros, 1024});
	layer_of(j, (struct span){zeros, sizeof(zeros)});
	assert_int_equal(j->facts.problems.n + j->facts.entries.n, 0);
	memset(text, '#', sizeof(text));
	layer_of(j, (struct span){text, sizeof(text)});
	layer_of(j, (struct span){text, 3});
	assert_int_equal(fake_problems(j, PROBLEM_INCOMPLETE, FINDING_SCAN_INCOMPLETE, "it is no tar archive"), 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test_setup_teardown(every_kind_of_entry_is_told, fake_setup, fake_teardown),
	        cmocka_unit_test_setup_teardown(names_are_bytes, fake_setup, fake_teardown),
	        cmocka_unit_test_setup_teardown(names_are_clamped_at_the_root, fake_setup, fake_teardown),
	        cmocka_unit_test_setup_teardown(a_hole_is_no_bytes, fake_setup, fake_teardown),
	        cmocka_unit_test(a_cut_is_incomplete_unless_a_header_would_stand_there),
	        cmocka_unit_test(what_other_readers_take_otherwise_is_told),
	        cmocka_unit_test_setup_teardown(extended_headers_that_readers_differ_on_are_told, fake_setup,
	                                        fake_teardown),
	        cmocka_unit_test_setup_teardown(a_damaged_header_is_incomplete_and_the_rest_is_read, fake_setup,
	                                        fake_teardown),
	        cmocka_unit_test_setup_teardown(a_second_archive_is_told, fake_setup, fake_teardown),
	        cmocka_unit_test_setup_teardown(what_is_no_tar_is_incomplete_and_nothing_is_empty, fake_setup,
	                                        fake_teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
