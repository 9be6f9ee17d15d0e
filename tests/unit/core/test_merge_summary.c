/* SPDX-License-Identifier: Apache-2.0 */
#include "merge_kit.h"

static const struct backend_sum *sum_of(const struct artifact *a, const char *backend)
{
	for (size_t i = 0; i < a->backends.n; i++)
		if (span_eq(a->backends.v[i].backend, span_of(backend)))
			return &a->backends.v[i];
	return NULL;
}

static void hard_needs_of_visible_files_are_needed(void **state)
{
	struct facts f = facts_new();
	struct artifact a;

	(void)state;
	hard(object(&f, "x.so", OBJECT_ELF, 10), "cuda", "libcudart.so.12");
	a = merged("x", "directory", &f, 1);
	assert_int_equal(sum_of(&a, "cuda")->level, LEVEL_NEEDED);
	assert_int_equal(sum_of(&a, "cuda")->objects, 1);
	assert_int_equal(sum_of(&a, "cuda")->carried_bytes, 0);
	assert_false(sum_of(&a, "cuda")->undeclared); /* nobody's file goes against nobody's claims */
}

static void what_lies_in_an_archive_is_carried(void **state)
{
	struct facts f = facts_new();
	struct artifact a;

	(void)state;
	file(&f, "a.whl", 99);
	hard(object(&f, "a.whl!/x.so", OBJECT_ELF, 10), "cuda", "libcudart.so.12");
	hard(object(&f, "folder!/x.so", OBJECT_ELF, 10), "rocm", "libamdhip64.so.6");
	a = merged("x", "directory", &f, 1);
	assert_int_equal(sum_of(&a, "cuda")->level, LEVEL_CARRIED);
	assert_int_equal(sum_of(&a, "rocm")->level, LEVEL_NEEDED);
}

static void each_strength_has_its_level(void **state)
{
	static const struct {
		enum strength strength;
		enum level level;
	} rows[] = {
	        {STRENGTH_WEAK, LEVEL_MENTIONED}, {STRENGTH_EMBEDDED, LEVEL_CARRIED}, {STRENGTH_BUNDLED, LEVEL_CARRIED},
	        {STRENGTH_HOST, LEVEL_CARRIED},   {STRENGTH_TOOL, LEVEL_CARRIED},     {STRENGTH_SOFT, LEVEL_MENTIONED},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct facts f = facts_new();
		struct object *o = object(&f, "x.so", OBJECT_ELF, 10);
		struct artifact a;

		object_evidence(o, &mem, SPAN("cuda"), EVIDENCE_DLOPEN, SPAN("v"), rows[i].strength);
		a = merged("x", "directory", &f, 1);
		assert_int_equal(sum_of(&a, "cuda")->level, rows[i].level);
		assert_int_equal(sum_of(&a, "cuda")->carried_bytes, rows[i].level == LEVEL_CARRIED ? 10 : 0);
	}
}

/* Fixture local-1.0+cu124: level.cuda=mentioned. */
static void claims_alone_are_mentions(void **state)
{
	struct facts f = facts_new();
	struct artifact a;

	(void)state;
	claim(package(&f, "w", "1+cu124", "w-1+cu124.dist-info"), "cuda", true, true);
	a = merged("w-1+cu124-py3-none-any.whl", "wheel", &f, 1);
	assert_int_equal(sum_of(&a, "cuda")->level, LEVEL_MENTIONED);
	assert_int_equal(sum_of(&a, "cuda")->objects, 0);
	assert_int_equal(sum_of(&a, "cuda")->packages.n, 1);
	assert_false(sum_of(&a, "cuda")->undeclared);
}

static void bytes_against_the_packages_own_claims_are_undeclared(void **state)
{
	static const struct {
		bool says, has_applies, applies, undeclared;
	} rows[] = {
	        {false, false, false, true},
	        {true, true, true, false},
	        {true, false, false, false},
	        {true, true, false, true},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct facts f = facts_new();
		struct package *p = package(&f, "w", "1", "w-1.dist-info");
		struct artifact a;

		claim(p, "rocm", true, true);
		if (rows[i].says)
			claim(p, "cuda", rows[i].has_applies, rows[i].applies);
		hard(object(&f, "x.so", OBJECT_ELF, 10), "cuda", "libcudart.so.12");
		a = merged("w-1-py3-none-any.whl", "wheel", &f, 1);
		assert_int_equal(sum_of(&a, "cuda")->undeclared, rows[i].undeclared);
		assert_false(sum_of(&a, "rocm")->undeclared);
	}
}

static void files_of_two_backends_are_shared_so_that_sums_hold(void **state)
{
	struct facts f = facts_new();
	struct object *o = object(&f, "a.so", OBJECT_ELF, 100);
	struct artifact a;

	(void)state;
	code(o, "cuda", "sm_90", FORM_NATIVE, 30);
	code(o, "rocm", "gfx90a", FORM_NATIVE, 40);
	o = object(&f, "b.so", OBJECT_ELF, 1000);
	code(o, "cuda", "sm_90", FORM_NATIVE, 300);
	hard(o, "rocm", "libamdhip64.so.6");
	a = merged("x", "directory", &f, 1);
	assert_int_equal(a.shared_bytes, 100);
	assert_int_equal(sum_of(&a, "cuda")->carried_bytes, 1000);
	assert_int_equal(sum_of(&a, "cuda")->device_code_bytes, 330);
	assert_int_equal(sum_of(&a, "rocm")->carried_bytes, 0);
	assert_int_equal(sum_of(&a, "rocm")->device_code_bytes, 40);
	assert_int_equal(sum_of(&a, "rocm")->level, LEVEL_NEEDED);
}

