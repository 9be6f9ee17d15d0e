/* SPDX-License-Identifier: Apache-2.0 */
/* Archives inside archives, limits, links, and that slices change nothing. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <cmocka.h>

#include "extractors/fake_job.h"
#include "extractors/zip_maker.h"

static const struct span elf = SPAN_INIT("\x7f"
                                         "ELF and what follows");

/* An archive that holds the last one, this many times over, an ELF file in each. */
static struct span nest(struct maker *m, size_t depth, bool deflated)
{
	struct span inner = SPAN_NONE;

	for (size_t i = 0; i < depth; i++) {
		m[i] = maker_new();
		maker_file(&m[i], "x.so", elf);
		if (inner.n)
			maker_add(&m[i], (struct maker_member){.name = "in.zip", .data = inner, .deflated = deflated});
		inner = maker_done(&m[i]);
	}
	return inner;
}

static void archives_are_entered_two_deep(void **state)
{
	for (int deflated = 0; deflated < 2; deflated++) {
		struct fake_job *j;
		struct maker m[4];

		fake_setup((void **)&j);
		fake_scan(j, nest(m, 4, deflated), "x.zip", 0);
		assert_int_equal(j->facts.objects.n, 3);
		assert_int_equal(fake_object(j, "in.zip!/in.zip!/x.so")->units, fake_sum(0, elf));
		assert_int_equal(j->facts.problems.n, 1);
		assert_int_equal(j->facts.problems.v[0].limit, LIMIT_NESTED_ARCHIVES);
		assert_span(j->facts.problems.v[0].path, "in.zip!/in.zip!/in.zip");
		fake_teardown((void **)&j);
		for (size_t i = 0; i < 4; i++)
			maker_free(&m[i]);
	}
}

static void every_limit_is_incomplete_by_its_name(void **state)
{
	static const enum limit_id ids[] = {LIMIT_PATH_BYTES,      LIMIT_PATH_DEPTH,    LIMIT_ARTIFACT_ENTRIES,
	                                    LIMIT_INFLATED_MEMBER, LIMIT_OBJECT_RANGES, LIMIT_METADATA_BYTES};

	for (size_t i = 0; i < sizeof(ids) / sizeof(ids[0]); i++)
		for (uint64_t lower = 0; lower < 2; lower++) {
			static const uint64_t enough[] = {26, 3, 4, 132, 132, 21};
			struct fake_job *j;
			struct maker m[1], outer = maker_new();

			fake_setup((void **)&j);
			j->limits.v[ids[i]] = enough[i] - lower;
			maker_file(&outer, "a-1.dist-info/METADATA", SPAN("Name: a\nVersion: 1\n\n\n"));
			maker_file(&outer, "aaaaaaaaaaaaaaaaaaaa/bb/cc", SPAN("x"));
			maker_file(&outer, "in.zip", nest(m, 1, false));
			maker_file(&outer, "z", SPAN("x"));
			assert_int_equal(m[0].n, 132);
			fake_scan(j, maker_done(&outer), "x.zip", 1);
			if (fake_limits(j, ids[i]) != lower)
				fail_msg("%s: %zu", limit_row(ids[i])->name, fake_limits(j, ids[i]));
			fake_teardown((void **)&j);
			maker_free(&outer);
			maker_free(&m[0]);
		}
}

static void links_are_told_and_hide_nothing(void **state)
{
	struct fake_job *j = *state;
	struct maker m = maker_new();

	maker_add(&m, (struct maker_member){.name = "lib/libcuda.so", .data = SPAN("libcuda.so.1"), .mode = 0120777});
	maker_add(&m, (struct maker_member){.name = "trick", .data = elf, .mode = 0120777});
	maker_add(&m, (struct maker_member){.name = "up", .data = SPAN("/etc"), .mode = 0120777});
	maker_file(&m, "up/passwd", SPAN("x"));
	fake_scan(j, maker_done(&m), "x.zip", 0);
	assert_int_equal(fake_entry(j, "lib/libcuda.so")->kind, ENTRY_SYMLINK);
	assert_span(fake_entry(j, "lib/libcuda.so")->target, "libcuda.so.1");
	/* Installers write a link as a file: an ELF file must not hide behind a mode. */
	assert_int_equal(fake_object(j, "trick")->type, OBJECT_ELF);
	assert_int_equal(fake_entry(j, "up")->kind, ENTRY_SYMLINK);
	assert_span(fake_entry(j, "up")->target, "/etc");
	assert_int_equal(fake_problems(j, PROBLEM_ANOMALY, FINDING_ARCHIVE_MALFORMED, "no folder"), 1);
	maker_free(&m);
}

