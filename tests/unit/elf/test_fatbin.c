/* SPDX-License-Identifier: Apache-2.0 */
#include "device_rows.h"

/* Places in cuda/mode_size.fatbin: a header of 16 bytes, then the first entry (a zstd cubin of sm_90). */
#define FATBIN_VERSION    4
#define FATBIN_HEADER     6
#define FATBIN_SIZE       8
#define ENTRY_KIND        16
#define ENTRY_HEADER      20
#define ENTRY_SIZE        24
#define ENTRY_PACKED      32
#define ENTRY_OPTIONS     36
#define ENTRY_SM          44
#define ENTRY_NAME        48
#define ENTRY_NAME_LENGTH 52
#define ENTRY_FLAGS       56
#define ENTRY_INFLATED    72

static void each_codec_is_opened(void **state)
{
	static const struct {
		const char *file, *cubin, *ptx;
	} cases[] = {
	        {"cuda/algo_1.fatbin", "row native|sm_90|zlib=1 fatbin declared=sm_90",
	         "row portable|compute_90|zlib=1 fatbin"},
	        {"cuda/algo_2.fatbin", "row native|sm_90|lz4=1 fatbin declared=sm_90",
	         "row portable|compute_90|lz4=1 fatbin"},
	        {"cuda/algo_3.fatbin", "row native|sm_90|lz4=1 fatbin declared=sm_90",
	         "row portable|compute_90|lz4=1 fatbin"},
	        {"cuda/algo_5.fatbin", "row native|sm_90|zstd=1 fatbin declared=sm_90",
	         "row portable|compute_90|zstd=1 fatbin"},
	        {"cuda/mode_none.fatbin", "row native|sm_90a|none=1 fatbin declared=sm_90a",
	         "row portable|compute_90|none=1 fatbin"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct bytes b = fixture(cases[i].file);

		rows_of(&b);
		assert_line(cases[i].cubin);
		assert_line(cases[i].ptx);
		assert_line("toolkit=13.0 abi=8 kernels=2");
		assert_line("isa=9.0 kernels=2");
		assert_line("unit fatbin 0-");
		assert_string_equal(grade(), "read");
	}
}

static void obfuscated_lto_is_not_inflated_and_no_unit(void **state)
{
	struct bytes b = fixture("cuda/lto.fatbin");

	(void)state;
	rows_of(&b);
	assert_line("alone fatbin 0-");
	assert_line("row intermediate|lto_90|obfuscated=1 fatbin");
	assert_no_line("kernels=");
}

static void suffixes_are_told_for_all_forms(void **state)
{
	struct bytes b = fixture("cuda/all_f.fatbin");

	(void)state;
	rows_of(&b);
	assert_line("row native|sm_100f|none=1 fatbin declared=sm_100f");
	assert_line("row portable|compute_121f|none=1 fatbin declared=compute_121f");
	assert_line("row intermediate|lto_103f|none=1 fatbin declared=lto_103f");
	assert_no_line("mismatch");
}

/* Each lie, its grade, and what must still be listed or must not. */
static const struct lie {
	const char *name;
	size_t at;
	uint64_t value;
	unsigned size;
	const char *grade, *line, *no_line;
} lies[] = {
        {"size", FATBIN_SIZE, UINT64_MAX, 8, "incomplete", "fault", "row"},
        {"size that wraps", FATBIN_SIZE, UINT64_MAX - 15, 8, "incomplete", "fault", "row"},
        {"no header", FATBIN_HEADER, 0, 2, "incomplete", "fault", "row"},
        {"odd header", FATBIN_HEADER, 65535, 2, "incomplete", "fault", "row"},
        {"version of the future", FATBIN_VERSION, 2, 2, "incomplete", "fault", "row"},
        {"old magic", 0, 0x1EE55A01, 4, "incomplete", "fault", "row"},
        {"entry without header", ENTRY_HEADER, 0, 4, "incomplete", "fault", "row"},
        {"short entry header", ENTRY_HEADER, 8, 4, "incomplete", "fault", "row"},
        {"long entry header", ENTRY_HEADER, UINT32_MAX, 4, "incomplete", "fault", "row"},
        {"payload that wraps", ENTRY_SIZE, UINT64_MAX - 63, 8, "incomplete", "fault", "row"},
        {"payload too long", ENTRY_SIZE, 1ull << 40, 8, "incomplete", "fault", "row"},
        {"compressed size", ENTRY_PACKED, UINT32_MAX, 4, "incomplete", "row native|sm_90a|zstd=1", "native|sm_90|"},
        {"two codecs", ENTRY_FLAGS, 0xa011, 8, "incomplete", "row native|sm_90a|zstd=1", "native|sm_90|"},
        {"huge inflated size", ENTRY_INFLATED, 1ull << 48, 8, "incomplete", "row native|sm_90|zstd=1", "fault"},
        {"small inflated size", ENTRY_INFLATED, 16, 8, "incomplete", "row native|sm_90a|zstd=1", "fault"},
        {"name outside", ENTRY_NAME, 0x40fffffff0, 8, "anomaly", "row native|sm_90|zstd=1", "fault"},
        {"options outside", ENTRY_OPTIONS, 0xffffff00, 4, "anomaly", "row native|sm_90|zstd=1", "fault"},
        {"unknown kind", ENTRY_KIND, 0x7777, 2, "anomaly", "row unknown|unknown kind 0x7777|zstd=1", "native|sm_90|"},
        {"absurd target", ENTRY_SM, UINT32_MAX, 4, "anomaly",
         "row native|sm_90|zstd=1 fatbin declared=sm_4294967295 mismatch", "fault"},
};

static void lies_have_their_grade(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(lies) / sizeof(lies[0]); i++) {
		struct bytes b = fixture("cuda/mode_size.fatbin");

		set_number(&b, lies[i].at, lies[i].value, lies[i].size);
		rows_of(&b);
		if (strcmp(grade(), lies[i].grade) != 0)
			fail_msg("%s: %s\n%s", lies[i].name, grade(), lines);
		assert_line(lies[i].line);
		assert_no_line(lies[i].no_line);
	}
}

