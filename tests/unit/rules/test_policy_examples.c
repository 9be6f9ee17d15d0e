/* SPDX-License-Identifier: Apache-2.0 */
/* docs/policy.md: every example is a policy, and every key has its row. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

#include "policy_kit.h"

#define DOC FIXTURES "/../../docs/policy.md"

static char page[1 << 16];

static int page_read(void **state)
{
	FILE *f = fopen(DOC, "re");
	size_t n;

	if (!f || kit_setup(state) < 0)
		return -1;
	n = fread(page, 1, sizeof(page) - 1, f);
	fclose(f);
	return n > 0 && n < sizeof(page) - 1 ? 0 : -1;
}

static void every_example_is_a_policy(void **state)
{
	char *at = page, *end;
	int examples = 0;

	while ((at = strstr(at, "\n```yaml\n"))) {
		struct err e = ERR_INIT;
		struct policy p;

		at += strlen("\n```yaml\n");
		end = strstr(at, "\n```\n");
		assert_non_null(end);
		end[1] = '\0';
		if (kit_read(&p, "example.yaml", at, &e) < 0)
			fail_msg("example %d: %s", examples + 1, e.text);
		end[1] = '`';
		examples++;
		at = end + 1;
	}
	assert_in_range(examples, 8, 100);
}

static void every_key_has_its_row(void **state)
{
	static const char *const keys[] = {
	        "version", "name",   "backends", "classes", "checks", "overrides", "waivers", "require", "allow",
	        "forbid",  "others", "backend",  "devices", "match",  "reason",    "finding", "owner",   "expires",
	        "ticket",  "path",   "package",  "image",   "class",  "target",    "level",   "layer",   "fingerprint",
	};
	char row[40];

	for (size_t i = 0; i < sizeof(keys) / sizeof(*keys); i++) {
		snprintf(row, sizeof(row), "\n| `%s` | ", keys[i]);
		if (!strstr(page, row))
			fail_msg("no row for '%s'", keys[i]);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(every_example_is_a_policy),
	        cmocka_unit_test(every_key_has_its_row),
	};

	return cmocka_run_group_tests(tests, page_read, kit_teardown);
}
