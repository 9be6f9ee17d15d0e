/* SPDX-License-Identifier: Apache-2.0 */
#include "core/judged_kit.h"

static void an_id_beats_its_family_and_off_is_dropped(void **state)
{
	struct policy *p = forbids_cuda();
	struct judgement j;

	(void)state;
	grade(&p->checks, FINDING_TOOLCHAIN_SHIPPED, FINDINGS_NONE, GRADE_FAIL);
	grade(&p->checks, FINDING_NONE, FINDINGS_BAGGAGE, GRADE_OFF);
	grade(&p->checks, FINDING_NONE, FINDINGS_BACKEND, GRADE_WARN);
	j = judged(inventory_of(sample()), p);
	EXPECT(&j.artifacts.v[0].findings, true, "fail toolchain-shipped cuda - pypi:triton@3.4.0 50",
	       "warn backend-forbidden cuda carried pypi:triton@3.4.0 50",
	       "warn backend-forbidden cuda carried opt/libcublas.so.12 40");
	grade(&p->checks, FINDING_BACKEND_FORBIDDEN, FINDINGS_NONE, GRADE_OFF);
	j = judged(inventory_of(sample()), p);
	EXPECT(&j.artifacts.v[0].findings, true, "fail toolchain-shipped cuda - pypi:triton@3.4.0 50");
	assert_int_equal(j.fails, 1);
}

static void others_is_a_word_about_one_id(void **state)
{
	struct policy *p = a_policy("p");
	struct judgement j;

	(void)state;
	p->has_others = true;
	p->others = GRADE_FAIL;
	grade(&p->checks, FINDING_NONE, FINDINGS_BACKEND, GRADE_WARN);
	j = judged(inventory_of(sample()), p);
	assert_int_equal(j.artifacts.v[0].findings.v[0].grade, GRADE_FAIL);
	grade(&p->checks, FINDING_BACKEND_OTHER, FINDINGS_NONE, GRADE_INFO);
	j = judged(inventory_of(sample()), p);
	assert_int_equal(j.fails, 0);
}

static void a_later_override_wins_and_is_counted(void **state)
{
	struct policy *p = forbids_cuda();
	struct policy_override *o;
	struct judgement j;

	(void)state;
	o = list_add(&mem, &p->overrides);
	o->match.packages = only("triton");
	grade(&o->checks, FINDING_BACKEND_FORBIDDEN, FINDINGS_NONE, GRADE_WARN);
	o = list_add(&mem, &p->overrides);
	o->match.packages = only("tri*");
	o->match.levels = only("carried");
	grade(&o->checks, FINDING_NONE, FINDINGS_BACKEND, GRADE_INFO);
	o = list_add(&mem, &p->overrides);
	o->match.packages = only("torch");
	grade(&o->checks, FINDING_BACKEND_FORBIDDEN, FINDINGS_NONE, GRADE_OFF);
	j = judged(inventory_of(sample()), p);
	EXPECT(&j.artifacts.v[0].findings, true, "fail backend-forbidden cuda carried opt/libcublas.so.12 40",
	       "info backend-forbidden cuda carried pypi:triton@3.4.0 50",
	       "info toolchain-shipped cuda - pypi:triton@3.4.0 50");
	assert_int_equal(j.overridden.v[0], 0);
	assert_int_equal(j.overridden.v[1], 1);
	assert_int_equal(j.notes.n, 2);
	assert_true(span_has(j.notes.v[1], "package 'torch'"));
}

static void a_waived_finding_keeps_its_grade_and_does_not_fail(void **state)
{
	struct policy *p = forbids_cuda();
	struct judgement j;
	struct waiver *w;

	(void)state;
	w = waive(p, FINDING_BACKEND_FORBIDDEN, "2026-12-01");
	w->match.packages = only("triton");
	w->match.images = only("*/serve:*");
	w = waive(p, FINDING_BACKEND_FORBIDDEN, "2027-03-31");
	w->match.paths = only("opt/**");
	j = judged(inventory_of(sample()), p);
	assert_int_equal(j.verdict, VERDICT_PASS);
	assert_int_equal(j.waived, 2);
	assert_int_equal(j.fails, 0);
	EXPECT(&j.artifacts.v[0].findings, true, "fail backend-forbidden cuda carried pypi:triton@3.4.0 50",
	       "fail backend-forbidden cuda carried opt/libcublas.so.12 40",
	       "info toolchain-shipped cuda - pypi:triton@3.4.0 50");
	assert_ptr_equal(j.artifacts.v[0].findings.v[1].waiver, w);
}

