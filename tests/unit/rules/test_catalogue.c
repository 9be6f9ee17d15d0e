/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "base/scoped.h"
#include "rules/catalogue.h"

static char folder[] = "/tmp/postern-rules-XXXXXX";

static int folder_make(void **state)
{
	return mkdtemp(folder) ? 0 : -1;
}

static int folder_remove(void **state)
{
	return rmdir(folder);
}

static void put(const char *name, const char *text)
{
	scoped_fd int dir = open(folder, O_RDONLY | O_DIRECTORY);
	scoped_fd int fd = openat(dir, name, O_WRONLY | O_CREAT | O_TRUNC, 0600);

	assert_int_equal(write(fd, text, strlen(text)), strlen(text));
}

static void drop(const char *name)
{
	scoped_fd int dir = open(folder, O_RDONLY | O_DIRECTORY);

	assert_int_equal(unlinkat(dir, name, 0), 0);
}

static int load(struct catalogue *c, const char *dir, struct arena *mem, struct err *e)
{
	struct limits limits;

	limits_default(&limits);
	return catalogue_load(c, dir, &limits, mem, e);
}

/* One file x.yaml beside the compiled-in ones is refused with this message behind "FOLDER/". */
static void refused(const char *text, const char *message)
{
	struct arena mem = ARENA_INIT;
	struct err e = ERR_INIT;
	struct catalogue c;

	put("x.yaml", text);
	assert_int_equal(load(&c, folder, &mem, &e), -1);
	assert_int_equal(e.code, ERR_USAGE);
	if (!span_starts(span_of(e.text), span_of(folder)))
		fail_msg("no place: %s", e.text);
	assert_string_equal(e.text + strlen(folder) + 1, message);
	drop("x.yaml");
	arena_clear(&mem);
}

static void compiled_rules_load(void **state)
{
	struct arena mem = ARENA_INIT;
	struct err e = ERR_INIT;
	struct catalogue c;

	assert_int_equal(load(&c, NULL, &mem, &e), 0);
	assert_true(c.version.n > 0);
	assert_true(catalogue_backend(&c, SPAN("cuda"))->vendor);
	assert_true(catalogue_backend(&c, SPAN("rocm"))->vendor);
	assert_false(catalogue_backend(&c, SPAN("opencl"))->vendor);
	catalogue_release(&c);
	arena_clear(&mem);
}

static void file_of_another_name_adds(void **state)
{
	struct arena mem = ARENA_INIT;
	struct err e = ERR_INIT;
	struct catalogue c;
	const struct library_rule *r;

	put("mine.yaml",
	    "backend: {id: mine, title: My stack, vendor: true}\n"
	    "libraries:\n  - {name: libmine.so, component: runtime, home: either, weak: true, versions: {1: '10'}}\n"
	    "families:\n  - {name: mine, strength: medium, regex: '^mine_'}\n"
	    "tools:\n  - {name: minecc, what: compiler}\n"
	    "kernels: ['*.mine']\n"
	    "driver:\n  - {name: mine.ko, what: module}\n"
	    "claims: {packages: 'mine-*', local-version: ['+mine']}\n");
	/* More of a backend that is known. */
	put("zz.yaml", "backend: {id: cuda}\nlibraries:\n  - {name: libcunew.so, component: new}\n");
	put("ignored.txt", "{");
	put(".hidden.yaml", "{");
	assert_int_equal(load(&c, folder, &mem, &e), 0);
	r = catalogue_library(&c, SPAN("libmine.so.1"));
	assert_string_equal(r->pattern.p, "libmine.so.1");
	assert_string_equal(r->version.p, "10");
	assert_string_equal(r->component.p, "runtime");
	assert_int_equal(r->home, HOME_EITHER);
	assert_true(r->weak);
	assert_int_equal(catalogue_library(&c, SPAN("libmine.so"))->version.n, 0);
	assert_int_equal(catalogue_family(&c, SPAN("mine_x"))->strength, FAMILY_MEDIUM);
	assert_string_equal(catalogue_tool(&c, SPAN("minecc"))->what.p, "compiler");
	assert_string_equal(catalogue_driver(&c, SPAN("mine.ko"))->backend.p, "mine");
	assert_string_equal(catalogue_kernel(&c, SPAN("a.mine"))->backend.p, "mine");
	assert_non_null(catalogue_claim(&c, SPAN("name"), SPAN("mine-x")));
	assert_non_null(catalogue_claim(&c, SPAN("requires-dist"), SPAN("mine-x")));
	assert_non_null(catalogue_claim(&c, SPAN("local-version"), SPAN("+mine")));
	assert_string_equal(catalogue_library(&c, SPAN("libcunew.so.3"))->backend.p, "cuda");
	assert_non_null(catalogue_library(&c, SPAN("libcudart.so.12")));
	catalogue_release(&c);
	drop("mine.yaml");
	drop("zz.yaml");
	drop("ignored.txt");
	drop(".hidden.yaml");
	arena_clear(&mem);
}

