/* SPDX-License-Identifier: Apache-2.0 */
/* Archives that are read as they pass: in layers, and held against the reader by directory. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <cmocka.h>

#include "extractors/archive/stream.h"
#include "extractors/fake_job.h"
#include "extractors/tar_maker.h"
#include "extractors/zip_maker.h"

static const struct span elf = SPAN_INIT("\x7f"
                                         "ELF and what follows");

/* In pieces of so many bytes, or fails behind the last one. */
struct slow_flow {
	struct flow flow;
	struct span rest;
	size_t piece;
	bool fails;
	uint8_t room[64];
};

static int slow_next(struct flow *flow, struct span *piece, struct err *e)
{
	struct slow_flow *f = (struct slow_flow *)flow;
	struct span some = span_first(f->rest, f->piece);

	*piece = SPAN_NONE;
	if (some.n == 0)
		return f->fails ? err_set(e, ERR_IO, 0, "it is broken") : 1;
	memset(f->room, 0xee, sizeof(f->room)); /* the piece before dies */
	memcpy(f->room, some.p, some.n);
	f->rest = span_after(f->rest, some.n);
	*piece = (struct span){f->room, some.n};
	return 0;
}

static int stream(struct fake_job *j, struct span bytes, size_t piece, bool fails)
{
	struct slow_flow from = {.flow = {.next = slow_next, .size = FLOW_UNKNOWN}, .rest = bytes, .piece = piece, .fails = fails};
	struct archive_stream_source src = {.from = &from.flow, .name = SPAN("x-1-py3-none-any.whl")};
	struct err e = ERR_INIT;
	int rc = archive_stream_read(&j->ctx, &j->facts, &src, &e);

	assert_int_equal(from.rest.n, 0);
	assert_int_equal(rc, fails ? -1 : 0);
	assert_int_equal(e.code, fails ? ERR_IO : ERR_NONE);
	return rc;
}

/* A member of every kind. */
static struct span mixed(struct maker *m, bool late)
{
	struct maker inner = maker_new();
	static uint8_t large[70000];

	memcpy(large, elf.p, elf.n);
	*m = maker_new();
	maker_file(&inner, "in.so", elf);
	maker_done(&inner);
	for (int deflated = 0; deflated < 2; deflated++) {
		struct maker_member o = {.deflated = deflated, .descriptor = late};

		o.name = deflated ? "d.so" : "s.so";
		o.data = elf;
		maker_add(m, o);
		o.name = deflated ? "d.zip" : "s.zip";
		o.data = (struct span){inner.p, inner.n};
		maker_add(m, o);
		o.name = deflated ? "d/link" : "s/link";
		o.data = SPAN("../d.so");
		o.mode = 0120777;
		maker_add(m, o);
		o.mode = 0;
		o.name = deflated ? "x-1.dist-info/WHEEL" : "x-1.dist-info/METADATA";
		o.data = deflated ? SPAN("Tag: py3-none-any\n\n") : SPAN("Name: x\nVersion: 1\n\n");
		maker_add(m, o);
		o.name = deflated ? "d.none" : "s.none";
		o.data = SPAN("");
		maker_add(m, o);
	}
	maker_add(m, (struct maker_member){.name = "large.so", .data = {large, sizeof(large)}, .descriptor = late});
	maker_add(m, (struct maker_member){.name = "folder/"});
	maker_free(&inner);
	return maker_done(m);
}

/* However the bytes come, and whether sizes stand before the members or behind them. */
static void a_stream_finds_what_the_directory_lists(void **state)
{
	static const size_t pieces[] = {1, 7, 64};

	for (int late = 0; late < 2; late++)
		for (size_t i = 0; i < sizeof(pieces) / sizeof(pieces[0]); i++) {
			struct fake_job *j;
			struct maker m;

			fake_setup((void **)&j);
			j->ctx.verify = true;
			stream(j, mixed(&m, late), pieces[i], false);
			assert_int_equal(j->facts.problems.n, 0);
			assert_int_equal(j->facts.objects.n, 5);
			assert_int_equal(fake_object(j, "s.so")->units, fake_sum(0, elf));
			assert_int_equal(fake_object(j, "d.so")->units, fake_sum(0, elf));
			assert_true(fake_object(j, "d.so")->elf.present);
			assert_int_equal(fake_object(j, "large.so")->bytes, 70000);
			assert_non_null(fake_object(j, "s.zip!/in.so"));
			assert_non_null(fake_object(j, "d.zip!/in.so"));
			assert_span(fake_entry(j, "s/link")->target, "../d.so");
			assert_int_equal(fake_entry(j, "d/link")->kind, ENTRY_SYMLINK);
			assert_int_equal(fake_entry(j, "folder")->kind, ENTRY_FOLDER);
			assert_int_equal(fake_entry(j, "large.so")->bytes, 70000);
			assert_int_equal(j->facts.entries.n, 14);
			assert_int_equal(j->facts.packages.n, 1);
			assert_int_equal(j->facts.digests.n, 11);
			fake_teardown((void **)&j);
			maker_free(&m);
		}
}

