/* SPDX-License-Identifier: Apache-2.0 */
/* Small inventories against small policies: every finding that must come, in its order, written by hand. */
#include "judge/judge.h"
#include "judge_kit.h"

/* A CPU wheel: one extension that has to do with no backend. */
static struct artifact *cpu_wheel(void)
{
	struct artifact *a = an_artifact("numpy.whl", "wheel");

	a_package(a, "pypi:numpy@2.3.1", "numpy-2.3.1.dist-info");
	an_object(a, "numpy/_core.so", "pypi:numpy@2.3.1", 1000);
	return a;
}

static struct artifact *cuda_wheel(void)
{
	struct artifact *a = an_artifact("ort.whl", "wheel");
	struct object *o;

	says(a_package(a, "pypi:ort-gpu@1.22", "ort-1.22.dist-info"), "cuda", "nvidia-cublas-cu12", true);
	o = an_object(a, "ort/provider.so", "pypi:ort-gpu@1.22", 5000);
	needs(o, "cuda", "libcudart.so.12");
	has_code(o, "cuda", "sm_90", 3);
	return a;
}

static struct artifact *rocm_wheel(void)
{
	struct artifact *a = an_artifact("ort.whl", "wheel");

	says(a_package(a, "pypi:ort-rocm@1.22", "ort-1.22.dist-info"), "rocm", "+rocm6.4", true);
	needs(an_object(a, "ort/provider.so", "pypi:ort-rocm@1.22", 6000), "rocm", "libamdhip64.so.6");
	return a;
}

/* ROCm by design, CUDA by the side door, more of it below, and a library that only looks for it. */
static struct artifact *side_door(void)
{
	struct artifact *a = an_artifact("serve.tar", "docker-archive");
	struct object *o;

	says(a_package(a, "pypi:ort-rocm@1.22", "a/ort-1.22.dist-info"), "rocm", "+rocm6.4", true);
	a_package(a, "pypi:cupy@13", "a/cupy-13.dist-info");
	is_library(an_object(a, "a/cupy/libcublas.so.12", "pypi:cupy@13", 700), "cuda", "libcublas.so.12");
	o = an_object(a, "a/old/libcufft.so.11", "", 211);
	is_library(o, "cuda", "libcufft.so.11");
	o->hidden = true;
	needs(an_object(a, "a/ort/provider.so", "pypi:ort-rocm@1.22", 6000), "rocm", "libamdhip64.so.6");
	has(an_object(a, "usr/lib/libhwloc.so", "", 40), "cuda", EVIDENCE_DLOPEN, "libcuda.so.1", STRENGTH_SOFT);
	return a;
}

/* The same once the layer that brought it is gone. */
static struct artifact *side_door_shut(void)
{
	struct artifact *a = rocm_wheel();

	has(an_object(a, "usr/lib/libhwloc.so", "", 40), "cuda", EVIDENCE_DLOPEN, "libcuda.so.1", STRENGTH_SOFT);
	return a;
}

static struct artifact *cut_off(void)
{
	struct artifact *a = cuda_wheel();

	a->complete = false;
	a_problem(&a->incomplete, FINDING_OBJECT_UNREADABLE, "ort/x.so", 0, "cut off");
	return a;
}

/* A checkout without git lfs: names of libraries, a driver and kernels, and nothing of them. */
static struct artifact *not_fetched(void)
{
	struct artifact *a = an_artifact("app", "directory");
	struct object *o[4];

	o[0] = an_object(a, "k/a.cubin", "", 129);
	has(o[0], "cuda", EVIDENCE_DEVICE_CODE, "absent", STRENGTH_SOFT);
	o[1] = an_object(a, "lib/libcuda.so.1", "", 133);
	has(o[1], "cuda", EVIDENCE_DRIVER_FILE, "libcuda.so.1", STRENGTH_HOST);
	o[2] = an_object(a, "lib/libcudart.so.12", "", 130);
	is_library(o[2], "cuda", "libcudart.so.12");
	o[3] = an_object(a, "lib/ptxas", "", 127);
	has(o[3], "cuda", EVIDENCE_TOOLCHAIN, "ptxas", STRENGTH_TOOL);
	for (size_t i = 0; i < 4; i++)
		o[i]->type = OBJECT_LFS_POINTER;
	return a;
}

static struct policy *none(void)
{
	struct policy *p = a_policy("none");

	p->source = SPAN_NONE;
	return p;
}

static struct policy *cpu(void)
{
	struct policy *p = a_policy("cpu");

	p->forbid = only("cuda");
	add_text(&p->forbid, "rocm");
	p->has_others = true;
	p->others = GRADE_FAIL;
	return p;
}

static struct policy *cuda(void)
{
	struct policy *p = a_policy("cuda");

	requires_any(p, "cuda", NULL);
	p->forbid = only("rocm");
	return p;
}

static struct policy *rocm(void)
{
	struct policy *p = a_policy("rocm");

	requires_any(p, "rocm", NULL);
	p->forbid = only("cuda");
	*list_add(&mem, &p->checks) = (struct check_grade){.id = FINDING_BACKEND_MENTIONED, .grade = GRADE_INFO};
	return p;
}

