/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <cmocka.h>

#include "model/device_code.h"
#include "model/object.h"

static struct device_code *add(struct device_codes *l, struct arena *mem, const char *target, enum code_form form)
{
	struct device_code *row = list_add(mem, l);

	*row = (struct device_code){
		.backend = SPAN("cuda"), .target = span_of(target), .form = form, .count = 1, .bytes = 100};
	row->opened = true;
	return row;
}

static void alike_rows_are_added_up(void **state)
{
	struct device_codes l = {NULL, 0, 0};
	struct arena mem = ARENA_INIT;
	struct device_code *row;

	row = add(&l, &mem, "sm_90", FORM_NATIVE);
	row->offset = 500;
	row->kernels = 2;
	row = add(&l, &mem, "sm_90", FORM_NATIVE);
	row->offset = 70;
	row->kernels = 3;
	row = add(&l, &mem, "sm_90", FORM_NATIVE);
	row->offset = 900;
	row->opened = false;
	device_codes_merge(&l);
	assert_int_equal(l.n, 1);
	assert_true(l.v->count == 3 && l.v->bytes == 300 && l.v->kernels == 5 && l.v->offset == 70 && !l.v->opened);
	arena_clear(&mem);
}

static void rows_that_differ_in_anything_told_stay_apart(void **state)
{
	struct device_codes l = {NULL, 0, 0};
	struct arena mem = ARENA_INIT;

	add(&l, &mem, "sm_90", FORM_NATIVE);
	add(&l, &mem, "sm_90a", FORM_NATIVE);
	add(&l, &mem, "sm_90", FORM_STUB);
	add(&l, &mem, "sm_90", FORM_NATIVE)->backend = SPAN("rocm");
	add(&l, &mem, "sm_90", FORM_NATIVE)->container = SPAN("cubin");
	add(&l, &mem, "sm_90", FORM_NATIVE)->where = SPAN(".rodata");
	add(&l, &mem, "sm_90", FORM_NATIVE)->codec = SPAN("zstd");
	add(&l, &mem, "sm_90", FORM_NATIVE)->declared = SPAN("sm_80");
	add(&l, &mem, "sm_90", FORM_NATIVE)->mismatch = true;
	add(&l, &mem, "sm_90", FORM_NATIVE)->isa = SPAN("8.7");
	add(&l, &mem, "sm_90", FORM_NATIVE)->toolkit = SPAN("13.0");
	add(&l, &mem, "sm_90", FORM_NATIVE)->abi = 8;
	device_codes_merge(&l);
	assert_int_equal(l.n, 12);
	arena_clear(&mem);
}

/* inventory.md: device code by (backend, target, form, container, where). */
static void rows_are_in_the_order_of_the_inventory(void **state)
{
	static const char *const forms[] = {"native", "relocatable", "stub"};
	struct device_codes l = {NULL, 0, 0};
	struct arena mem = ARENA_INIT;

	add(&l, &mem, "sm_90", FORM_STUB);
	add(&l, &mem, "sm_90", FORM_RELOCATABLE);
	add(&l, &mem, "sm_90", FORM_NATIVE);
	add(&l, &mem, "sm_100", FORM_NATIVE);
	add(&l, &mem, "gfx90a", FORM_NATIVE)->backend = SPAN("rocm");
	device_codes_merge(&l);
	assert_true(span_eq(l.v[0].target, SPAN("sm_100")) && span_eq(l.v[4].backend, SPAN("rocm")));
	for (size_t i = 0; i < 3; i++)
		assert_string_equal(code_form_name(l.v[1 + i].form), forms[i]);
	arena_clear(&mem);
}

static void add_unit(struct unit_sets *l, struct arena *mem, const char *a, const char *b)
{
	struct spans targets = {NULL, 0, 0};

	if (a)
		spans_add(mem, &targets, span_of(a));
	if (b)
		spans_add(mem, &targets, span_of(b));
	unit_sets_add(l, mem, &targets);
}