static void a_waiver_is_good_up_to_its_last_day_and_then_a_finding(void **state)
{
	struct policy *p = forbids_cuda();
	struct judgement j;

	(void)state;
	waive(p, FINDING_BACKEND_FORBIDDEN, "2026-12-01")->match.backends = only("cuda");
	j = judged_for(inventory_of(sample()), p, NULL, "2026-12-02");
	assert_int_equal(j.verdict, VERDICT_FAIL);
	EXPECT(&j.artifacts.v[0].findings, true, "fail backend-forbidden cuda carried pypi:triton@3.4.0 50",
	       "fail backend-forbidden cuda carried opt/libcublas.so.12 40", "warn waiver-expired - - - 0",
	       "info toolchain-shipped cuda - pypi:triton@3.4.0 50");
	assert_true(span_has(j.artifacts.v[0].findings.v[2].message, "2026-12-01"));
	assert_int_equal(j.unused.n, 0);
	j = judged_for(inventory_of(sample()), p, NULL, "2026-12-01");
	assert_int_equal(j.verdict, VERDICT_PASS);
}

static void a_waiver_that_fits_nothing_anywhere_is_told_once(void **state)
{
	struct inventory *inv = inventory_of(sample());
	struct policy *p = forbids_cuda();
	struct judgement j;
	uint64_t told = 0;

	(void)state;
	*list_add(&mem, &inv->artifacts) = *sample();
	inv->artifacts.v[1].objects.n = 2;
	waive(p, FINDING_DRIVER_BAKED, "2027-01-01")->match.packages = only("torch");
	/* This one fits the first artifact only. */
	waive(p, FINDING_BACKEND_FORBIDDEN, "2027-01-01")->match.paths = only("opt/*");
	j = judged(inv, p);
	assert_int_equal(j.unused.n, 1);
	for (size_t i = 0; i < 2; i++)
		for (size_t k = 0; k < j.artifacts.v[i].findings.n; k++)
			told += j.artifacts.v[i].findings.v[k].id == FINDING_WAIVER_UNUSED;
	assert_int_equal(told, 1);
}

static void a_limit_and_a_digest_cannot_be_waived(void **state)
{
	struct artifact *a = sample();
	struct policy *p = a_policy("p");
	struct limits limits;
	struct judgement j;

	(void)state;
	limits_default(&limits);
	a->complete = false;
	problem_limit(&a->incomplete, &mem, &limits, LIMIT_JSON_BYTES, SPAN("x"), "it");
	a_problem(&a->incomplete, FINDING_DIGEST_MISMATCH, "", 1, "other bytes");
	waive(p, FINDING_SCAN_INCOMPLETE, "2027-01-01")->match.images = only("**");
	waive(p, FINDING_DIGEST_MISMATCH, "2027-01-01")->match.images = only("**");
	j = judged(inventory_of(a), p);
	assert_int_equal(j.waived, 0);
	assert_int_equal(j.verdict, VERDICT_INCOMPLETE);
	assert_int_equal(j.notes.n, 2);
	assert_int_equal(j.unused.n, 0);
}

static void what_makes_it_incomplete_is_never_off_and_never_a_pass(void **state)
{
	struct artifact *a = sample();
	struct policy *p = a_policy("p");
	struct judgement j;

	(void)state;
	a->complete = false;
	a_problem(&a->incomplete, FINDING_OBJECT_UNREADABLE, "x", 0, "cut");
	grade(&p->checks, FINDING_NONE, FINDINGS_TRUST, GRADE_OFF);
	waive(p, FINDING_OBJECT_UNREADABLE, "2027-01-01")->match.paths = only("x");
	j = judged(inventory_of(a), p);
	assert_int_equal(j.waived, 1);
	assert_int_equal(j.verdict, VERDICT_INCOMPLETE);
}

static void test_data_that_no_loader_takes_does_not_fail_a_healthy_image(void **state)
{
	struct artifact *a = an_artifact("i.tar", "rootfs-tar");
	struct policy *p = a_policy("p");
	struct judgement j;

	(void)state;
	a_problem(&a->anomalies, FINDING_OBJECT_UNREADABLE, "go/testdata/x", 0, "cut");
	grade(&p->checks, FINDING_OBJECT_UNREADABLE, FINDINGS_NONE, GRADE_FAIL);
	j = judged(inventory_of(a), p);
	EXPECT(&j.artifacts.v[0].findings, true, "info object-unreadable - - go/testdata/x 0");
	assert_int_equal(j.verdict, VERDICT_PASS);
}

