/* SPDX-License-Identifier: Apache-2.0 */
/* Which code runs where: rows (code, device, answer), from the vendors' compatibility rules. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "rules/target.h"

struct row {
	const char *code, *device;
	enum answer answer;
};

#define NATIVE  ANSWER_NATIVE
#define FAMILY  ANSWER_NATIVE_FAMILY
#define JIT     ANSWER_JIT
#define UNKNOWN ANSWER_UNKNOWN
#define NONE    ANSWER_NONE

static enum code_form form_of(const char *code)
{
	struct span s = span_of(code);

	return span_starts(s, SPAN("compute_")) || span_eq(s, SPAN("amdgcnspirv")) ? FORM_PORTABLE : FORM_NATIVE;
}

/* Each row as an image, as the only image of a unit, and as a store. */
static void rows_hold(const char *backend, const struct row *rows, size_t n)
{
	struct arena mem = ARENA_INIT;

	for (size_t i = 0; i < n; i++) {
		struct span b = span_of(backend), code = span_of(rows[i].code), device = span_of(rows[i].device);
		const char *why = NULL, *unit_why = NULL, *store_why = NULL;
		struct spans targets = {NULL, 0, 0};
		struct store store = {.backend = b};
		enum answer image, unit, whole;

		spans_add(&mem, &targets, code);
		list_add(&mem, &store.targets)->target = code;
		image = target_image(b, code, form_of(rows[i].code), device, &why);
		unit = target_unit(b, &targets, device, &unit_why);
		whole = target_store(&store, b, device, &store_why);
		if (image != rows[i].answer || unit != image || whole != image)
			fail_msg("%s on %s: image %s, unit %s, store %s, not %s", rows[i].code, rows[i].device,
			         answer_name(image), answer_name(unit), answer_name(whole),
			         answer_name(rows[i].answer));
		if ((image == UNKNOWN) != (why && *why) || (unit == UNKNOWN) != (unit_why && *unit_why))
			fail_msg("%s on %s: '%s' is the reason of %s", rows[i].code, rows[i].device, why ? why : "",
			         answer_name(image));
	}
	arena_clear(&mem);
}

#define HOLD(backend, rows) rows_hold(backend, rows, sizeof(rows) / sizeof((rows)[0]))

/* Final code: same major number, no lower minor, both discrete. */
static void final_code_runs_on_its_major_number(void **state)
{
	static const struct row rows[] = {
	        {"sm_80", "sm_80", NATIVE},   {"sm_80", "sm_86", NATIVE},   {"sm_80", "sm_89", NATIVE},
	        {"sm_86", "sm_80", NONE},     {"sm_80", "sm_90", NONE},     {"sm_90", "sm_80", NONE},
	        {"sm_70", "sm_75", NATIVE},   {"sm_75", "sm_70", NONE},     {"sm_60", "sm_61", NATIVE},
	        {"sm_50", "sm_52", NATIVE},   {"sm_30", "sm_37", NATIVE},   {"sm_20", "sm_21", NATIVE},
	        {"sm_100", "sm_103", NATIVE}, {"sm_103", "sm_100", NONE},   {"sm_100", "sm_120", NONE},
	        {"sm_100", "sm_110", NONE},   {"sm_120", "sm_121", NATIVE}, {"sm_121", "sm_120", NONE},
	        {"sm_90", "sm_100", NONE},    {"sm_90", "sm_90", NATIVE},
	};

	HOLD("cuda", rows);
}

/* Tegra parts 5.3, 6.2, 7.2, 8.7 and 10.1 run what is built for exactly them; of other code nobody promises anything.
 */