static void units_with_the_same_targets_are_counted(void **state)
{
	struct unit_sets l = {NULL, 0, 0};
	struct arena mem = ARENA_INIT;

	for (int i = 0; i < 20000; i++) {
		add_unit(&l, &mem, "sm_90", "sm_80");
		add_unit(&l, &mem, "sm_80", "sm_90");
		add_unit(&l, &mem, "sm_80", "sm_80");
		add_unit(&l, &mem, NULL, NULL);
	}
	unit_sets_merge(&l);
	assert_int_equal(l.n, 2);
	assert_true(l.v[0].count == 20000 && l.v[0].targets.n == 1 && span_eq(l.v[0].targets.v[0], SPAN("sm_80")));
	assert_true(l.v[1].count == 40000 && l.v[1].targets.n == 2 && span_eq(l.v[1].targets.v[1], SPAN("sm_90")));
	arena_clear(&mem);
}

/* inventory.md: evidence by (backend, kind, value, strength, offset); doubles joined, the first offset stays. */
static void evidence_is_joined_and_sorted(void **state)
{
	struct object o = {.type = OBJECT_ELF};
	struct arena mem = ARENA_INIT;
	struct evidence *e;

	e = object_evidence(&o, &mem, SPAN("cuda"), EVIDENCE_SYMBOL, SPAN("cuda-driver"), STRENGTH_HARD);
	spans_add(&mem, &e->names, SPAN("cuInit"));
	e = object_evidence(&o, &mem, SPAN("cuda"), EVIDENCE_SYMBOL, SPAN("cuda-driver"), STRENGTH_HARD);
	e->has_offset = true;
	e->offset = 9;
	e->confidence = CONFIDENCE_HIGH;
	spans_add(&mem, &e->names, SPAN("cuCtxCreate"));
	spans_add(&mem, &e->names, SPAN("cuInit"));
	object_evidence(&o, &mem, SPAN("cuda"), EVIDENCE_NEEDED, SPAN("libcuda.so.1"), STRENGTH_HARD);
	object_evidence(&o, &mem, SPAN("cuda"), EVIDENCE_API_NAME, SPAN("cuda-driver"), STRENGTH_SOFT);
	object_sort(&o, &mem);
	assert_int_equal(o.evidence.n, 3);
	assert_int_equal(o.evidence.v[0].kind, EVIDENCE_API_NAME);
	assert_int_equal(o.evidence.v[1].kind, EVIDENCE_NEEDED);
	e = &o.evidence.v[2];
	assert_true(e->has_offset && e->offset == 9 && e->confidence == CONFIDENCE_HIGH && e->names.n == 2);
	assert_true(span_eq(e->names.v[0], SPAN("cuCtxCreate")) && span_eq(e->names.v[1], SPAN("cuInit")));
	arena_clear(&mem);
}

static void names_end_where_their_lists_do(void **state)
{
	for (int i = 0; i < FORM_COUNT; i++)
		assert_true(*code_form_name((enum code_form)i));
	for (int i = 0; i < STRENGTH_COUNT; i++)
		assert_true(*strength_name((enum strength)i));
	for (int i = 0; i < EVIDENCE_COUNT; i++)
		assert_true(*evidence_kind_name((enum evidence_kind)i));
	for (int i = 0; i < OBJECT_TYPE_COUNT; i++)
		assert_true(*object_type_name((enum object_type)i));
	assert_string_equal(code_form_name(FORM_COUNT), "");
	assert_string_equal(strength_name(STRENGTH_COUNT), "");
	assert_string_equal(evidence_kind_name(EVIDENCE_COUNT), "");
	assert_string_equal(object_type_name(OBJECT_TYPE_COUNT), "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(alike_rows_are_added_up),
		cmocka_unit_test(rows_that_differ_in_anything_told_stay_apart),
		cmocka_unit_test(rows_are_in_the_order_of_the_inventory),
		cmocka_unit_test(units_with_the_same_targets_are_counted),
		cmocka_unit_test(evidence_is_joined_and_sorted),
		cmocka_unit_test(names_end_where_their_lists_do),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
