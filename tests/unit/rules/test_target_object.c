/* SPDX-License-Identifier: Apache-2.0 */
/* From images to units and files: the best counts, and what is no support is not counted at all. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "rules/code_kit.h"
#include "rules/target.h"

#define TARGETS(...) ((const char *const[]){__VA_ARGS__, NULL})

static struct arena mem;

static int clear(void **state)
{
	arena_clear(&mem);
	return 0;
}

static enum answer ask(const struct object *o, const char *backend, const char *device, uint64_t *served,
                       uint64_t *units)
{
	const char *why = NULL;
	enum answer a = target_object(o, span_of(backend), span_of(device), served, units, &why);

	assert_true((a == ANSWER_UNKNOWN) == (why && *why));
	return a;
}

static void holds(const struct object *o, const char *backend, const char *device, enum answer answer, uint64_t served,
                  uint64_t units)
{
	uint64_t s = 77, u = 77;
	enum answer a = ask(o, backend, device, &s, &u);

	if (a != answer || s != served || u != units)
		fail_msg("%s on %s: %s, %llu of %llu", backend, device, answer_name(a), (unsigned long long)s,
		         (unsigned long long)u);
}

static enum answer unit(const char *backend, const char *const *targets, const char *device)
{
	struct spans l = {NULL, 0, 0};
	const char *why = NULL;
	enum answer a;

	while (*targets)
		spans_add(&mem, &l, span_of(*targets++));
	a = target_unit(span_of(backend), &l, span_of(device), &why);
	assert_true((a == ANSWER_UNKNOWN) == (why && *why));
	return a;
}

static void the_best_image_of_a_unit_counts(void **state)
{
	assert_int_equal(unit("cuda", TARGETS("compute_80", "sm_80", "sm_90a"), "sm_90"), ANSWER_NATIVE);
	assert_int_equal(unit("cuda", TARGETS("compute_80", "sm_80", "sm_90a"), "sm_89"), ANSWER_NATIVE);
	assert_int_equal(unit("cuda", TARGETS("compute_80", "sm_80", "sm_90a"), "sm_100"), ANSWER_JIT);
	assert_int_equal(unit("cuda", TARGETS("compute_80", "sm_80", "sm_90a"), "sm_75"), ANSWER_NONE);
	assert_int_equal(unit("cuda", TARGETS("sm_80", "unknown"), "sm_90"), ANSWER_UNKNOWN);
	assert_int_equal(unit("cuda", TARGETS("compute_80", "sm_86"), "sm_87"), ANSWER_JIT);
	assert_int_equal(unit("rocm", TARGETS("gfx9-generic", "gfx906"), "gfx906"), ANSWER_NATIVE);
}

/* Real libraries of ROCm 5 hold gfx90a:xnack+ beside gfx90a:xnack-: together they serve a device of either setting. */
static void images_for_both_settings_serve_a_device_of_either(void **state)
{
	assert_int_equal(unit("rocm", TARGETS("gfx90a:xnack+", "gfx90a:xnack-"), "gfx90a"), ANSWER_NATIVE);
	assert_int_equal(unit("rocm", TARGETS("gfx90a:xnack-"), "gfx90a"), ANSWER_UNKNOWN);
	assert_int_equal(unit("rocm", TARGETS("gfx906:sramecc+:xnack-", "gfx906:xnack+"), "gfx906"), ANSWER_UNKNOWN);
	assert_int_equal(
	        unit("rocm", TARGETS("gfx906:sramecc+:xnack-", "gfx906:sramecc-:xnack-", "gfx906:xnack+"), "gfx906"),
	        ANSWER_NATIVE);
	assert_int_equal(unit("rocm", TARGETS("gfx9-generic:xnack+", "gfx900:xnack-"), "gfx900"), ANSWER_NATIVE_FAMILY);
	assert_int_equal(unit("rocm", TARGETS("amdgcnspirv", "gfx90a:xnack-"), "gfx90a"), ANSWER_JIT);
}

static void a_file_answers_with_its_best_unit(void **state)
{
	struct object o = {.type = OBJECT_ELF};

	code_unit(&o, &mem, "cuda", 292, TARGETS("sm_90a"));
	code_unit(&o, &mem, "cuda", 317, TARGETS("sm_60", "sm_70", "sm_80", "compute_90"));
	holds(&o, "cuda", "sm_90", ANSWER_NATIVE, 609, 609);
	holds(&o, "cuda", "sm_80", ANSWER_NATIVE, 317, 609);
	holds(&o, "cuda", "sm_100", ANSWER_JIT, 317, 609);
	holds(&o, "cuda", "sm_75", ANSWER_NATIVE, 317, 609);
	holds(&o, "cuda", "sm_52", ANSWER_NONE, 0, 609);
	holds(&o, "rocm", "gfx942", ANSWER_NOT_NEEDED, 0, 0);
}

