/* SPDX-License-Identifier: Apache-2.0 */
/* Compressed layers, paths that stand twice, packages and archives in a layer, and limits. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <cmocka.h>

#include "base/digest.h"
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

static struct span small_tar(struct tarball *t)
{
	*t = tarball_new();
	tar_file(t, "a.so", elf);
	tar_file(t, "b.so", elf);
	return tar_end(t);
}

static bool is_whole(const struct fake_job *j)
{
	return j->facts.problems.n == 0 && j->facts.objects.n == 2 && fake_object(j, "a.so")->elf.present &&
	       fake_object(j, "b.so")->elf.present;
}

static void members_and_frames_are_one_stream(void **state)
{
	struct tarball t, gz = tarball_new(), zst = tarball_new();
	struct span tar = small_tar(&t), all[2];
	const char *names[] = {"gzip", "zstd"};

	for (size_t i = 0; i < 8; i++)
		gzip_member(&gz, span_first(span_after(tar, i * 500), i == 7 ? tar.n : 500), 0);
	gzip_member(&gz, SPAN_NONE, 0);
	zstd_skippable(&zst, 0, SPAN("a table"));
	for (size_t i = 0; i < 8; i++)
		zstd_frame(&zst, span_first(span_after(tar, i * 500), i == 7 ? tar.n : 500), 0);
	zstd_skippable(&zst, 15, SPAN("GnUlInUx"));
	all[0] = (struct span){gz.p, gz.n};
	all[1] = (struct span){zst.p, zst.n};
	for (int i = 0; i < 2; i++) {
		struct fake_job *j;

		fake_setup((void **)&j);
		layer_of(j, all[i]);
		assert_true(is_whole(j));
		assert_span(j->facts.compression, names[i]);
		assert_int_equal(j->facts.unpacked, tar.n);
		fake_teardown((void **)&j);
	}
	free(t.p);
	free(gz.p);
	free(zst.p);
}

/* Wherever it is cut: only behind a whole member does a stream end, and then the tar says whether it is whole. */
static void a_stream_that_is_cut_says_where(void **state)
{
	struct tarball t, gz = tarball_new(), zst = tarball_new();
	struct span tar = small_tar(&t), all[2];

	gzip_member(&gz, tar, 0);
	zstd_frame(&zst, tar, 0);
	all[0] = (struct span){gz.p, gz.n};
	all[1] = (struct span){zst.p, zst.n};
	for (size_t i = 0; i < 2; i++)
		for (size_t cut = 5; cut < all[i].n; cut += cut > all[i].n - 12 ? 1 : 97) {
			struct fake_job *j;
			char text[80];

			fake_setup((void **)&j);
			snprintf(text, sizeof(text), "the %s stream ends too early, at byte %zu", i ? "zstd" : "gzip",
			         cut);
			layer_of(j, span_first(all[i], cut));
			assert_int_equal(j->facts.problems.n, 1);
			assert_int_equal(fake_problems(j, PROBLEM_INCOMPLETE, FINDING_SCAN_INCOMPLETE, text), 1);
			fake_teardown((void **)&j);
		}
	free(t.p);
	free(gz.p);
	free(zst.p);
}

static void a_file_shorter_than_its_manifest_says_is_incomplete(void **state)
{
	struct tarball t, gz = tarball_new();
	struct fake_job *j = *state;
	int fd;

	gzip_member(&gz, small_tar(&t), 0);
	fd = fake_file((struct span){gz.p, gz.n - 100});
	layer_range(&j->ctx, fd, 0, gz.n, &j->facts);
	close(fd);
	fd = fake_file((struct span){gz.p, gz.n});
	layer_range(&j->ctx, fd, 0, gz.n + 1, &j->facts);
	close(fd);
	fd = fake_file((struct span){t.p, t.n});
	layer_range(&j->ctx, fd, 0, t.n + 1, &j->facts);
	close(fd);
	assert_int_equal(j->facts.problems.n, 3);
	assert_int_equal(fake_problems(j, PROBLEM_INCOMPLETE, FINDING_SCAN_INCOMPLETE, " of "), 3);
	free(t.p);
	free(gz.p);
}