static void targets_are_summed_by_form(void **state)
{
	struct facts f = facts_new();
	struct object *o = object(&f, "a.so", OBJECT_ELF, 100);
	struct artifact a;
	const struct backend_sum *b;

	(void)state;
	code(o, "cuda", "sm_90", FORM_NATIVE, 30);
	code(o, "cuda", "sm_90", FORM_STUB, 1);
	code(o, "cuda", "sm_90", FORM_NATIVE, 5);
	code(object(&f, "b.so", OBJECT_ELF, 100), "cuda", "sm_90", FORM_NATIVE, 7);
	code(object(&f, "c.so", OBJECT_ELF, 100), "cuda", "compute_90", FORM_PORTABLE, 9);
	a = merged("x", "directory", &f, 1);
	b = sum_of(&a, "cuda");
	assert_int_equal(b->targets.n, 3);
	assert_span(b->targets.v[0].target, "compute_90");
	assert_int_equal(b->targets.v[0].form, FORM_PORTABLE);
	assert_int_equal(b->targets.v[1].form, FORM_NATIVE);
	assert_int_equal(b->targets.v[1].objects, 2);
	assert_int_equal(b->targets.v[1].count, 3);
	assert_int_equal(b->targets.v[1].bytes, 42);
	assert_int_equal(b->targets.v[2].form, FORM_STUB);
}

/* inventory.md: more than 32 loose kernel files below one folder at the top. */
static void a_store_begins_at_33_files(void **state)
{
	static char paths[33][40];

	(void)state;
	for (size_t n = 32; n <= 33; n++) {
		struct facts f = facts_new();
		struct artifact a;

		for (size_t i = 0; i < n; i++) {
			snprintf(paths[i], sizeof(paths[i]), "pkg/%s/k%02zu.cubin", i % 2 ? "x" : "y", i);
			code(object(&f, paths[i], OBJECT_CUBIN, 10), "cuda", i == 0 ? "sm_80" : "sm_90", FORM_NATIVE,
			     9);
		}
		hard(object(&f, "pkg/a.so", OBJECT_ELF, 5), "cuda", "libcuda.so.1");
		code(object(&f, "loose.cubin", OBJECT_CUBIN, 10), "cuda", "sm_75", FORM_NATIVE, 9);
		package(&f, "w", "1", "w-1.dist-info");
		a = merged("w-1-py3-none-any.whl", "wheel", &f, 1);
		assert_int_equal(a.stores.n, n == 33);
		assert_int_equal(a.objects.n, n == 33 ? 2 : n + 2);
		assert_int_equal(sum_of(&a, "cuda")->objects, a.objects.n);
		assert_int_equal(sum_of(&a, "cuda")->device_code_bytes, (n + 1) * 9);
		assert_int_equal(sum_of(&a, "cuda")->carried_bytes, (n + 1) * 10);
		assert_int_equal(sum_of(&a, "cuda")->targets.n, 3);
		if (n == 32)
			continue;
		assert_span(a.stores.v[0].path, "pkg");
		assert_span(a.stores.v[0].kind, "kernel-files");
		assert_span(a.stores.v[0].backend, "cuda");
		assert_span(a.stores.v[0].package, "pypi:w@1");
		assert_int_equal(a.stores.v[0].files, 33);
		assert_int_equal(a.stores.v[0].bytes, 330);
		assert_int_equal(a.stores.v[0].targets.n, 2);
		assert_span(a.stores.v[0].targets.v[0].target, "sm_80");
		assert_int_equal(a.stores.v[0].targets.v[0].files, 1);
		assert_int_equal(a.stores.v[0].targets.v[1].files, 32);
		assert_int_equal(a.stores.v[0].targets.v[1].bytes, 288);
	}
}

/* The same files in a wheel and in the site-packages folder that it was installed to. */
static void the_folder_at_the_top_counts_from_the_packages_root(void **state)
{
	static char paths[33][60];
	struct facts f = facts_new();
	struct package *p = package(&f, "w", "1", "lib/site-packages/w-1.dist-info");
	struct artifact a;

	(void)state;
	for (size_t i = 0; i < 33; i++) {
		snprintf(paths[i], sizeof(paths[i]), "lib/site-packages/pkg/k%02zu.hsaco", i);
		code(object(&f, paths[i], OBJECT_HSACO, 10), "rocm", "gfx942", FORM_NATIVE, 9);
		record(p, paths[i] + strlen("lib/site-packages/"), "sha256=x", 10);
	}
	a = merged("root", "directory", &f, 1);
	assert_int_equal(a.stores.n, 1);
	assert_span(a.stores.v[0].path, "lib/site-packages/pkg");
	assert_span(a.stores.v[0].package, "pypi:w@1");
}