static void where_header_and_directory_disagree_nothing_is_taken(void **state)
{
	struct fake_job *j = *state;
	struct maker m = maker_new();

	maker_add(&m, (struct maker_member){.name = "size.so", .data = elf, .deflated = true, .local_size = 5});
	maker_add(&m, (struct maker_member){.name = "sum.so", .data = elf, .descriptor = true, .crc = 1});
	maker_file(&m, "good.so", elf);
	stream(j, maker_done(&m), 64, false);
	assert_non_null(fake_object(j, "good.so"));
	assert_true(fake_object(j, "good.so")->elf.present);
	assert_null(fake_object(j, "size.so"));
	/* The other sum is wrong, so nothing told where that member ended. What follows is still among the last bytes. */
	assert_null(fake_object(j, "sum.so"));
	assert_int_equal(fake_problems(j, PROBLEM_INCOMPLETE, FINDING_OBJECT_UNREADABLE, "local header promised"), 2);
	assert_int_equal(fake_problems(j, PROBLEM_ANOMALY, FINDING_ARCHIVE_MALFORMED, "other sizes"), 1);
	maker_free(&m);
}

static void a_size_that_no_byte_keeps_is_not_counted(void **state)
{
	struct maker m = maker_new();

	(void)state;
	maker_add(&m, (struct maker_member){.name = "less", .data = SPAN("y"), .deflated = true, .size = 1000});
	maker_done(&m);
	for (int passes = 0; passes < 2; passes++) {
		struct fake_job *j;

		fake_setup((void **)&j);
		if (passes)
			stream(j, (struct span){m.p, m.n}, 64, false);
		else
			fake_scan(j, (struct span){m.p, m.n}, "x.zip", 0);
		assert_int_equal(fake_entry(j, "less")->bytes, 1);
		assert_int_equal(fake_problems(j, PROBLEM_ANOMALY, FINDING_ARCHIVE_MALFORMED, "has 1 bytes"), 1);
		fake_teardown((void **)&j);
	}
	maker_free(&m);
}

static void a_cut_archive_keeps_what_passed(void **state)
{
	for (int fails = 0; fails < 2; fails++) {
		struct fake_job *j;
		struct maker m = maker_new();

		fake_setup((void **)&j);
		maker_file(&m, "a.so", elf);
		maker_file(&m, "b.so", elf);
		stream(j, (struct span){m.p, m.n - 10}, 64, fails);
		assert_true(fake_object(j, "hidden-local!/a.so")->elf.present);
		assert_false(fake_object(j, "hidden-local!/b.so")->elf.present);
		assert_int_equal(fake_problems(j, PROBLEM_INCOMPLETE, FINDING_ARCHIVE_MALFORMED, "no directory"), 1);
		fake_teardown((void **)&j);
		maker_free(&m);
	}
}

/* Info-ZIP writes the plain size at the front when it streams, and leaves the others to the descriptor. */
static void a_streamed_member_may_tell_its_size_at_its_front(void **state)
{
	struct fake_job *j = *state;
	struct maker m = maker_new();

	maker_add(&m, (struct maker_member){.name = "a.so", .data = elf, .deflated = true, .descriptor = true});
	m.p[22] = (uint8_t)elf.n;
	fake_scan(j, maker_done(&m), "x.zip", 0);
	assert_int_equal(j->facts.problems.n, 0);
	assert_int_equal(j->facts.objects.n, 1);
	maker_free(&m);
}

/* The directory says what a member is twice: once is enough, and the second is not taken for granted. */
static void bytes_count_once_unless_the_directory_says_the_same(void **state)
{
	struct fake_job *j = *state;
	struct maker m = maker_new();

	maker_add(&m, (struct maker_member){.name = "a.so", .data = elf});
	memcpy(m.directory + m.directory_n, m.directory, m.directory_n);
	m.directory[m.directory_n + 46] = 'b';
	m.directory[m.directory_n + 40] ^= 1; /* another mode */
	m.directory_n *= 2;
	m.members = 2;
	stream(j, maker_done(&m), 64, false);
	assert_int_equal(j->facts.objects.n, 1);
	assert_int_equal(j->facts.entries.n, 2);
	assert_int_equal(fake_problems(j, PROBLEM_INCOMPLETE, FINDING_OBJECT_UNREADABLE, "of another member"), 1);
	maker_free(&m);
}