static void a_range_of_a_file_is_a_layer(void **state)
{
	struct tarball t, all = tarball_new();
	struct fake_job *j = *state;
	struct span tar = small_tar(&t);
	int fd;

	put_bytes(all.p, &all.n, SPAN("before"));
	put_bytes(all.p, &all.n, tar);
	put_bytes(all.p, &all.n, SPAN("behind"));
	fd = fake_file((struct span){all.p, all.n});
	layer_range(&j->ctx, fd, 6, tar.n, &j->facts);
	close(fd);
	assert_true(is_whole(j));
	free(t.p);
	free(all.p);
}

static void a_wrong_checksum_is_incomplete(void **state)
{
	struct tarball t, gz = tarball_new();
	struct fake_job *j = *state;

	gzip_member(&gz, small_tar(&t), 1);
	layer_of(j, (struct span){gz.p, gz.n});
	assert_int_equal(j->facts.problems.n, 1);
	assert_int_equal(fake_problems(j, PROBLEM_INCOMPLETE, FINDING_SCAN_INCOMPLETE, "checksum"), 1);
	free(t.p);
	free(gz.p);
}

static void what_follows_the_last_member_is_told(void **state)
{
	struct tarball t, gz = tarball_new();
	struct fake_job *j = *state;
	struct span tar = small_tar(&t);

	gzip_member(&gz, tar, 0);
	layer_of(j, (struct span){gz.p, gz.n + 300000});
	assert_int_equal(fake_problems(j, PROBLEM_ANOMALY, FINDING_ARCHIVE_MALFORMED, "300000 zero bytes follow"), 1);
	put_bytes(gz.p, &gz.n, SPAN("garbage"));
	layer_of(j, (struct span){gz.p, gz.n});
	assert_int_equal(fake_problems(j, PROBLEM_ANOMALY, FINDING_ARCHIVE_MALFORMED, "7 bytes follow"), 1);
	assert_int_equal(j->facts.problems.n, 2);
	free(t.p);
	free(gz.p);
}

static void the_last_entry_of_a_path_counts(void **state)
{
	struct tarball t = tarball_new();
	struct fake_job *j = *state;

	tar_file(&t, "x", elf);
	tar_file(&t, "x-other", elf);
	tar_file(&t, "./x", span_first(elf, 9));
	tar_file(&t, "x", SPAN("text"));
	tar_member(&t, (struct tar_member){.name = "d", .type = '5'});
	tar_member(&t, (struct tar_member){.name = "d/", .type = '5'});
	layer_of(j, tar_end(&t));
	assert_null(fake_object(j, "x"));
	assert_int_equal(fake_entry(j, "x")->bytes, 4);
	assert_int_equal(fake_object(j, "duplicate-2!/x")->bytes, elf.n);
	assert_int_equal(fake_object(j, "duplicate-1!/x")->bytes, 9);
	assert_non_null(fake_object(j, "x-other"));
	assert_int_equal(j->facts.problems.n, 1);
	assert_int_equal(fake_problems(j, PROBLEM_ANOMALY, FINDING_ARCHIVE_MALFORMED, "more than once"), 1);
	free(t.p);
}

static void packages_and_archives_are_found(void **state)
{
	struct tarball t = tarball_new();
	struct maker m = maker_new(), script = maker_new();
	struct fake_job *j = *state;

	maker_file(&m, "in.so", elf);
	put_bytes(script.p, &script.n, SPAN("#!/usr/bin/python\n"));
	maker_file(&script, "in.so", elf);
	tar_file(&t, "site/foo-1.0.dist-info/METADATA", SPAN("Name: foo\nVersion: 1.0+cu12\n\n"));
	tar_file(&t, "site/foo-1.0.dist-info/RECORD", SPAN("foo/x.so,,\n"));
	tar_file(&t, "a.jar", maker_done(&m));
	tar_file(&t, "b", maker_done(&script));
	tar_file(&t, "c", SPAN("#!/bin/sh\nexit 0\n"));
	layer_of(j, tar_end(&t));
	assert_int_equal(j->facts.problems.n, 1);
	assert_int_equal(fake_problems(j, PROBLEM_ANOMALY, FINDING_ARCHIVE_MALFORMED, "before the archive"), 1);
	assert_int_equal(j->facts.packages.n, 1);
	assert_span(j->facts.packages.v[0].version, "1.0+cu12");
	assert_int_equal(fake_object(j, "a.jar!/in.so")->units, fake_sum(0, elf));
	assert_non_null(fake_object(j, "b!/in.so"));
	assert_int_equal(j->facts.objects.n, 2);
	maker_free(&script);
	maker_free(&m);
	free(t.p);
}

