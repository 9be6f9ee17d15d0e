/* SPDX-License-Identifier: Apache-2.0 */
/* A single file: recognised by content, and refused by name where nobody would look into it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "extractors/fake_job.h"
#include "extractors/zip_maker.h"

static const struct span elf = SPAN_INIT("\x7f"
                                         "ELF and what follows");

static void archives_that_are_not_read_are_refused_by_name(void **state)
{
	static const struct {
		struct span bytes;
		const char *name;
	} cases[] = {
	        {SPAN_INIT("\x1f\x8b\x08\0\0\0"), "gzip"},
	        {SPAN_INIT("BZh91AY"), "bzip2"},
	        {SPAN_INIT("\xfd"
	                   "7zXZ\0"),
	         "xz"},
	        {SPAN_INIT("\x28\xb5\x2f\xfd\x04"), "zstd"},
	        {SPAN_INIT("\x5e\x2a\x4d\x18\0\0\0\0"), "zstd"},
	        {SPAN_INIT("!<arch>\ndebian-binary   0"), "deb"},
	        {SPAN_INIT("\xed\xab\xee\xdb"), "rpm"},
	        {SPAN_INIT("hsqs"), "squashfs"},
	        {SPAN_INIT("\xcf\xfa\xed\xfe"), "Mach-O"},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct fake_job *j = *state;

		fake_scan(j, cases[i].bytes, "anything.so", 0);
		if (!memmem(j->facts.plan.refused.p, j->facts.plan.refused.n, cases[i].name, strlen(cases[i].name)))
			fail_msg("%s: '%.*s'", cases[i].name, (int)j->facts.plan.refused.n,
			         (const char *)j->facts.plan.refused.p);
	}
}

static void a_damaged_tar_is_incomplete_and_a_pe_file_refused(void **state)
{
	struct fake_job *j = *state;
	uint8_t bytes[512] = "name";

	memcpy(bytes + 257, "ustar", 5);
	fake_scan(j, (struct span){bytes, sizeof(bytes)}, "x", 0);
	assert_int_equal(fake_problems(j, PROBLEM_INCOMPLETE, FINDING_SCAN_INCOMPLETE, "no tar archive"), 1);
	memset(bytes, 0, sizeof(bytes));
	memcpy(bytes, "MZ", 2);
	bytes[60] = 128;
	memcpy(bytes + 128, "PE\0\0", 4);
	fake_scan(j, (struct span){bytes, sizeof(bytes)}, "x", 0);
	assert_non_null(memmem(j->facts.plan.refused.p, j->facts.plan.refused.n, "PE", 2));
	bytes[60] = 255;
	bytes[63] = 255;
	fake_scan(j, (struct span){bytes, sizeof(bytes)}, "x", 0);
	assert_int_equal(j->facts.plan.refused.n, 0);
}

static void json_is_refused_whoever_wrote_it(void **state)
{
	static const struct span texts[] = {
	        SPAN_INIT("{\"schema\":\"postern-result/1\""), SPAN_INIT("\xef\xbb\xbf{\"schema\":\"postern-inventory/1\""),
	        SPAN_INIT("[ {\"schema\""),  SPAN_INIT("{\"schemaVersion\":2"),
	        SPAN_INIT("\xff\xfe{\0\"\0"), SPAN_INIT(" {\n}"),
	        SPAN_INIT("{\"s"),           SPAN_INIT("{"),
	};

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		struct fake_job *j;

		fake_setup((void **)&j);
		fake_scan(j, texts[i], "inventory.json", 0);
		if (j->facts.plan.refused.n == 0)
			fail_msg("not refused: '%.*s'", (int)texts[i].n, (const char *)texts[i].p);
		fake_teardown((void **)&j);
	}
}

static void any_other_file_is_complete(void **state)
{
	static const struct span texts[] = {SPAN_INIT(""), SPAN_INIT("MZ is how this text begins"), SPAN_INIT("x"),
	                                    SPAN_INIT("[section]\nkey=1"), SPAN_INIT("{ echo; }")};

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		struct fake_job *j;

		fake_setup((void **)&j);
		fake_scan(j, texts[i], "x.whl", 0);
		assert_span(j->facts.plan.kind, "file");
		assert_int_equal(j->facts.plan.refused.n, 0);
		assert_int_equal(j->facts.entries.n, 1);
		assert_non_null(fake_entry(j, "x.whl"));
		assert_int_equal(j->facts.objects.n + j->facts.problems.n, 0);
		fake_teardown((void **)&j);
	}
}

static void an_elf_file_is_mapped_for_the_reader(void **state)
{
	struct fake_job *j = *state;

	fake_scan(j, elf, "libx.so", 0);
	assert_int_equal(fake_object(j, "libx.so")->units, fake_sum(0, elf));
}

static void an_archive_behind_a_program_is_entered(void **state)
{
	struct fake_job *j = *state;
	struct maker m = maker_new();
	uint8_t *joined = calloc(1, MAKER_BYTES);
	struct span archive;

	maker_file(&m, "in.so", elf);
	archive = maker_done(&m);
	memcpy(joined, elf.p, elf.n);
	memcpy(joined + elf.n, archive.p, archive.n);
	fake_scan(j, (struct span){joined, elf.n + archive.n}, "app", 0);
	assert_non_null(fake_object(j, "app"));
	assert_int_equal(fake_object(j, "app!/in.so")->bytes, elf.n);
	free(joined);
	maker_free(&m);
}

static void a_descriptor_that_cannot_be_read_is_refused(void **state)
{
	struct fake_job *j = *state;
	struct source src = {.fd = -1, .size = 10, .name = SPAN("x")};

	extract_plan(&j->ctx, &src, &j->facts);
	assert_true(j->facts.plan.refused.n > 0);
}

static void holes_of_a_sparse_file_are_not_read(void **state)
{
	static const struct {
		size_t data[3], bytes;
		uint64_t holes;
	} cases[] = {
	        {{0, 5, 9}, 100000, 100000 - 3 * 4096},
	        {{0, 1, 24}, 100000, 100000 - 2 * 4096 - 1696},
	        {{0, 0, 0}, 4096, 0},
	        {{0, 1, 2}, 3 * 4096, 0},
	};
	static uint8_t bytes[100000];

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct fake_job *j = *state;
		struct span s = {bytes, cases[i].bytes};
		struct source src = {.size = s.n, .name = SPAN_INIT("a.so")};
		size_t n = j->facts.objects.n;

		memset(bytes, 0, sizeof(bytes));
		for (size_t k = 0; k < 3; k++)
			bytes[cases[i].data[k] * 4096 + 100] = (uint8_t)(k + 1);
		memcpy(bytes,
		       "\x7f"
		       "ELF",
		       4);
		src.fd = fake_sparse_file(s);
		extract_read(&j->ctx, extractor_by_name(SPAN("file")), &(struct slice){&src, 1, 0, 1}, &j->facts);
		close(src.fd);
		assert_int_equal(j->facts.objects.n, n + 1);
		assert_int_equal(j->facts.objects.v[n].units, fake_sum(0, s));
		assert_int_equal(j->facts.objects.v[n].bytes, s.n);
		assert_int_equal(fake_holes, cases[i].holes);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test_setup_teardown(holes_of_a_sparse_file_are_not_read, fake_setup, fake_teardown),
	        cmocka_unit_test_setup_teardown(archives_that_are_not_read_are_refused_by_name, fake_setup,
	                                        fake_teardown),
	        cmocka_unit_test_setup_teardown(a_damaged_tar_is_incomplete_and_a_pe_file_refused, fake_setup, fake_teardown),
	        cmocka_unit_test(json_is_refused_whoever_wrote_it),
	        cmocka_unit_test(any_other_file_is_complete),
	        cmocka_unit_test_setup_teardown(an_elf_file_is_mapped_for_the_reader, fake_setup, fake_teardown),
	        cmocka_unit_test_setup_teardown(an_archive_behind_a_program_is_entered, fake_setup, fake_teardown),
	        cmocka_unit_test_setup_teardown(a_descriptor_that_cannot_be_read_is_refused, fake_setup, fake_teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
