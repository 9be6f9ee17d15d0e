/* SPDX-License-Identifier: Apache-2.0 */
/* Which findings a waiver or override means. */
#include "core/judged_kit.h"

static void a_waiver_by_path_must_name_every_file(void **state)
{
	struct policy *p = a_policy("p");
	struct judgement j;

	(void)state;
	waive(p, FINDING_TOOLCHAIN_SHIPPED, "2027-01-01")->match.paths = only("**/ptxas");
	j = judged(inventory_of(sample()), p);
	assert_int_equal(j.waived, 0);
	p->waivers.v[0].match.paths = only("**/triton/bin/*");
	j = judged(inventory_of(sample()), p);
	assert_int_equal(j.waived, 1);
}

static void every_key_of_a_match_must_fit(void **state)
{
	struct policy *p = forbids_cuda();
	struct waiver *w = waive(p, FINDING_BACKEND_FORBIDDEN, "2027-01-01");

	(void)state;
	w->match.packages = only("triton");
	assert_int_equal(judged(inventory_of(sample()), p).waived, 1);
	w->match.levels = only("needed");
	assert_int_equal(judged(inventory_of(sample()), p).waived, 0);
	w->match.levels = only("carried");
	w->match.images = only("*/other:*");
	assert_int_equal(judged(inventory_of(sample()), p).waived, 0);
	add_text(&w->match.images, "registry/serve:1.4-rocm");
	assert_int_equal(judged(inventory_of(sample()), p).waived, 1);
	w->match.classes = only("**");
	assert_int_equal(judged(inventory_of(sample()), p).waived, 0);
}

static void layers_are_matched_by_their_number_from_nought(void **state)
{
	struct policy *p = a_policy("p");
	struct judgement j;

	(void)state;
	waive(p, FINDING_TOOLCHAIN_SHIPPED, "2027-01-01")->match.layers = only("3");
	j = judged(inventory_of(sample()), p);
	assert_int_equal(j.waived, 0);
	p->waivers.v[0].match.layers = only("2");
	j = judged(inventory_of(sample()), p);
	assert_int_equal(j.waived, 1);
}

static void fingerprints_can_be_matched(void **state)
{
	struct policy *p = forbids_cuda();
	struct judgement j = judged(inventory_of(sample()), p);
	struct waiver *w = waive(p, FINDING_BACKEND_FORBIDDEN, "2027-01-01");

	(void)state;
	spans_add(&mem, &w->match.fingerprints, j.artifacts.v[0].findings.v[1].fingerprint);
	j = judged(inventory_of(sample()), p);
	assert_null(j.artifacts.v[0].findings.v[0].waiver);
	assert_non_null(j.artifacts.v[0].findings.v[1].waiver);
}

/* conda links what it keeps in pkgs into its environments: who waives the one does not mean the other. */
static void a_waiver_by_path_must_name_every_hard_link_too(void **state)
{
	struct artifact *a = sample();
	struct policy *p = a_policy("p");

	(void)state;
	waive(p, FINDING_TOOLCHAIN_SHIPPED, "2027-01-01")->match.paths = only("l/**");
	assert_int_equal(judged(inventory_of(a), p).waived, 1);
	add_text(&a->objects.v[1].links, "opt/bin/ptxas");
	assert_int_equal(judged(inventory_of(a), p).waived, 0);
	a->objects.v[0] = a->objects.v[1];
	a->objects.n = 1;
	assert_int_equal(judged(inventory_of(a), p).waived, 0);
	add_text(&p->waivers.v[0].match.paths, "opt/bin/*");
	assert_int_equal(judged(inventory_of(a), p).waived, 1);
}

/* Numbers of layers are compared without keeping a text for each: evidence times overrides would be held. */
static void a_layer_costs_no_memory_to_match(void **state)
{
	struct artifact *a = sample();
	struct policy *p = a_policy("p");
	struct inventory *inv;
	uint64_t before, with_one, with_many;

	(void)state;
	for (size_t i = 0; i < 1000; i++)
		has(&a->objects.v[0], "cuda", EVIDENCE_TOOLCHAIN, "nvdisasm", STRENGTH_TOOL);
	a->objects.v[1].layer = 2;
	inv = inventory_of(a);
	for (size_t i = 0; i < 101; i++) {
		struct policy_override *o = list_add(&mem, &p->overrides);

		o->match.layers = only("*");
		o->match.paths = only("nowhere");
		o->reason = SPAN("r");
		grade(&o->checks, FINDING_TOOLCHAIN_SHIPPED, FINDINGS_NONE, GRADE_WARN);
	}
	p->overrides.n = 1;
	before = mem.held;
	judged(inv, p);
	with_one = mem.held - before;
	p->overrides.n = 101;
	before = mem.held;
	judged(inv, p);
	with_many = mem.held - before;
	assert_true(with_many - with_one < 100 * 1000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        TEST(a_waiver_by_path_must_name_every_file),
	        TEST(a_waiver_by_path_must_name_every_hard_link_too),
	        TEST(a_layer_costs_no_memory_to_match),
	        TEST(every_key_of_a_match_must_fit),
	        TEST(layers_are_matched_by_their_number_from_nought),
	        TEST(fingerprints_can_be_matched),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