static void tars_of_a_conda_package_are_entered(void **state)
{
	struct tarball t = tarball_new(), zst = tarball_new();
	struct fake_job *j = *state;
	struct maker m = maker_new();

	tar_file(&t, "lib/x.so", elf);
	tar_file(&t, "site-packages/foo-1.0.dist-info/METADATA", SPAN("Name: foo\nVersion: 1.0\n\n"));
	tar_member(&t, (struct tar_member){.name = "lib/y.so", .type = '1', .link = "lib/x.so"});
	zstd_frame(&zst, tar_end(&t), 0);
	maker_add(&m, (struct maker_member){.name = "metadata.json", .data = SPAN("{}")});
	maker_add(&m, (struct maker_member){.name = "pkg-x.tar.zst", .data = {zst.p, zst.n}});
	maker_add(&m, (struct maker_member){.name = "info-x.tar.zst", .data = {zst.p, zst.n - 100}});
	fake_scan(j, maker_done(&m), "x.conda", 0);
	assert_span(j->facts.plan.kind, "zip");
	assert_int_equal(fake_object(j, "pkg-x.tar.zst!/lib/x.so")->units, fake_sum(0, elf));
	assert_span(fake_entry(j, "pkg-x.tar.zst!/lib/y.so")->target, "pkg-x.tar.zst!/lib/x.so");
	assert_int_equal(j->facts.packages.n, 2);
	assert_int_equal(j->facts.problems.n, 1);
	assert_span(j->facts.problems.v[0].path, "info-x.tar.zst");
	assert_int_equal(fake_problems(j, PROBLEM_INCOMPLETE, FINDING_SCAN_INCOMPLETE, "the zstd stream ends"), 1);
	j->limits.v[LIMIT_NESTED_ARCHIVES] = 0;
	fake_scan(j, (struct span){m.p, m.n}, "x.conda", 0);
	assert_int_equal(fake_limits(j, LIMIT_NESTED_ARCHIVES), 2);
	maker_free(&m);
	free(t.p);
	free(zst.p);
}

/* A long one cannot be read backwards, so its archive is named, not passed over. */
static void a_program_may_carry_an_archive(void **state)
{
	struct tarball t = tarball_new();
	struct fake_job *j = *state;
	struct maker m = maker_new(), large = maker_new();

	put_bytes(m.p, &m.n, elf);
	maker_file(&m, "in.so", elf);
	put_bytes(large.p, &large.n, elf);
	large.n += 100000;
	maker_file(&large, "in.so", elf);
	tar_file(&t, "short", maker_done(&m));
	tar_file(&t, "plain", (struct span){large.p, large.n});
	tar_file(&t, "long", maker_done(&large));
	layer_of(j, tar_end(&t));
	assert_non_null(fake_object(j, "short!/in.so"));
	assert_int_equal(j->facts.objects.n, 4);
	assert_int_equal(fake_problems(j, PROBLEM_INCOMPLETE, FINDING_SCAN_INCOMPLETE, "end of this program"), 1);
	maker_free(&m);
	maker_free(&large);
	free(t.p);
}

static void every_limit_is_incomplete_by_its_name(void **state)
{
	static const struct {
		enum limit_id id;
		uint64_t value; /* what this layer just fits into */
	} cases[] = {
	        {LIMIT_ARTIFACT_ENTRIES, 3},    {LIMIT_PATH_BYTES, 24},   {LIMIT_PATH_DEPTH, 3},
	        {LIMIT_METADATA_BYTES, 10},     {LIMIT_OBJECT_RANGES, 123}, {LIMIT_SKIPPED_RUN, 5000},
	};
	struct tarball t = tarball_new(), gz = tarball_new();
	struct maker m = maker_new();
	uint8_t text[READER_FRONT + 5000];

	memset(text, '.', sizeof(text));
	maker_file(&m, "in.so", elf);
	tar_file(&t, "a/b-1.dist-info/METADATA", SPAN("Name: b\n\n\n"));
	tar_file(&t, "a.zip", maker_done(&m));
	tar_file(&t, "text", (struct span){text, sizeof(text)});
	gzip_member(&gz, tar_end(&t), 0);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		for (uint64_t less = 0; less < 2; less++) {
			struct fake_job *j;

			fake_setup((void **)&j);
			j->limits.v[cases[i].id] = (cases[i].id == LIMIT_OBJECT_RANGES ? m.n : cases[i].value) - less;
			layer_of(j, (struct span){gz.p, gz.n});
			assert_int_equal(fake_limits(j, cases[i].id), less);
			assert_int_equal(j->facts.problems.n, less);
			fake_teardown((void **)&j);
		}
	maker_free(&m);
	free(t.p);
	free(gz.p);
}