static void desktop_code_on_tegra_is_unknown(void **state)
{
	static const struct row rows[] = {
	        {"sm_80", "sm_87", UNKNOWN},   {"sm_86", "sm_87", UNKNOWN},   {"sm_87", "sm_87", NATIVE},
	        {"sm_87", "sm_89", UNKNOWN},   {"sm_87", "sm_86", NONE},      {"sm_50", "sm_53", UNKNOWN},
	        {"sm_53", "sm_53", NATIVE},    {"sm_60", "sm_62", UNKNOWN},   {"sm_61", "sm_62", UNKNOWN},
	        {"sm_70", "sm_72", UNKNOWN},   {"sm_72", "sm_75", UNKNOWN},   {"sm_30", "sm_32", UNKNOWN},
	        {"sm_100", "sm_101", UNKNOWN}, {"sm_101", "sm_103", UNKNOWN}, {"sm_90", "sm_87", NONE},
	        {"compute_80", "sm_87", JIT},
	};

	HOLD("cuda", rows);
}

/* Thor was 10.1 under CUDA 12 and is 11.0 since: the old code is for the same part. */
static void code_for_the_old_number_of_thor_runs_on_it(void **state)
{
	static const struct row rows[] = {
	        {"sm_101", "sm_110", NATIVE}, {"sm_101a", "sm_110", NATIVE},  {"sm_101f", "sm_110", FAMILY},
	        {"sm_110", "sm_110", NATIVE}, {"compute_101", "sm_110", JIT}, {"compute_101a", "sm_110", JIT},
	        {"sm_101", "sm_101", NATIVE}, {"sm_110", "sm_101", NONE},
	};

	HOLD("cuda", rows);
}

/* sm_XYa, as final code and as PTX: exactly that part. */
static void suffix_a_is_for_exactly_one_part(void **state)
{
	static const struct row rows[] = {
	        {"sm_90a", "sm_90", NATIVE},     {"sm_90a", "sm_100", NONE},      {"sm_90a", "sm_80", NONE},
	        {"sm_100a", "sm_100", NATIVE},   {"sm_100a", "sm_103", NONE},     {"sm_120a", "sm_121", NONE},
	        {"compute_90a", "sm_90", JIT},   {"compute_90a", "sm_100", NONE}, {"compute_100a", "sm_103", NONE},
	        {"compute_120a", "sm_120", JIT},
	};

	HOLD("cuda", rows);
}

/* 100f: 10.0, 10.3; 103f: 10.3; 110f: 11.0; 120f: 12.0, 12.1; 121f: 12.1. Of 10.7 it was not confirmed. */
static void suffix_f_is_for_a_family(void **state)
{
	static const struct row rows[] = {
	        {"sm_100f", "sm_100", FAMILY},       {"sm_100f", "sm_103", FAMILY},   {"sm_103f", "sm_103", FAMILY},
	        {"sm_103f", "sm_100", NONE},         {"sm_100f", "sm_101", NONE},     {"sm_100f", "sm_110", NONE},
	        {"sm_100f", "sm_120", NONE},         {"sm_110f", "sm_110", FAMILY},   {"sm_120f", "sm_120", FAMILY},
	        {"sm_120f", "sm_121", FAMILY},       {"sm_121f", "sm_121", FAMILY},   {"sm_121f", "sm_120", NONE},
	        {"sm_110f", "sm_120", NONE},         {"compute_100f", "sm_103", JIT}, {"compute_100f", "sm_120", NONE},
	        {"compute_121f", "sm_120", NONE},    {"sm_100f", "sm_107", UNKNOWN},  {"sm_107f", "sm_107", FAMILY},
	        {"compute_100f", "sm_107", UNKNOWN},
	};

	HOLD("cuda", rows);
}

/* PTX compute_XY: every part that is not older, also across major numbers and on Tegra. */
static void ptx_is_compiled_for_newer_parts(void **state)
{
	static const struct row rows[] = {
	        {"compute_52", "sm_53", JIT},  {"compute_90", "sm_90", JIT},  {"compute_90", "sm_89", NONE},
	        {"compute_80", "sm_121", JIT}, {"compute_89", "sm_100", JIT}, {"compute_120", "sm_110", NONE},
	        {"compute_90", "sm_107", JIT}, {"compute_72", "sm_199", JIT},
	};

	HOLD("cuda", rows);
}