static const struct file_digest *digest_of(const struct fake_job *j, const char *path)
{
	for (size_t i = 0; i < j->facts.digests.n; i++)
		if (span_eq(j->facts.digests.v[i].path, span_of(path)))
			return &j->facts.digests.v[i];
	return NULL;
}

/* Digests by sha256sum: of "abc", of nothing, and of 300000 letters "a". */
static void every_sound_member_is_hashed_when_asked(void **state)
{
	static const struct span abc = SPAN_INIT("\xba\x78\x16\xbf\x8f\x01\xcf\xea\x41\x41\x40\xde\x5d\xae\x22\x23"
	                                         "\xb0\x03\x61\xa3\x96\x17\x7a\x9c\xb4\x10\xff\x61\xf2\x00\x15\xad");
	static const struct span none = SPAN_INIT("\xe3\xb0\xc4\x42\x98\xfc\x1c\x14\x9a\xfb\xf4\xc8\x99\x6f\xb9\x24"
	                                          "\x27\xae\x41\xe4\x64\x9b\x93\x4c\xa4\x95\x99\x1b\x78\x52\xb8\x55");
	static const struct span many = SPAN_INIT("\x12\xe1\xb9\xb1\x79\xb2\x9a\x4f\x7e\x58\x89\xb1\x85\xd7\xac\x71"
	                                          "\xbf\xf0\xad\x1f\x49\xa7\xb3\x91\xd0\x91\x1b\x73\x7a\x0f\x53\x81");
	static const bool asked[] = {false, true};
	static uint8_t large[300000];
	struct maker m = maker_new(), inner = maker_new();

	memset(large, 'a', sizeof(large));
	maker_file(&inner, "abc", SPAN("abc"));
	maker_file(&m, "abc", SPAN("abc"));
	maker_file(&m, "none", SPAN(""));
	maker_add(&m, (struct maker_member){.name = "large", .data = {large, sizeof(large)}});
	maker_add(&m, (struct maker_member){.name = "cut", .data = {large, sizeof(large)}, .crc = 1});
	maker_file(&m, "in.zip", maker_done(&inner));
	maker_add(&m, (struct maker_member){.name = "stored.zip", .data = {inner.p, inner.n}});
	maker_done(&m);
	for (size_t i = 0; i < 2; i++) {
		struct fake_job *j;

		fake_setup((void **)&j);
		j->ctx.verify = asked[i];
		fake_scan(j, (struct span){m.p, m.n}, "x.zip", 1);
		assert_int_equal(j->facts.digests.n, asked[i] ? 7 : 0);
		/* Nobody wanted those bytes: without a digest the front is enough. */
		assert_int_equal(fake_problems(j, PROBLEM_INCOMPLETE, FINDING_OBJECT_UNREADABLE, "checksum"), asked[i]);
		if (asked[i]) {
			assert_true(span_eq(digest_of(j, "abc")->sha256, abc));
			assert_true(span_eq(digest_of(j, "in.zip!/abc")->sha256, abc));
			assert_true(span_eq(digest_of(j, "none")->sha256, none));
			assert_true(span_eq(digest_of(j, "large")->sha256, many));
			assert_true(span_eq(digest_of(j, "stored.zip")->sha256, digest_of(j, "in.zip")->sha256));
			assert_non_null(digest_of(j, "stored.zip!/abc"));
			assert_null(digest_of(j, "cut"));
		}
		fake_teardown((void **)&j);
	}
	maker_free(&inner);
	maker_free(&m);
}

