/* SPDX-License-Identifier: Apache-2.0 */
/* Lists of millions of names: whatever was added is there again, in the one order that there is. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "entries_list.h"

static void add(struct entries *l, struct arena *mem, const char *path, uint32_t order)
{
	entries_add(l, mem, &(struct entry){.path = span_of(path), .order = order});
}

static void assert_text(struct span s, const char *text)
{
	assert_int_equal(s.n, strlen(text));
	assert_memory_equal(s.p, text, s.n);
}

/* Also such as no extractor makes. */
static const char *const odd[] = {"", "/", "//", "a", "a/", "a//", "a//b", "/a", "a/b", "a-b", "a!/b", "\xff/\x01"};

#define ODD (sizeof(odd) / sizeof(*odd))

static void every_path_comes_back_from_both_forms(void **state)
{
	struct arena mem = ARENA_INIT;
	struct entries l = {0};
	struct entry_list open, sealed;

	(void)state;
	for (size_t i = 0; i < ODD; i++)
		add(&l, &mem, odd[i], (uint32_t)i + 1);
	open = entries_list(&l, &mem);
	entries_seal(&l, &mem);
	sealed = entries_list(&l, &mem);
	assert_int_equal(l.n, ODD);
	for (size_t i = 0; i < ODD; i++) {
		uint32_t at = entries_find(&l, span_of(odd[i]));

		assert_true(at != NO_PLACE);
		assert_int_equal(entries_row(&l, at).order, i + 1);
		assert_true(span_eq(open.v[i].path, sealed.v[i].path));
		assert_int_equal(open.v[i].order, sealed.v[i].order);
		assert_text(open.v[i].path, odd[open.v[i].order - 1]);
	}
	assert_true(entries_find(&l, SPAN("a/b/c")) == NO_PLACE);
	assert_true(entries_find(&l, SPAN("b")) == NO_PLACE);
	arena_clear(&mem);
}

static struct span written(struct entries *l, struct outbuf *out)
{
	*out = outbuf_limited(1 << 20);
	entries_write(l, out);
	assert_false(out->failed);
	return outbuf_span(out);
}

static void the_order_of_adding_leaves_no_trace(void **state)
{
	struct arena mem = ARENA_INIT;
	struct entries a = {0}, b = {0};
	struct outbuf x, y;

	(void)state;
	for (size_t i = 0; i < ODD; i++) {
		add(&a, &mem, odd[i], 1);
		add(&b, &mem, odd[ODD - 1 - i], 1);
		add(&b, &mem, odd[i], 1);
	}
	assert_true(span_eq(written(&a, &x), written(&b, &y)));
	outbuf_release(&y);
	entries_seal(&a, &mem);
	assert_true(span_eq(outbuf_span(&x), written(&a, &y)));
	outbuf_release(&x);
	outbuf_release(&y);
	arena_clear(&mem);
}

/* More than one chunk, and a folder so large that places in it are kept. */
static void a_large_folder_is_searched_by_name(void **state)
{
	struct arena mem = ARENA_INIT;
	struct entries l = {0};
	char name[64];

	(void)state;
	for (uint32_t i = 0; i < 100000; i++) {
		snprintf(name, sizeof(name), "d/%06u", i * 7919 % 100000 * 2);
		add(&l, &mem, name, i + 1);
	}
	add(&l, &mem, "e", 0);
	entries_seal(&l, &mem);
	assert_int_equal(l.n, 100001);
	for (uint32_t i = 0; i < 200000; i++) {
		uint32_t at;

		snprintf(name, sizeof(name), "d/%06u", i);
		at = entries_find(&l, span_of(name));
		assert_true((at == NO_PLACE) == (i % 2 == 1));
		if (at == NO_PLACE)
			continue;
		assert_text(entries_row(&l, at).name, name + 2);
		assert_int_equal(entries_folder_of(&l, at), 1);
	}
	arena_clear(&mem);
}

