/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "scan/scan.h"

/* A limit on memory means nothing to a sanitizer, which reserves terabytes. */
#if defined(__SANITIZE_ADDRESS__)
#define UNDER_ASAN
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define UNDER_ASAN
#endif
#endif

#define FILES 150 /* more than two slices of a folder */

static char folder[] = "/tmp/postern-scan-XXXXXX";
static struct arena rules_mem;
static struct catalogue catalogue;

static void write_file(const char *path, const char *text)
{
	FILE *f = fopen(path, "w");

	assert_non_null(f);
	assert_int_equal(fwrite(text, 1, strlen(text), f), strlen(text));
	assert_int_equal(fclose(f), 0);
}

static const char *nth(int i)
{
	static char path[32];

	snprintf(path, sizeof(path), "d/sub/f%03d", i);
	return path;
}

static int setup(void **state)
{
	(void)state;
	if (!mkdtemp(folder) || chdir(folder) < 0 || mkdir("d", 0700) < 0 || mkdir("d/sub", 0700) < 0)
		return -1;
	write_file("abc", "abc");
	for (int i = 0; i < FILES; i++)
		write_file(nth(i), "text\n");
	catalogue_index_build(&catalogue, &rules_mem);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	for (int i = 0; i < FILES; i++)
		unlink(nth(i));
	unlink("abc");
	arena_clear(&rules_mem);
	return rmdir("d/sub") + rmdir("d") + chdir("/") + rmdir(folder);
}

static struct inventory scanned(const char *const *names, size_t n, const struct scan_options *o, struct arena *mem)
{
	struct inventory inv = {.rules_version = SPAN_NONE};
	struct err e = ERR_INIT;

	assert_int_equal(scan_artifacts(&inv, names, n, o, &catalogue, mem, &e), 0);
	assert_int_equal(inv.artifacts.n, n);
	return inv;
}

static void assert_text(struct span s, const char *text)
{
	assert_int_equal(s.n, strlen(text));
	assert_memory_equal(s.p, text, s.n);
}

/* SHA-256 of "abc": FIPS 180-2, appendix B.1. */
static void artifacts_stay_in_order_whatever_becomes_of_them(void **state)
{
	static const char *const names[] = {"abc", "gone", "d", "abc"};
	static const char digest[] = "sha256:ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";

	(void)state;
	for (unsigned jobs = 0; jobs < 4; jobs++) {
		struct arena mem = ARENA_INIT;
		struct scan_options o = {.jobs = jobs};
		struct inventory inv;

		limits_default(&o.limits);
		inv = scanned(names, 4, &o, &mem);
		assert_text(inv.artifacts.v[0].digest, digest);
		assert_text(inv.artifacts.v[3].digest, digest);
		assert_true(inv.artifacts.v[1].refused);
		assert_false(inv.artifacts.v[1].complete);
		assert_text(inv.artifacts.v[1].incomplete.v[0].reason, "cannot open 'gone': No such file or directory");
		assert_text(inv.artifacts.v[2].kind, "directory");
		assert_int_equal(inv.artifacts.v[2].files, FILES);
		assert_int_equal(inv.artifacts.v[2].bytes, FILES * 5);
		assert_true(inv.artifacts.v[2].complete);
		assert_int_equal(inv.artifacts.v[2].digest.n, 0);
		arena_clear(&mem);
	}
}

static void digests_can_be_left_out(void **state)
{
	static const char *const names[] = {"abc"};
	struct arena mem = ARENA_INIT;
	struct scan_options o = {.jobs = 1, .no_digests = true};
	struct inventory inv;

	(void)state;
	limits_default(&o.limits);
	inv = scanned(names, 1, &o, &mem);
	assert_int_equal(inv.artifacts.v[0].digest.n, 0);
	arena_clear(&mem);
}

#ifndef UNDER_ASAN
static const struct problem *incomplete_at(const struct artifact *a, const char *path)
{
	for (size_t i = 0; i < a->incomplete.n; i++)
		if (span_eq(a->incomplete.v[i].path, span_of(path)))
			return &a->incomplete.v[i];
	return NULL;
}

static void write_large_record(void)
{
	FILE *f;

	assert_int_equal(mkdir("d/w-1.dist-info", 0700), 0);
	write_file("d/w-1.dist-info/METADATA", "Metadata-Version: 2.1\nName: w\nVersion: 1\n\n");
	f = fopen("d/w-1.dist-info/RECORD", "w");
	assert_non_null(f);
	for (int i = 0; i < 200000; i++)
		fprintf(f, "pkg/file%06d.py,sha256=AAAA,3\n", i);
	assert_int_equal(fclose(f), 0);
}

/* A worker that may hold nothing more cannot read a large RECORD: each file that it had is named, and the scan goes on.
 */
static void files_of_a_lost_job_are_named(void **state)
{
	static const char *const names[] = {"d"};
	struct arena mem = ARENA_INIT;
	struct scan_options o = {.jobs = 2};
	struct inventory inv;
	const struct problem *p;

	(void)state;
	write_large_record();
	limits_default(&o.limits);
	o.limits.v[LIMIT_JOB_MEMORY] = 1;
	inv = scanned(names, 1, &o, &mem);
	unlink("d/w-1.dist-info/METADATA");
	unlink("d/w-1.dist-info/RECORD");
	rmdir("d/w-1.dist-info");
	p = incomplete_at(&inv.artifacts.v[0], "w-1.dist-info/RECORD");
	assert_non_null(p);
	assert_int_equal(p->id, FINDING_SCAN_INCOMPLETE);
	assert_int_equal(p->limit, LIMIT_JOB_MEMORY);
	assert_null(incomplete_at(&inv.artifacts.v[0], "sub/f000"));
	assert_false(inv.artifacts.v[0].complete);
	assert_false(inv.artifacts.v[0].refused);
	assert_int_equal(inv.artifacts.v[0].files, FILES + 2);
	arena_clear(&mem);
}
#endif

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(artifacts_stay_in_order_whatever_becomes_of_them),
	        cmocka_unit_test(digests_can_be_left_out),
#ifndef UNDER_ASAN
	        cmocka_unit_test(files_of_a_lost_job_are_named),
#endif
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
