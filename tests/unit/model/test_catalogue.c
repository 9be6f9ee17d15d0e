/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "model/catalogue.h"

static struct arena mem;
static struct catalogue c;

static void add_library(const char *pattern, const char *backend, const char *version)
{
	struct library_rule *r = list_add(&mem, &c.libraries);

	r->pattern = span_of(pattern);
	r->backend = span_of(backend);
	r->version = span_of(version);
}

static struct family_rule *add_family(const char *name, const char *backend, const char *prefix, const char *regex)
{
	struct family_rule *f = list_add(&mem, &c.families);

	f->name = span_of(name);
	f->backend = span_of(backend);
	f->prefix = span_of(prefix);
	assert_int_equal(regcomp(&f->regex, regex, REG_EXTENDED | REG_NOSUB), 0);
	return f;
}

static int set_up(void **state)
{
	struct family_rule *f;

	add_library("libcudart.so.12", "cuda", "12");
	add_library("libcudart.so", "cuda", "");
	add_library("libcudart.so.11.0", "cuda", "11");
	add_library("libnpp*.so", "cuda", "");
	add_library("libnpp*.so.12", "cuda", "12");
	add_library("libnppc.so", "cuda", "c");
	add_library("libnvinfer_builder_resource*.so*", "cuda", "");
	add_library("libnccl.so.2", "cuda", "");
	add_library("librccl.so", "rocm", "");
	add_library("libamdhip64.so", "rocm", "");
	add_library("libruntime_cu.so", "metax", "");
	add_family("cuda-driver-loose", "cuda", "cu", "^cu[A-Z]")->needs = SPAN("libcuda.so*");
	add_family("cufile", "cuda", "cuFile", "^cuFile[A-Z]");
	add_family("cuda-runtime", "cuda", "cuda", "^cuda[A-Z][A-Za-z0-9]*$");
	f = add_family("nccl", "cuda", "nccl", "^nccl[A-Z]");
	spans_add(&mem, &f->others, SPAN("rocm"));
	spans_add(&mem, &f->libraries, SPAN("libnccl.so"));
	spans_add(&mem, &f->libraries, SPAN("librccl.so"));
	add_family("nccl", "cuda", "ncclx", "^ncclx[A-Z]");
	*list_add(&mem, &c.tools) = (struct tool_rule){SPAN("ptxas"), SPAN("cuda"), SPAN("assembler")};
	*list_add(&mem, &c.tools) = (struct tool_rule){SPAN("hipcc"), SPAN("rocm"), SPAN("compiler")};
	*list_add(&mem, &c.drivers) = (struct driver_rule){SPAN("libcuda.so"), SPAN("cuda"), SPAN("compute")};
	*list_add(&mem, &c.drivers) = (struct driver_rule){SPAN("gsp_*.bin"), SPAN("cuda"), SPAN("firmware")};
	*list_add(&mem, &c.claims) = (struct claim_rule){SPAN("*-cu12"), SPAN("cuda"), SPAN("name")};
	*list_add(&mem, &c.claims) = (struct claim_rule){SPAN("+cu1*"), SPAN("cuda"), SPAN("local-version")};
	*list_add(&mem, &c.claims) = (struct claim_rule){SPAN("+rocm*"), SPAN("rocm"), SPAN("local-version")};
	*list_add(&mem, &c.claims) = (struct claim_rule){SPAN("nvidia-*"), SPAN("other"), SPAN("name")};
	*list_add(&mem, &c.backends) = (struct backend){.id = SPAN("cuda"), .title = SPAN("NVIDIA CUDA"), .vendor = true};
	catalogue_index_build(&c, &mem);
	return 0;
}

static int tear_down(void **state)
{
	catalogue_release(&c);
	arena_clear(&mem);
	return 0;
}

/* The pattern that a name is taken for, "" for none. */
static void library_is(const char *name, const char *pattern)
{
	const struct library_rule *r = catalogue_library(&c, span_of(name));
	struct span found = r ? r->pattern : SPAN("");

	if (!span_eq(found, span_of(pattern)))
		fail_msg("'%s' is taken for '%.*s', not '%s'", name, (int)found.n, (const char *)found.p, pattern);
}

