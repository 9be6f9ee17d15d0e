/* SPDX-License-Identifier: Apache-2.0 */
/* Baggage, claims, driver, trust. */
#include "judge_kit.h"

static struct policy *plain(void)
{
	return a_policy("p");
}

static struct object *a_driver(struct artifact *a, const char *path, enum object_type type, uint64_t bytes)
{
	struct object *o = an_object(a, path, "", bytes);

	o->type = type;
	has(o, "cuda", EVIDENCE_DRIVER_FILE, "libcuda.so.1", STRENGTH_HOST);
	return o;
}

static void a_driver_is_baked_when_it_has_bytes_and_is_no_copy_for_older_kernels(void **state)
{
	struct artifact *a = an_artifact("i.tar", "rootfs-tar");
	struct findings l;
	struct object *stub;

	(void)state;
	a_driver(a, "usr/lib/libcuda.so.1", OBJECT_LINK, 18);
	a_driver(a, "usr/lib/libcuda.so.535.1", OBJECT_ELF, 30000000);
	a_driver(a, "usr/local/cuda-12.8/compat/libcuda.so.1", OBJECT_ELF, 31);
	stub = an_object(a, "usr/local/cuda/lib64/stubs/libcuda.so", "", 8);
	has(stub, "cuda", EVIDENCE_DRIVER_STUB, "libcuda.so", STRENGTH_SOFT);
	a_driver(a, "src/libcuda.so.1", OBJECT_LFS_POINTER, 133)->content_bytes = 30000000;
	a_driver(a, "var/libcuda.so.1", OBJECT_EMPTY, 0);
	l = run_family(&checks_driver, a, plain());
	EXPECT(&l, false, "driver-baked cuda - usr/lib/libcuda.so.535.1 30000000");
	assert_true(span_has(l.v[0].remedy, "30.0 MB"));
	l = run_family(&checks_baggage, a, plain());
	EXPECT(&l, false, "placeholder-file cuda - src/libcuda.so.1 133", "placeholder-file cuda - var/libcuda.so.1 0");
}