static void bytes_out_and_windows_are_bounded(void **state)
{
	struct tarball t, gz = tarball_new(), zst = tarball_new();
	struct fake_job *j = *state;
	struct span tar = small_tar(&t);

	gzip_member(&gz, tar, 0);
	j->limits.v[LIMIT_INFLATED_BYTES] = tar.n;
	layer_of(j, (struct span){gz.p, gz.n});
	assert_true(is_whole(j));
	j->limits.v[LIMIT_INFLATED_BYTES] = tar.n - 1;
	layer_of(j, (struct span){gz.p, gz.n});
	assert_int_equal(fake_limits(j, LIMIT_INFLATED_BYTES), 1);
	zstd_frame(&zst, tar, 18);
	layer_of(j, (struct span){zst.p, zst.n});
	assert_int_equal(fake_limits(j, LIMIT_ZSTD_WINDOW), 1);
	free(t.p);
	free(gz.p);
	free(zst.p);
}

static void a_tar_is_known_by_what_is_in_it(void **state)
{
	struct tarball t, gz = tarball_new(), other = tarball_new();
	struct span tar = small_tar(&t), all[3];

	gzip_member(&gz, tar, 0);
	gzip_member(&other, SPAN("a text"), 0);
	all[0] = tar;
	all[1] = (struct span){gz.p, gz.n};
	all[2] = (struct span){other.p, other.n};
	for (int i = 0; i < 3; i++) {
		struct fake_job *j;

		fake_setup((void **)&j);
		fake_scan(j, all[i], "x.whl", 0);
		if (i < 2) {
			assert_span(j->facts.plan.kind, "rootfs-tar");
			assert_true(is_whole(j));
		} else {
			assert_true(memmem(j->facts.plan.refused.p, j->facts.plan.refused.n, "gzip", 4) != NULL);
		}
		fake_teardown((void **)&j);
	}
	free(t.p);
	free(gz.p);
	free(other.p);
}

static void files_are_hashed_when_asked(void **state)
{
	struct tarball t;
	struct fake_job *j = *state;
	struct digest *d = digest_new();
	uint8_t sum[DIGEST_BYTES];

	digest_add(d, elf);
	digest_end(d, sum);
	j->ctx.verify = true;
	layer_of(j, small_tar(&t));
	assert_int_equal(j->facts.digests.n, 2);
	assert_span(j->facts.digests.v[0].path, "a.so");
	assert_memory_equal(j->facts.digests.v[0].sha256.p, sum, DIGEST_BYTES);
	free(t.p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(members_and_frames_are_one_stream),
	        cmocka_unit_test(a_stream_that_is_cut_says_where),
	        cmocka_unit_test(every_limit_is_incomplete_by_its_name),
	        cmocka_unit_test(a_tar_is_known_by_what_is_in_it),
	        cmocka_unit_test_setup_teardown(a_file_shorter_than_its_manifest_says_is_incomplete, fake_setup,
	                                        fake_teardown),
	        cmocka_unit_test_setup_teardown(a_range_of_a_file_is_a_layer, fake_setup, fake_teardown),
	        cmocka_unit_test_setup_teardown(a_wrong_checksum_is_incomplete, fake_setup, fake_teardown),
	        cmocka_unit_test_setup_teardown(what_follows_the_last_member_is_told, fake_setup, fake_teardown),
	        cmocka_unit_test_setup_teardown(the_last_entry_of_a_path_counts, fake_setup, fake_teardown),
	        cmocka_unit_test_setup_teardown(packages_and_archives_are_found, fake_setup, fake_teardown),
	        cmocka_unit_test_setup_teardown(tars_of_a_conda_package_are_entered, fake_setup, fake_teardown),
	        cmocka_unit_test_setup_teardown(a_program_may_carry_an_archive, fake_setup, fake_teardown),
	        cmocka_unit_test_setup_teardown(bytes_out_and_windows_are_bounded, fake_setup, fake_teardown),
	        cmocka_unit_test_setup_teardown(files_are_hashed_when_asked, fake_setup, fake_teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
