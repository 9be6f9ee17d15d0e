/* SPDX-License-Identifier: Apache-2.0 */
#include "judge/judge.h"
#include "judge_kit.h"

static struct span print_of(const char *package, const char *path)
{
	struct artifact *a = an_artifact("i.tar", "rootfs-tar");
	struct judge_options o = {.fail_on = GRADE_FAIL, .date = SPAN("2026-12-01")};
	struct policy *p = a_policy("no-cuda");
	struct inventory inv = {0};
	struct judgement j = {0};
	struct err e = ERR_INIT;

	is_library(an_object(a, path, package, 40), "cuda", "libcublas.so.12");
	a_package(a, "pypi:other@1", "x.dist-info");
	p->forbid = only("cuda");
	*list_add(&mem, &inv.artifacts) = *a;
	assert_int_equal(judge_inventory(&j, &inv, p, &catalogue, &o, &mem, &e), 0);
	assert_int_equal(j.artifacts.v[0].findings.v[0].id, FINDING_BACKEND_FORBIDDEN);
	assert_int_equal(j.artifacts.v[0].findings.v[0].fingerprint.n, 32);
	return j.artifacts.v[0].findings.v[0].fingerprint;
}

static void assert_same(const char *package, const char *path, const char *package_2, const char *path_2, bool same)
{
	assert_int_equal(span_eq(print_of(package, path), print_of(package_2, path_2)), same);
}

static void a_fingerprint_outlives_a_rebuild(void **state)
{
	(void)state;
	assert_same("pypi:t@2.9.0", "lib/python3.12/t/x.so", "pypi:t@2.10.0rc1", "lib/python3.13/t/x.so", true);
	assert_same("", "t.libs/libcublas-1a2b3c4d.so.12.4.5", "", "t.libs/libcublas-deadbeef.so.12.8", true);
	assert_same("", "t/libcudart.3eda8113.so.13", "", "t/libcudart.99999999.so.14", true);
	assert_same("", "store/0b7a9c1de/x.so", "", "store/77aa00ff11/x.so", true);
	assert_same("", "t-1.0+g1a2b3c4.dist/x.so", "", "t-1.1+gffee001.dist/x.so", true);
	assert_same("pypi:t@2.9.0", "t/x.so", "pypi:u@2.9.0", "t/x.so", false);
	assert_same("", "t/x.so", "", "t/y.so", false);
	assert_same("", "effaced/x.so", "", "defaced/x.so", false);
	assert_same("", "a/x.so", "", "b/x.so", false);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test_setup_teardown(a_fingerprint_outlives_a_rebuild, kit_setup, kit_teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
