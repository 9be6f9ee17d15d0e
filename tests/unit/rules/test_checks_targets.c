/* SPDX-License-Identifier: Apache-2.0 */
/* Findings about targets on small artifacts: which, about what, in which words. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "rules/targets_kit.h"

static void a_package_without_code_for_a_device(void **state)
{
	const struct finding *f;

	rocm_file("ort/libb.so", ORT, TARGETS("gfx90a", "gfx942", "gfx1030"));
	rocm_file("ort/liba.so", ORT, TARGETS("gfx908", "gfx90a"));
	node_class("mi350", "rocm", TARGETS("gfx950"));
	run(NULL);
	f = finding(FINDING_TARGET_MISSING);
	assert_non_null(f);
	no_finding_but(FINDING_TARGET_MISSING);
	span_is(f->message,
	        "nothing in onnxruntime-rocm 1.22.2 runs on gfx950, the code is for gfx908 gfx90a gfx942 gfx1030");
	span_is(f->remedy, "take a build of onnxruntime-rocm for gfx950, or take that device out of class mi350");
	span_is(f->backend, "rocm");
	span_is(f->class_name, "mi350");
	span_is(f->target, "gfx950");
	span_is(f->package, ORT);
	span_is(f->path, "");
	assert_int_equal(f->bytes, 10000);
	assert_int_equal(f->evidence.n, 2);
	span_is(f->evidence.v[0].object, "ort/liba.so");
	span_is(f->evidence.v[0].kind, "device-code");
	span_is(f->evidence.v[0].value, "gfx908 gfx90a");
	span_is(f->evidence.v[1].value, "gfx90a gfx942 gfx1030");
	class_is(0, ANSWER_NONE);
	row_is(0, 0, "ort/liba.so", ANSWER_NONE);
	row_is(0, 1, "ort/libb.so", ANSWER_NONE);
}

static void code_of_one_package_does_not_hide_that_another_has_none(void **state)
{
	cuda_file("a/liba.so", "pypi:a@1", TARGETS("sm_90"));
	cuda_file("b/libb.so", "pypi:b@2", TARGETS("sm_80"));
	node_class("h100", "cuda", TARGETS("sm_90"));
	run(NULL);
	span_is(finding(FINDING_TARGET_MISSING)->message, "nothing in b 2 runs on sm_90, the code is for sm_80");
	span_is(finding(FINDING_TARGET_MISSING)->path, "b/libb.so");
	no_finding_but(FINDING_TARGET_MISSING);
	class_is(0, ANSWER_NONE);
	row_is(0, 0, "a/liba.so", ANSWER_NATIVE);
	row_is(0, 1, "b/libb.so", ANSWER_NONE);
}

static void a_file_without_code_beside_one_that_has_it(void **state)
{
	const struct finding *f;

	cuda_file("x/_C.so", "pypi:xformers@0.0.35", TARGETS("sm_80", "sm_90a"));
	cuda_file("x/_D.so", "pypi:xformers@0.0.35", TARGETS("sm_80"));
	node_class("h100", "cuda", TARGETS("sm_90"));
	run(NULL);
	f = finding(FINDING_TARGET_MISSING_HERE);
	no_finding_but(FINDING_TARGET_MISSING_HERE);
	span_is(f->message, "x/_D.so has no code for sm_90, another file of xformers 0.0.35 has");
	span_is(f->remedy, "build this file for sm_90, too, unless nothing calls it there");
	span_is(f->path, "x/_D.so");
	assert_int_equal(f->bytes, 5000);
	class_is(0, ANSWER_NATIVE);
	row_is(0, 1, "x/_D.so", ANSWER_NONE);
}

static void some_units_of_a_file_have_code(void **state)
{
	struct object *o = file("ort/libcuda.so", "pypi:onnxruntime-gpu@1.27.0");
	const struct finding *f;

	code_unit(o, &mem, "cuda", 292, TARGETS("sm_90a"));
	code_unit(o, &mem, "cuda", 317, TARGETS("sm_80"));
	node_class("h100", "cuda", TARGETS("sm_90"));
	run(NULL);
	f = finding(FINDING_TARGET_PARTIAL);
	no_finding_but(FINDING_TARGET_PARTIAL);
	span_is(f->message, "only 292 of 609 units of ort/libcuda.so have code for sm_90");
	class_is(0, ANSWER_NATIVE);
	assert_true(judged.classes.v[0].objects.v[0].partial);
	assert_int_equal(judged.classes.v[0].objects.v[0].served, 292);
	assert_int_equal(judged.classes.v[0].objects.v[0].units, 609);
}

/* Of several devices the one with the fewest units is told. */
static void the_fewest_units_of_a_file_are_told(void **state)
{
	struct object *o = file("libk.so", "pypi:k@1");

	code_unit(o, &mem, "cuda", 5, TARGETS("sm_75"));
	code_unit(o, &mem, "cuda", 2, TARGETS("sm_75", "sm_80"));
	code_unit(o, &mem, "cuda", 3, TARGETS("sm_90", "sm_75"));
	node_class("fleet", "cuda", TARGETS("sm_90", "sm_75", "sm_80"));
	run(NULL);
	no_finding_but(FINDING_TARGET_PARTIAL);
	span_is(finding(FINDING_TARGET_PARTIAL)->message, "k 1 has code for sm_90 and sm_80 in some units only");
	assert_int_equal(judged.classes.v[0].objects.v[0].served, 2);
	assert_int_equal(judged.classes.v[0].objects.v[0].units, 10);
}

