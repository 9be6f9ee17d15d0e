/* SPDX-License-Identifier: Apache-2.0 */
#include "judge_kit.h"

static struct findings run(const struct artifact *a, const struct policy *p)
{
	return run_family(&checks_backend, a, p);
}

static struct policy *no_cuda(void)
{
	struct policy *p = a_policy("p");

	p->forbid = only("cuda");
	return p;
}

static void one_finding_for_all_files_of_a_package(void **state)
{
	struct artifact *a = an_artifact("i.tar", "docker-archive");
	struct findings l;
	struct object *o;

	(void)state;
	says(a_package(a, "pypi:xformers@0.0.30", "lib/xformers-0.0.30.dist-info"), "cuda", "+cu128", true);
	o = an_object(a, "lib/xformers/_C.so", "pypi:xformers@0.0.30", 300);
	needs(o, "cuda", "libcudart.so.12");
	has_code(o, "cuda", "sm_90", 30);
	has_code(o, "cuda", "sm_80", 1);
	o = an_object(a, "lib/xformers/_D.so", "pypi:xformers@0.0.30", 100);
	is_library(o, "cuda", "libcublas.so.12");
	an_object(a, "lib/xformers/_E.so", "pypi:xformers@0.0.30", 7);
	l = run(a, no_cuda());
	EXPECT(&l, false, "backend-forbidden cuda needed pypi:xformers@0.0.30 400");
	assert_int_equal(l.v[0].evidence.n, 2);
	assert_int_equal(l.v[0].path.n, 0);
	assert_true(span_has(l.v[0].message, "xformers 0.0.30 needs libcudart.so.12"));
	assert_true(span_has(l.v[0].message, "carries 31 images for sm_80 and sm_90"));
	assert_true(span_has(l.v[0].remedy, "400 bytes"));
	assert_int_equal(l.v[0].chain.n, 3);
	assert_true(span_eq(l.v[0].chain.v[2], SPAN("libcudart.so.12")));
}

static void files_that_no_package_owns_are_one_finding_a_folder(void **state)
{
	struct artifact *a = an_artifact("i.tar", "rootfs-tar");
	struct findings l;

	(void)state;
	is_library(an_object(a, "opt/a/libcublas.so.12", "", 10), "cuda", "libcublas.so.12");
	is_library(an_object(a, "opt/a/libcudart.so.12", "", 20), "cuda", "libcudart.so.12");
	needs(an_object(a, "opt/b/prog", "", 5), "cuda", "libcudart.so.12");
	l = run(a, no_cuda());
	EXPECT(&l, false, "backend-forbidden cuda carried - 30", "backend-forbidden cuda needed opt/b/prog 5");
	assert_true(span_has(l.v[0].message, "opt/a (2 files)"));
}

static void what_lies_in_an_archive_is_carried_never_needed(void **state)
{
	struct artifact *a = an_artifact("i.tar", "rootfs-tar");
	struct findings l;

	(void)state;
	needs(an_object(a, "opt/x.whl!/p/_C.so", "", 5), "cuda", "libcudart.so.12");
	l = run(a, no_cuda());
	EXPECT(&l, false, "backend-forbidden cuda carried opt/x.whl!/p/_C.so 5");
}

static void names_alone_are_a_mention(void **state)
{
	struct artifact *a = an_artifact("x.whl", "wheel");
	struct findings l;

	(void)state;
	says(a_package(a, "pypi:torch@2.9", "torch-2.9.dist-info"), "cuda", "nvidia-cublas-cu12", false);
	has(an_object(a, "torch/x.so", "pypi:torch@2.9", 9), "cuda", EVIDENCE_DLOPEN, "libcuda.so.1", STRENGTH_SOFT);
	l = run(a, no_cuda());
	EXPECT(&l, false, "backend-mentioned cuda mentioned pypi:torch@2.9 9");
	assert_int_equal(l.v[0].evidence.n, 2);
	assert_true(span_eq(l.v[0].evidence.v[0].kind, SPAN("claim")));
}

static void metadata_alone_is_a_mention_too(void **state)
{
	struct artifact *a = an_artifact("x.whl", "wheel");
	struct findings l;

	(void)state;
	says(a_package(a, "pypi:meta@1", "meta-1.dist-info"), "cuda", "nvidia-cublas-cu12", true);
	l = run(a, no_cuda());
	EXPECT(&l, false, "backend-mentioned cuda mentioned pypi:meta@1 0");
}

static void hidden_files_and_metadata_meet_no_requirement(void **state)
{
	struct artifact *a = an_artifact("i.tar", "docker-archive");
	struct policy *p = a_policy("p");
	struct findings l;
	struct object *o;

	(void)state;
	requires_any(p, "rocm", NULL);
	requires_any(p, "cuda", "ascend");
	says(a_package(a, "pypi:t@1", "t-1.dist-info"), "rocm", "+rocm6", true);
	o = an_object(a, "a.so", "", 9);
	is_library(o, "rocm", "libamdhip64.so.6");
	o->hidden = true;
	has(an_object(a, "aa.so", "", 9), "rocm", EVIDENCE_DLOPEN, "libamdhip64.so.6", STRENGTH_SOFT);
	l = run(a, p);
	EXPECT(&l, false, "backend-required-missing rocm - - 0", "backend-required-missing cuda - - 0");
	needs(an_object(a, "b.so", "", 9), "rocm", "libamdhip64.so.6");
	is_library(an_object(a, "c.so", "", 9), "ascend", "libascendcl.so");
	p->allow = only("ascend");
	says(a_package(a, "pypi:u@1", "u-1.dist-info"), "ascend", "x", true);
	l = run(a, p);
	EXPECT(&l, false);
}

