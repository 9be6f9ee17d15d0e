/* SPDX-License-Identifier: Apache-2.0 */
/* The compiled-in rule data: kept in order, and each rule against names that it must and must not take. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>

#include "base/embedded.h"
#include "rules/catalogue.h"
#include "rules/name_cases.h"
#include "rules/yaml.h"

static struct arena mem;
static struct catalogue c;

static int set_up(void **state)
{
	struct limits limits;
	struct err e = ERR_INIT;

	limits_default(&limits);
	if (catalogue_load(&c, NULL, &limits, &mem, &e) == 0)
		return 0;
	print_error("%s\n", e.text);
	return -1;
}

static int tear_down(void **state)
{
	catalogue_release(&c);
	arena_clear(&mem);
	return 0;
}

static const struct node *child(const struct node *map, const char *key)
{
	const struct node *v = map->first;

	while (v && !span_eq(v->key->text, span_of(key)))
		v = v->next;
	return v;
}

/* Rows are sorted by their name, or by themselves, and none is there twice. */
static void rows_are_sorted(const struct node *list)
{
	const struct node *last = NULL;

	for (const struct node *v = list ? list->first : NULL; v; v = v->next) {
		const struct node *name = v->kind == NODE_MAP ? child(v, "name") : v;

		if (last && span_cmp(last->text, name->text) >= 0)
			fail_msg("%s:%zu: '%s' does not come after '%s'", v->file, v->line, (const char *)name->text.p,
			         (const char *)last->text.p);
		last = name;
	}
}

static void files_are_sorted_and_without_doubles(void **state)
{
	static const char *const lists[] = {"libraries", "families", "tools", "driver", "kernels"};
	struct limits limits;
	struct err e = ERR_INIT;
	struct node *root;

	limits_default(&limits);
	for (size_t i = 0; i < rule_files_count; i++) {
		const struct embedded_file *f = &rule_files[i];

		assert_int_equal(document_read(&root, f->name, (struct span){f->bytes, f->size}, &limits, &mem, &e), 0);
		for (size_t k = 0; k < sizeof(lists) / sizeof(lists[0]); k++)
			rows_are_sorted(child(root, lists[k]));
		for (const struct node *v = child(root, "claims") ? child(root, "claims")->first : NULL; v; v = v->next)
			rows_are_sorted(v);
		if (i)
			assert_true(strcmp(rule_files[i - 1].name, f->name) < 0);
	}
}

static int by_text(const void *x, const void *y)
{
	return span_cmp(*(const struct span *)x, *(const struct span *)y);
}

/* A pattern of two backends would make the answer hang on the order of files. */
static void no_pattern_stands_twice(void **state)
{
	struct span *all = arena_alloc(&mem, c.libraries.n * sizeof(*all));

	for (size_t i = 0; i < c.libraries.n; i++)
		all[i] = c.libraries.v[i].pattern;
	qsort(all, c.libraries.n, sizeof(*all), by_text);
	for (size_t i = 1; i < c.libraries.n; i++)
		if (span_eq(all[i - 1], all[i]))
			fail_msg("'%s' stands twice", (const char *)all[i].p);
}

static void backends_are_known_and_titled(void **state)
{
	for (size_t i = 0; i < c.backends.n; i++)
		assert_true(c.backends.v[i].title.n > 0);
	for (size_t i = 0; i < c.libraries.n; i++)
		assert_non_null(catalogue_backend(&c, c.libraries.v[i].backend));
}

static void families_take_their_names(void **state)
{
	bool *met = arena_alloc(&mem, c.families.n);

	for (size_t i = 0; i < sizeof(family_names) / sizeof(family_names[0]); i++) {
		const struct name_case *n = &family_names[i];
		const struct family_rule *f = catalogue_family(&c, span_of(n->name));

		if (!f || !span_eq(f->name, span_of(n->is)) || !span_eq(f->backend, span_of(n->backend)))
			fail_msg("'%s' is of '%s'", n->name, f ? (const char *)f->name.p : "nothing");
		for (size_t k = 0; k < c.families.n; k++)
			met[k] = met[k] || regexec(&c.families.v[k].regex, n->name, 0, NULL, 0) == 0;
		assert_true(catalogue_may_start(&c, (uint8_t)n->name[0], (uint8_t)n->name[1]));
	}
	/* Each expression has an example. */
	for (size_t i = 0; i < c.families.n; i++)
		if (!met[i])
			fail_msg("nothing tries '%s' with prefix '%.*s'", (const char *)c.families.v[i].name.p,
			         (int)c.families.v[i].prefix.n, (const char *)c.families.v[i].prefix.p);
}