static void file_of_the_same_name_replaces(void **state)
{
	struct arena mem = ARENA_INIT;
	struct err e = ERR_INIT;
	struct catalogue c;

	put("cuda.yaml", "backend: {id: cuda, title: Other, vendor: true}\n");
	put("rules.yaml", "version: 'mine'\n");
	assert_int_equal(load(&c, folder, &mem, &e), 0);
	assert_null(catalogue_library(&c, SPAN("libcudart.so.12")));
	assert_string_equal(catalogue_backend(&c, SPAN("cuda"))->title.p, "Other");
	assert_string_equal(c.version.p, "mine");
	assert_non_null(catalogue_library(&c, SPAN("libamdhip64.so.6")));
	catalogue_release(&c);
	drop("cuda.yaml");
	drop("rules.yaml");
	arena_clear(&mem);
}

#define HEAD "backend: {id: x, title: X}\n"

static void mistakes_are_named_with_file_line_and_column(void **state)
{
	refused(HEAD "libaries: []\n", "x.yaml:2:1: unknown key 'libaries', the nearest known one is 'libraries'");
	refused(HEAD "backend: {id: y}\n", "x.yaml:2:1: key 'backend' stands here a second time");
	refused("backend: {id: &a x, title: *a}\n", "x.yaml:1:15: anchors are not allowed");
	refused("tools: []\n", "x.yaml:1:1: key 'backend' is missing");
	refused("kernels: '*.x'\n", "x.yaml:1:1: key 'backend' is missing");
	refused("backend: {id: x}\n", "x.yaml:1:10: key 'title' is missing");
	refused("backend: {id: cuda, title: X}\n", "x.yaml:1:10: backend 'cuda' has a title already");
	refused("backend: {id: x, title: X, vendor: yes}\n", "x.yaml:1:36: this must be true or false");
	refused("version: 2026.12\n", "x.yaml:1:10: '2026.12' is not text, put it in quotes");
	refused(HEAD "libraries: {}\n", "x.yaml:2:12: 'libraries' must be a list");
	refused(HEAD "libraries:\n  - {name: a, component: b, home: hsot}\n",
		"x.yaml:3:35: 'hsot' is no home, the nearest known one is 'host'");
	refused(HEAD "libraries:\n  - {name: a.so}\n", "x.yaml:3:5: key 'component' is missing");
	refused(HEAD "libraries:\n  - {name: a.so, component: b, versions: {1: 2}}\n",
		"x.yaml:3:46: '2' is not text, put it in quotes");
	refused(HEAD "libraries:\n  - {name: 'a*', component: b, versions: {1: '2'}}\n",
		"x.yaml:3:42: versions of 'a*' are in its '*' already");
	refused(HEAD "tools:\n  - {name: a, waht: b}\n",
		"x.yaml:3:15: unknown key 'waht', the nearest known one is 'what'");
	refused(HEAD "claims: {packges: a}\n",
		"x.yaml:2:10: unknown key 'packges', the nearest known one is 'packages'");
	refused("[1, 2]\n", "x.yaml:1:1: this must be a map, not a list");
	refused("a: [\n", "x.yaml:2:1: did not find expected node content");
}