static void only_the_driver_can_make_code(void **state)
{
	cuda_file("t/liba.so", "pypi:t@2.0", TARGETS("sm_90", "compute_90"));
	node_class("b200", "cuda", TARGETS("sm_100"));
	node_class("h100", "cuda", TARGETS("sm_90"));
	run(NULL);
	span_is(finding(FINDING_TARGET_JIT_ONLY)->message, "t 2.0 runs on sm_100 only once the driver has compiled it");
	span_is(finding(FINDING_TARGET_JIT_ONLY)->class_name, "b200");
	no_finding_but(FINDING_TARGET_JIT_ONLY);
	class_is(0, ANSWER_JIT);
	class_is(1, ANSWER_NATIVE);
}

/* One file with final code is enough for the package. */
static void final_code_in_another_file_is_not_jit_only(void **state)
{
	cuda_file("t/liba.so", "pypi:t@2.0", TARGETS("compute_90"));
	cuda_file("t/libb.so", "pypi:t@2.0", TARGETS("sm_100"));
	node_class("b200", "cuda", TARGETS("sm_100"));
	run(NULL);
	no_finding_but(FINDING_NONE);
	class_is(0, ANSWER_NATIVE);
	row_is(0, 0, "t/liba.so", ANSWER_JIT);
}

/* All devices of a class must be served; those that are not make one finding. */
static void devices_of_a_class_share_a_finding(void **state)
{
	rocm_file("k.so", ORT, TARGETS("gfx90a"));
	node_class("mixed", "rocm", TARGETS("gfx90a", "gfx942", "gfx950"));
	run(NULL);
	span_is(finding(FINDING_TARGET_MISSING)->message,
	        "nothing in onnxruntime-rocm 1.22.2 runs on gfx942 and gfx950, the code is for gfx90a");
	span_is(finding(FINDING_TARGET_MISSING)->target, "");
	class_is(0, ANSWER_NONE);
	row_is(0, 0, "k.so", ANSWER_NONE);
}

/* What holds for one file and one device is not said of all. */
static void files_that_lack_different_devices(void **state)
{
	cuda_file("opt/lib/liba.so", "", TARGETS("sm_80"));
	cuda_file("opt/lib/libb.so", "", TARGETS("sm_90"));
	node_class("both", "cuda", TARGETS("sm_80", "sm_90"));
	run(NULL);
	no_finding_but(FINDING_TARGET_MISSING);
	span_is(finding(FINDING_TARGET_MISSING)->message,
	        "2 files of opt/lib have no code for one or more of sm_80 and sm_90, only for sm_80 sm_90");
	class_is(0, ANSWER_NONE);
}

static void unknown_is_neither_missing_nor_served(void **state)
{
	cuda_file("a/liba.so", "pypi:a@1", TARGETS("sm_80"));
	cuda_file("a/libb.so", "pypi:a@1", TARGETS("sm_90"));
	node_class("orin", "cuda", TARGETS("sm_87"));
	run(NULL);
	no_finding_but(FINDING_NONE);
	class_is(0, ANSWER_UNKNOWN);
	span_is(judged.classes.v[0].why, "a Tegra part is only sure to run code that is built for exactly it");
	row_is(0, 0, "a/liba.so", ANSWER_UNKNOWN);
	row_is(0, 1, "a/libb.so", ANSWER_NONE);
}

static void files_that_need_no_device_make_no_finding(void **state)
{
	code_row(file("a/liba.a", "pypi:a@1"), &mem, "cuda", "sm_80", FORM_RELOCATABLE);
	code_row(file("a/stub.so", "pypi:a@1"), &mem, "cuda", "sm_80", FORM_STUB);
	node_class("h100", "cuda", TARGETS("sm_90"));
	node_class("mi300", "rocm", TARGETS("gfx942"));
	run(NULL);
	no_finding_but(FINDING_NONE);
	class_is(0, ANSWER_NOT_NEEDED);
	row_is(0, 1, "a/stub.so", ANSWER_NOT_NEEDED);
	class_is(1, ANSWER_NOT_NEEDED);
	assert_int_equal(judged.classes.v[1].objects.n, 0);
}

