/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/name_hash.h"

#define NAMES 50000u
#define SLOTS 131072u

/* Slots looked at when all names were put into a table with linear probing, under the key that does worst. */
static uint64_t worst_probes(const char *before, const char *behind)
{
	static bool full[SLOTS];
	uint64_t worst = 0;

	for (uint64_t key = 2; key < 40; key++) {
		uint64_t probes = 0;

		memset(full, 0, sizeof(full));
		for (unsigned i = 0; i < NAMES; i++) {
			char name[32];
			int n = snprintf(name, sizeof(name), "%s%05u%s", before, i, behind);
			uint64_t at = name_hash(key, 7, (struct span){(const uint8_t *)name, (size_t)n}) % SLOTS;

			for (probes++; full[at]; probes++)
				at = (at + 1) % SLOTS;
			full[at] = true;
		}
		worst = probes > worst ? probes : worst;
	}
	return worst;
}

/* At this load chance gives about 1.3 looks a name. */
static void names_that_count_up_fill_no_runs_of_slots(void **state)
{
	static const char *const names[][2] = {{"", ""}, {"", ".py"}, {"module_", ".py"}, {"", "_of_a_long_name"}};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		assert_in_range(worst_probes(names[i][0], names[i][1]), NAMES, NAMES * 3 / 2);
}

static void folder_and_length_count_too(void **state)
{
	assert_int_not_equal(name_hash(99, 1, SPAN("a")), name_hash(99, 2, SPAN("a")));
	assert_int_not_equal(name_hash(99, 1, SPAN("a")), name_hash(99, 1, SPAN("\0a")));
	assert_int_equal(name_hash(99, 1, SPAN("a")), name_hash(99, 1, SPAN("a")));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(names_that_count_up_fill_no_runs_of_slots),
	        cmocka_unit_test(folder_and_length_count_too),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
