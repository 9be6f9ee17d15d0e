/* SPDX-License-Identifier: Apache-2.0 */
#include "device_rows.h"
#include "elf/device/amdgpu.h"

#define E_IDENT_ABI 8
#define E_FLAGS     48

/* e_flags of real files, as llvm-readelf shows them. */
static void flags_name_processor_and_features(void **state)
{
	static const struct {
		uint8_t abi;
		uint32_t flags;
		const char *target;
	} cases[] = {
	        {2, 0x53f, "gfx90a"},
	        {2, 0x73f, "gfx90a:xnack+"},
	        {2, 0x63f, "gfx90a:xnack-"},
	        {3, 0xe3f, "gfx90a:sramecc+:xnack-"},
	        {3, 0x54c, "gfx942"},
	        {4, 0x41, "gfx1100"},
	        {4, 0x01000151, "gfx9-generic"},
	        {1, 0x12f, "gfx906:xnack+"},
	        {1, 0x330, "gfx908:sramecc+:xnack+"},
	        {2, 0x5fe, "amdgcn mach 0xfe"},
	        {2, 0x27, "amdgcn mach 0x27"},
	};
	struct bytes b = fixture("hip/k_gfx942.hsaco");

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct amdgpu a;

		b.v[E_IDENT_ABI] = cases[i].abi;
		set_number(&b, E_FLAGS, cases[i].flags, 4);
		assert_true(amdgpu_read((struct span){b.v, 64}, false, &limits, &a));
		assert_string_equal(a.target, cases[i].target);
	}
}

static void loose_objects_are_read(void **state)
{
	static const char *const cases[][2] = {
	        {"hip/k_gfx942.hsaco", "row native|gfx942|none=1 amdgpu kernels=2"},
	        {"hip/co_v4_gfx1100.o", "row relocatable|gfx1100|none=1 amdgpu kernels=0"},
	        {"hip/co_v6_gfx90a_srameccp_xnackm.o",
	         "row relocatable|gfx90a:sramecc+:xnack-|none=1 amdgpu kernels=0"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct bytes b = fixture(cases[i][0]);

		rows_of(&b);
		assert_line(cases[i][1]);
		assert_string_equal(grade(), "read");
	}
}

/* The host blanks only the magic of its bundles. */
static void objects_lie_bare_in_a_host_file(void **state)
{
	struct bytes b = fixture("hip/libkpackref.so");

	(void)state;
	rows_of(&b);
	assert_line("unit amdgpu 8192-");
	assert_line("row native|gfx90a|none=1 amdgpu");
	assert_line("row native|gfx1100|none=1 amdgpu");
	assert_string_equal(grade(), "read");
}

static void metadata_that_cannot_be_read_is_odd(void **state)
{
	struct bytes b = fixture("hip/k_gfx942.hsaco");
	size_t at = 0;

	(void)state;
	while (memcmp(b.v + at, "amdhsa.target", 13) != 0)
		at++;
	memset(b.v + at - 60, 0x91, 50);
	rows_of(&b);
	assert_line("row native|gfx942|none=1 amdgpu kernels=2");
	assert_string_equal(grade(), "anomaly");
}

static void msgpack_is_bounded(void **state)
{
	static const struct {
		const char *bytes;
		size_t n;
		bool sound;
	} cases[] = {
	        {"\x81\xa1x\x01", 4, true},
	        {"\x82\xa1x\x92\x01\xc0\xa1y\xcb\0\0\0\0\0\0\0\0", 17, true},
	        {"\x81\xa1x", 3, false},            /* no value */
	        {"\xdf\xff\xff\xff\xff", 5, false}, /* 2^32 - 1 pairs */
	        {"\x81\xa1x\xdb\xff\xff\xff\xff", 8, false},
	        {"\x81\xa1x\xc1", 4, false},
	        {"\x91\x01", 2, false}, /* no map */
	        {"", 0, false},
	};
	uint8_t deep[40] = {0x81, 0xa1, 'x'};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		assert_int_equal(msgpack_sound((struct span){(const uint8_t *)cases[i].bytes, cases[i].n}, 16),
		                 cases[i].sound);
	/* The map is the first level. */
	memset(deep + 3, 0x91, 16);
	assert_true(msgpack_sound((struct span){deep, 3 + 15 + 1}, 16) == false);
	deep[3 + 15] = 0x01;
	assert_true(msgpack_sound((struct span){deep, 3 + 16}, 16));
	deep[3 + 15] = 0x91;
	deep[3 + 16] = 0x01;
	assert_false(msgpack_sound((struct span){deep, 3 + 17}, 16));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(flags_name_processor_and_features),
	        cmocka_unit_test(loose_objects_are_read),
	        cmocka_unit_test(objects_lie_bare_in_a_host_file),
	        cmocka_unit_test(metadata_that_cannot_be_read_is_odd),
	        cmocka_unit_test(msgpack_is_bounded),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