static void what_was_not_read_to_its_end_is_said_with_the_requirement(void **state)
{
	struct artifact *a = an_artifact("i.tar", "docker-archive");
	struct policy *p = a_policy("p");
	struct findings l;

	(void)state;
	requires_any(p, "rocm", NULL);
	a->complete = false;
	l = run(a, p);
	assert_true(span_has(l.v[0].message, "no file that was read"));
}

static void vendors_in_no_list_are_told_and_portable_apis_are_not(void **state)
{
	struct artifact *a = an_artifact("i.tar", "rootfs-tar");
	struct policy *p = a_policy("p");
	struct findings l;

	(void)state;
	is_library(an_object(a, "a/libascendcl.so", "", 1), "ascend", "libascendcl.so");
	is_library(an_object(a, "b/libOpenCL.so.1", "", 2), "opencl", "libOpenCL.so.1");
	is_library(an_object(a, "c/libnew.so.1", "", 3), "quite-new", "libnew.so.1");
	has(an_object(a, "d/x.so", "", 4), "rocm", EVIDENCE_DLOPEN, "libamdhip64.so", STRENGTH_SOFT);
	l = run(a, p);
	EXPECT(&l, false, "backend-other ascend carried a/libascendcl.so 1",
	       "backend-other quite-new carried c/libnew.so.1 3");
	p->allow = only("ascend");
	p->forbid = only("opencl");
	l = run(a, p);
	EXPECT(&l, false, "backend-forbidden opencl carried b/libOpenCL.so.1 2",
	       "backend-other quite-new carried c/libnew.so.1 3");
}

static void a_package_that_does_not_say_what_it_brings_is_the_side_door(void **state)
{
	struct artifact *a = an_artifact("i.tar", "rootfs-tar");
	struct policy *p = a_policy("p");
	struct findings l;

	(void)state;
	p->allow = only("cuda");
	says(a_package(a, "pypi:honest@1", "honest-1.dist-info"), "cuda", "+cu12", true);
	says(a_package(a, "pypi:offers@1", "offers-1.dist-info"), "cuda", "cupy ; extra == 'gpu'", false);
	a_package(a, "pypi:silent@1", "silent-1.dist-info");
	/* What a later layer hides says nothing any more. */
	says(a_package(a, "pypi:silent@1", "silent-1.dist-info"), "cuda", "+cu12", true);
	a->packages.v[3].hidden = true;
	needs(an_object(a, "honest.so", "pypi:honest@1", 1), "cuda", "libcudart.so.12");
	needs(an_object(a, "offers.so", "pypi:offers@1", 2), "cuda", "libcudart.so.12");
	needs(an_object(a, "silent.so", "pypi:silent@1", 3), "cuda", "libcudart.so.12");
	needs(an_object(a, "nobodys.so", "", 4), "cuda", "libcudart.so.12");
	l = run(a, p);
	EXPECT(&l, false, "backend-hidden cuda needed pypi:offers@1 2", "backend-hidden cuda needed pypi:silent@1 3");
}

static void a_store_counts_as_carried(void **state)
{
	struct artifact *a = an_artifact("i.tar", "rootfs-tar");
	struct store *s = list_add(&mem, &a->stores);
	struct findings l;

	(void)state;
	*s = (struct store){
	        .path = SPAN("k"), .kind = SPAN("kernel-files"), .backend = SPAN("cuda"), .files = 99, .bytes = 1000};
	list_add(&mem, &s->targets)->target = SPAN("sm_90");
	l = run(a, no_cuda());
	EXPECT(&l, false, "backend-forbidden cuda carried k 1000");
	assert_true(span_has(l.v[0].message, "99 kernel files for sm_90"));
	assert_true(span_eq(l.v[0].evidence.v[0].kind, SPAN("kernel-store")));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test_setup_teardown(one_finding_for_all_files_of_a_package, kit_setup, kit_teardown),
	        cmocka_unit_test_setup_teardown(files_that_no_package_owns_are_one_finding_a_folder, kit_setup,
	                                        kit_teardown),
	        cmocka_unit_test_setup_teardown(what_lies_in_an_archive_is_carried_never_needed, kit_setup,
	                                        kit_teardown),
	        cmocka_unit_test_setup_teardown(names_alone_are_a_mention, kit_setup, kit_teardown),
	        cmocka_unit_test_setup_teardown(metadata_alone_is_a_mention_too, kit_setup, kit_teardown),
	        cmocka_unit_test_setup_teardown(hidden_files_and_metadata_meet_no_requirement, kit_setup, kit_teardown),
	        cmocka_unit_test_setup_teardown(what_was_not_read_to_its_end_is_said_with_the_requirement, kit_setup,
	                                        kit_teardown),
	        cmocka_unit_test_setup_teardown(vendors_in_no_list_are_told_and_portable_apis_are_not, kit_setup,
	                                        kit_teardown),
	        cmocka_unit_test_setup_teardown(a_package_that_does_not_say_what_it_brings_is_the_side_door, kit_setup,
	                                        kit_teardown),
	        cmocka_unit_test_setup_teardown(a_store_counts_as_carried, kit_setup, kit_teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
