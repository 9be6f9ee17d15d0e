/* SPDX-License-Identifier: Apache-2.0 */
#include "search_files.h"

/* Runs of at least `shortest` zeros as holes, which are cut, too. */
static void feed_holes(struct search *s, const struct bytes *b, size_t shortest)
{
	size_t at = 0, n, cut = 1;

	for (; at < b->n; at += n) {
		for (n = 0; at + n < b->n && b->v[at + n] == 0 && n < cut * 7919; n++)
			;
		cut = cut % 5 + 1;
		if (n >= shortest) {
			search_skip(s, at, n);
			continue;
		}
		for (; at + n < b->n && b->v[at + n]; n++)
			;
		search_feed(s, at, (struct span){b->v + at, n});
	}
}

static void put_cubin_entry(struct bytes *b, uint64_t size)
{
	size_t at = b->n;

	put_entry(b, size);
	set_number(b, at, 2, 2);
	set_number(b, at + 40, 0x11, 8);
}

/* Texts that a hole ends and starts, payloads in holes that nobody or somebody looks at, a lie in a hole. */
static struct bytes with_holes(void)
{
	struct bytes k = fixture("cuda/k_sm_90.cubin"), b = host(40001);

	put(&b, "/cudart.shm.a", 13);
	put_zeros(&b, 30000);
	put(&b, "/cudart.shm.b", 13);
	put_zeros(&b, 30000 - b.n % 8);
	put_fatbin(&b, 64 + 30000 + 64 + 80000 + 64 + k.n);
	put_entry(&b, 30000);
	put_zeros(&b, 30000);
	put_cubin_entry(&b, 80000);
	put_zeros(&b, 80000);
	put_entry(&b, k.n);
	put(&b, k.v, k.n);
	put_zeros(&b, 30000 - b.n % 8);
	put(&b, k.v, k.n);
	put_zeros(&b, 30000 - b.n % 8);
	put_fatbin(&b, 30000);
	put_zeros(&b, 60000);
	put_text(&b, "\n.version 8.0\n.target sm_90\n.visible .entry k()");
	return b;
}

static void a_hole_gives_what_its_zeros_give(void **state)
{
	static const struct {
		const char *file;
		enum search_step step;
	} cases[] = {
	        {NULL, SEARCH_LINKED},
	        {NULL, SEARCH_LOOSE},
	        {"cuda/libembed.so", SEARCH_LINKED},
	        {"cuda/mode_size.fatbin", SEARCH_FILE},
	        {"hip/libmulti_plain.so", SEARCH_LINKED},
	        {"hip/k_gfx942.hsaco", SEARCH_FILE},
	};
	static char whole[sizeof(lines)];

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct bytes b = cases[i].file ? fixture(cases[i].file) : with_holes();

		rows_in_pieces(&b, cases[i].step, 0);
		assert_line("row ");
		if (!cases[i].file) {
			assert_line("text 40001 /cudart.shm.a\ntext 70014 /cudart.shm.b\n");
			assert_line("fatbin declared=sm_90 bytes=80000 ");
			assert_line("unit cubin ");
			assert_line("fault ");
			assert_line("row portable|compute_90|none=1 ptx");
		}
		memcpy(whole, lines, sizeof(whole));
		for (size_t shortest = 1; shortest < 10000; shortest = shortest * 4 + 1) {
			rows_fed(&b, cases[i].step, feed_holes, shortest);
			assert_string_equal(lines, whole);
		}
	}
}

static void holes_cost_nothing(void **state)
{
	struct catalogue catalogue = {0};
	struct job_context ctx = {.mem = &mem, .limits = &limits, .catalogue = &catalogue};
	uint64_t size = (uint64_t)1 << 60;
	struct bytes k = fixture("cuda/k_sm_90.cubin");
	struct search *s;
	struct found *f;

	(void)state;
	catalogue_index_build(&catalogue, &mem);
	s = freed_later(search_begin(&ctx, SEARCH_LINKED, size + k.n, NULL, NULL));
	search_skip(s, 0, size);
	search_feed(s, size, (struct span){k.v, k.n});
	f = search_end(s, size + k.n);
	assert_int_equal(f->units.n, 1);
	assert_true(f->units.v[0].offset == size);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(a_hole_gives_what_its_zeros_give),
	        cmocka_unit_test(holes_cost_nothing),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