static void star_is_any_run_and_nothing_else_is_special(void **state)
{
	assert_true(pattern_matches(SPAN("a*b*c"), SPAN("abc")));
	assert_true(pattern_matches(SPAN("a*b*c"), SPAN("a-b-b-bc-c")));
	assert_true(pattern_matches(SPAN("*"), SPAN("")));
	assert_true(pattern_matches(SPAN("a*"), SPAN("a")));
	assert_true(pattern_matches(SPAN("**a"), SPAN("bca")));
	assert_false(pattern_matches(SPAN("a*b"), SPAN("a-b-")));
	assert_false(pattern_matches(SPAN(""), SPAN("a")));
	assert_false(pattern_matches(SPAN("a.c"), SPAN("abc")));
	assert_false(pattern_matches(SPAN("[a]?"), SPAN("ab")));
	assert_true(pattern_matches(SPAN("[a]?"), SPAN("[a]?")));
}

static void library_may_have_more_of_a_version(void **state)
{
	library_is("libcudart.so.12", "libcudart.so.12");
	library_is("libcudart.so.12.4.127", "libcudart.so.12");
	library_is("libcudart.so.11.8.89", "libcudart.so");
	library_is("libcudart.so.11.0", "libcudart.so.11.0");
	library_is("libcudart.so.14", "libcudart.so");
	/* A program that appends the version itself. */
	library_is("libcudart.so.", "libcudart.so");
	library_is("libcudart.so.120", "libcudart.so");
	library_is("libcudart.so.12x", "");
	library_is("libcudart.so.debug", "");
	library_is("libcudart.so12", "");
	library_is("libcudart", "");
	library_is("libcudartx.so.12", "");
	library_is("xlibcudart.so.12", "");
	library_is("", "");
	library_is("l", "");
}

static void longest_literal_wins(void **state)
{
	library_is("libnppig.so", "libnpp*.so");
	library_is("libnppig.so.13", "libnpp*.so");
	library_is("libnppig.so.12.1.2", "libnpp*.so.12");
	library_is("libnppc.so.7", "libnppc.so");
	library_is("libnvinfer_builder_resource_win.so.10.0.1", "libnvinfer_builder_resource*.so*");
}

static void hashes_of_vendoring_tools_are_ignored(void **state)
{
	library_is("libcudart-1a2b3c4d.so.12", "libcudart.so.12");
	library_is("libcudart-1a2b3c4d.so.11.0", "libcudart.so.11.0");
	library_is("libcudart.3eda8113.so.12", "libcudart.so.12");
	library_is("libnppig-00000000.so.12.0", "libnpp*.so.12");
	/* Upper case, too short, too long, in the wrong place. */
	library_is("libcudart-1A2B3C4D.so.12", "");
	library_is("libcudart-1a2b3c4.so.12", "");
	library_is("libcudart-1a2b3c4d5.so.12", "");
	library_is("libcudart.3eda811.so.12", "");
	library_is("libcudart.so-1a2b3c4d.12", "");
	library_is("-1a2b3c4d.so", "");
	library_is(".3eda8113.so", "");
}

static void long_names_are_no_libraries(void **state)
{
	static uint8_t name[1 << 20];

	memset(name, '.', sizeof(name));
	memcpy(name, "libcudart.so", 12);
	assert_null(catalogue_library(&c, (struct span){name, sizeof(name)}));
	assert_non_null(catalogue_library(&c, (struct span){name, 255}));
	assert_null(catalogue_library(&c, (struct span){name, 256}));
}

static void family_is(const char *symbol, const char *name)
{
	const struct family_rule *f = catalogue_family(&c, span_of(symbol));
	struct span found = f ? f->name : SPAN("");

	if (!span_eq(found, span_of(name)))
		fail_msg("'%s' is of '%.*s', not '%s'", symbol, (int)found.n, (const char *)found.p, name);
}

static void family_of_the_longest_prefix_comes_first(void **state)
{
	family_is("cuFileOpen", "cufile");
	family_is("cuFile_", "cuda-driver-loose");
	family_is("cuMemAlloc", "cuda-driver-loose");
	family_is("cudaMalloc", "cuda-runtime");
	family_is("cudaMalloc_x", "");
	family_is("cudb", "");
	family_is("cu", "");
	family_is("c", "");
	family_is("", "");
	/* No byte behind the span is looked at. */
	assert_non_null(catalogue_family(&c, (struct span){(const uint8_t *)"cudaMalloc_x", 10}));
}