static void names_of_libraries_make_objects_of_links_and_empty_files(void **state)
{
	struct facts f = facts_new();
	struct artifact a;

	(void)state;
	file(&f, "empty/libcudart.so.12", 0);
	file(&f, "notes.txt", 3);
	entries_add(&f.entries, &mem,
	            &(struct entry){.path = SPAN("link/libcudart.so"),
	                            .kind = ENTRY_SYMLINK,
	                            .target = SPAN("libcudart.so.12")});
	object(&f, "plain.o", OBJECT_OTHER, 4);
	a = merged("x", "directory", &f, 1);
	assert_int_equal(a.objects.n, 2);
	assert_int_equal(a.objects.v[0].type, OBJECT_EMPTY);
	assert_int_equal(a.objects.v[1].type, OBJECT_LINK);
	assert_span(a.objects.v[1].link_target, "libcudart.so.12");
	assert_int_equal(a.files, 3);
}

/* Else a forbidden backend would be found where nothing of it is, and a required one would be taken for there. */
static void placeholders_carry_nothing(void **state)
{
	static const enum object_type types[] = {OBJECT_EMPTY, OBJECT_LFS_POINTER};

	(void)state;
	for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++) {
		struct facts f = facts_new();
		struct artifact a;

		package(&f, "w", "1", "w-1.dist-info");
		object_evidence(object(&f, "libcuda.so.1", types[i], 130), &mem, SPAN("cuda"), EVIDENCE_DRIVER_FILE,
		                SPAN("libcuda.so.1"), STRENGTH_HOST);
		object_evidence(object(&f, "libcudart.so.12", types[i], 130), &mem, SPAN("cuda"),
		                EVIDENCE_VENDOR_LIBRARY, SPAN("libcudart.so.12"), STRENGTH_BUNDLED);
		object_evidence(object(&f, "ptxas", types[i], 130), &mem, SPAN("cuda"), EVIDENCE_TOOLCHAIN,
		                SPAN("ptxas"), STRENGTH_TOOL);
		a = merged("w-1-py3-none-any.whl", "wheel", &f, 1);
		assert_int_equal(a.objects.n, 3);
		assert_int_equal(sum_of(&a, "cuda")->level, LEVEL_MENTIONED);
		assert_int_equal(sum_of(&a, "cuda")->carried_bytes, 0);
		assert_false(sum_of(&a, "cuda")->undeclared);
	}
}

static void problems_are_parted_sorted_and_told_once(void **state)
{
	struct facts f[2] = {facts_new(), facts_new()};
	struct artifact a;

	(void)state;
	problem_add(&f[0].problems, &mem, PROBLEM_INCOMPLETE, FINDING_OBJECT_UNREADABLE, SPAN("z"), "late");
	problem_add(&f[0].problems, &mem, PROBLEM_ANOMALY, FINDING_ARCHIVE_MALFORMED, SPAN_NONE, "odd");
	problem_add(&f[1].problems, &mem, PROBLEM_INCOMPLETE, FINDING_OBJECT_UNREADABLE, SPAN("a"), "early");
	problem_add(&f[1].problems, &mem, PROBLEM_ANOMALY, FINDING_ARCHIVE_MALFORMED, SPAN_NONE, "odd");
	a = merged("x", "directory", f, 2);
	assert_int_equal(a.incomplete.n, 2);
	assert_span(a.incomplete.v[0].reason, "early");
	assert_int_equal(a.anomalies.n, 1);
	assert_false(a.complete);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test_setup_teardown(hard_needs_of_visible_files_are_needed, kit_setup, kit_teardown),
	        cmocka_unit_test_setup_teardown(what_lies_in_an_archive_is_carried, kit_setup, kit_teardown),
	        cmocka_unit_test_setup_teardown(each_strength_has_its_level, kit_setup, kit_teardown),
	        cmocka_unit_test_setup_teardown(claims_alone_are_mentions, kit_setup, kit_teardown),
	        cmocka_unit_test_setup_teardown(bytes_against_the_packages_own_claims_are_undeclared, kit_setup,
	                                        kit_teardown),
	        cmocka_unit_test_setup_teardown(files_of_two_backends_are_shared_so_that_sums_hold, kit_setup,
	                                        kit_teardown),
	        cmocka_unit_test_setup_teardown(targets_are_summed_by_form, kit_setup, kit_teardown),
	        cmocka_unit_test_setup_teardown(a_store_begins_at_33_files, kit_setup, kit_teardown),
	        cmocka_unit_test_setup_teardown(the_folder_at_the_top_counts_from_the_packages_root, kit_setup,
	                                        kit_teardown),
	        cmocka_unit_test_setup_teardown(names_of_libraries_make_objects_of_links_and_empty_files, kit_setup,
	                                        kit_teardown),
	        cmocka_unit_test_setup_teardown(placeholders_carry_nothing, kit_setup, kit_teardown),
	        cmocka_unit_test_setup_teardown(problems_are_parted_sorted_and_told_once, kit_setup, kit_teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