/* Any GPU will do, and nothing is said of others. */
static struct policy *any(void)
{
	struct policy *p = a_policy("any");

	requires_any(p, "cuda", "rocm");
	p->has_others = true;
	p->others = GRADE_OFF;
	return p;
}

static const struct row {
	struct artifact *(*artifact)(void);
	struct policy *(*policy)(void);
	enum verdict verdict;
	const char *lines[6];
} rows[] = {
        {cpu_wheel, none, VERDICT_PASS, {NULL}},
        {cpu_wheel, cpu, VERDICT_PASS, {NULL}},
        {cpu_wheel, cuda, VERDICT_FAIL, {"fail backend-required-missing cuda - - 0"}},
        {cpu_wheel, any, VERDICT_FAIL, {"fail backend-required-missing cuda - - 0"}},
        {cuda_wheel, none, VERDICT_PASS, {"info backend-other cuda needed pypi:ort-gpu@1.22 5000"}},
        {cuda_wheel, cpu, VERDICT_FAIL, {"fail backend-forbidden cuda needed pypi:ort-gpu@1.22 5000"}},
        {cuda_wheel, cuda, VERDICT_PASS, {NULL}},
        {cuda_wheel,
         rocm,
         VERDICT_FAIL,
         {"fail backend-forbidden cuda needed pypi:ort-gpu@1.22 5000", "fail backend-required-missing rocm - - 0"}},
        {cuda_wheel, any, VERDICT_PASS, {NULL}},
        {rocm_wheel, rocm, VERDICT_PASS, {NULL}},
        {rocm_wheel,
         cuda,
         VERDICT_FAIL,
         {"fail backend-forbidden rocm needed pypi:ort-rocm@1.22 6000", "fail backend-required-missing cuda - - 0"}},
        {rocm_wheel, any, VERDICT_PASS, {NULL}},
        {side_door,
         none,
         VERDICT_PASS,
         {"warn backend-hidden cuda carried pypi:cupy@13 700", "info backend-other rocm needed pypi:ort-rocm@1.22 6000",
          "info backend-other cuda carried pypi:cupy@13 700",
          "info hidden-in-lower-layer cuda - a/old/libcufft.so.11 211"}},
        {side_door,
         rocm,
         VERDICT_FAIL,
         {"fail backend-forbidden cuda carried pypi:cupy@13 700", "warn backend-hidden cuda carried pypi:cupy@13 700",
          "info hidden-in-lower-layer cuda - a/old/libcufft.so.11 211",
          "info backend-mentioned cuda mentioned usr/lib/libhwloc.so 40"}},
        {side_door,
         any,
         VERDICT_PASS,
         {"warn backend-hidden cuda carried pypi:cupy@13 700",
          "info hidden-in-lower-layer cuda - a/old/libcufft.so.11 211"}},
        {side_door_shut, rocm, VERDICT_PASS, {"info backend-mentioned cuda mentioned usr/lib/libhwloc.so 40"}},
        {not_fetched,
         none,
         VERDICT_PASS,
         {"warn placeholder-file cuda - - 390", "warn placeholder-file cuda - k/a.cubin 129"}},
        {not_fetched,
         cpu,
         VERDICT_PASS,
         {"warn placeholder-file cuda - - 390", "warn placeholder-file cuda - k/a.cubin 129"}},
        {not_fetched,
         cuda,
         VERDICT_FAIL,
         {"fail backend-required-missing cuda - - 0", "warn placeholder-file cuda - - 390",
          "warn placeholder-file cuda - k/a.cubin 129"}},
        {cut_off,
         none,
         VERDICT_INCOMPLETE,
         {"warn object-unreadable - - pypi:ort-gpu@1.22 0", "info backend-other cuda needed pypi:ort-gpu@1.22 5000"}},
        {cut_off, cuda, VERDICT_INCOMPLETE, {"fail object-unreadable - - pypi:ort-gpu@1.22 0"}},
        {cut_off,
         cpu,
         VERDICT_INCOMPLETE,
         {"fail backend-forbidden cuda needed pypi:ort-gpu@1.22 5000",
          "fail object-unreadable - - pypi:ort-gpu@1.22 0"}},
};

static void every_row_gives_its_findings(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct judge_options o = {.fail_on = GRADE_FAIL, .date = SPAN("2026-12-01")};
		struct inventory inv = {.rules_version = SPAN("2026.12")};
		struct judgement j = {0};
		struct err e = ERR_INIT;

		*list_add(&mem, &inv.artifacts) = *rows[i].artifact();
		assert_int_equal(judge_inventory(&j, &inv, rows[i].policy(), &catalogue, &o, &mem, &e), 0);
		expect_lines(&j.artifacts.v[0].findings, true, rows[i].lines);
		if (j.verdict != rows[i].verdict)
			fail_msg("row %zu: %s", i, verdict_name(j.verdict));
		assert_int_equal(j.artifacts.v[0].verdict, rows[i].verdict);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test_setup_teardown(every_row_gives_its_findings, kit_setup, kit_teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