/* Where numbers decide they do, also for parts that nobody knows; else it is unknown. */
static void unknown_numbers_are_judged_by_number(void **state)
{
	static const struct row rows[] = {
	        {"sm_199", "sm_199", NATIVE},  {"sm_199", "sm_90", NONE},      {"sm_90", "sm_199", NONE},
	        {"sm_195", "sm_199", UNKNOWN}, {"sm_199", "sm_195", NONE},     {"sm_80", "sm_88", UNKNOWN},
	        {"sm_88", "sm_88", NATIVE},    {"sm_88", "sm_89", UNKNOWN},    {"sm_100", "sm_107", UNKNOWN},
	        {"sm_107", "sm_107", NATIVE},  {"sm_190f", "sm_193", UNKNOWN}, {"sm_190f", "sm_190", FAMILY},
	        {"sm_190a", "sm_193", NONE},
	};

	HOLD("cuda", rows);
}

/* A cubin that does not say its suffix runs on its own part, whichever it is. */
static void unknown_names_are_never_rounded_up(void **state)
{
	static const struct row rows[] = {
	        {"sm_90 (suffix unknown)", "sm_90", NATIVE},
	        {"sm_100 (suffix unknown)", "sm_103", UNKNOWN},
	        {"sm_90 (suffix unknown)", "sm_100", NONE},
	        {"sm_90 (suffix unknown)", "sm_80", NONE},
	        {"unknown", "sm_90", UNKNOWN},
	        {"sm_", "sm_90", UNKNOWN},
	        {"sm_9", "sm_90", UNKNOWN},
	        {"sm_90x", "sm_90", UNKNOWN},
	        {"sm_090", "sm_90", UNKNOWN},
	        {"unknown kind 0x40", "sm_90", UNKNOWN},
	        {"gfx942", "sm_90", NONE},
	        {"sm_65535", "sm_90", NONE},
	};

	HOLD("cuda", rows);
}

static void gfx_must_be_equal(void **state)
{
	static const struct row rows[] = {
	        {"gfx942", "gfx942", NATIVE},       {"gfx942", "gfx950", NONE},
	        {"gfx90a", "gfx908", NONE},         {"gfx1030", "gfx1031", NONE},
	        {"gfx1100", "gfx1101", NONE},       {"gfx900", "gfx90c", NONE},
	        {"gfx1299", "gfx1299", NATIVE},     {"gfx1299", "gfx942", NONE},
	        {"sm_90", "gfx942", NONE},          {"amdgcn mach 0x7f", "gfx942", UNKNOWN},
	        {"unknown", "gfx942", UNKNOWN},     {"gfx1250-strict", "gfx1250", UNKNOWN},
	        {"gfx1250-strict", "gfx942", NONE}, {"gfx942:wave64+", "gfx942", UNKNOWN},
	};

	HOLD("rocm", rows);
}

/* No word: with either setting. A word: only so. A device without one may be set either way. */
static void features_must_be_set_as_the_code_says(void **state)
{
	static const struct row rows[] = {
	        {"gfx90a", "gfx90a:xnack+", NATIVE},
	        {"gfx90a", "gfx90a:sramecc+:xnack-", NATIVE},
	        {"gfx90a", "gfx90a", NATIVE},
	        {"gfx90a:xnack+", "gfx90a:xnack+", NATIVE},
	        {"gfx90a:xnack+", "gfx90a:sramecc+:xnack+", NATIVE},
	        {"gfx90a:xnack+", "gfx90a:xnack-", NONE},
	        {"gfx90a:xnack-", "gfx90a:sramecc-:xnack+", NONE},
	        {"gfx90a:xnack+", "gfx90a", UNKNOWN},
	        {"gfx90a:sramecc+:xnack-", "gfx90a:sramecc+:xnack-", NATIVE},
	        {"gfx90a:sramecc+:xnack-", "gfx90a:sramecc-:xnack-", NONE},
	        {"gfx90a:sramecc+:xnack-", "gfx90a:xnack-", UNKNOWN},
	        {"gfx90a:sramecc+:xnack-", "gfx90a:xnack+", NONE},
	        {"gfx942:sramecc+:xnack-", "gfx90a", NONE},
	        {"gfx1100:xnack+", "gfx1100", NONE},
	        {"gfx1250:xnack+", "gfx1250", UNKNOWN},
	        {"gfx906:sramecc-:xnack-", "gfx906", UNKNOWN},
	};

	HOLD("rocm", rows);
}

