/* SPDX-License-Identifier: Apache-2.0 */
/* A small image, policies for it, and their judgement. */
#ifndef POSTERN_TEST_JUDGED_KIT_H
#define POSTERN_TEST_JUDGED_KIT_H

#include "judge/judge.h"
#include "judge_kit.h"

static struct err e;

/* One judgement on 2026-12-01, failing on `fail`. */
static inline struct judgement judged_for(const struct inventory *inv, const struct policy *p, const char *class_name,
                                          const char *date)
{
	struct judge_options o = {.fail_on = GRADE_FAIL, .date = span_of(date)};
	struct judgement j = {0};

	if (class_name)
		o.classes = only(class_name);
	assert_int_equal(judge_inventory(&j, inv, p, &catalogue, &o, &mem, &e), 0);
	return j;
}

static inline struct judgement judged(const struct inventory *inv, const struct policy *p)
{
	return judged_for(inv, p, NULL, "2026-12-01");
}

static inline struct inventory *an_inventory(void)
{
	struct inventory *inv = arena_alloc(&mem, sizeof(*inv));

	inv->rules_version = SPAN("2026.12");
	return inv;
}

/* The artifact as it stands now. */
static inline struct inventory *inventory_of(const struct artifact *a)
{
	struct inventory *inv = an_inventory();

	*list_add(&mem, &inv->artifacts) = *a;
	return inv;
}

/* triton with its compilers, and a library of nobody's. */
static inline struct artifact *sample(void)
{
	struct artifact *a = an_artifact("app/serve:1.tar", "docker-archive");

	says(a_package(a, "pypi:triton@3.4.0", "l/triton-3.4.0.dist-info"), "cuda", "x", true);
	a->image.reference = SPAN("registry/serve:1.4-rocm");
	has(an_object(a, "l/triton/bin/nvdisasm", "pypi:triton@3.4.0", 20), "cuda", EVIDENCE_TOOLCHAIN, "nvdisasm",
	    STRENGTH_TOOL);
	has(an_object(a, "l/triton/bin/ptxas", "pypi:triton@3.4.0", 30), "cuda", EVIDENCE_TOOLCHAIN, "ptxas",
	    STRENGTH_TOOL);
	is_library(an_object(a, "opt/libcublas.so.12", "", 40), "cuda", "libcublas.so.12");
	for (size_t i = 0; i < 3; i++)
		a->objects.v[i].layer = i < 2 ? 3 : 1;
	return a;
}

static inline struct policy *forbids_cuda(void)
{
	struct policy *p = a_policy("no-cuda");

	p->forbid = only("cuda");
	return p;
}

static inline void grade(struct grade_list *l, enum finding_id id, enum finding_family family, enum grade g)
{
	*list_add(&mem, l) = (struct check_grade){id, family, g};
}

static inline struct waiver *waive(struct policy *p, enum finding_id id, const char *last)
{
	struct waiver *w = list_add(&mem, &p->waivers);

	w->finding = id;
	w->reason = SPAN("agreed");
	w->owner = SPAN("ml-platform");
	w->expires = span_of(last);
	assert_true(date_parse(w->expires, &w->last_day));
	return w;
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, kit_setup, kit_teardown)

#endif