/* Above object-ranges it passes: the same facts, its digest, and what follows it in the tar. */
static void an_archive_too_large_to_be_kept_is_read_in_a_layer(void **state)
{
	static uint8_t filler[20000];

	for (int large = 0; large < 2; large++) {
		struct tarball t = tarball_new();
		struct fake_job *j;
		struct maker m;

		fake_setup((void **)&j);
		j->ctx.verify = true;
		mixed(&m, false);
		if (large)
			j->limits.v[LIMIT_OBJECT_RANGES] = 60000;
		tar_file(&t, "a.whl", (struct span){m.p, m.n});
		tar_file(&t, "b.so", elf);
		tar_file(&t, "c", (struct span){filler, sizeof(filler)});
		tar_end(&t);
		layer_range(&j->ctx, fake_file((struct span){t.p, t.n}), 0, t.n, &j->facts);
		assert_int_equal(j->facts.problems.n, 0);
		assert_int_equal(j->facts.objects.n, 6);
		assert_int_equal(fake_object(j, "a.whl!/s.zip!/in.so")->units, fake_sum(0, elf));
		assert_non_null(fake_object(j, "b.so"));
		assert_int_equal(j->facts.packages.n, 1);
		assert_int_equal(j->facts.digests.n, 14);
		fake_teardown((void **)&j);
		maker_free(&m);
		free(t.p);
	}
}

/* Entries that no directory lists must not make a conda package look like something else. */
static void a_conda_package_behind_hidden_entries_is_not_passed_over(void **state)
{
	struct fake_job *j = *state;
	struct maker m = maker_new();

	for (int i = 0; i < 20; i++)
		maker_file(&m, "hidden", SPAN("x"));
	m.directory_n = m.members = 0;
	maker_add(&m, (struct maker_member){.name = "metadata.json", .data = SPAN("{}")});
	maker_add(&m, (struct maker_member){.name = "pkg-x.tar.zst", .data = SPAN("\x28\xb5\x2f\xfd tar")});
	stream(j, maker_done(&m), 64, false);
	assert_int_equal(fake_problems(j, PROBLEM_INCOMPLETE, FINDING_OBJECT_UNREADABLE, "conda"), 2);
	maker_free(&m);
}

/* What is kept of one stays inside object-ranges, and hostile numbers of anything end there. */
static void what_is_kept_is_bounded(void **state)
{
	struct fake_job *j = *state;
	struct maker m = maker_new();
	static uint8_t large[2000];
	char name[16];

	memcpy(large, elf.p, elf.n);
	j->limits.v[LIMIT_OBJECT_RANGES] = 10000;
	for (int i = 0; i < 100; i++) {
		snprintf(name, sizeof(name), "%d.so", i);
		maker_file(&m, name, (struct span){large, sizeof(large)});
	}
	stream(j, maker_done(&m), 64, false);
	assert_int_equal(fake_limits(j, LIMIT_OBJECT_RANGES), 1);
	assert_true(j->facts.objects.n > 0 && j->facts.objects.n < 100);
	maker_free(&m);
}

/* Of a piece only what was used before the next one comes is there: a mark that lies in both needs a copy. */
static void pieces_die_when_the_next_one_comes(void **state)
{
	struct tarball t = tarball_new(), gz = tarball_new();
	struct span tar;

	tar_file(&t, "x.so", elf);
	tar = tar_end(&t);
	gzip_member(&gz, span_first(tar, 100), 0);
	gzip_member(&gz, span_after(tar, 100), 0);
	for (size_t piece = 16; piece <= 64; piece++) {
		struct slow_flow from = {.flow = {.next = slow_next, .size = FLOW_UNKNOWN}, .rest = {gz.p, gz.n}, .piece = piece};
		struct fake_job *j;

		fake_setup((void **)&j);
		layer_read(&j->ctx, &from.flow, &j->facts);
		assert_int_equal(j->facts.problems.n, 0);
		assert_non_null(fake_object(j, "x.so"));
		fake_teardown((void **)&j);
	}
	free(t.p);
	free(gz.p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(a_stream_finds_what_the_directory_lists),
	        cmocka_unit_test_setup_teardown(where_header_and_directory_disagree_nothing_is_taken, fake_setup,
	                                        fake_teardown),
	        cmocka_unit_test(a_size_that_no_byte_keeps_is_not_counted),
	        cmocka_unit_test(a_cut_archive_keeps_what_passed),
	        cmocka_unit_test_setup_teardown(a_streamed_member_may_tell_its_size_at_its_front, fake_setup,
	                                        fake_teardown),
	        cmocka_unit_test_setup_teardown(bytes_count_once_unless_the_directory_says_the_same, fake_setup,
	                                        fake_teardown),
	        cmocka_unit_test(pieces_die_when_the_next_one_comes),
	        cmocka_unit_test(an_archive_too_large_to_be_kept_is_read_in_a_layer),
	        cmocka_unit_test_setup_teardown(a_conda_package_behind_hidden_entries_is_not_passed_over, fake_setup,
	                                        fake_teardown),
	        cmocka_unit_test_setup_teardown(what_is_kept_is_bounded, fake_setup, fake_teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
