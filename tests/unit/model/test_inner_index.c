/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "model/inner_index.h"

/* Blocks and what is left behind them: no place of a text of any length is passed over, and none behind it is read. */
static void literal_is_found_at_every_place(void **state)
{
	static const struct span literals[] = {SPAN_INIT("3cub"), SPAN_INIT("3c104cuda"), SPAN_INIT("6thrust"),
	                                       SPAN_INIT("\xff\x80")};
	struct arena mem = ARENA_INIT;
	struct inner_index x;

	memset(&x, 0, sizeof(x));
	for (unsigned i = 0; i < 4; i++)
		inner_add(&x, &mem, literals[i], i ? i + 60 : 0);
	for (size_t n = 0; n < 80; n++) {
		for (unsigned i = 0; i < 4; i++) {
			uint64_t set = UINT64_C(1) << (i ? i + 60 : 0);
			struct span l = literals[i];

			for (size_t at = 0; at < n; at++) {
				uint8_t *text = test_malloc(n);
				size_t there = n - at < l.n ? n - at : l.n;

				memset(text, '3', n);
				memcpy(text + at, l.p, there);
				assert_int_equal(inner_find(&x, (struct span){text, n}), there == l.n ? set : 0);
				test_free(text);
			}
		}
	}
	assert_int_equal(inner_find(&x, SPAN("_ZN3cub3c104cudb4_6thrust")), UINT64_C(1) | UINT64_C(1) << 62);
	arena_clear(&mem);
}

static void index_without_literals_finds_nothing(void **state)
{
	struct inner_index x;

	memset(&x, 0, sizeof(x));
	assert_int_equal(inner_find(&x, SPAN("_ZN3cub3c104cuda4_6thrust_and_a_long_text_behind_it")), 0);
	assert_int_equal(inner_find(&x, SPAN("")), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(literal_is_found_at_every_place),
		cmocka_unit_test(index_without_literals_finds_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