static void incomplete_beats_fail_and_fail_beats_pass(void **state)
{
	struct inventory *inv = an_inventory();
	struct judgement j;

	(void)state;
	*list_add(&mem, &inv->artifacts) = *an_artifact("a", "file");
	*list_add(&mem, &inv->artifacts) = *sample();
	j = judged(inv, forbids_cuda());
	assert_int_equal(j.artifacts.v[0].verdict, VERDICT_PASS);
	assert_int_equal(j.artifacts.v[1].verdict, VERDICT_FAIL);
	assert_int_equal(j.verdict, VERDICT_FAIL);
	inv->artifacts.v[0].complete = false;
	j = judged(inv, forbids_cuda());
	assert_int_equal(j.verdict, VERDICT_INCOMPLETE);
	inv->artifacts.n = 0;
	j = judged(inv, forbids_cuda());
	assert_int_equal(j.verdict, VERDICT_INCOMPLETE);
}

static void without_a_policy_nothing_fails(void **state)
{
	struct judge_options o = {.fail_on = GRADE_WARN, .date = SPAN("2026-12-01")};
	struct artifact *a = an_artifact("i.tar", "rootfs-tar");
	struct policy *p = a_policy("none");
	struct judgement j = {0};

	(void)state;
	p->source = SPAN_NONE;
	has(an_object(a, "libcuda.so.1", "", 9), "cuda", EVIDENCE_DRIVER_FILE, "libcuda.so.1", STRENGTH_HOST);
	assert_int_equal(judge_inventory(&j, inventory_of(a), p, &catalogue, &o, &mem, &e), 0);
	EXPECT(&j.artifacts.v[0].findings, true, "warn driver-baked cuda - libcuda.so.1 9",
	       "info backend-other cuda carried libcuda.so.1 9");
	assert_int_equal(j.verdict, VERDICT_PASS);
}

static void fail_on_moves_the_bar(void **state)
{
	struct judge_options o = {.fail_on = GRADE_INFO, .date = SPAN("2026-12-01")};
	struct judgement j = {0};

	(void)state;
	assert_int_equal(judge_inventory(&j, inventory_of(sample()), a_policy("p"), &catalogue, &o, &mem, &e), 0);
	assert_int_equal(j.fails, 0);
	assert_int_equal(j.verdict, VERDICT_FAIL);
}

static void a_class_nobody_can_use_is_noted_and_one_that_is_not_there_is_refused(void **state)
{
	struct judge_options o = {.fail_on = GRADE_FAIL, .date = SPAN("2026-12-01"), .classes = only("h200")};
	struct policy *p = a_policy("p");
	struct judgement j;

	(void)state;
	*list_add(&mem, &p->classes) =
	        (struct node_class){.name = SPAN("mi300"), .backend = SPAN("rocm"), .devices = only("gfx942")};
	j = judged(inventory_of(sample()), p);
	assert_int_equal(j.notes.n, 1);
	assert_true(span_has(j.notes.v[0], "class 'mi300' is of rocm"));
	j = (struct judgement){0};
	assert_int_equal(judge_inventory(&j, inventory_of(sample()), p, &catalogue, &o, &mem, &e), -1);
	assert_int_equal(e.code, ERR_USAGE);
	assert_string_equal(e.text, "no class 'h200' in 'p.yaml', only mi300");
	o = (struct judge_options){.date = SPAN("2026-02-30")};
	assert_int_equal(judge_inventory(&j, inventory_of(sample()), p, &catalogue, &o, &mem, &e), -1);
	assert_int_equal(e.code, ERR_USAGE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        TEST(an_id_beats_its_family_and_off_is_dropped),
	        TEST(others_is_a_word_about_one_id),
	        TEST(a_later_override_wins_and_is_counted),
	        TEST(a_waived_finding_keeps_its_grade_and_does_not_fail),
	        TEST(a_waiver_is_good_up_to_its_last_day_and_then_a_finding),
	        TEST(a_waiver_that_fits_nothing_anywhere_is_told_once),
	        TEST(a_limit_and_a_digest_cannot_be_waived),
	        TEST(what_makes_it_incomplete_is_never_off_and_never_a_pass),
	        TEST(test_data_that_no_loader_takes_does_not_fail_a_healthy_image),
	        TEST(incomplete_beats_fail_and_fail_beats_pass),
	        TEST(without_a_policy_nothing_fails),
	        TEST(fail_on_moves_the_bar),
	        TEST(a_class_nobody_can_use_is_noted_and_one_that_is_not_there_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