static void a_wheel_in_an_archive_is_a_package(void **state)
{
	struct fake_job *j = *state;
	struct maker wheel = maker_new(), outer = maker_new();

	maker_file(&wheel, "a-1.dist-info/METADATA", SPAN("Name: a\nVersion: 1\n"));
	maker_file(&wheel, "a-1.dist-info/WHEEL", SPAN("Tag: py3-none-any\n"));
	maker_add(&wheel, (struct maker_member){.name = "bad", .data = SPAN("x"), .crc = 7});
	maker_file(&outer, "w/a-1-py3-none-any-cu128.whl", maker_done(&wheel));
	fake_scan(j, maker_done(&outer), "x.zip", 0);
	assert_int_equal(j->facts.packages.n, 1);
	assert_span(j->facts.packages.v[0].path, "w/a-1-py3-none-any-cu128.whl!/a-1.dist-info");
	assert_span(j->facts.packages.v[0].variant, "cu128");
	assert_int_equal(fake_problems(j, PROBLEM_INCOMPLETE, FINDING_OBJECT_UNREADABLE, "checksum"), 1);
	maker_free(&wheel);
	maker_free(&outer);
}

static void damage_in_test_data_is_an_anomaly(void **state)
{
	struct fake_job *j = *state;
	struct maker inner = maker_new(), outer = maker_new();

	maker_add(&inner, (struct maker_member){.name = "bad", .data = SPAN("x"), .crc = 7});
	maker_file(&outer, "tests/broken.zip", maker_done(&inner));
	maker_file(&outer, "tests/cut.zip", SPAN("PK\3\4, and that is all"));
	fake_scan(j, maker_done(&outer), "x.zip", 0);
	assert_int_equal(fake_problems(j, PROBLEM_ANOMALY, FINDING_OBJECT_UNREADABLE, "checksum"), 1);
	assert_int_equal(fake_problems(j, PROBLEM_ANOMALY, FINDING_ARCHIVE_MALFORMED, "no directory"), 1);
	assert_int_equal(j->facts.problems.n, 2);
	maker_free(&inner);
	maker_free(&outer);
}

static void slices_change_nothing(void **state)
{
	struct fake_job *whole = *state;
	struct maker m = maker_new();
	struct span archive;

	for (int i = 0; i < 100; i++) {
		char name[32];

		snprintf(name, sizeof(name), "%03d.so", i % 90);
		maker_add(&m,
		          (struct maker_member){.name = name, .data = elf, .deflated = i % 2, .crc = i % 7 ? 0 : 1});
	}
	maker_file(&m, "a-1.dist-info/WHEEL", SPAN("Tag: py3-none-any\n"));
	archive = maker_done(&m);
	fake_scan(whole, archive, "x.whl", 1);
	assert_span(whole->facts.plan.kind, "wheel");
	for (uint32_t n = 2; n < 150; n += 9) {
		struct fake_job *j;
		struct entry_list l;

		fake_setup((void **)&j);
		fake_scan(j, archive, "x.whl", n);
		assert_int_equal(j->facts.entries.n, whole->facts.entries.n);
		assert_int_equal(j->facts.objects.n, whole->facts.objects.n);
		assert_int_equal(j->facts.problems.n, whole->facts.problems.n);
		assert_int_equal(j->facts.packages.n, 1);
		l = entries_list(&j->facts.entries, j->facts.mem);
		for (size_t i = 1; i < l.n; i++)
			assert_true(entry_by_path(&l.v[i - 1], &l.v[i]) < 0);
		fake_teardown((void **)&j);
	}
	maker_free(&m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(archives_are_entered_two_deep),
	        cmocka_unit_test(every_limit_is_incomplete_by_its_name),
	        cmocka_unit_test(every_sound_member_is_hashed_when_asked),
	        cmocka_unit_test_setup_teardown(links_are_told_and_hide_nothing, fake_setup, fake_teardown),
	        cmocka_unit_test_setup_teardown(a_wheel_in_an_archive_is_a_package, fake_setup, fake_teardown),
	        cmocka_unit_test_setup_teardown(damage_in_test_data_is_an_anomaly, fake_setup, fake_teardown),
	        cmocka_unit_test_setup_teardown(slices_change_nothing, fake_setup, fake_teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