static void a_placeholder_says_what_stands_there(void **state)
{
	static const struct {
		enum object_type type[3];
		uint64_t content[3];
		const char *message;
	} rows[] = {
	        {{OBJECT_EMPTY}, {0}, "t 1: empty file in the place of libcublas.so.12"},
	        {{OBJECT_LFS_POINTER},
	         {123000000},
	         "t 1: Git LFS pointer to 123 MB in the place of libcublas.so.12; the content was never fetched"},
	        {{OBJECT_LFS_POINTER},
	         {0},
	         "t 1: damaged Git LFS pointer in the place of libcublas.so.12; the content was never fetched"},
	        {{OBJECT_LFS_POINTER, OBJECT_LFS_POINTER, OBJECT_EMPTY},
	         {1000000, 2000000, 0},
	         "t 1: empty file and 2 Git LFS pointers to 3.00 MB in the place of libcublas.so.12; the content was "
	         "never fetched"},
	        {{OBJECT_EMPTY, OBJECT_EMPTY, OBJECT_LFS_POINTER},
	         {0, 0, 9007199254740991},
	         "t 1: empty files and Git LFS pointer to 9.01 PB in the place of libcublas.so.12; the content was "
	         "never fetched"},
	        {{OBJECT_LFS_POINTER, OBJECT_LFS_POINTER, OBJECT_LFS_POINTER},
	         {0, 2000, 0},
	         "t 1: 3 Git LFS pointers to 2.00 kB and more in the place of libcublas.so.12; the content was never "
	         "fetched"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct artifact *a = an_artifact("i.tar", "rootfs-tar");
		struct findings l;

		for (size_t k = 0; k < 3 && (k == 0 || rows[i].type[k]); k++) {
			struct object *o = an_object(a, (const char *)arena_printf(&mem, "%zu/libcublas.so.12%c", k, 0).p,
			                             "pypi:t@1", 130);

			is_library(o, "cuda", "libcublas.so.12");
			o->type = rows[i].type[k];
			o->content_bytes = rows[i].content[k];
		}
		l = run_family(&checks_baggage, a, plain());
		assert_int_equal(l.n, 1);
		assert_true(span_eq(l.v[0].message, span_of(rows[i].message)));
	}
}

static void tools_are_told_by_package_and_links_are_none(void **state)
{
	struct artifact *a = an_artifact("i.tar", "rootfs-tar");
	struct findings l;

	(void)state;
	has(an_object(a, "t/bin/nvdisasm", "pypi:triton@3.4", 2), "cuda", EVIDENCE_TOOLCHAIN, "nvdisasm",
	    STRENGTH_TOOL);
	has(an_object(a, "t/bin/ptxas", "pypi:triton@3.4", 3), "cuda", EVIDENCE_TOOLCHAIN, "ptxas", STRENGTH_TOOL);
	has(an_object(a, "usr/bin/nvcc", "", 0), "cuda", EVIDENCE_TOOLCHAIN, "nvcc", STRENGTH_TOOL);
	a->objects.v[2].type = OBJECT_LINK;
	l = run_family(&checks_baggage, a, plain());
	EXPECT(&l, false, "toolchain-shipped cuda - pypi:triton@3.4 5");
	assert_true(span_has(l.v[0].message, "nvdisasm and ptxas"));
}

static void what_a_later_layer_hides_is_told_with_its_layer(void **state)
{
	struct artifact *a = an_artifact("i.tar", "docker-archive");
	struct store *s = list_add(&mem, &a->stores);
	struct findings l;
	struct object *o;

	(void)state;
	*s = (struct store){
	        .path = SPAN("k"), .backend = SPAN("rocm"), .layer = 2, .hidden = true, .files = 40, .bytes = 50};
	o = an_object(a, "lib/a.so", "pypi:b@1", 211000000);
	is_library(o, "cuda", "libcublas.so.12");
	o->hidden = true;
	o->layer = 4;
	o = an_object(a, "lib/b.so", "pypi:b@1", 5);
	needs(o, "cuda", "libcublas.so.12");
	o->hidden = true;
	o->layer = 4;
	is_library(an_object(a, "lib/c.so", "pypi:b@2", 6), "cuda", "libcublas.so.12");
	l = run_family(&checks_baggage, a, plain());
	EXPECT(&l, false, "hidden-in-lower-layer cuda - pypi:b@1 211000000", "hidden-in-lower-layer rocm - k 50");
	assert_int_equal(l.v[0].layer, 4);
	assert_true(span_has(l.v[0].message, "211 MB of cuda in layer 3"));
}

static void labels_that_lie_are_told_with_both_words(void **state)
{
	struct artifact *a = an_artifact("f", "file");
	struct object *o = an_object(a, "f", "", 10);
	struct device_code *d = has_code(o, "cuda", "sm_90", 2);
	struct findings l;

	(void)state;
	d->declared = SPAN("sm_80");
	d->mismatch = true;
	has_code(o, "cuda", "sm_75", 9);
	l = run_family(&checks_claims, a, plain());
	EXPECT(&l, false, "label-mismatch cuda - f 10");
	assert_int_equal(l.v[0].evidence.n, 1);
	assert_true(span_has(l.v[0].message, "2 images"));
	assert_true(span_has(l.v[0].message, "sm_90, labelled sm_80"));
}

static void problems_of_one_package_are_one_finding_with_a_count(void **state)
{
	struct artifact *a = an_artifact("i.tar", "rootfs-tar");
	struct findings l;

	(void)state;
	a_package(a, "pypi:t@1", "lib/t-1.dist-info");
	an_object(a, "lib/t/a.so", "pypi:t@1", 1);
	a->complete = false;
	a_problem(&a->incomplete, FINDING_OBJECT_UNREADABLE, "lib/t/a.so", 0, "cut off");
	a_problem(&a->anomalies, FINDING_ARCHIVE_MALFORMED, "lib/t-1.dist-info/RECORD", 0, "first");
	a_problem(&a->anomalies, FINDING_ARCHIVE_MALFORMED, "lib/t/a.so", 0, "second");
	a_problem(&a->anomalies, FINDING_OBJECT_UNREADABLE, "x/1", 0, "no ELF");
	a_problem(&a->anomalies, FINDING_OBJECT_UNREADABLE, "x/2", 0, "no ELF");
	a_problem(&a->anomalies, FINDING_OBJECT_UNREADABLE, "y/1", 0, "no ELF");
	l = run_family(&checks_trust, a, plain());
	EXPECT(&l, false, "archive-malformed - - pypi:t@1 0", "object-unreadable - - pypi:t@1 0",
	       "object-unreadable - - - 0", "object-unreadable - - y/1 0");
	assert_true(span_has(l.v[0].message, "'lib/t-1.dist-info/RECORD': first; and 1 more in t 1"));
	assert_int_equal(l.v[0].evidence.n, 2);
	assert_true(l.v[1].incomplete);
	assert_false(l.v[2].incomplete);
}

static void a_layer_stands_for_itself_and_a_limit_names_its_remedy(void **state)
{
	struct artifact *a = an_artifact("i.tar", "docker-archive");
	struct limits limits;
	struct findings l;

	(void)state;
	limits_default(&limits);
	problem_limit(&a->incomplete, &mem, &limits, LIMIT_JSON_BYTES, SPAN_NONE, "the manifest");
	a->incomplete.v[0].layer = 3;
	a_problem(&a->incomplete, FINDING_SCAN_INCOMPLETE, "", 4, "the worker died");
	a_problem(&a->incomplete, FINDING_DIGEST_MISMATCH, "", 4, "other bytes");
	l = run_family(&checks_trust, a, plain());
	EXPECT(&l, false, "digest-mismatch - - - 0", "scan-incomplete - - - 0", "scan-incomplete - - - 0");
	assert_true(span_has(l.v[1].message, "layer 2: "));
	assert_true(span_has(l.v[1].remedy, "--limit json-bytes="));
	assert_true(l.v[0].not_waivable);
	assert_true(l.v[1].not_waivable);
	assert_false(l.v[2].not_waivable);
}

static void what_was_not_scanned_is_judged_by_nothing_but_why(void **state)
{
	struct artifact *a = an_artifact("chart", "oci-layout");
	struct check_input in = {.artifact = a, .catalogue = &catalogue, .mem = &mem};
	struct policy *p = plain();
	struct judged out = {.artifact = a};

	(void)state;
	requires_any(p, "cuda", NULL);
	in.policy = p;
	a->refused = true;
	a->complete = false;
	a_problem(&a->incomplete, FINDING_SCAN_INCOMPLETE, "", 0, "a chart");
	checks_run(&in, &out);
	EXPECT(&out.findings, false, "scan-incomplete - - - 0");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test_setup_teardown(a_driver_is_baked_when_it_has_bytes_and_is_no_copy_for_older_kernels,
	                                        kit_setup, kit_teardown),
	        cmocka_unit_test_setup_teardown(a_placeholder_says_what_stands_there, kit_setup, kit_teardown),
	        cmocka_unit_test_setup_teardown(tools_are_told_by_package_and_links_are_none, kit_setup, kit_teardown),
	        cmocka_unit_test_setup_teardown(what_a_later_layer_hides_is_told_with_its_layer, kit_setup,
	                                        kit_teardown),
	        cmocka_unit_test_setup_teardown(labels_that_lie_are_told_with_both_words, kit_setup, kit_teardown),
	        cmocka_unit_test_setup_teardown(problems_of_one_package_are_one_finding_with_a_count, kit_setup,
	                                        kit_teardown),
	        cmocka_unit_test_setup_teardown(a_layer_stands_for_itself_and_a_limit_names_its_remedy, kit_setup,
	                                        kit_teardown),
	        cmocka_unit_test_setup_teardown(what_was_not_scanned_is_judged_by_nothing_but_why, kit_setup,
	                                        kit_teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