/* Lists of LLVM: 900 902 904 906 909 90c; 942 950; 1010-1013; 1030-1036; 1100-1103 1150-1153; 1200 1201; 1250 1251. */
static void generic_targets_cover_their_list(void **state)
{
	static const struct row rows[] = {
	        {"gfx9-generic", "gfx900", FAMILY},
	        {"gfx9-generic", "gfx906", FAMILY},
	        {"gfx9-generic", "gfx90c", FAMILY},
	        {"gfx9-generic", "gfx908", NONE},
	        {"gfx9-generic", "gfx90a", NONE},
	        {"gfx9-generic", "gfx942", NONE},
	        {"gfx9-4-generic", "gfx942", FAMILY},
	        {"gfx9-4-generic", "gfx950", FAMILY},
	        {"gfx9-4-generic", "gfx900", NONE},
	        {"gfx9-4-generic", "gfx90a", NONE},
	        {"gfx9-4-generic", "gfx940", NONE},
	        {"gfx10-1-generic", "gfx1012", FAMILY},
	        {"gfx10-1-generic", "gfx1030", NONE},
	        {"gfx10-3-generic", "gfx1036", FAMILY},
	        {"gfx11-generic", "gfx1100", FAMILY},
	        {"gfx11-generic", "gfx1153", FAMILY},
	        {"gfx11-generic", "gfx1200", NONE},
	        {"gfx12-generic", "gfx1201", FAMILY},
	        {"gfx12-generic", "gfx1250", UNKNOWN},
	        {"gfx12-5-generic", "gfx1250", FAMILY},
	        {"gfx13-generic", "gfx1310", UNKNOWN},
	        {"gfx13-generic", "gfx942", NONE},
	        {"gfx11-7-generic", "gfx1170", UNKNOWN},
	        {"gfx9-generic:xnack+", "gfx900:xnack+", FAMILY},
	        {"gfx9-generic:xnack+", "gfx900:xnack-", NONE},
	        {"gfx9-generic:xnack+", "gfx900", UNKNOWN},
	        {"gfx9-4-generic:sramecc+:xnack-", "gfx942:sramecc+:xnack-", FAMILY},
	        {"amdgcnspirv", "gfx942", JIT},
	        {"amdgcnspirv", "gfx1299", JIT},
	};

	HOLD("rocm", rows);
}

static void other_backends_know_only_equal_names(void **state)
{
	static const struct row rows[] = {
	        {"mp_31", "mp_31", NATIVE},
	        {"mp_21", "mp_31", UNKNOWN},
	        {"sm_90", "mp_31", UNKNOWN},
	};

	HOLD("musa", rows);
}

/* Stubs, relocatable units and intermediate code are never support. */
static void unfinished_code_is_no_support(void **state)
{
	const char *why = NULL;

	assert_int_equal(target_image(SPAN("cuda"), SPAN("sm_90"), FORM_STUB, SPAN("sm_90"), &why), NONE);
	assert_int_equal(target_image(SPAN("cuda"), SPAN("sm_90"), FORM_RELOCATABLE, SPAN("sm_90"), &why), NONE);
	assert_int_equal(target_image(SPAN("cuda"), SPAN("lto_90"), FORM_INTERMEDIATE, SPAN("sm_90"), &why), NONE);
	assert_int_equal(target_image(SPAN("rocm"), SPAN("gfx942"), FORM_STUB, SPAN("gfx942"), &why), NONE);
	assert_int_equal(target_image(SPAN("rocm"), SPAN("gfx942"), FORM_INTERMEDIATE, SPAN("gfx942"), &why), NONE);
	assert_int_equal(target_image(SPAN("cuda"), SPAN("unknown"), FORM_UNKNOWN, SPAN("sm_90"), &why), UNKNOWN);
	assert_non_null(why);
}

