/* SPDX-License-Identifier: Apache-2.0 */
#include "device_rows.h"
#include "elf/device/bundle.h"

#define COUNT       24
#define OFFSET_0    32
#define SIZE_0      40
#define ID_LENGTH_0 48
#define ID          "hipv4-amdgcn-amd-amdhsa--gfx942"

static void ids_name_target_and_kind(void **state)
{
	static const char *const cases[][2] = {
	        {"hipv4-amdgcn-amd-amdhsa--gfx90a:xnack+", "gfx90a:xnack+"},
	        {"hip-amdgcn-amd-amdhsa--gfx9-generic", "gfx9-generic"},
	        {"hip-amdgcn-amd-amdhsa--gfx1250-strict", "gfx1250-strict"},
	        {"hip-amdgcn-amd-amdhsa-gfx906+xnack", "gfx906+xnack"},
	        {"hip-spirv64-amd-amdhsa--amdgcnspirv", "amdgcnspirv"},
	        {"hip", ""},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		assert_true(span_eq(bundle_target(span_of(cases[i][0])), span_of(cases[i][1])));
	assert_true(bundle_is_host(SPAN("host-x86_64-unknown-linux--")));
	assert_false(bundle_is_host(SPAN(ID)));
}

static void payloads_name_their_targets(void **state)
{
	static const char *const cases[][3] = {
	        {"hip/plain.hipfb", "row native|gfx90a:xnack-|none=1 bundle declared=gfx90a:xnack- kernels=2",
	         "row native|gfx1100|none=1 bundle declared=gfx1100 kernels=2"},
	        {"hip/v6.hipfb", "row native|gfx9-generic|none=1 bundle declared=gfx9-generic kernels=2",
	         "row native|gfx11-generic|none=1 bundle declared=gfx11-generic kernels=2"},
	        {"hip/spirv.hipfb", "row portable|amdgcnspirv|none=1 bundle bytes=20",
	         "row native|gfx942|none=1 bundle"},
	        {"hip/unaligned.hipfb", "row native|gfx942|none=1 bundle declared=gfx942 kernels=2",
	         "unit offload_bundle 0-5026"},
	        {"hip/libnewdrv.so", "row native|gfx90a:xnack+|none=1 bundle", "unit offload_bundle 2368-"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct bytes b = fixture(cases[i][0]);

		rows_of(&b);
		assert_line(cases[i][1]);
		assert_line(cases[i][2]);
		assert_no_line("mismatch");
		assert_no_line("amdgpu");
		assert_string_equal(grade(), "read");
	}
}

static void put_bundle(struct bytes *b, uint64_t count)
{
	put(b, BUNDLE_MAGIC, 24);
	put_number(b, count, 8);
}

static void put_id(struct bytes *b, uint64_t offset, uint64_t size, const char *id)
{
	put_number(b, offset, 8);
	put_number(b, size, 8);
	put_number(b, strlen(id), 8);
	put(b, id, strlen(id));
}

/* One entry that says where, and what stands there. */
static void one_entry(const char *id, const char *payload, size_t n, uint64_t offset)
{
	struct bytes b = {0};

	put_bundle(&b, 1);
	put_id(&b, offset, n, id);
	while (b.n < 128)
		put_zeros(&b, 1);
	put(&b, payload, n);
	rows_of(&b);
}

static void payloads_are_told_by_their_first_bytes(void **state)
{
	(void)state;
	one_entry(ID, "BC\xc0\xde\0\0\0\0", 8, 128);
	assert_line("alone offload_bundle 0-136\nrow intermediate|gfx942|none=1 bundle bytes=8 offset=128\n");
	one_entry(ID, "CCOBCCOB", 8, 128);
	assert_string_equal(lines, "oddity incomplete offload_bundle 0\n");
	one_entry(ID, "whatever", 8, 128);
	assert_line("row unknown|unknown|none=1 bundle declared=gfx942");
	assert_string_equal(grade(), "anomaly");
	/* On the bundle's own magic. */
	one_entry(ID, "", 0, 0);
	assert_string_equal(grade(), "anomaly");
}

static void declared_and_found_may_differ(void **state)
{
	struct bytes b = {0}, k = fixture("hip/k_gfx942.hsaco");

	(void)state;
	put_bundle(&b, 2);
	put_id(&b, 201, k.n, "hip-amdgcn-amd-amdhsa--gfx90a");
	put_id(&b, 201, k.n, ID);
	while (b.n < 201)
		put_zeros(&b, 1);
	put(&b, k.v, k.n);
	rows_of(&b);
	assert_line("row native|gfx942|none=1 bundle declared=gfx90a mismatch kernels=2");
	assert_line("row native|gfx942|none=1 bundle declared=gfx942 kernels=2");
}

static void lies_have_their_grade(void **state)
{
	static const struct {
		size_t at;
		uint64_t value;
		const char *line; /* of what must still be listed */
	} cases[] = {
	        {COUNT, 1ull << 63, "fault"},
	        {ID_LENGTH_0, 1ull << 60, "fault"},
	        {OFFSET_0, UINT64_MAX - 7, "row native|gfx1100|none=1"},
	        {SIZE_0, 1ull << 32, "row native|gfx90a:xnack+|none=1"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct bytes b = fixture("hip/plain.hipfb");

		set_number(&b, cases[i].at, cases[i].value, 8);
		if (cases[i].at == OFFSET_0)
			set_number(&b, SIZE_0, 16, 8);
		rows_of(&b);
		assert_string_equal(grade(), "incomplete");
		assert_line(cases[i].line);
	}
}

static void entries_without_bytes_are_no_code(void **state)
{
	struct bytes b = {0};

	(void)state;
	put_bundle(&b, 3);
	for (unsigned i = 0; i < 3; i++)
		put_id(&b, 0, 0, ID);
	rows_of(&b);
	assert_string_equal(lines, "oddity anomaly offload_bundle 0\n");
	b.n = 0;
	put_bundle(&b, 0);
	rows_of(&b);
	assert_string_equal(lines, "");
	b.n = 28;
	rows_of(&b);
	assert_string_equal(lines, "fault anomaly offload_bundle 0\n");
}

static void a_table_above_bundle_table_is_incomplete_by_name(void **state)
{
	struct bytes b = fixture("hip/plain.hipfb");

	(void)state;
	limits.v[LIMIT_BUNDLE_TABLE] = 100;
	rows_of(&b);
	assert_string_equal(lines, "fault incomplete offload_bundle 0 bundle-table\n");
	limits_default(&limits);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(ids_name_target_and_kind),
	        cmocka_unit_test(payloads_name_their_targets),
	        cmocka_unit_test(payloads_are_told_by_their_first_bytes),
	        cmocka_unit_test(declared_and_found_may_differ),
	        cmocka_unit_test(lies_have_their_grade),
	        cmocka_unit_test(entries_without_bytes_are_no_code),
	        cmocka_unit_test(a_table_above_bundle_table_is_incomplete_by_name),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
