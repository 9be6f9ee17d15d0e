/* SPDX-License-Identifier: Apache-2.0 */
/* What wheels say about themselves (artifacts.md B1, PEP 508, PEP 825). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "extractors/fake_job.h"
#include "extractors/packages/package_parts.h"

static void metadata_ends_at_the_first_blank_line(void **state)
{
	struct fake_job *j = *state;
	struct package p = {0};

	metadata_parse(&j->ctx,
	               SPAN("Metadata-Version: 2.1\r\nname: Some_Odd.-Name\r\nVersion: 1.0+cu124\n"
	                    "Classifier: Environment :: GPU :: NVIDIA CUDA :: 12\n"
	                    "Requires-Dist: numpy\n   (>=1.20)\nLicense: first\n\tRequires-Dist: no\nnonsense\n\n"
	                    "Requires-Dist: not-a-header\n"),
	               &p);
	claims_add(&j->ctx, &p);
	assert_span(p.name, "some-odd-name");
	assert_span(p.version, "1.0+cu124");
	assert_int_equal(p.requires.n, 1);
	assert_span(p.requires.v[0].name, "numpy");
	assert_span(p.requires.v[0].spec, "(>=1.20)");
	assert_int_equal(p.declares.n, 2);
	assert_span(p.declares.v[0].by, "classifier");
	assert_span(p.declares.v[0].value, "Environment :: GPU :: NVIDIA CUDA :: 12");
	assert_span(p.declares.v[1].by, "local-version");
	assert_span(p.declares.v[1].value, "+cu124");
}

static void a_requirement_declares_as_far_as_it_applies(void **state)
{
	struct fake_job *j = *state;
	struct package p = {0};

	metadata_parse(&j->ctx,
	               SPAN("Requires-Dist: nvidia-cublas-cu12==12.4.5.8; platform_system == \"Linux\"\n"
	                    "Requires-Dist: NVIDIA_cublas.cu12; extra == 'cuda'\n"
	                    "Requires-Dist: odd@ https://example.org/odd;1.whl ; sys_platform != 'win32'\n"),
	               &p);
	claims_add(&j->ctx, &p);
	assert_int_equal(p.requires.n, 3);
	assert_span(p.requires.v[0].spec, "==12.4.5.8; platform_system == \"Linux\"");
	assert_false(p.requires.v[0].has_applies);
	assert_span(p.requires.v[1].name, "nvidia-cublas-cu12");
	assert_true(p.requires.v[1].has_applies);
	assert_false(p.requires.v[1].applies);
	assert_span(p.requires.v[2].name, "odd");
	assert_false(p.requires.v[2].has_applies);
	assert_int_equal(p.declares.n, 1);
	assert_span(p.declares.v[0].backend, "cuda");
	assert_false(p.declares.v[0].has_applies);
}

static void markers_are_told_as_far_as_extras_go(void **state)
{
	static const struct {
		const char *marker;
		enum marker_answer answer;
	} cases[] = {
	        {"", MARKER_YES},
	        {"extra == 'x'", MARKER_NO},
	        {"'x' == extra", MARKER_NO},
	        {"extra == ''", MARKER_YES},
	        {"extra != 'x'", MARKER_UNKNOWN},
	        {"os_name == 'posix'", MARKER_UNKNOWN},
	        {"extra == 'x' and os_name == 'posix'", MARKER_NO},
	        {"extra == 'x' or os_name == 'posix'", MARKER_UNKNOWN},
	        {"extra == 'cuda' or (python_version < \"3.10\" and extra=='test')", MARKER_NO},
	        {"(extra == 'a' or extra == 'b') and platform_machine not in 'arm'", MARKER_NO},
	        {"os_name == 'a' or extra == 'b' and extra == 'c'", MARKER_UNKNOWN},
	        {"extra == 'x' and", MARKER_UNKNOWN},
	        {"(extra == 'x'", MARKER_UNKNOWN},
	        {"extra == 'x')", MARKER_UNKNOWN},
	        {"extra == 'x' extra == 'y'", MARKER_UNKNOWN},
	        {"extra == 'x", MARKER_UNKNOWN},
	        {"extra =", MARKER_UNKNOWN},
	        {")", MARKER_UNKNOWN},
	        {"extras == 'x'", MARKER_UNKNOWN},
	};
	char deep[60100];

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		if (marker_answer(span_of(cases[i].marker)) != cases[i].answer)
			fail_msg("'%s' was %d", cases[i].marker, marker_answer(span_of(cases[i].marker)));
	memset(deep, '(', 30000);
	memcpy(deep + 30000, "extra == 'x'", 12);
	memset(deep + 30012, ')', 30000);
	assert_int_equal(marker_answer((struct span){(const uint8_t *)deep, 60012}), MARKER_NO);
}

static void record_lines_are_csv(void **state)
{
	struct fake_job *j = *state;
	struct package p = {0};

	record_parse(j->ctx.mem,
	             SPAN("pkg/a.py,sha256=AAAA,6\r\n\"pkg/with,comma \"\"q\"\".py\",sha256=!!!!,1\n\n/etc/passwd,,\n"
	                  "../../x,md5=x,99999999999999999999\npkg/a.py\nlast,sha256=BBBB,7"),
	             &p);
	assert_true(p.has_record);
	assert_int_equal(p.record.n, 6);
	assert_span(p.record.v[0].path, "pkg/a.py");
	assert_span(p.record.v[0].hash, "sha256=AAAA");
	assert_true(p.record.v[0].has_size && p.record.v[0].size == 6);
	assert_span(p.record.v[1].path, "pkg/with,comma \"q\".py");
	assert_int_equal(p.record.v[1].size, 1);
	assert_span(p.record.v[2].path, "/etc/passwd");
	assert_false(p.record.v[2].has_size);
	assert_span(p.record.v[3].path, "../../x");
	assert_false(p.record.v[3].has_size);
	assert_span(p.record.v[4].path, "pkg/a.py");
	assert_int_equal(p.record.v[4].hash.n, 0);
	assert_int_equal(p.record.v[5].size, 7);
}

static void the_sixth_part_is_a_build_tag_or_a_label(void **state)
{
	struct wheel_name w;

	assert_true(wheel_name_parse(SPAN("a_b-1.0-cp311-cp311-linux_x86_64.whl"), &w));
	assert_span(w.name, "a_b");
	assert_int_equal(w.label.n, 0);
	assert_true(wheel_name_parse(SPAN("a-1.0-2b-py3-none-any.whl"), &w));
	assert_span(w.python, "py3");
	assert_int_equal(w.label.n, 0);
	assert_true(wheel_name_parse(SPAN("a-1.0-py3-none-any-cu128_x86_64_v3.whl"), &w));
	assert_span(w.python, "py3");
	assert_span(w.label, "cu128_x86_64_v3");
	assert_true(wheel_name_parse(SPAN("a-1.0-1-py3-none-any-null.whl"), &w));
	assert_span(w.platform, "any");
	assert_span(w.label, "null");
	assert_false(wheel_name_parse(SPAN("a-1.0-py3-none-any-Upper.whl"), &w));
	assert_false(wheel_name_parse(SPAN("a-1.0-py3-none.whl"), &w));
	assert_false(wheel_name_parse(SPAN("a-1.0-py3-none-any.zip"), &w));
	assert_false(wheel_name_parse(SPAN("a-1-1-1-1-1-1-1-1-1.whl"), &w));
}

static void compressed_tags_are_spread_out(void **state)
{
	struct fake_job *j = *state;
	struct package p = {0};

	wheel_file_parse(&j->ctx,
	                 SPAN("Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py2.py3-none-any\nTag: py3-none-any\n"),
	                 &p);
	assert_true(p.has_purelib && p.purelib);
	assert_int_equal(p.tags.n, 2);
	assert_span(p.tags.v[0], "py2-none-any");
	assert_span(p.tags.v[1], "py3-none-any");
}

static void the_file_name_chooses_between_two_dist_infos(void **state)
{
	struct fake_job *j = *state;
	struct package_parts l = {0};

	package_parts_add(&l, &j->mem, SPAN("two_dist-1.0.dist-info"), PACKAGE_METADATA,
	                  SPAN("Name: two-dist\nVersion: 1.0\n"));
	package_parts_add(&l, &j->mem, SPAN("other-9.dist-info"), PACKAGE_METADATA, SPAN("Name: other\nVersion: 9\n"));
	package_parts_add(&l, &j->mem, SPAN("x/_vendor/v-3.dist-info"), PACKAGE_METADATA,
	                  SPAN("Name: v\nVersion: 3\n"));
	package_parts_build(&j->ctx, &j->facts, &l, SPAN_NONE, SPAN("two_dist-1.0-py3-none-any-cu128.whl"));
	assert_int_equal(fake_problems(j, PROBLEM_ANOMALY, FINDING_ARCHIVE_MALFORMED, "two dist-info folders"), 1);
	assert_int_equal(j->facts.packages.n, 2);
	assert_span(j->facts.packages.v[0].name, "two-dist");
	assert_span(j->facts.packages.v[0].variant, "cu128");
	assert_span(j->facts.packages.v[0].declares.v[0].by, "variant");
	assert_span(j->facts.packages.v[1].name, "v");
	assert_int_equal(j->facts.packages.v[1].variant.n, 0);
}

static void what_metadata_does_not_say_the_folder_says(void **state)
{
	struct fake_job *j = *state;
	struct package_parts l = {0};

	package_parts_add(&l, &j->mem, SPAN("lib/My_Pkg-2.0+cu12.dist-info"), PACKAGE_RECORD, SPAN("a,,\n"));
	package_parts_build(&j->ctx, &j->facts, &l, SPAN_NONE, SPAN_NONE);
	assert_span(j->facts.packages.v[0].name, "my-pkg");
	assert_span(j->facts.packages.v[0].version, "2.0+cu12");
	assert_true(j->facts.packages.v[0].has_record);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test_setup_teardown(metadata_ends_at_the_first_blank_line, fake_setup, fake_teardown),
	        cmocka_unit_test_setup_teardown(a_requirement_declares_as_far_as_it_applies, fake_setup, fake_teardown),
	        cmocka_unit_test(markers_are_told_as_far_as_extras_go),
	        cmocka_unit_test_setup_teardown(record_lines_are_csv, fake_setup, fake_teardown),
	        cmocka_unit_test(the_sixth_part_is_a_build_tag_or_a_label),
	        cmocka_unit_test_setup_teardown(compressed_tags_are_spread_out, fake_setup, fake_teardown),
	        cmocka_unit_test_setup_teardown(the_file_name_chooses_between_two_dist_infos, fake_setup,
	                                        fake_teardown),
	        cmocka_unit_test_setup_teardown(what_metadata_does_not_say_the_folder_says, fake_setup, fake_teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