static void rows_of_one_family_are_one(void **state)
{
	const struct family_rule *f = catalogue_family(&c, SPAN("ncclSend"));

	assert_non_null(f);
	assert_ptr_equal(f, catalogue_family(&c, SPAN("ncclxSend")));
	assert_ptr_not_equal(f, catalogue_family(&c, SPAN("cudaMalloc")));
}

static void only_starts_of_rules_may_start(void **state)
{
	unsigned n = 0;

	for (unsigned i = 0; i < 65536; i++)
		n += catalogue_may_start(&c, (uint8_t)(i >> 8), (uint8_t)i);
	assert_int_equal(n, 3);
	assert_true(catalogue_may_start(&c, 'l', 'i'));
	assert_true(catalogue_may_start(&c, 'c', 'u'));
	assert_true(catalogue_may_start(&c, 'n', 'c'));
}

/* More families with literals inside than the quick look has room for: none is lost. */
static void literals_inside_choose_among_many_families(void **state)
{
	struct catalogue many;

	memset(&many, 0, sizeof(many));
	for (int i = 0; i < 70; i++) {
		struct family_rule *f = list_add(&mem, &many.families);

		f->name = arena_printf(&mem, "f%d", i);
		f->prefix = SPAN("_Z");
		spans_add(&mem, &f->inner, arena_printf(&mem, "%dx", 100 + i));
		assert_int_equal(regcomp(&f->regex, (const char *)arena_printf(&mem, "^_Z[0-9a-z]*%dx", 100 + i).p,
		                         REG_EXTENDED),
		                 0);
	}
	catalogue_index_build(&many, &mem);
	for (int i = 0; i < 70; i++) {
		const struct family_rule *f = catalogue_family(&many, arena_printf(&mem, "_Z3abc%dxy", 100 + i));

		assert_non_null(f);
		assert_true(span_eq(f->name, arena_printf(&mem, "f%d", i)));
	}
	assert_null(catalogue_family(&many, SPAN("_Z3abc99xy")));
	assert_null(catalogue_family(&many, SPAN("_Z")));
	/* The literal is there, the rest does not match. */
	assert_null(catalogue_family(&many, SPAN("_Z.100x")));
	assert_string_equal(catalogue_family(&many, SPAN("_Z3abc105x101x"))->name.p, "f1");
	catalogue_release(&many);
}

static void backend_is(const char *symbol, const char *version_library, const char *needed, const char *backend,
                       bool sure)
{
	const struct family_rule *f = catalogue_family(&c, span_of(symbol));
	struct spans list = {NULL, 0, 0};
	struct span found;
	bool told = !sure;

	assert_non_null(f);
	for (struct span s = span_of(needed); s.n; s = span_after(s, span_find(s, ' ') + 1))
		spans_add(&mem, &list, span_first(s, span_find(s, ' ')));
	found = catalogue_family_backend(&c, f, span_of(version_library), &list, &told);
	if (!span_eq(found, span_of(backend)) || (found.n && told != sure))
		fail_msg("'%s' with '%s' and '%s': '%.*s', %s", symbol, version_library, needed, (int)found.n,
		         (const char *)found.p, told ? "sure" : "not sure");
}

static void version_need_tells_before_needed_before_default(void **state)
{
	backend_is("ncclSend", "", "", "cuda", false);
	backend_is("ncclSend", "", "libc.so.6 librccl.so.1", "rocm", true);
	backend_is("ncclSend", "", "libnccl.so.2", "cuda", true);
	backend_is("ncclSend", "", "libnccl-1a2b3c4d.so.2", "cuda", true);
	backend_is("ncclSend", "librccl.so.1", "libnccl.so.2", "rocm", true);
	backend_is("ncclSend", "libc.so.6", "libnccl.so.2", "cuda", true);
	/* A library that defines the family beats one of the backend. */
	backend_is("ncclSend", "", "libcudart.so.12 librccl.so.1", "rocm", true);
	/* Another library of the backend tells too, unless two disagree. */
	backend_is("ncclSend", "", "libamdhip64.so.7", "rocm", true);
	backend_is("ncclSend", "", "libamdhip64.so.7 libcudart.so.12", "cuda", false);
	/* One of a backend that the family is not of says nothing. */
	backend_is("ncclSend", "", "libruntime_cu.so", "cuda", false);
	backend_is("cudaMalloc", "libruntime_cu.so", "", "metax", true);
}

