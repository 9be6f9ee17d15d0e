/* SPDX-License-Identifier: Apache-2.0 */
#include "search_files.h"

/* Every cutting of every kind of file gives the same answer. */
static void cutting_makes_no_difference(void **state)
{
	static const struct {
		const char *file;
		enum search_step step;
	} cases[] = {
	        {"cuda/libembed.so", SEARCH_LINKED},      {"cuda/librdc.a", SEARCH_LOOSE},
	        {"cuda/mode_size.fatbin", SEARCH_FILE},   {"cuda/k_compute_90.ptx", SEARCH_FILE},
	        {"cuda/k_sm_100f.cubin", SEARCH_FILE},    {"hip/libmulti_comp.so", SEARCH_LINKED},
	        {"hip/libmulti_plain.so", SEARCH_LINKED}, {"hip/ccob_v1.hipfb", SEARCH_FILE},
	        {"hip/k_gfx942.hsaco", SEARCH_FILE},
	};
	static char whole[sizeof(lines)];

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct bytes b = fixture(cases[i].file);

		rows_in_pieces(&b, cases[i].step, 0);
		assert_line("row ");
		memcpy(whole, lines, sizeof(whole));
		for (size_t piece = 1; piece < b.n; piece = piece * 3 / 2 + 1) {
			rows_in_pieces(&b, cases[i].step, piece);
			assert_string_equal(lines, whole);
		}
	}
}

/* Only whole strings, of those that some name can start like; here the catalogue is empty. */
static void texts_follow_a_nul_and_end_with_one(void **state)
{
	struct bytes b = host(0);

	(void)state;
	put_text(&b, "/cudart.shm.first");
	put_text(&b, "x/cudart.shm.inside");
	put_text(&b, "/cudart.shm");
	put_text(&b, "/cudart.shm.\x01");
	for (unsigned i = 0; i < 100; i++)
		put(&b, "aaaaaaaaaa", 10);
	put_zeros(&b, 1);
	put_text(&b, "/cudart.shm.last");
	put(&b, "/cudart.shm.open", 16);
	for (size_t piece = 0; piece < b.n; piece = piece * 2 + 1) {
		rows_in_pieces(&b, SEARCH_LINKED, piece);
		assert_string_equal(lines,
		                    "text 0 /cudart.shm.first\ntext 50 /cudart.shm.\x01\ntext 1065 /cudart.shm.last\n");
	}
}

static void a_text_may_have_4096_bytes(void **state)
{
	struct bytes b = host(0);

	(void)state;
	for (unsigned length = 4096; length <= 4097; length++) {
		b.n = 0;
		put(&b, "/cudart.shm.", 12);
		while (b.n < length)
			put(&b, "b", 1);
		put_zeros(&b, 1);
		for (size_t piece = 0; piece < 5000; piece += 1234) {
			rows_in_pieces(&b, SEARCH_LINKED, piece);
			assert_int_equal(lines[0] == 't', length == 4096);
		}
	}
}

static void magics_count_at_multiples_of_the_step(void **state)
{
	struct bytes k = fixture("cuda/mode_size.fatbin");

	(void)state;
	for (size_t at = 64; at < 73; at++) {
		struct bytes b = host(at);

		put(&b, k.v, k.n);
		rows_in_pieces(&b, SEARCH_LINKED, 0);
		assert_int_equal(strstr(lines, "unit fatbin") != NULL, at % 8 == 0);
		rows_in_pieces(&b, SEARCH_LOOSE, 0);
		assert_int_equal(strstr(lines, "unit fatbin") != NULL, at % 2 == 0);
	}
}

/* Payloads of a unit that was read are not listed again; those of one that lies stand for themselves. */
static void what_lies_inside_waits_for_what_is_around(void **state)
{
	struct bytes k = fixture("cuda/k_sm_90.cubin"), b = host(64);

	(void)state;
	put_fatbin(&b, 64 + k.n);
	put_entry(&b, k.n);
	put(&b, k.v, k.n);
	put_zeros(&b, 64);
	rows_of(&b);
	assert_string_equal(
	        lines, "alone fatbin 64-5624\nrow intermediate|lto_90|obfuscated=1 fatbin bytes=5480 offset=144\n");
	/* Before any entry can be listed, its header lies. */
	set_number(&b, 64 + 16 + 2, 0x0202, 2);
	rows_of(&b);
	assert_string_equal(lines, "unit cubin 144-5624\n"
	                           "row native|sm_90|none=1 cubin toolkit=13.0 abi=8 kernels=2 bytes=5480 offset=144\n"
	                           "fault incomplete fatbin 64\n");
}