static void rows_above_the_size_of_a_chunk_have_one_of_their_own(void **state)
{
	struct arena mem = ARENA_INIT;
	struct entries l = {0};
	size_t n = (size_t)3 << 20;
	struct span long_target = {memset(arena_alloc(&mem, n), 'x', n), n};
	struct entry_list list;

	(void)state;
	add(&l, &mem, "a", 1);
	entries_add(&l, &mem, &(struct entry){.path = SPAN("b"), .kind = ENTRY_SYMLINK, .target = long_target});
	add(&l, &mem, "c", 3);
	list = entries_list(&l, &mem);
	assert_int_equal(list.n, 3);
	assert_true(span_eq(list.v[1].target, long_target));
	assert_int_equal(list.v[2].order, 3);
	arena_clear(&mem);
}

static void a_renamed_row_is_the_newest(void **state)
{
	struct arena mem = ARENA_INIT;
	struct entries l = {0};
	struct entry_cursor c = {0};
	struct entry_list list;

	(void)state;
	add(&l, &mem, "a/b", 1);
	add(&l, &mem, "a/c", 2);
	assert_true(entries_next(&l, &c));
	entries_rename(&l, &mem, &c, SPAN("z!/a/b"));
	assert_true(entries_next(&l, &c));
	assert_text(entries_path(&l, &c), "a/c");
	assert_true(entries_next(&l, &c));
	assert_text(entries_path(&l, &c), "z!/a/b");
	assert_int_equal(c.row.order, 1);
	assert_false(entries_next(&l, &c));
	entries_done(&c);
	list = entries_list(&l, &mem);
	assert_int_equal(list.n, 2);
	entries_seal(&l, &mem);
	assert_int_equal(l.n, 2);
	assert_true(entries_find(&l, SPAN("a/b")) == NO_PLACE);
	arena_clear(&mem);
}

static bool taken(struct span bytes)
{
	struct arena mem = ARENA_INIT;
	struct cursor c = cursor_over(bytes);
	struct entries l;

	entries_read(&c, &mem, &l);
	arena_clear(&mem);
	return !c.bad && cursor_left(&c) == 0;
}

/* Rows, folders, (parent, name) of each; then of the root and of each folder its rows: (head, name). */
static void there_is_one_form_only(void **state)
{
	(void)state;
	assert_true(taken(SPAN("\x00")));
	assert_true(taken(SPAN("\x01\x00\x01\x00\x01x")));
	assert_true(taken(SPAN("\x02\x01\x00\x01"
	                       "d\x01\x01\x01"
	                       "d\x01\x00\x01x")));
	/* A folder for nothing; one that comes before its parent; one that stands twice; a slash in a name. */
	assert_false(taken(SPAN("\x01\x01\x00\x01"
	                        "d\x01\x00\x01x\x00")));
	assert_false(taken(SPAN("\x01\x01\x01\x01"
	                        "d\x00\x01\x00\x01x")));
	assert_false(taken(SPAN("\x02\x02\x00\x01"
	                        "d\x00\x01"
	                        "d\x00\x01\x00\x01x\x01\x00\x01x")));
	assert_false(taken(SPAN("\x01\x00\x01\x00\x01/")));
	/* Rows out of order, or twice; more or fewer than were told. */
	assert_false(taken(SPAN("\x02\x00\x02\x00\x01y\x00\x01x")));
	assert_false(taken(SPAN("\x02\x00\x02\x00\x01x\x00\x01x")));
	assert_false(taken(SPAN("\x01\x00\x02\x00\x01x\x00\x01y")));
	assert_false(taken(SPAN("\x02\x00\x01\x00\x01x")));
	/* A kind that is none; a bit that means nothing; bytes, a target and an order that are said to be there, and are not. */
	assert_false(taken(SPAN("\x01\x00\x01\x05\x01x")));
	assert_false(taken(SPAN("\x01\x00\x01\x40\x01x")));
	assert_false(taken(SPAN("\x01\x00\x01\x08\x01x\x00")));
	assert_false(taken(SPAN("\x01\x00\x01\x10\x01x\x00")));
	assert_false(taken(SPAN("\x01\x00\x01\x20\x01x\x00")));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(every_path_comes_back_from_both_forms),
	        cmocka_unit_test(the_order_of_adding_leaves_no_trace),
	        cmocka_unit_test(a_large_folder_is_searched_by_name),
	        cmocka_unit_test(rows_above_the_size_of_a_chunk_have_one_of_their_own),
	        cmocka_unit_test(a_renamed_row_is_the_newest),
	        cmocka_unit_test(there_is_one_form_only),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