static void hidden_files_serve_nothing(void **state)
{
	cuda_file("a/liba.so", "pypi:a@1", TARGETS("sm_80"));
	cuda_file("a/libb.so", "pypi:a@1", TARGETS("sm_90"));
	artifact.objects.v[1].hidden = true;
	store("a/kernels", "pypi:a@1", "cuda", "sm_90")->hidden = true;
	node_class("h100", "cuda", TARGETS("sm_90"));
	run(NULL);
	span_is(finding(FINDING_TARGET_MISSING)->path, "a/liba.so");
	assert_int_equal(judged.classes.v[0].objects.n, 1);
}

/* Nobody says that these libraries belong together: each answers for itself, and one finding has them all. */
static void unowned_libraries_of_a_folder(void **state)
{
	const struct finding *f;

	cuda_file("opt/lib/liba.so", "", TARGETS("sm_80"));
	cuda_file("opt/lib/libb.so", "", TARGETS("sm_90"));
	cuda_file("opt/lib/libc.so", "", TARGETS("sm_75"));
	cuda_file("opt/other/libd.so", "", TARGETS("sm_90"));
	node_class("h100", "cuda", TARGETS("sm_90"));
	run(NULL);
	f = finding(FINDING_TARGET_MISSING);
	no_finding_but(FINDING_TARGET_MISSING);
	span_is(f->message, "nothing in 2 files of opt/lib runs on sm_90, the code is for sm_75 sm_80");
	span_is(f->remedy, "take a build for sm_90, or take that device out of class h100");
	assert_int_equal(f->evidence.n, 2);
	span_is(f->evidence.v[1].object, "opt/lib/libc.so");
	class_is(0, ANSWER_NONE);
}

/* A folder with a kernel file for each target is what one program loads from. */
static void loose_kernels_of_a_folder_serve_together(void **state)
{
	rocm_file("opt/k/k_gfx90a.hsaco", "", TARGETS("gfx90a"));
	rocm_file("opt/k/k_gfx942.hsaco", "", TARGETS("gfx942"));
	artifact.objects.v[0].type = artifact.objects.v[1].type = OBJECT_HSACO;
	node_class("mi300", "rocm", TARGETS("gfx942"));
	node_class("mi350", "rocm", TARGETS("gfx950"));
	run(NULL);
	no_finding_but(FINDING_TARGET_MISSING);
	class_is(0, ANSWER_NATIVE);
	class_is(1, ANSWER_NONE);
	span_is(finding(FINDING_TARGET_MISSING)->message,
	        "nothing in 2 files of opt/k runs on gfx950, the code is for gfx90a gfx942");
}

static void loose_kernels_do_not_serve_for_a_library_beside_them(void **state)
{
	rocm_file("opt/k/k.hsaco", "", TARGETS("gfx942"));
	artifact.objects.v[0].type = OBJECT_HSACO;
	rocm_file("opt/k/liba.so", "", TARGETS("gfx90a"));
	node_class("mi300", "rocm", TARGETS("gfx942"));
	run(NULL);
	no_finding_but(FINDING_TARGET_MISSING);
	span_is(finding(FINDING_TARGET_MISSING)->path, "opt/k/liba.so");
	class_is(0, ANSWER_NONE);
}

static void a_store_serves_its_package(void **state)
{
	cuda_file("f/lib.so", "pypi:flashinfer-cubin@0.5", TARGETS("sm_80"));
	store("f/cubins", "pypi:flashinfer-cubin@0.5", "cuda", "sm_90a");
	node_class("h100", "cuda", TARGETS("sm_90"));
	run(NULL);
	no_finding_but(FINDING_TARGET_MISSING_HERE);
	class_is(0, ANSWER_NATIVE);
	row_is(0, 0, "f/cubins", ANSWER_NATIVE);
	assert_true(judged.classes.v[0].objects.v[0].store);
	row_is(0, 1, "f/lib.so", ANSWER_NONE);
}

static void a_store_without_code_is_called_by_its_folder(void **state)
{
	store("aiter/kernels", "pypi:amd-aiter@0.1.7", "rocm", "gfx950");
	store("aiter_meta/kernels", "pypi:amd-aiter@0.1.7", "rocm", "gfx942");
	node_class("mi300", "rocm", TARGETS("gfx942"));
	run(NULL);
	span_is(finding(FINDING_TARGET_MISSING_HERE)->message,
	        "the kernel files of aiter/kernels have no code for gfx942, another file has");
	span_is(finding(FINDING_TARGET_MISSING_HERE)->path, "aiter/kernels");
	span_is(finding(FINDING_TARGET_MISSING_HERE)->evidence.v[0].kind, "kernel-store");
}