static void unmet_need_takes_the_family_away(void **state)
{
	backend_is("cuNew", "", "", "", false);
	backend_is("cuNew", "", "libcudart.so.12", "", false);
	backend_is("cuNew", "", "libcuda.so.1", "cuda", false);
	backend_is("cuNew", "", "libcudart.so.12 libcuda-1a2b3c4d.so.1", "cuda", true);
}

static void tools_and_driver_files_are_found_by_name(void **state)
{
	assert_string_equal(catalogue_tool(&c, SPAN("hipcc"))->backend.p, "rocm");
	assert_string_equal(catalogue_tool(&c, SPAN("ptxas"))->backend.p, "cuda");
	assert_null(catalogue_tool(&c, SPAN("ptxas2")));
	assert_null(catalogue_tool(&c, SPAN("ptxa")));
	assert_non_null(catalogue_driver(&c, SPAN("libcuda.so.1")));
	assert_non_null(catalogue_driver(&c, SPAN("libcuda.so.535.104.05")));
	assert_non_null(catalogue_driver(&c, SPAN("gsp_tu10x.bin")));
	assert_null(catalogue_driver(&c, SPAN("gsp.bin")));
	assert_null(catalogue_driver(&c, SPAN("libcudart.so.12")));
	assert_null(catalogue_driver(&c, SPAN("")));
}

static void claims_keep_to_their_kind_and_their_order(void **state)
{
	assert_string_equal(catalogue_claim(&c, SPAN("name"), SPAN("nvidia-cublas-cu12"))->backend.p, "cuda");
	assert_string_equal(catalogue_claim(&c, SPAN("name"), SPAN("nvidia-x"))->backend.p, "other");
	assert_string_equal(catalogue_claim(&c, SPAN("local-version"), SPAN("+rocm6.2"))->backend.p, "rocm");
	assert_null(catalogue_claim(&c, SPAN("local-version"), SPAN("+cpu")));
	assert_null(catalogue_claim(&c, SPAN("name"), SPAN("+rocm6.2")));
	assert_null(catalogue_claim(&c, SPAN("classifier"), SPAN("nvidia-x")));
}

static void backends_are_found_by_id(void **state)
{
	assert_string_equal(catalogue_backend(&c, SPAN("cuda"))->title.p, "NVIDIA CUDA");
	assert_null(catalogue_backend(&c, SPAN("cud")));
}

static void empty_catalogue_finds_nothing(void **state)
{
	struct catalogue none;

	memset(&none, 0, sizeof(none));
	catalogue_index_build(&none, &mem);
	assert_null(catalogue_library(&none, SPAN("libcudart.so")));
	assert_null(catalogue_family(&none, SPAN("cudaMalloc")));
	assert_null(catalogue_driver(&none, SPAN("libcuda.so")));
	assert_null(catalogue_tool(&none, SPAN("nvcc")));
	assert_null(catalogue_claim(&none, SPAN("name"), SPAN("x")));
	assert_false(catalogue_may_start(&none, 'l', 'i'));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(star_is_any_run_and_nothing_else_is_special),
		cmocka_unit_test(library_may_have_more_of_a_version),
		cmocka_unit_test(longest_literal_wins),
		cmocka_unit_test(hashes_of_vendoring_tools_are_ignored),
		cmocka_unit_test(long_names_are_no_libraries),
		cmocka_unit_test(family_of_the_longest_prefix_comes_first),
		cmocka_unit_test(rows_of_one_family_are_one),
		cmocka_unit_test(only_starts_of_rules_may_start),
		cmocka_unit_test(literals_inside_choose_among_many_families),
		cmocka_unit_test(version_need_tells_before_needed_before_default),
		cmocka_unit_test(unmet_need_takes_the_family_away),
		cmocka_unit_test(tools_and_driver_files_are_found_by_name),
		cmocka_unit_test(claims_keep_to_their_kind_and_their_order),
		cmocka_unit_test(backends_are_found_by_id),
		cmocka_unit_test(empty_catalogue_finds_nothing),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