/* Images that were listed before the lie stay, and are not listed twice; what comes behind them is. */
/* A cubin of 192 bytes that claims to be as large as it likes. */
static void put_decoy(struct bytes *b, uint64_t covers)
{
	size_t at = b->n;

	put(b, "\x7f" "ELF\2\1\1\x33\7", 9);
	put_zeros(b, 7);
	put_number(b, 2, 2);
	put_number(b, 190, 2);
	put_number(b, 1, 4);
	put_zeros(b, 16);
	put_number(b, 64, 8);
	put_number(b, 0x50, 4);
	put_number(b, 64, 2);
	put_zeros(b, 4);
	put_number(b, 64, 2);
	put_number(b, 2, 2);
	put_zeros(b, 2 + 64);
	put_number(b, 0, 4);
	put_number(b, 1, 4);
	put_zeros(b, 16);
	put_number(b, 192, 8);
	put_number(b, covers, 8);
	put_zeros(b, 24);
	assert_int_equal(b->n - at, 192);
}

/* What covers a container, or only its first bytes, does not make it vanish. */
static void a_decoy_hides_no_container(void **state)
{
	static const uint64_t covers[] = {8, 80, 96};

	(void)state;
	for (size_t i = 0; i < sizeof(covers) / sizeof(covers[0]); i++) {
		struct bytes b = host(64);

		put_decoy(&b, covers[i]);
		put_fatbin(&b, 64);
		put_entry(&b, 0);
		put_zeros(&b, 64);
		rows_in_pieces(&b, SEARCH_LINKED, 0);
		if (!strstr(lines, " cubin 64-") || !strstr(lines, " fatbin 256-336"))
			fail_msg("%s", lines);
	}
}

/* All lengths agree, so this is no chance: that nothing of it can be listed is told wherever it lies. */
static void an_entry_that_cannot_be_read_is_told(void **state)
{
	struct bytes b = host(64);

	(void)state;
	put_fatbin(&b, 64);
	put_entry(&b, 0);
	set_number(&b, 64 + 16 + 40, 0x11 | 0x2000 | 0x8000, 8);
	rows_in_pieces(&b, SEARCH_LINKED, 0);
	assert_string_equal(lines, "oddity incomplete fatbin 64\n");
}

static void a_unit_that_lies_keeps_what_it_listed(void **state)
{
	struct bytes k = fixture("cuda/k_sm_90.cubin"), b = host(64);

	(void)state;
	put_fatbin(&b, 64 + k.n + 64 + k.n);
	put_entry(&b, k.n);
	put(&b, k.v, k.n);
	put_zeros(&b, 64); /* no entry */
	put(&b, k.v, k.n);
	put_zeros(&b, 64);
	rows_of(&b);
	assert_string_equal(lines,
	                    "alone fatbin 64-11168\nrow intermediate|lto_90|obfuscated=1 fatbin bytes=5480 offset=144\n"
	                    "unit cubin 5688-11168\n"
	                    "row native|sm_90|none=1 cubin toolkit=13.0 abi=8 kernels=2 bytes=5480 offset=5688\n"
	                    "oddity incomplete fatbin 64\n");
}

static void a_magic_that_is_a_number_is_only_a_fault(void **state)
{
	struct bytes b = host(64);

	(void)state;
	put(&b, "\x50\xed\x55\xba\x75\x0a\x81\x7c", 8);
	put_zeros(&b, 64);
	rows_of(&b);
	assert_string_equal(lines, "fault incomplete fatbin 64\n");
}

/* The host file's own header is no code object, nor is one of another machine. */
static void other_elf_files_are_nothing(void **state)
{
	struct bytes b = fixture("cuda/k_sm_90.cubin");
	struct bytes c = host(64);
	enum object_type type;

	(void)state;
	set_number(&b, 18, 62, 2);
	rows_in_pieces(&b, SEARCH_LINKED, 0);
	assert_string_equal(lines, "");
	assert_false(search_is_device_file((struct span){b.v, 4096}, &type));
	put(&c, b.v, b.n);
	rows_of(&c);
	assert_string_equal(lines, "");
}

/* Containers in one another: nine are one too many, and it matters only when the outer ones fail. */
static void nesting_is_bounded(void **state)
{
	enum { DEPTH = 12 };

	(void)state;
	for (unsigned lie = 0; lie < 2; lie++) {
		struct bytes b = host(64);

		for (unsigned i = DEPTH; i > 0; i--) {
			put_fatbin(&b, 80 * i - 16 + (lie ? 64 : 0));
			put_entry(&b, 80 * (i - 1));
		}
		put_zeros(&b, 64 + 8);
		rows_of(&b);
		assert_line("alone fatbin 64-");
		assert_int_equal(strstr(lines, "nested-containers") != NULL, lie);
	}
}

static void units_of_a_loose_file_follow_one_another(void **state)
{
	struct bytes b = fixture("cuda/mode_size.fatbin"), k = fixture("cuda/mode_none.fatbin");

	(void)state;
	put_zeros(&b, 32);
	put(&b, k.v, k.n);
	rows_of(&b);
	assert_line("unit fatbin 0-2920\n");
	assert_line("unit fatbin 2952-15520\n");
}

/* Nothing of a loose file that lies is listed twice. */
static void a_loose_file_that_lies_is_not_searched(void **state)
{
	struct bytes b = fixture("cuda/mode_none.fatbin");

	(void)state;
	set_number(&b, 8, 1 << 30, 8);
	rows_of(&b);
	assert_string_equal(lines, "fault incomplete fatbin 0\n");
}

