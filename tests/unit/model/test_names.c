/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "model/names.h"

static struct arena mem;
static struct catalogue c;

static int set_up(void **state)
{
	struct library_rule *r = list_add(&mem, &c.libraries);

	r->pattern = SPAN("libcudart.so");
	r->backend = SPAN("cuda");
	r = list_add(&mem, &c.libraries);
	r->pattern = SPAN("libmusa.so");
	r->backend = SPAN("musa");
	r->home = HOME_HOST;
	r = list_add(&mem, &c.libraries);
	r->pattern = SPAN("libcuda.so");
	r->backend = SPAN("cuda");
	r->home = HOME_HOST;
	*list_add(&mem, &c.tools) = (struct tool_rule){SPAN("ptxas"), SPAN("cuda"), SPAN("assembler")};
	*list_add(&mem, &c.kernels) = (struct kernel_rule){SPAN("*.cubin"), SPAN("cuda")};
	*list_add(&mem, &c.drivers) = (struct driver_rule){SPAN("libcuda.so"), SPAN("cuda"), SPAN("compute")};
	*list_add(&mem, &c.drivers) = (struct driver_rule){SPAN("nvidia-smi"), SPAN("cuda"), SPAN("binary")};
	catalogue_index_build(&c, &mem);
	return 0;
}

static int tear_down(void **state)
{
	arena_clear(&mem);
	return 0;
}

/* expect: "backend kind value strength", or NULL when the name says nothing. */
static void names_say(const char *path, const char *soname, const char *expect)
{
	struct object o;
	struct span text;

	memset(&o, 0, sizeof(o));
	o.path = span_of(path);
	assert_int_equal(names_evidence(&o, &mem, &c, span_of(soname)), expect != NULL);
	assert_int_equal(o.evidence.n, expect ? 1 : 0);
	if (!expect)
		return;
	text = arena_printf(&mem, "%s %s %.*s %s%s%s", (const char *)o.evidence.v[0].backend.p,
	                    evidence_kind_name(o.evidence.v[0].kind), (int)o.evidence.v[0].value.n,
	                    (const char *)o.evidence.v[0].value.p, strength_name(o.evidence.v[0].strength),
	                    o.evidence.v[0].confidence ? " " : "", confidence_name(o.evidence.v[0].confidence));
	assert_string_equal(text.p, expect);
}

static void vendor_library_is_told_by_file_name_or_soname(void **state)
{
	names_say("nvidia/lib/libcudart.so.12", "libcudart.so.12", "cuda vendor-library libcudart.so.12 bundled");
	names_say("libcudart.so.12", "", "cuda vendor-library libcudart.so.12 bundled");
	names_say("a/renamed.so", "libcudart.so.13", "cuda vendor-library libcudart.so.13 bundled");
	names_say("a/renamed.so", "librenamed.so", NULL);
	names_say("libcudart.so.12/readme", "", NULL);
}

static void value_is_the_name_without_a_hash(void **state)
{
	names_say("x.libs/libcudart.3eda8113.so.13", "libcudart.so.13", "cuda vendor-library libcudart.so.13 bundled");
	names_say("x.libs/libcudart-1a359ba7.so.13.0.1", "", "cuda vendor-library libcudart.so.13.0.1 bundled");
}

static void drivers_file_is_the_hosts(void **state)
{
	names_say("usr/lib/libcuda.so.1", "libcuda.so.1", "cuda driver-file libcuda.so.1 host");
	names_say("usr/lib/libcuda.so.535.54.03", "", "cuda driver-file libcuda.so.535.54.03 host");
	names_say("usr/local/cuda/compat/libcuda.so.580.65", "", "cuda driver-file libcuda.so.580.65 host");
	names_say("usr/bin/nvidia-smi", "", "cuda driver-file nvidia-smi host");
	names_say("usr/lib/libmusa.so.1", "", "musa driver-file libmusa.so.1 host");
	names_say("usr/lib/other.so", "libcuda.so.1", "cuda driver-file libcuda.so.1 host");
}

static void drivers_file_among_stubs_is_a_stub(void **state)
{
	names_say("cuda/lib64/stubs/libcuda.so", "libcuda.so.1", "cuda driver-stub libcuda.so soft high");
	names_say("stubs/libcuda.so", "", "cuda driver-stub libcuda.so soft high");
	names_say("a.whl!/stubs/libcuda.so", "", "cuda driver-stub libcuda.so soft high");
	names_say("mystubs/libcuda.so", "", "cuda driver-file libcuda.so host");
	names_say("stubs/x/libcuda.so", "", "cuda driver-file libcuda.so host");
	names_say("stubs/libcudart.so", "", "cuda vendor-library libcudart.so bundled");
}

static void tool_is_told_by_file_name_only(void **state)
{
	names_say("triton/backends/nvidia/bin/ptxas", "", "cuda toolchain ptxas tool");
	names_say("bin/other", "ptxas", NULL);
	names_say("ptxas/other", "", NULL);
}

static void the_name_of_a_kernel_counts_for_files_without_content_only(void **state)
{
	static const struct {
		enum object_type type;
		const char *path;
		size_t rows;
	} cases[] = {
	        {OBJECT_EMPTY, "k/a.cubin", 1},  {OBJECT_LFS_POINTER, "k/a.cubin", 1}, {OBJECT_LFS_POINTER, "a.cubin/x", 0},
	        {OBJECT_OTHER, "k/a.cubin", 0},  {OBJECT_LINK, "k/a.cubin", 0},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct object o = {.path = span_of(cases[i].path), .type = cases[i].type};

		assert_int_equal(names_evidence(&o, &mem, &c, SPAN_NONE), cases[i].rows);
		assert_int_equal(o.evidence.n, cases[i].rows);
		if (o.evidence.n == 0)
			continue;
		assert_int_equal(o.evidence.v[0].kind, EVIDENCE_DEVICE_CODE);
		assert_int_equal(o.evidence.v[0].strength, STRENGTH_SOFT);
		assert_true(span_eq(o.evidence.v[0].value, SPAN("absent")));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(vendor_library_is_told_by_file_name_or_soname),
		cmocka_unit_test(value_is_the_name_without_a_hash),
		cmocka_unit_test(drivers_file_is_the_hosts),
		cmocka_unit_test(drivers_file_among_stubs_is_a_stub),
		cmocka_unit_test(tool_is_told_by_file_name_only),
		cmocka_unit_test(the_name_of_a_kernel_counts_for_files_without_content_only),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
