/* SPDX-License-Identifier: Apache-2.0 */
#include "device_rows.h"
#include "elf/device/code.h"
#include "elf/device/cubin.h"

#define E_IDENT_ABI 8
#define E_TYPE      16
#define E_VERSION   20
#define E_FLAGS     48

static void loose_cubins_name_target_suffix_and_kernels(void **state)
{
	static const char *const cases[][2] = {
	        {"cuda/k_sm_90.cubin",
	         "row native|sm_90|none=1 cubin toolkit=13.0 abi=8 kernels=2 bytes=5480 offset=0"},
	        {"cuda/k_sm_90a.cubin", "row native|sm_90a|none=1 cubin toolkit=13.0 abi=8 kernels=2"},
	        {"cuda/k_sm_100f.cubin", "row native|sm_100f|none=1 cubin toolkit=13.0 abi=8 kernels=2"},
	        {"cuda/rel_sm_90.cubin", "row relocatable|sm_90|none=1 cubin toolkit=13.0 abi=8"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct bytes b = fixture(cases[i][0]);

		rows_of(&b);
		assert_line(cases[i][1]);
		assert_string_equal(grade(), "read");
	}
}

/* Real e_flags and what they mean, by the ABI. */
static void flags_are_read_by_their_abi(void **state)
{
	static const struct {
		uint8_t abi;
		uint32_t flags, version;
		unsigned sm, toolkit;
		char suffix;
		bool known;
	} cases[] = {
	        {7, 0x005A055A, 0x7e, 90, 126, 0, true}, {7, 0x005A0D5A, 0x80, 90, 128, 'a', true},
	        {7, 0x003C0D3C, 0x5a, 60, 90, 0, true},  {8, 0x06005A04, 1, 90, 0, 0, false},
	        {8, 0x0600640A, 1, 100, 0, 'a', true},   {8, 0x06006402, 1, 100, 0, 0, false},
	        {8, 0x06004B04, 1, 75, 0, 0, true},      {99, 0x06005A04, 1, 0, 0, 0, false},
	};
	struct bytes b = fixture("cuda/k_sm_90.cubin");

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct cubin c;

		b.v[E_IDENT_ABI] = cases[i].abi;
		set_number(&b, E_FLAGS, cases[i].flags, 4);
		set_number(&b, E_VERSION, cases[i].version, 4);
		assert_true(cubin_read((struct span){b.v, CODE_HEADER}, false, &c));
		assert_int_equal(c.sm, cases[i].sm);
		assert_int_equal(c.toolkit, cases[i].toolkit);
		assert_int_equal(c.suffix, cases[i].suffix);
		assert_int_equal(c.suffix_known, cases[i].known);
	}
}

static void an_unknown_abi_or_no_target_is_unknown(void **state)
{
	struct bytes b = fixture("cuda/k_sm_90.cubin");

	(void)state;
	b.v[E_IDENT_ABI] = 99;
	rows_of(&b);
	assert_line("row native|unknown|none=1");
	assert_string_equal(grade(), "read");
	b.v[E_IDENT_ABI] = 8;
	set_number(&b, E_FLAGS, 0, 4);
	rows_of(&b);
	assert_line("row native|unknown|none=1");
	assert_string_equal(grade(), "anomaly");
}

/* Without tkinfo the attribute in .nv.compat says `a`, and below sm_100 there is no `f`. */
static void notes_that_lie_leave_the_compat_section(void **state)
{
	struct bytes b = fixture("cuda/k_sm_90a.cubin");
	struct span all = {b.v, b.n};
	struct code_header h;
	struct code_section s;

	(void)state;
	assert_true(code_header(all, &h));
	for (unsigned i = 0; i < h.sections; i++) {
		assert_true(code_section(all, &h, i, &s));
		if (s.type == SECTION_NOTE)
			set_number(&b, s.offset, 0xfffffff0fffffff0, 8);
	}
	rows_of(&b);
	assert_line("row native|sm_90a|none=1 cubin abi=8 kernels=2");
	assert_string_equal(grade(), "anomaly");
}

static void no_kernel_makes_a_stub(void **state)
{
	struct bytes k = fixture("cuda/k_sm_90.cubin");
	struct span all = {k.v, k.n};
	struct code_header h;
	struct code_section s = {0};

	(void)state;
	assert_true(code_header(all, &h));
	for (unsigned i = 0; i < h.sections && s.type != SECTION_SYMTAB; i++)
		assert_true(code_section(all, &h, i, &s));
	for (uint64_t at = s.offset; at < s.offset + s.size; at += CODE_SYMBOL)
		k.v[at + 5] &= 0xef;
	rows_of(&k);
	assert_line("alone cubin 0-5480\nrow stub|sm_90|none=1 cubin toolkit=13.0 abi=8 kernels=0");
}

static void tables_beyond_the_file_are_incomplete(void **state)
{
	struct bytes b = fixture("cuda/k_sm_90.cubin");

	(void)state;
	b.n -= 100;
	rows_of(&b);
	assert_no_line("row");
	assert_string_equal(grade(), "incomplete");
	b.n = 40;
	rows_of(&b);
	assert_string_equal(grade(), "anomaly");
}

static void bare_cubins_lie_open_or_in_zstd_frames(void **state)
{
	struct bytes host = fixture("cuda/libembed.so"), b = {0}, k = fixture("cuda/k_sm_90a.cubin");

	(void)state;
	rows_of(&host);
	assert_line("unit zstd_frame 16384-17511\nrow native|sm_90|zstd=1 cubin toolkit=13.0 abi=8 kernels=2 "
	            "bytes=1127 offset=16384");
	put_zeros(&b, 4096);
	put(&b, k.v, k.n);
	put_zeros(&b, 100);
	rows_of(&b);
	assert_string_equal(lines,
	                    "unit cubin 4096-9576\n"
	                    "row native|sm_90a|none=1 cubin toolkit=13.0 abi=8 kernels=2 bytes=5480 offset=4096\n");
}

/* Only its tables are read then; the notes in its front still tell the suffix. */
static void a_large_cubin_is_measured_by_its_tables(void **state)
{
	struct bytes b = {0}, k = fixture("cuda/k_sm_90a.cubin");

	(void)state;
	limits.v[LIMIT_DEVICE_PAYLOAD] = 4096;
	put_zeros(&b, 64);
	put(&b, k.v, k.n);
	for (size_t piece = 0; piece < 200; piece += 99) {
		rows_in_pieces(&b, SEARCH_LINKED, piece);
		assert_string_equal(lines, "unit cubin 64-5544\n"
		                           "row native|sm_90a|none=1 cubin toolkit=13.0 abi=8 bytes=5480 offset=64\n");
	}
	limits_default(&limits);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(loose_cubins_name_target_suffix_and_kernels),
	        cmocka_unit_test(flags_are_read_by_their_abi),
	        cmocka_unit_test(an_unknown_abi_or_no_target_is_unknown),
	        cmocka_unit_test(notes_that_lie_leave_the_compat_section),
	        cmocka_unit_test(no_kernel_makes_a_stub),
	        cmocka_unit_test(tables_beyond_the_file_are_incomplete),
	        cmocka_unit_test(bare_cubins_lie_open_or_in_zstd_frames),
	        cmocka_unit_test(a_large_cubin_is_measured_by_its_tables),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
