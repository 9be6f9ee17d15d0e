/* SPDX-License-Identifier: Apache-2.0 */
/* Files made to cost much: each is incomplete by a limit's name, or read as quickly as any other. */
#include "search_files.h"
#include "stopwatch.h"

#define SMALL (256 << 10) /* object-ranges: a quarter of it may be kept */

static bool limit_told;

/* How many images are listed; limit_told: object-ranges was hit. */
static size_t images_found(const struct bytes *b, uint64_t ranges)
{
	const struct found *f;

	limits.v[LIMIT_OBJECT_RANGES] = ranges;
	f = rows_in_pieces(b, SEARCH_LINKED, 0);
	limits_default(&limits);
	limit_told = false;
	for (size_t i = 0; i < f->oddities.n; i++)
		limit_told = limit_told || f->oddities.v[i].limit == LIMIT_OBJECT_RANGES;
	return f->images;
}

/* Each has another target, or all have one. */
static struct bytes fatbins(unsigned n, unsigned kinds)
{
	struct bytes b = host(64);

	for (unsigned i = 0; i < n; i++) {
		put_fatbin(&b, 64 + 8);
		put_entry(&b, 8);
		put_zeros(&b, 8);
		set_number(&b, b.n - 72 + 28, 10 + i % kinds, 4);
	}
	return b;
}

static void kinds_of_images_are_bounded_by_object_ranges(void **state)
{
	struct bytes b = fatbins(2000, 2000);

	(void)state;
	assert_int_equal(images_found(&b, 64 << 20), 2000);
	assert_false(limit_told);
	assert_in_range(images_found(&b, SMALL), 10, 500);
	assert_true(limit_told);
}

static void units_are_bounded_by_object_ranges(void **state)
{
	struct bytes b = fatbins(4000, 1), texts = host(64);

	(void)state;
	assert_in_range(images_found(&b, SMALL), 300, 2000);
	assert_true(limit_told);
	for (unsigned i = 0; i < 4000; i++)
		put_text(&texts, ".version 8.0\n.target sm_90");
	assert_in_range(images_found(&texts, SMALL), 300, 2000);
	assert_true(limit_told);
}

/* Inside a container that was read, and inside one that is not read to its end yet: there they wait. */
static void what_lies_inside_is_bounded_by_object_ranges(void **state)
{
	(void)state;
	for (unsigned waits = 0; waits < 2; waits++) {
		struct bytes b = host(64), inner = fatbins(4000, 1);
		uint64_t before;

		put_fatbin(&b, 64 + inner.n + (waits ? 64 : 0));
		put_entry(&b, inner.n);
		put(&b, inner.v, inner.n);
		if (waits)
			put_entry(&b, 0);
		before = mem.held;
		(void)images_found(&b, SMALL);
		assert_true(limit_told);
		assert_true(mem.held - before < 1 << 20);
	}
}

static void put_frame(struct bytes *b, const void *first, uint32_t n, unsigned zero_blocks)
{
	put(b, "\x28\xb5\x2f\xfd\0\x58", 6);
	put_number(b, n << 3, 3);
	put(b, first, n);
	for (unsigned i = 0; i < zero_blocks; i++) {
		put_number(b, 131072u << 3 | 2 | (i + 1 == zero_blocks), 3);
		put_zeros(b, 1);
	}
}

/* A table of 4 MB in 200 bytes: 170000 entries, all zeros. */
static void put_ccob(struct bytes *b)
{
	size_t at = b->n;

	put(b, "CCOB\2\0\1\0", 8);
	put_number(b, 0, 4);
	put_number(b, 32 * 131072, 4);
	put_zeros(b, 8);
	put_frame(b, "__CLANG_OFFLOAD_BUNDLE__\x10\x98\2\0\0\0\0", 32, 32);
	set_number(b, at + 8, b->n - at, 4);
	put_zeros(b, (8 - b->n % 8) % 8);
}

static void little_that_becomes_much_is_bounded_by_object_ranges(void **state)
{
	double start = stopwatch();
	struct bytes few = host(64), many = host(64);

	(void)state;
	for (unsigned i = 0; i < 200; i++)
		put_ccob(i < 4 ? &few : &many);
	rows_in_pieces(&few, SEARCH_LINKED, 0);
	assert_no_line("object-ranges");
	rows_in_pieces(&many, SEARCH_LINKED, 0);
	assert_line("object-ranges");
	assert_faster(start, 2);
}

/* Frames every 16 bytes whose headers are sound: each was worth a decoder of its own once, and its window. */
static void many_places_that_look_like_frames_cost_little(void **state)
{
	static const struct span rows[] = {
	        SPAN_INIT("\x28\xb5\x2f\xfd\0\x88\xf1\0\0\x7f"
	                  "ELF\2\1"),                                           /* raw */
	        SPAN_INIT("\x28\xb5\x2f\xfd\0\x88\xf5\0\0\x02\x84\x04\x84\x12\x34"), /* Huffman, damaged */
	};
	double start = stopwatch();

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct bytes b = {0};

		for (unsigned k = 0; k < 1 << 16; k++) {
			put(&b, rows[i].p, rows[i].n);
			put_zeros(&b, 1);
		}
		rows_in_pieces(&b, SEARCH_LINKED, 0);
		assert_no_line("unit");
	}
	assert_faster(start, 0.5);
}

/* The window that a frame claims is no reason to pass it over, and takes no memory. */
static void a_cubin_in_a_frame_of_a_large_window_is_read(void **state)
{
	struct bytes k = fixture("cuda/k_sm_90.cubin"), b = host(64);

	(void)state;
	assert_true(k.n < 1 << 17);
	put(&b, "\x28\xb5\x2f\xfd\0\x88", 6);
	put_number(&b, k.n << 3 | 1, 3);
	put(&b, k.v, k.n);
	put_zeros(&b, 64);
	rows_in_pieces(&b, SEARCH_LINKED, 0);
	assert_line("unit zstd_frame 64-");
	assert_line("row native|sm_90|zstd=1 cubin");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(kinds_of_images_are_bounded_by_object_ranges),
	        cmocka_unit_test(units_are_bounded_by_object_ranges),
	        cmocka_unit_test(what_lies_inside_is_bounded_by_object_ranges),
	        cmocka_unit_test(little_that_becomes_much_is_bounded_by_object_ranges),
	        cmocka_unit_test(many_places_that_look_like_frames_cost_little),
	        cmocka_unit_test(a_cubin_in_a_frame_of_a_large_window_is_read),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