static void ordinary_names_are_of_no_family(void **state)
{
	for (size_t i = 0; i < sizeof(other_symbols) / sizeof(other_symbols[0]); i++) {
		const struct family_rule *f = catalogue_family(&c, span_of(other_symbols[i]));

		if (f)
			fail_msg("'%s' is of '%s'", other_symbols[i], (const char *)f->name.p);
	}
}

static void libraries_are_known(void **state)
{
	for (size_t i = 0; i < sizeof(library_names) / sizeof(library_names[0]); i++) {
		const struct library_case *n = &library_names[i];
		const struct library_rule *r = catalogue_library(&c, span_of(n->name));

		if (!r || !span_eq(r->backend, span_of(n->backend)) || !span_eq(r->version, span_of(n->version)) ||
		    r->weak != n->weak || r->home != n->home)
			fail_msg("'%s' is of '%s' '%.*s'", n->name, r ? (const char *)r->backend.p : "nothing",
			         r ? (int)r->version.n : 0, r ? (const char *)r->version.p : "");
	}
}

static void ordinary_files_are_nothing(void **state)
{
	for (size_t i = 0; i < sizeof(other_files) / sizeof(other_files[0]); i++) {
		const struct span name = span_of(other_files[i]);

		if (catalogue_library(&c, name) || catalogue_driver(&c, name) || catalogue_tool(&c, name))
			fail_msg("'%s' is taken for something", other_files[i]);
	}
}

static void driver_files_and_tools_are_known(void **state)
{
	for (size_t i = 0; i < sizeof(driver_files) / sizeof(driver_files[0]); i++)
		if (!catalogue_driver(&c, span_of(driver_files[i])))
			fail_msg("'%s' is no driver file", driver_files[i]);
	for (size_t i = 0; i < sizeof(tool_names) / sizeof(tool_names[0]); i++)
		if (!catalogue_tool(&c, span_of(tool_names[i])))
			fail_msg("'%s' is no tool", tool_names[i]);
}

static void claims_name_the_backend(void **state)
{
	for (size_t i = 0; i < sizeof(claim_cases) / sizeof(claim_cases[0]); i++) {
		const struct claim_case *n = &claim_cases[i];
		const struct claim_rule *r = catalogue_claim(&c, span_of(n->by), span_of(n->text));
		struct span found = r ? r->backend : SPAN("");

		if (!span_eq(found, span_of(n->backend)))
			fail_msg("%s '%s' claims '%.*s', not '%s'", n->by, n->text, (int)found.n, (const char *)found.p,
			         n->backend);
	}
}

static struct span backend_of(const char *symbol, const char *version_library, const char *needed, bool *sure)
{
	struct spans list = {NULL, 0, 0};

	if (needed[0])
		spans_add(&mem, &list, span_of(needed));
	return catalogue_family_backend(&c, catalogue_family(&c, span_of(symbol)), span_of(version_library), &list,
	                                sure);
}

static void ambiguous_families_follow_the_libraries(void **state)
{
	for (size_t i = 0; i < sizeof(backend_cases) / sizeof(backend_cases[0]); i++) {
		const struct backend_case *n = &backend_cases[i];
		bool sure = false;
		struct span found = backend_of(n->symbol, n->version_library, n->needed, &sure);

		if (!span_eq(found, span_of(n->backend)) || (found.n && sure != n->sure))
			fail_msg("'%s' with '%s' and '%s' is '%.*s', %s", n->symbol, n->version_library, n->needed,
			         (int)found.n, (const char *)found.p, sure ? "sure" : "not sure");
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(files_are_sorted_and_without_doubles),
		cmocka_unit_test(no_pattern_stands_twice),
		cmocka_unit_test(backends_are_known_and_titled),
		cmocka_unit_test(families_take_their_names),
		cmocka_unit_test(ordinary_names_are_of_no_family),
		cmocka_unit_test(libraries_are_known),
		cmocka_unit_test(ordinary_files_are_nothing),
		cmocka_unit_test(driver_files_and_tools_are_known),
		cmocka_unit_test(claims_name_the_backend),
		cmocka_unit_test(ambiguous_families_follow_the_libraries),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