static void a_file_that_ends_early_is_incomplete(void **state)
{
	struct bytes b = host(64), k = fixture("cuda/mode_none.fatbin");
	struct job_context ctx = {.mem = &mem, .limits = &limits};
	struct search *s;
	struct found *f;

	(void)state;
	put(&b, k.v, k.n);
	s = freed_later(search_begin(&ctx, SEARCH_LINKED, b.n, say_text, NULL));
	search_feed(s, 0, (struct span){b.v, 7000});
	f = search_end(s, 7000);
	assert_int_equal(f->oddities.n, 1);
	assert_int_equal(f->oddities.v[0].grade, PROBLEM_INCOMPLETE);
	assert_int_equal(f->images, 1);
}

static void many_magics_cost_little(void **state)
{
	enum { MANY = 200000 };
	struct bytes b = host(16);
	const struct found *f;

	(void)state;
	for (unsigned i = 0; i < MANY; i++)
		put_fatbin(&b, 16ull * (MANY - i - 1));
	f = rows_of(&b);
	assert_int_equal(f->units.n, 0);
	assert_true(f->faults.n <= 65536);
	assert_int_equal(f->oddities.v[f->oddities.n - 1].grade, PROBLEM_INCOMPLETE);
}

static void sections_are_made_for_formats(void **state)
{
	(void)state;
	assert_true(search_section_of(SPAN("fatbin"), SPAN(".nv_fatbin")));
	assert_true(search_section_of(SPAN("fatbin"), SPAN("__nv_relfatbin")));
	assert_true(search_section_of(SPAN("ccob"), SPAN(".hip_fatbin")));
	assert_true(search_section_of(SPAN("offload_bundle"), SPAN(".hip_fatbin")));
	assert_false(search_section_of(SPAN("fatbin"), SPAN(".rodata")));
	assert_false(search_section_of(SPAN("cubin"), SPAN(".nv_fatbin")));
	assert_false(search_section_of(SPAN("nothing"), SPAN(".nv_fatbin")));
}

static void loose_files_are_known_by_their_first_bytes(void **state)
{
	static const struct {
		const char *bytes;
		size_t n;
		bool known;
		enum object_type type;
	} cases[] = {
	        {"\x50\xed\x55\xba\x01\x00", 6, true, OBJECT_FATBIN},
	        {"\x01\x5a\xe5\x1e", 4, true, OBJECT_FATBIN},
	        {"CCOB\2\0", 6, true, OBJECT_HIPFB},
	        {"__CLANG_OFFLOAD_BUNDLE__", 24, true, OBJECT_HIPFB},
	        {"__CLANG_OFFLOAD_BUNDLE_", 23, false, OBJECT_OTHER},
	        {".version 9.0\n.target sm_90\n", 27, true, OBJECT_PTX},
	        {"\x28\xb5\x2f\xfd\x60\x68", 6, false, OBJECT_OTHER},
	        {"\x7f"
	         "ELF\2\1",
	         6, false, OBJECT_OTHER},
	        {"", 0, false, OBJECT_OTHER},
	};
	struct bytes cubin = fixture("cuda/k_sm_90.cubin"), code = fixture("hip/k_gfx942.hsaco");
	enum object_type type;

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct span front = {(const uint8_t *)cases[i].bytes, cases[i].n};

		assert_int_equal(search_is_device_file(front, &type), cases[i].known);
		if (cases[i].known)
			assert_int_equal(type, cases[i].type);
	}
	assert_true(search_is_device_file((struct span){cubin.v, 64}, &type));
	assert_int_equal(type, OBJECT_CUBIN);
	assert_true(search_is_device_file((struct span){code.v, 64}, &type));
	assert_int_equal(type, OBJECT_HSACO);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(cutting_makes_no_difference),
	        cmocka_unit_test(texts_follow_a_nul_and_end_with_one),
	        cmocka_unit_test(a_text_may_have_4096_bytes),
	        cmocka_unit_test(magics_count_at_multiples_of_the_step),
	        cmocka_unit_test(what_lies_inside_waits_for_what_is_around),
	        cmocka_unit_test(a_decoy_hides_no_container),
	        cmocka_unit_test(an_entry_that_cannot_be_read_is_told),
	        cmocka_unit_test(a_unit_that_lies_keeps_what_it_listed),
	        cmocka_unit_test(a_magic_that_is_a_number_is_only_a_fault),
	        cmocka_unit_test(other_elf_files_are_nothing),
	        cmocka_unit_test(nesting_is_bounded),
	        cmocka_unit_test(units_of_a_loose_file_follow_one_another),
	        cmocka_unit_test(a_loose_file_that_lies_is_not_searched),
	        cmocka_unit_test(a_file_that_ends_early_is_incomplete),
	        cmocka_unit_test(many_magics_cost_little),
	        cmocka_unit_test(sections_are_made_for_formats),
	        cmocka_unit_test(loose_files_are_known_by_their_first_bytes),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
