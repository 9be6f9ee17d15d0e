/* SPDX-License-Identifier: Apache-2.0 */
#include "device_rows.h"

#define VERSION  4
#define METHOD   6
#define TOTAL    8 /* version 2 */
#define INFLATED 12
#define HASH     16

static void every_version_and_method_is_listed(void **state)
{
	static const char *const cases[][2] = {
	        {"hip/ccob_v1.hipfb", "unit ccob 0-1787\nrow native|gfx1100|zstd=1 ccob bytes=597 offset=0\n"
	                              "row native|gfx90a:xnack+|zstd=1 ccob bytes=595 offset=0\n"},
	        {"hip/ccob_v2.hipfb", "unit ccob 0-1791\nrow native|gfx1100|zstd=1 ccob bytes=597 offset=0\n"},
	        {"hip/ccob_v3.hipfb", "unit ccob 0-1799\nrow native|gfx1100|zstd=1 ccob bytes=601 offset=0\n"
	                              "row native|gfx90a:xnack+|zstd=1 ccob bytes=599 offset=0\n"},
	        {"hip/ccob_v2_zlib.hipfb", "unit ccob 0-1856\nrow native|gfx1100|zlib=1 ccob bytes=620 offset=0\n"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct bytes b = fixture(cases[i][0]);

		rows_of(&b);
		assert_line(cases[i][1]);
		assert_line("row native|gfx942|");
		assert_no_line("declared");
		assert_string_equal(grade(), "read");
	}
}

/* The stream of version 1 ends where it ends: what follows is looked at for itself. */
static void version_1_ends_with_its_stream(void **state)
{
	struct bytes b = fixture("hip/ccob_v1.hipfb"), next = fixture("hip/ccob_v2.hipfb");

	(void)state;
	put_zeros(&b, 4096 - b.n);
	put(&b, next.v, next.n);
	for (size_t piece = 0; piece < 3000; piece += 999) {
		rows_in_pieces(&b, SEARCH_FILE, piece);
		assert_line("unit ccob 0-1787\n");
		assert_line("unit ccob 4096-5887\n");
	}
}

static void lies_have_their_grade(void **state)
{
	static const struct {
		size_t at;
		uint64_t value;
		unsigned size;
		const char *grade, *line;
	} cases[] = {
	        {VERSION, 9, 2, "incomplete", "fault"},
	        {METHOD, 7, 2, "incomplete", "fault"},
	        {TOTAL, 0, 4, "incomplete", "fault"},
	        {TOTAL, UINT32_MAX, 4, "incomplete", "row native|gfx942|zstd=1"},
	        {INFLATED, UINT32_MAX, 4, "incomplete", "row native|gfx942|zstd=1"},
	        {INFLATED, 32, 4, "incomplete", "oddity"},
	        {HASH, 0, 8, "read", "row native|gfx942|zstd=1"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct bytes b = fixture("hip/ccob_v2.hipfb");

		set_number(&b, cases[i].at, cases[i].value, cases[i].size);
		rows_of(&b);
		assert_string_equal(grade(), cases[i].grade);
		assert_line(cases[i].line);
	}
}

static void a_cut_header_is_odd_and_a_cut_stream_incomplete(void **state)
{
	struct bytes b = fixture("hip/ccob_v2.hipfb");

	(void)state;
	b.n -= 100;
	rows_of(&b);
	assert_string_equal(grade(), "incomplete");
	b.n = 10;
	rows_of(&b);
	assert_string_equal(lines, "fault anomaly ccob 0\n");
}

/* A frame of 1 MiB of zeros: 131072 bytes a block, each as one byte. */
static void zeros_are_no_bundle_and_are_not_inflated_on(void **state)
{
	struct bytes b = {0};

	(void)state;
	put(&b, "CCOB\2\0\1\0", 8);
	put_number(&b, 24 + 6 + 8 * 4, 4);
	put_number(&b, 1 << 20, 4);
	put_zeros(&b, 8);
	put(&b, "\x28\xb5\x2f\xfd\0\x58", 6);
	for (unsigned i = 0; i < 8; i++) {
		put_number(&b, (131072u << 3) | 2 | (i == 7), 3);
		put_zeros(&b, 1);
	}
	rows_of(&b);
	assert_string_equal(lines, "fault anomaly ccob 0\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(every_version_and_method_is_listed),
	        cmocka_unit_test(version_1_ends_with_its_stream),
	        cmocka_unit_test(lies_have_their_grade),
	        cmocka_unit_test(a_cut_header_is_odd_and_a_cut_stream_incomplete),
	        cmocka_unit_test(zeros_are_no_bundle_and_are_not_inflated_on),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