static void bad_expressions_are_refused(void **state)
{
#define FAMILY(regex) HEAD "families:\n  - {name: f, strength: strong, regex: " regex "}\n"
	refused(FAMILY("'ab'"), "x.yaml:3:5: bad expression 'ab': it must start with '^'");
	refused(FAMILY("'^a'"),
		"x.yaml:3:5: bad expression '^a': it must start with two letters that are always there");
	refused(FAMILY("'^ab?c'"),
		"x.yaml:3:5: bad expression '^ab?c': it must start with two letters that are always there");
	refused(FAMILY("'^(ab|cd)'"),
		"x.yaml:3:5: bad expression '^(ab|cd)': it must start with two letters that are always there");
	refused(FAMILY("'^ab|cd'"), "x.yaml:3:5: bad expression '^ab|cd': '|' must stand in parentheses");
	refused(FAMILY("'^ab{1,9}'"),
		"x.yaml:3:5: bad expression '^ab{1,9}': counts and backslashes are not known here");
	refused(FAMILY("'^ab[|]'"),
		"x.yaml:3:5: bad expression '^ab[|]': '(', ')', '|' and '[' are not known in brackets");
	refused(FAMILY("'^ab(c'"), "x.yaml:3:5: bad expression '^ab(c': Unmatched ( or \\(");
	refused(FAMILY("['^abc', '^ab[']"), "x.yaml:3:5: bad expression '^ab[': Invalid regular expression");
	refused(HEAD "families:\n  - {name: f, strength: stong, regex: '^ab'}\n",
		"x.yaml:3:25: 'stong' is no strength, the nearest known one is 'strong'");
}

/* The quick look for a literal inside must never hide what the expression takes. */
static void literals_inside_do_not_change_the_answer(void **state)
{
	static const struct {
		const char *regex, *taken, *literals;
	} cases[] = {
		{"^_Z[0-9a-z]*(3c104cuda|2at4cuda)", "_Zn2at4cuda", "3c104cuda 2at4cuda"},
		{"^_Z[0-9a-z]*4sycl3_V1", "_Z4sycl3_V1", "4sycl3_V1"},
		{"^_Z[0-9a-z]*(3cub(x|y)z|6thrust[a-z]*8cuda)", "_Z6thrust8cuda", "3cub 6thrust"},
		{"^_Z[0-9a-z]*(3cub|6thrust[0-9a-z_]*8cuda_cub)", "_Z6thrust8cuda_cub", "3cub 8cuda_cub"},
		{"^_Z[0-9a-z]*x+abcd.efghi", "_Zxxabcd-efghi", "efghi"},
		{"^_Z[0-9a-z]*(abc[0-9]+def)", "_Zabc7def", ""},
		{"^_Z[0-9a-z]*abcde*", "_Zabcd", "abcd"},
		{"^_Z[0-9a-z]*(abcd|efgh)?$", "_Zx", ""},
		{"^_Z[0-9a-z]*(abcd|efgh)*$", "_Zx", ""},
		{"^_Z[0-9a-z]*(abcd|ef)", "_Zef", ""},
		{"^_Z[0-9a-z]*(abcd|)", "_Z", ""},
		{"^_Z[0-9a-z]*abcd?", "_Zabc", ""},
		{"^_Z(x[a-z]*abcd)?", "_Z", ""},
		{"^_Z[0-9a-z]*", "_Z", ""},
		{"^_Zabcd", "_Zabcd", ""},
		{"^_ZNK?8nvinfer1", "_ZNK8nvinfer1", "8nvinfer1"},
		{"^_ZN(abcd)?", "_ZN", ""},
		{"^_ZNK?(abcd|efgh)", "_ZNefgh", "abcd efgh"},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct arena mem = ARENA_INIT;
		struct err e = ERR_INIT;
		struct catalogue c;
		struct span joined = SPAN("");
		const struct family_rule *f;

		put("cuda.yaml", "backend: {id: cuda, title: Other, vendor: true}\n");
		put("x.yaml",
		    (const char *)arena_printf(&mem, HEAD "families:\n  - {name: f, strength: strong, regex: '%s'}\n",
		                               cases[i].regex)
		            .p);
		assert_int_equal(load(&c, folder, &mem, &e), 0);
		f = catalogue_family(&c, span_of(cases[i].taken));
		if (!f || !span_eq(f->name, SPAN("f")))
			fail_msg("'%s' does not take '%s'", cases[i].regex, cases[i].taken);
		for (size_t k = 0; k < f->inner.n; k++)
			joined = arena_printf(&mem, "%.*s%s%.*s", (int)joined.n, (const char *)joined.p, k ? " " : "",
			                      (int)f->inner.v[k].n, (const char *)f->inner.v[k].p);
		assert_string_equal((const char *)joined.p, cases[i].literals);
		catalogue_release(&c);
		arena_clear(&mem);
	}
	drop("cuda.yaml");
	drop("x.yaml");
}