/* Another step makes code of it, in another file: there is nothing to run and nothing to miss. */
static void files_without_code_that_runs_need_no_device(void **state)
{
	struct object o = {.type = OBJECT_ARCHIVE};

	holds(&o, "cuda", "sm_90", ANSWER_NOT_NEEDED, 0, 0);
	code_row(&o, &mem, "cuda", "sm_80", FORM_RELOCATABLE);
	code_row(&o, &mem, "cuda", "lto_80", FORM_INTERMEDIATE);
	code_row(&o, &mem, "cuda", "sm_80", FORM_STUB);
	holds(&o, "cuda", "sm_90", ANSWER_NOT_NEEDED, 0, 0);
	holds(&o, "cuda", "sm_80", ANSWER_NOT_NEEDED, 0, 0);
	code_row(&o, &mem, "cuda", "unknown kind 0x80", FORM_UNKNOWN);
	holds(&o, "cuda", "sm_80", ANSWER_UNKNOWN, 0, 0);
}

static void stubs_beside_units_are_no_support(void **state)
{
	struct object o = {.type = OBJECT_ELF};

	code_row(&o, &mem, "cuda", "sm_90", FORM_STUB);
	code_unit(&o, &mem, "cuda", 4, TARGETS("sm_80"));
	holds(&o, "cuda", "sm_90", ANSWER_NONE, 0, 4);
	holds(&o, "cuda", "sm_80", ANSWER_NATIVE, 4, 4);
}

/* An unknown kind of code may be what would serve. */
static void an_unknown_kind_of_code_is_not_taken_for_none(void **state)
{
	struct object o = {.type = OBJECT_ELF};

	code_unit(&o, &mem, "cuda", 2, TARGETS("sm_80"));
	code_row(&o, &mem, "cuda", "unknown kind 0x80", FORM_UNKNOWN);
	holds(&o, "cuda", "sm_90", ANSWER_UNKNOWN, 0, 2);
	holds(&o, "cuda", "sm_80", ANSWER_NATIVE, 2, 2);
}

static void open_text_of_ptx_is_all_that_some_files_have(void **state)
{
	struct object loose = {.type = OBJECT_PTX}, snippet = {.type = OBJECT_ELF}, beside = {.type = OBJECT_ELF};

	code_text(&loose, &mem, "compute_80", 3);
	holds(&loose, "cuda", "sm_90", ANSWER_JIT, 0, 0);
	holds(&loose, "cuda", "sm_75", ANSWER_NONE, 0, 0);
	/* Without an entry it is a part of something. */
	code_text(&snippet, &mem, "compute_50", 0);
	holds(&snippet, "cuda", "sm_90", ANSWER_NOT_NEEDED, 0, 0);
	/* One small text must not pass for a library of units. */
	code_unit(&beside, &mem, "cuda", 52, TARGETS("sm_80"));
	code_text(&beside, &mem, "compute_50", 1);
	holds(&beside, "cuda", "sm_90", ANSWER_UNKNOWN, 0, 52);
	holds(&beside, "cuda", "sm_86", ANSWER_NATIVE, 52, 52);
}

static void units_of_another_backend_are_not_counted(void **state)
{
	struct object o = {.type = OBJECT_ELF};

	code_unit(&o, &mem, "cuda", 3, TARGETS("sm_80"));
	code_unit(&o, &mem, "rocm", 5, TARGETS("gfx90a"));
	holds(&o, "cuda", "sm_80", ANSWER_NATIVE, 3, 3);
	holds(&o, "cuda", "sm_90", ANSWER_NONE, 0, 3);
	holds(&o, "rocm", "gfx90a", ANSWER_NATIVE, 5, 5);
	holds(&o, "rocm", "gfx942", ANSWER_NONE, 0, 5);
}

static void a_store_answers_with_its_best_target(void **state)
{
	struct store s = {.backend = SPAN("cuda")}, lto = {.backend = SPAN("cuda")};
	const char *why = NULL;

	list_add(&mem, &s.targets)->target = SPAN("lto_75");
	list_add(&mem, &s.targets)->target = SPAN("sm_80");
	list_add(&mem, &s.targets)->target = SPAN("sm_90a");
	list_add(&mem, &lto.targets)->target = SPAN("lto_75");
	assert_int_equal(target_store(&s, SPAN("cuda"), SPAN("sm_90"), &why), ANSWER_NATIVE);
	assert_int_equal(target_store(&s, SPAN("cuda"), SPAN("sm_100"), &why), ANSWER_NONE);
	assert_int_equal(target_store(&s, SPAN("rocm"), SPAN("gfx942"), &why), ANSWER_NOT_NEEDED);
	assert_int_equal(target_store(&lto, SPAN("cuda"), SPAN("sm_75"), &why), ANSWER_NOT_NEEDED);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test_teardown(the_best_image_of_a_unit_counts, clear),
	        cmocka_unit_test_teardown(images_for_both_settings_serve_a_device_of_either, clear),
	        cmocka_unit_test_teardown(a_file_answers_with_its_best_unit, clear),
	        cmocka_unit_test_teardown(files_without_code_that_runs_need_no_device, clear),
	        cmocka_unit_test_teardown(stubs_beside_units_are_no_support, clear),
	        cmocka_unit_test_teardown(an_unknown_kind_of_code_is_not_taken_for_none, clear),
	        cmocka_unit_test_teardown(open_text_of_ptx_is_all_that_some_files_have, clear),
	        cmocka_unit_test_teardown(units_of_another_backend_are_not_counted, clear),
	        cmocka_unit_test_teardown(a_store_answers_with_its_best_target, clear),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
