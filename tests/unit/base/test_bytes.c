/* SPDX-License-Identifier: Apache-2.0 */
/* Spans, cursors, checked sums, arenas, lists, buffers, errors, limits. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

#include "base/arena.h"
#include "base/checked.h"
#include "base/cursor.h"
#include "base/outbuf.h"

static void nothing_wraps(void **state)
{
	uint64_t v = 7;

	assert_true(range_inside(0, 0, 0) && range_inside(4, 6, 10) && range_inside(10, 0, 10));
	assert_false(range_inside(4, 7, 10) || range_inside(11, 0, 10) || range_inside(UINT64_MAX, 2, 10) ||
		     range_inside(2, UINT64_MAX, 10));
	assert_false(sum_u64(UINT64_MAX, 1, &v) || product_u64(1ull << 32, 1ull << 32, &v));
	assert_int_equal(v, 7);
	assert_true(sum_u64(UINT64_MAX - 1, 1, &v) && v == UINT64_MAX && product_u64(3, 5, &v) && v == 15);
	assert_true(sum_capped(UINT64_MAX, 2) == UINT64_MAX && sum_capped(2, 3) == 5);
}

static void spans_compare_as_bytes_the_shorter_first(void **state)
{
	assert_true(span_cmp(SPAN("a"), SPAN("b")) < 0 && span_cmp(SPAN("\x7f"), SPAN("\x80")) < 0);
	assert_true(span_cmp(SPAN("a"), SPAN("a\0")) < 0 && span_cmp(SPAN_NONE, SPAN("")) == 0 &&
		    span_cmp(SPAN("b"), SPAN("ab")) > 0);
	assert_true(span_eq(SPAN_NONE, span_of("")) && span_eq(span_of(NULL), SPAN_NONE) &&
		    !span_eq(SPAN("a"), SPAN("A")));
	assert_true(span_starts(SPAN("ab"), SPAN("a")) && span_starts(SPAN("a"), SPAN_NONE) &&
		    !span_starts(SPAN("a"), SPAN("ab")));
	assert_true(span_ends(SPAN("ab"), SPAN("b")) && span_ends(SPAN("a"), SPAN_NONE) &&
		    !span_ends(SPAN("b"), SPAN("ab")));
}

static void spans_are_cut_without_leaving_them(void **state)
{
	assert_true(span_eq(span_after(SPAN("abc"), 1), SPAN("bc")) && span_after(SPAN("abc"), 4).n == 0 &&
		    span_after(SPAN_NONE, 1).n == 0);
	assert_true(span_eq(span_first(SPAN("abc"), 2), SPAN("ab")) && span_first(SPAN("abc"), 9).n == 3);
	assert_true(span_find(SPAN("abc"), 'c') == 2 && span_find(SPAN("abc"), 'x') == 3 &&
		    span_find(SPAN_NONE, 'x') == 0);
	assert_true(span_eq(span_base_name(SPAN("a/b/c.so")), SPAN("c.so")) &&
		    span_eq(span_base_name(SPAN("c")), SPAN("c")));
	assert_int_equal(span_base_name(SPAN("a/")).n, 0);
}

static void a_cursor_reads_little_endian(void **state)
{
	static const uint8_t bytes[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
	struct cursor c = cursor_over((struct span){bytes, sizeof(bytes)});

	assert_int_equal(cursor_u8(&c), 1);
	assert_int_equal(cursor_u16(&c), 0x0302);
	assert_int_equal(cursor_u32(&c), 0x07060504);
	assert_int_equal(cursor_u64(&c), 0x0f0e0d0c0b0a0908);
	assert_true(cursor_left(&c) == 0 && !c.bad);
}

static void a_cursor_stays_bad(void **state)
{
	struct cursor c = cursor_over(SPAN("abc"));

	cursor_skip(&c, 1);
	assert_int_equal(cursor_u32(&c), 0);
	assert_true(c.bad && cursor_left(&c) == 0 && cursor_u8(&c) == 0 && cursor_take(&c, 0).n == 0 && c.bad);
	c = cursor_over(SPAN("abc"));
	cursor_skip(&c, UINT64_MAX);
	assert_true(c.bad && c.at == 0);
}

static void an_arena_takes_back_what_it_gave_since_a_mark(void **state)
{
	struct arena mem = ARENA_INIT, other = ARENA_INIT;
	struct arena_mark empty = arena_here(&mem), here;
	struct span kept;

	(void)state;
	memset(arena_alloc(&mem, 100), 1, 100);
	arena_back(&mem, empty);
	assert_true(mem.held == 0 && mem.blocks == NULL);
	kept = arena_copy(&mem, SPAN("kept"));
	here = arena_here(&mem);
	for (int round = 0; round < 3; round++) {
		/* In the block in use, behind it, and in new ones. */
		memset(arena_alloc(&mem, 1000), 1, 1000);
		memset(arena_alloc(&mem, 100000), 1, 100000);
		for (int i = 0; i < 20; i++)
			memset(arena_alloc(&mem, 16000), 1, 16000);
		arena_back(&mem, here);
		assert_int_equal(mem.held, here.held);
		assert_int_equal(*(const uint8_t *)arena_alloc(&mem, 1000), 0);
	}
	assert_true(span_eq(kept, SPAN("kept")));
	kept = arena_copy(&other, SPAN("other"));
	arena_own(&other, malloc(10));
	arena_join(&mem, &other);
	assert_true(other.blocks == NULL && span_eq(kept, SPAN("other")));
	arena_own(&other, malloc(10));
	arena_join(&other, &mem);
	assert_true(span_eq(kept, SPAN("other")));
	arena_clear(&other);
}