static void devices_have_names_of_devices(void **state)
{
	static const char *const good[] = {"gfx942",  "gfx90a:sramecc+:xnack-", "gfx90a:xnack-",
	                                   "gfx1030", "gfx90c:xnack+",          "gfx1299:xnack+"};
	static const char *const bad[] = {"",
	                                  "gfx",
	                                  "gfx9",
	                                  "942",
	                                  "gfx9-generic",
	                                  "gfx942:",
	                                  "gfx942:xnack",
	                                  "gfx942:xnack+:xnack-",
	                                  "gfx1030:xnack+",
	                                  "gfx900:sramecc+",
	                                  "gfx942:tgsplit+",
	                                  "gfx94z",
	                                  "MI300X",
	                                  "amdgcnspirv",
	                                  "gfx1250-strict",
	                                  "gfx12501",
	                                  "gfx0a0",
	                                  "sm_90",
	                                  "gfx942:xnack+ "};
	static const char *const cuda_good[] = {"sm_90", "sm_100", "sm_53", "sm_199"};
	static const char *const cuda_bad[] = {"",        "sm_",    "sm_9", "sm_90a", "sm_100f", "compute_90", "lto_90",
	                                       "sm_1000", "sm_090", "H100", "9.0",    "gfx942",  "SM_90"};

	for (size_t i = 0; i < sizeof(good) / sizeof(*good); i++)
		if (!target_is_device(SPAN("rocm"), span_of(good[i])))
			fail_msg("'%s' is a device", good[i]);
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++)
		if (target_is_device(SPAN("rocm"), span_of(bad[i])))
			fail_msg("'%s' is no device", bad[i]);
	for (size_t i = 0; i < sizeof(cuda_good) / sizeof(*cuda_good); i++)
		if (!target_is_device(SPAN("cuda"), span_of(cuda_good[i])))
			fail_msg("'%s' is a device", cuda_good[i]);
	for (size_t i = 0; i < sizeof(cuda_bad) / sizeof(*cuda_bad); i++)
		if (target_is_device(SPAN("cuda"), span_of(cuda_bad[i])))
			fail_msg("'%s' is no device", cuda_bad[i]);
	assert_true(target_is_device(SPAN("ascend"), SPAN("Ascend910B")));
	assert_false(target_is_device(SPAN("ascend"), SPAN("")));
	assert_false(target_is_device(SPAN("ascend"), SPAN("two words")));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(final_code_runs_on_its_major_number),
	        cmocka_unit_test(desktop_code_on_tegra_is_unknown),
	        cmocka_unit_test(code_for_the_old_number_of_thor_runs_on_it),
	        cmocka_unit_test(suffix_a_is_for_exactly_one_part),
	        cmocka_unit_test(suffix_f_is_for_a_family),
	        cmocka_unit_test(ptx_is_compiled_for_newer_parts),
	        cmocka_unit_test(unknown_numbers_are_judged_by_number),
	        cmocka_unit_test(unknown_names_are_never_rounded_up),
	        cmocka_unit_test(gfx_must_be_equal),
	        cmocka_unit_test(features_must_be_set_as_the_code_says),
	        cmocka_unit_test(generic_targets_cover_their_list),
	        cmocka_unit_test(other_backends_know_only_equal_names),
	        cmocka_unit_test(unfinished_code_is_no_support),
	        cmocka_unit_test(devices_have_names_of_devices),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