/* All classes of the policy count, also those that this run does not judge for. */
static void code_that_no_class_can_use_is_surplus(void **state)
{
	const struct finding *f;

	rocm_file("a/liba.so", "pypi:a@1", TARGETS("gfx90a", "gfx942", "gfx1100"));
	cuda_file("a/libcuda.so", "pypi:a@1", TARGETS("sm_90"));
	node_class("mi300", "rocm", TARGETS("gfx942"));
	node_class("mi200", "rocm", TARGETS("gfx90a"));
	run("mi300");
	assert_int_equal(judged.classes.n, 1);
	f = finding(FINDING_TARGET_SURPLUS);
	span_is(f->message, "a 1 has final code for gfx1100, which no class of the policy can use");
	span_is(f->remedy, "a build for the devices of the policy alone saves 1.00 kB");
	span_is(f->target, "gfx1100");
	span_is(f->class_name, "");
	assert_int_equal(f->bytes, 1000);
	assert_int_equal(f->evidence.n, 1);
	span_is(f->evidence.v[0].value, "gfx1100");
}

/* Code that may serve, and code that the driver compiles, is no surplus. */
static void unknown_and_portable_code_is_no_surplus(void **state)
{
	cuda_file("a/liba.so", "pypi:a@1", TARGETS("compute_50", "sm_86", "unknown"));
	code_row(file("a/liba.a", "pypi:a@1"), &mem, "cuda", "sm_75", FORM_RELOCATABLE);
	node_class("orin", "cuda", TARGETS("sm_87"));
	run(NULL);
	assert_null(finding(FINDING_TARGET_SURPLUS));
	class_is(0, ANSWER_JIT);
}

static void many_targets_are_told_by_their_number(void **state)
{
	cuda_file("a.so", "pypi:a@1",
	          TARGETS("sm_100", "sm_50", "sm_52", "sm_60", "sm_61", "sm_70", "sm_75", "sm_80", "sm_86"));
	node_class("h100", "cuda", TARGETS("sm_90"));
	run(NULL);
	span_is(finding(FINDING_TARGET_MISSING)->message,
	        "nothing in a 1 runs on sm_90, the code is for 9 targets from sm_50 to sm_100");
	span_is(finding(FINDING_TARGET_MISSING)->evidence.v[0].value,
	        "sm_50 sm_52 sm_60 sm_61 sm_70 sm_75 sm_80 sm_86 sm_100");
}

static void a_class_without_devices_is_unknown(void **state)
{
	cuda_file("a.so", "pypi:a@1", TARGETS("sm_90"));
	node_class("none", "cuda", TARGETS(NULL));
	run(NULL);
	class_is(0, ANSWER_UNKNOWN);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test_setup_teardown(a_package_without_code_for_a_device, clear, clear),
	        cmocka_unit_test_setup_teardown(code_of_one_package_does_not_hide_that_another_has_none, clear, clear),
	        cmocka_unit_test_setup_teardown(a_file_without_code_beside_one_that_has_it, clear, clear),
	        cmocka_unit_test_setup_teardown(some_units_of_a_file_have_code, clear, clear),
	        cmocka_unit_test_setup_teardown(only_the_driver_can_make_code, clear, clear),
	        cmocka_unit_test_setup_teardown(final_code_in_another_file_is_not_jit_only, clear, clear),
	        cmocka_unit_test_setup_teardown(devices_of_a_class_share_a_finding, clear, clear),
	        cmocka_unit_test_setup_teardown(files_that_lack_different_devices, clear, clear),
	        cmocka_unit_test_setup_teardown(unknown_is_neither_missing_nor_served, clear, clear),
	        cmocka_unit_test_setup_teardown(files_that_need_no_device_make_no_finding, clear, clear),
	        cmocka_unit_test_setup_teardown(hidden_files_serve_nothing, clear, clear),
	        cmocka_unit_test_setup_teardown(unowned_libraries_of_a_folder, clear, clear),
	        cmocka_unit_test_setup_teardown(loose_kernels_of_a_folder_serve_together, clear, clear),
	        cmocka_unit_test_setup_teardown(a_store_serves_its_package, clear, clear),
	        cmocka_unit_test_setup_teardown(code_that_no_class_can_use_is_surplus, clear, clear),
	        cmocka_unit_test_setup_teardown(unknown_and_portable_code_is_no_surplus, clear, clear),
	        cmocka_unit_test_setup_teardown(many_targets_are_told_by_their_number, clear, clear),
	        cmocka_unit_test_setup_teardown(a_class_without_devices_is_unknown, clear, clear),
	        cmocka_unit_test_setup_teardown(the_fewest_units_of_a_file_are_told, clear, clear),
	        cmocka_unit_test_setup_teardown(a_store_without_code_is_called_by_its_folder, clear, clear),
	        cmocka_unit_test_setup_teardown(loose_kernels_do_not_serve_for_a_library_beside_them, clear, clear),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
