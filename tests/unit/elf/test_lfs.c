/* SPDX-License-Identifier: Apache-2.0 */
/* Git LFS pointers, as docs/spec.md of git-lfs has them. */
#include <setjmp.h>
#include <stdarg.h>
#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>

#include "elf/lfs.h"
#include "elf/make_elf.h"

#define VERSION "version https://git-lfs.github.com/spec/v1\n"
#define OID     "oid sha256:4d7a214614ab2935c943f9e0ff69d22eadbb8f32b1258daaa5e2ca24d17e2393\n"
#define EXT     "ext-0-foo sha256:4d7a214614ab2935c943f9e0ff69d22eadbb8f32b1258daaa5e2ca24d17e2393\n"

/* One thing that is called so. */
static void read_as(struct reading *r, const char *path, struct span text, size_t piece)
{
	reading_begin(r);
	assert_true(elf_reader.wants(text));
	reading_run(r, path, text.p, text.n, text.n, piece);
	assert_int_equal(r->facts.problems.n, 0);
}

static void a_pointer_under_a_drivers_name_is_a_pointer(void **state)
{
	static const struct span text = SPAN_INIT(VERSION OID "size 12345\n");

	for (size_t piece = 0; piece < 130; piece += 43) {
		struct reading r;
		const struct object *o;

		read_as(&r, "usr/lib/libcuda.so.1", text, piece);
		assert_int_equal(r.facts.objects.n, 1);
		o = &r.facts.objects.v[0];
		assert_int_equal(o->type, OBJECT_LFS_POINTER);
		assert_int_equal(o->bytes, text.n);
		assert_int_equal(o->content_bytes, 12345);
		assert_int_equal(o->evidence.n, 1);
		assert_non_null(reading_evidence(&r, EVIDENCE_DRIVER_FILE, "libcuda.so.1"));
		reading_end(&r);
	}
}

static void a_pointer_under_another_name_is_not_listed(void **state)
{
	struct reading r;

	read_as(&r, "weights/model.safetensors", SPAN(VERSION OID "size 12345\n"), 0);
	assert_int_equal(r.facts.objects.n, 0);
	reading_end(&r);
}

static void sizes_are_those_of_the_specification(void **state)
{
	static const struct {
		struct span text;
		uint64_t bytes; /* 0: damaged */
	} rows[] = {
	        {SPAN_INIT(VERSION OID "size 12345\n"), 12345},
	        {SPAN_INIT(VERSION OID "size 12345"), 12345},
	        {SPAN_INIT(VERSION EXT EXT OID "size 7\n"), 7},
	        {SPAN_INIT("version https://git-lfs.github.com/spec/v1\r\n"
	                   "oid sha256:4d7a214614ab2935c943f9e0ff69d22eadbb8f32b1258daaa5e2ca24d17e2393\r\n"
	                   "size 8\r\n"), 8},
	        {SPAN_INIT(VERSION OID "size 9007199254740991\n"), 9007199254740991},
	        {SPAN_INIT(VERSION OID "size 9007199254740992\n"), 0},
	        {SPAN_INIT(VERSION OID "size 99999999999999999999999999999999999999999\n"), 0},
	        {SPAN_INIT(VERSION OID "size -1\n"), 0},
	        {SPAN_INIT(VERSION OID "size \n"), 0},
	        {SPAN_INIT(VERSION OID "size 1\n\0\xff\x01"), 0},
	        {SPAN_INIT(VERSION OID "size 1\nsize 2\n"), 0},
	        {SPAN_INIT(VERSION "size 1\n" OID), 0},
	        {SPAN_INIT(VERSION "oid sha256:4d7a\nsize 1\n"), 0},
	        {SPAN_INIT(VERSION OID), 0},
	        {SPAN_INIT(VERSION EXT), 0},
	        {SPAN_INIT(VERSION), 0},
	        {SPAN_INIT("version https://git-lfs.github.com/spec/v1"), 0},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		uint64_t got = lfs_content_bytes(rows[i].text);

		if (!lfs_starts(rows[i].text) || got != rows[i].bytes)
			fail_msg("row %zu: %" PRIu64, i, got);
	}
}

static void what_is_no_pointer_is_left_alone(void **state)
{
	char text[1024];

	memset(text, '#', sizeof(text));
	memcpy(text, VERSION, sizeof(VERSION) - 1);
	assert_true(elf_reader.wants((struct span){(uint8_t *)text, 1023}));
	assert_false(elf_reader.wants((struct span){(uint8_t *)text, 1024}));
	assert_false(elf_reader.wants(SPAN("version https://git-lfs.github.com/spec/v12\n")));
	assert_false(elf_reader.wants(SPAN("version https://git-lfs.github.com/spec/v")));
	assert_false(elf_reader.wants(SPAN("\nversion https://git-lfs.github.com/spec/v1\n")));
}

/* A stream that ends early leaves a shorter front, and whoever gave it tells that. */
static void a_pointer_that_is_cut_is_damaged(void **state)
{
	static const struct span text = SPAN_INIT(VERSION OID "size 12345\n");

	for (size_t n = sizeof(VERSION) - 2; n < text.n - 1; n++) {
		struct reading r;

		reading_begin(&r);
		reading_run(&r, "libcudart.so.12", text.p, n, text.n, 10);
		assert_int_equal(r.facts.objects.n, 1);
		assert_int_equal(r.facts.objects.v[0].type, OBJECT_LFS_POINTER);
		assert_int_equal(r.facts.objects.v[0].bytes, n);
		assert_true(r.facts.objects.v[0].content_bytes < 12345);
		reading_end(&r);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(a_pointer_under_a_drivers_name_is_a_pointer),
	        cmocka_unit_test(a_pointer_under_another_name_is_not_listed),
	        cmocka_unit_test(sizes_are_those_of_the_specification),
	        cmocka_unit_test(what_is_no_pointer_is_left_alone),
	        cmocka_unit_test(a_pointer_that_is_cut_is_damaged),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