static void a_cut_header_is_an_anomaly_and_a_cut_payload_is_not(void **state)
{
	struct bytes b = fixture("cuda/mode_size.fatbin");

	(void)state;
	b.n = 8;
	rows_of(&b);
	assert_string_equal(grade(), "anomaly");
	b.n = 40;
	rows_of(&b);
	assert_string_equal(grade(), "anomaly");
	b.n = 200;
	rows_of(&b);
	assert_string_equal(grade(), "incomplete");
}

static void put_header(struct bytes *b, uint64_t size)
{
	put_number(b, 0xBA55ED50, 4);
	put_number(b, 1, 2);
	put_number(b, 16, 2);
	put_number(b, size, 8);
}

static void put_entry(struct bytes *b, unsigned kind, uint64_t size, unsigned sm, uint64_t flags, uint64_t inflated)
{
	put_number(b, kind, 2);
	put_number(b, 0x101, 2);
	put_number(b, 64, 4);
	put_number(b, size, 8);
	put_number(b, inflated ? size : 0, 4);
	put_number(b, 0, 4);
	put_number(b, 8, 2);
	put_number(b, 1, 2);
	put_number(b, sm, 4);
	put_zeros(b, 8);
	put_number(b, flags, 8);
	put_zeros(b, 8);
	put_number(b, inflated, 8);
}

static void empty_fatbins_are_legal_and_no_units(void **state)
{
	struct bytes b = {0};

	(void)state;
	for (unsigned i = 0; i < 1000; i++)
		put_header(&b, 0);
	rows_of(&b);
	assert_string_equal(lines, "");
}

static void entries_that_hold_nothing_are_never_support(void **state)
{
	enum { ENTRIES = 20000 };
	struct bytes b = {0};
	const struct found *f;
	uint64_t before;

	(void)state;
	put_header(&b, ENTRIES * 64);
	for (unsigned i = 0; i < ENTRIES; i++)
		put_entry(&b, 2, 0, 90, 0x11, 0);
	before = mem.held;
	f = rows_of(&b);
	assert_line("alone fatbin 0-1280016\nrow unknown|unknown|none=20000 fatbin declared=sm_90 bytes=0 offset=80\n");
	assert_string_equal(grade(), "anomaly");
	assert_int_equal(f->images, 1);
	/* Alike entries take no memory of their own. */
	assert_true(mem.held - before < 1 << 16);
}

static void a_front_of_zeros_is_no_cubin(void **state)
{
	struct bytes b = {0};

	(void)state;
	put_header(&b, 64 + 4096);
	put_entry(&b, 2, 4096, 90, 0x11, 0);
	put_zeros(&b, 4096);
	rows_of(&b);
	assert_line("row unknown|unknown|none=1 fatbin declared=sm_90");
	assert_string_equal(grade(), "anomaly");
}

static void images_above_device_entries_are_incomplete_by_name(void **state)
{
	struct bytes b = fixture("cuda/mode_none.fatbin");

	(void)state;
	limits.v[LIMIT_DEVICE_ENTRIES] = 3;
	rows_of(&b);
	assert_string_equal(grade(), "read");
	limits.v[LIMIT_DEVICE_ENTRIES] = 2;
	rows_of(&b);
	assert_line("oddity incomplete  0 device-entries");
	limits_default(&limits);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(each_codec_is_opened),
	        cmocka_unit_test(obfuscated_lto_is_not_inflated_and_no_unit),
	        cmocka_unit_test(suffixes_are_told_for_all_forms),
	        cmocka_unit_test(lies_have_their_grade),
	        cmocka_unit_test(a_cut_header_is_an_anomaly_and_a_cut_payload_is_not),
	        cmocka_unit_test(empty_fatbins_are_legal_and_no_units),
	        cmocka_unit_test(entries_that_hold_nothing_are_never_support),
	        cmocka_unit_test(a_front_of_zeros_is_no_cubin),
	        cmocka_unit_test(images_above_device_entries_are_incomplete_by_name),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