static void unknown_other_backend_is_refused(void **state)
{
	struct arena mem = ARENA_INIT;
	struct err e = ERR_INIT;
	struct catalogue c;

	put("x.yaml", HEAD "families:\n  - {name: f, strength: strong, regex: '^ab', others: [cdua]}\n");
	assert_int_equal(load(&c, folder, &mem, &e), -1);
	assert_string_equal(e.text, "family 'f' has an unknown backend 'cdua'");
	drop("x.yaml");
	arena_clear(&mem);
}

static void folder_that_says_nothing_is_an_error(void **state)
{
	struct arena mem = ARENA_INIT;
	struct err e = ERR_INIT;
	struct catalogue c;

	assert_int_equal(load(&c, folder, &mem, &e), -1);
	assert_non_null(strstr(e.text, "' has no file *.yaml"));
	assert_int_equal(load(&c, "/nonexistent", &mem, &e), -1);
	assert_string_equal(e.text, "cannot open folder '/nonexistent': No such file or directory");
	arena_clear(&mem);
}

static void what_is_no_small_regular_file_is_refused(void **state)
{
	struct arena mem = ARENA_INIT;
	struct err e = ERR_INIT;
	struct limits limits;
	struct catalogue c;
	scoped_fd int dir = open(folder, O_RDONLY | O_DIRECTORY);

	limits_default(&limits);
	assert_int_equal(mkfifoat(dir, "x.yaml", 0600), 0);
	assert_int_equal(catalogue_load(&c, folder, &limits, &mem, &e), -1);
	assert_non_null(strstr(e.text, ": cannot read 'x.yaml': not a regular file"));
	drop("x.yaml");
	limits.v[LIMIT_YAML_BYTES] = 100000;
	put("x.yaml", "version: 'x'\n");
	assert_int_equal(catalogue_load(&c, folder, &limits, &mem, &e), 0);
	catalogue_release(&c);
	{
		scoped_fd int fd = openat(dir, "x.yaml", O_WRONLY);

		assert_int_equal(ftruncate(fd, 100001), 0);
	}
	assert_int_equal(catalogue_load(&c, folder, &limits, &mem, &e), -1);
	assert_non_null(strstr(e.text, "x.yaml: yaml-bytes is 100000, and the file goes above it"));
	drop("x.yaml");
	arena_clear(&mem);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(compiled_rules_load),
		cmocka_unit_test(file_of_another_name_adds),
		cmocka_unit_test(file_of_the_same_name_replaces),
		cmocka_unit_test(mistakes_are_named_with_file_line_and_column),
		cmocka_unit_test(bad_expressions_are_refused),
		cmocka_unit_test(literals_inside_do_not_change_the_answer),
		cmocka_unit_test(unknown_other_backend_is_refused),
		cmocka_unit_test(folder_that_says_nothing_is_an_error),
		cmocka_unit_test(what_is_no_small_regular_file_is_refused),
	};

	return cmocka_run_group_tests(tests, folder_make, folder_remove);
}