struct pieces {
	size_t n, bytes;
	uint8_t last;
	bool tired;
};

static bool piece_take(void *handle, struct span piece)
{
	struct pieces *p = handle;

	p->n++;
	p->bytes += piece.n;
	p->last = piece.p[piece.n - 1];
	return !p->tired;
}

static void a_buffer_with_a_sink_keeps_little(void **state)
{
	struct pieces p = {0};
	struct outbuf b = outbuf_limited(1000000);

	(void)state;
	b.sink = piece_take;
	b.sink_handle = &p;
	outbuf_flush(&b);
	assert_int_equal(p.n, 0);
	for (size_t i = 0; i < 1000000; i++)
		outbuf_char(&b, (char)i);
	assert_true(p.n > 5 && b.cap < 200000);
	outbuf_flush(&b);
	assert_int_equal(p.bytes, 1000000);
	assert_int_equal(p.last, (uint8_t)999999);
	assert_false(b.failed);
	/* The ceiling is for all of it. */
	outbuf_char(&b, 'x');
	assert_true(b.failed);
	outbuf_release(&b);
	b = outbuf_limited(1000);
	b.sink = piece_take;
	b.sink_handle = &p;
	p.tired = true;
	outbuf_char(&b, 'x');
	outbuf_flush(&b);
	assert_true(b.failed);
	outbuf_release(&b);
}

static void arena_memory_is_zero_and_aligned(void **state)
{
	static const size_t sizes[] = {1, 3, 100, 16384, 65536, 200000, 7};
	struct arena mem = ARENA_INIT;

	for (size_t round = 0; round < 30; round++) {
		uint8_t *p = arena_alloc(&mem, sizes[round % 7]);

		assert_int_equal((uintptr_t)p % _Alignof(max_align_t), 0);
		for (size_t i = 0; i < sizes[round % 7]; i++)
			assert_int_equal(p[i], 0);
		memset(p, 0xff, sizes[round % 7]);
	}
	assert_true(mem.held > 1000000);
	assert_true(span_eq(arena_printf(&mem, "%s-%d", "x", 12), SPAN("x-12")));
	assert_true(span_eq(arena_copy(&mem, SPAN("a\0b")), SPAN("a\0b")) && arena_copy(&mem, SPAN_NONE).n == 0);
	arena_clear(&mem);
	assert_true(mem.held == 0 && arena_alloc(&mem, 1));
	arena_clear(&mem);
}

/* Of a command it is the exit status, and there it is a fault of our own (design.md 9). */
static void no_memory_ends_with_the_status_of_a_fault(void **state)
{
	pid_t child = fork();
	int status;

	assert_true(child >= 0);
	if (child == 0) {
		close(STDERR_FILENO);
		out_of_memory();
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 4);
}

static void lists_grow_and_sort(void **state)
{
	struct arena mem = ARENA_INIT;
	LIST(uint64_t) numbers = {NULL, 0, 0};
	struct spans l = {NULL, 0, 0};

	for (uint64_t i = 0; i < 1000; i++)
		*list_add(&mem, &numbers) = i * i;
	for (uint64_t i = 0; i < 1000; i++)
		assert_int_equal(numbers.v[i], i * i);
	spans_sort_unique(&l);
	assert_int_equal(l.n, 0);
	for (int i = 0; i < 6; i++)
		spans_add(&mem, &l, span_of(&"ca\0b\0a\0\0c"[i]));
	spans_sort_unique(&l);
	assert_int_equal(l.n, 4);
	assert_true(span_eq(l.v[0], SPAN("")) && span_eq(l.v[1], SPAN("a")) && span_eq(l.v[2], SPAN("b")) &&
		    span_eq(l.v[3], SPAN("ca")));
	arena_clear(&mem);
}

static void a_buffer_has_a_ceiling_and_stays_failed(void **state)
{
	struct outbuf b = outbuf_limited(10);

	outbuf_text(&b, "12345");
	outbuf_printf(&b, "%d", 6789);
	outbuf_char(&b, '0');
	assert_true(!b.failed && span_eq(outbuf_span(&b), SPAN("1234567890")));
	outbuf_put(&b, SPAN_NONE);
	assert_false(b.failed);
	outbuf_char(&b, 'x');
	assert_true(b.failed && b.n == 10);
	outbuf_put(&b, SPAN("y"));
	outbuf_release(&b);
	assert_true(!b.failed && b.n == 0 && b.max == 10);
	outbuf_put(&b, SPAN("12345678901"));
	assert_true(b.failed && b.n == 0);
	outbuf_release(&b);
}

static void errors_say_where_and_which_limit(void **state)
{
	struct err e = ERR_INIT;
	struct limits l;
	char *longest = malloc(2000);

	limits_default(&l);
	assert_int_equal(err_set(&e, ERR_TRUNCATED, 5, "ends at %d", 5), -1);
	assert_int_equal(err_wrap(&e, "member '%s'", "a"), -1);
	assert_string_equal(e.text, "member 'a': ends at 5");
	assert_true(e.code == ERR_TRUNCATED && e.at == 5 && e.limit == LIMIT_NONE);
	assert_int_equal(err_limit(&e, LIMIT_JSON_DEPTH, &l, "x"), -1);
	assert_string_equal(e.text, "json-depth is 64, and x goes above it");
	assert_true(e.code == ERR_LIMIT && e.limit == LIMIT_JSON_DEPTH);
	memset(longest, 'z', 1999);
	longest[1999] = '\0';
	err_wrap(&e, "%s", longest);
	assert_int_equal(strlen(e.text), sizeof(e.text) - 1);
	assert_string_equal(e.text + sizeof(e.text) - 6, "zz: j");
	free(longest);
}

static void limits_are_sorted_and_found_by_name(void **state)
{
	struct limits l;

	limits_default(&l);
	for (int i = LIMIT_NONE + 1; i < LIMIT_COUNT; i++) {
		const struct limit *row = limit_row((enum limit_id)i);

		assert_true(i == 1 || strcmp(limit_row((enum limit_id)(i - 1))->name, row->name) < 0);
		assert_int_equal(limit_by_name(span_of(row->name)), i);
		assert_true(l.v[i] == row->value && row->value > 0 && *row->per && *row->what);
	}
	assert_int_equal(limit_by_name(SPAN("json-dept")), LIMIT_NONE);
	assert_int_equal(limit_by_name(SPAN("")), LIMIT_NONE);
	assert_string_equal(limit_row(LIMIT_NONE)->name, "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nothing_wraps),
		cmocka_unit_test(spans_compare_as_bytes_the_shorter_first),
		cmocka_unit_test(spans_are_cut_without_leaving_them),
		cmocka_unit_test(a_cursor_reads_little_endian),
		cmocka_unit_test(a_cursor_stays_bad),
		cmocka_unit_test(arena_memory_is_zero_and_aligned),
		cmocka_unit_test(an_arena_takes_back_what_it_gave_since_a_mark),
		cmocka_unit_test(a_buffer_with_a_sink_keeps_little),
		cmocka_unit_test(no_memory_ends_with_the_status_of_a_fault),
		cmocka_unit_test(lists_grow_and_sort),
		cmocka_unit_test(a_buffer_has_a_ceiling_and_stays_failed),
		cmocka_unit_test(errors_say_where_and_which_limit),
		cmocka_unit_test(limits_are_sorted_and_found_by_name),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
