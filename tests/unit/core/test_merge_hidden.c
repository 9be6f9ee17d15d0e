/* SPDX-License-Identifier: Apache-2.0 */
/* What later layers hide: still listed with its layer and its package, and counted apart from what can be loaded. */
#include "layer_kit.h"

static const struct object *find(const struct artifact *a, const char *path, uint32_t layer)
{
	for (size_t i = 0; i < a->objects.n; i++)
		if (span_eq(a->objects.v[i].path, span_of(path)) && a->objects.v[i].layer == layer)
			return &a->objects.v[i];
	return NULL;
}

static void bundled(struct object *o, const char *backend)
{
	object_evidence(o, &mem, span_of(backend), EVIDENCE_VENDOR_LIBRARY, SPAN("x"), STRENGTH_BUNDLED);
}

static void hidden_files_make_no_level(void **state)
{
	struct facts f[2];
	struct artifact a;

	(void)state;
	layer_add(&f[0], 1, "lib/ lib/a.so lib/b.so");
	hard(layer_object(&f[0], "lib/a.so"), "cuda", "libcudart.so.12");
	bundled(layer_object(&f[0], "lib/b.so"), "cuda");
	layer_add(&f[1], 2, "lib/.wh.a.so lib/.wh.b.so lib/c.so");
	bundled(layer_object(&f[1], "lib/c.so"), "rocm");
	f[0].objects.v[1].bytes = 700;
	layer_bytes(&f[0], "lib/b.so", 700);
	a = merged("x", "oci-layout", f, 2);
	assert_int_equal(a.objects.n, 3);
	assert_true(find(&a, "lib/a.so", 1)->hidden);
	assert_int_equal(find(&a, "lib/a.so", 1)->hidden_by, 2);
	assert_false(find(&a, "lib/c.so", 2)->hidden);
	assert_int_equal(a.backends.n, 2);
	assert_span(a.backends.v[0].backend, "cuda");
	assert_int_equal(a.backends.v[0].level, LEVEL_MENTIONED);
	assert_int_equal(a.backends.v[0].objects, 0);
	assert_int_equal(a.backends.v[0].carried_bytes, 0);
	assert_int_equal(a.backends.v[0].hidden_bytes, 700);
	assert_int_equal(a.backends.v[0].layers.n, 0);
	assert_int_equal(a.backends.v[1].level, LEVEL_CARRIED);
	assert_int_equal(a.backends.v[1].layers.n, 1);
	assert_int_equal(a.backends.v[1].layers.v[0], 2);
	assert_int_equal(a.files, 1);
	assert_int_equal(a.elf_files, 1);
	assert_int_equal(a.bytes, 1);
}

/* As `pip install --upgrade` in a later layer leaves it. */
static void a_package_that_is_replaced_keeps_its_files(void **state)
{
	struct facts f[2];
	struct artifact a;
	struct package *p;

	(void)state;
	layer_add(&f[0], 1, "w-1.dist-info/METADATA w-1.dist-info/RECORD w/ w/a.so w/old.so");
	p = package(&f[0], "w", "1", "w-1.dist-info");
	record(p, "w/a.so", "sha256=x", 1);
	record(p, "w/old.so", "sha256=x", 1);
	layer_object(&f[0], "w/a.so");
	layer_object(&f[0], "w/old.so");
	layer_add(&f[1], 2, ".wh.w-1.dist-info w-2.dist-info/METADATA w-2.dist-info/RECORD w/ w/.wh.old.so w/a.so");
	record(package(&f[1], "w", "2", "w-2.dist-info"), "w/a.so", "sha256=x", 1);
	layer_object(&f[1], "w/a.so");
	a = merged("x", "oci-layout", f, 2);
	assert_int_equal(a.packages.n, 2);
	assert_span(a.packages.v[0].id, "pypi:w@1");
	assert_true(a.packages.v[0].hidden);
	assert_false(a.packages.v[0].has_record); /* nobody promises what is hidden */
	assert_int_equal(a.packages.v[0].layer, 1);
	assert_false(a.packages.v[1].hidden);
	assert_int_equal(a.packages.v[1].layer, 2);
	assert_span(find(&a, "w/a.so", 1)->package, "pypi:w@1");
	assert_span(find(&a, "w/old.so", 1)->package, "pypi:w@1");
	assert_span(find(&a, "w/a.so", 2)->package, "pypi:w@2");
	assert_int_equal(a.packages.v[1].record_missing.n, 0);
	for (size_t i = 0; i < a.anomalies.n; i++)
		assert_int_not_equal(a.anomalies.v[i].id, FINDING_LAYER_MERGE_AMBIGUOUS);
}

/* An upgrade that only replaces a file: the old one belongs to the package of its layer. */
static void a_file_that_is_replaced_keeps_its_package(void **state)
{
	struct facts f[2];
	struct artifact a;

	(void)state;
	layer_add(&f[0], 1, "w-1.dist-info/METADATA w/a.so");
	record(package(&f[0], "w", "1", "w-1.dist-info"), "w/a.so", "", 1);
	layer_object(&f[0], "w/a.so");
	layer_add(&f[1], 2, "w/a.so");
	layer_object(&f[1], "w/a.so");
	a = merged("x", "oci-layout", f, 2);
	assert_int_equal(a.packages.n, 1);
	assert_span(find(&a, "w/a.so", 1)->package, "pypi:w@1");
	assert_true(find(&a, "w/a.so", 1)->hidden);
	assert_span(find(&a, "w/a.so", 2)->package, "pypi:w@1");
}

static void what_lies_in_an_archive_goes_with_it(void **state)
{
	struct facts f[3];
	struct artifact a;

	(void)state;
	layer_add(&f[0], 1, "a.whl a.whl!/x.so b.whl b.whl!/x.so x!/ x!/y.so");
	layer_object(&f[0], "a.whl!/x.so");
	layer_object(&f[0], "b.whl!/x.so");
	layer_object(&f[0], "x!/y.so");
	layer_add(&f[1], 2, ".wh.a.whl c.whl=b.whl");
	layer_add(&f[2], 3, ".wh.b.whl");
	a = merged("x", "oci-layout", f, 3);
	assert_true(find(&a, "a.whl!/x.so", 1)->hidden);
	assert_false(find(&a, "x!/y.so", 1)->hidden);
	/* The content has another name by now. */
	assert_null(find(&a, "b.whl!/x.so", 1));
	assert_false(find(&a, "c.whl!/x.so", 1)->hidden);
}

static void stores_are_of_one_layer(void **state)
{
	struct facts f[2];
	struct artifact a;
	size_t shown = 0, hidden = 0;

	(void)state;
	for (uint32_t k = 0; k < 2; k++) {
		layer_add(&f[k], k + 1, "");
		for (unsigned i = 0; i < 70; i++) {
			struct span path = arena_printf(&mem, "k/%u-%u.cubin%c", k, i, 0);

			code(object(&f[k], (const char *)path.p, OBJECT_CUBIN, 10), "cuda", "sm_90", FORM_NATIVE, 10);
		}
	}
	for (unsigned i = 0; i < 35; i++)
		layer_entry(&f[1], arena_printf(&mem, "k/.wh.0-%u.cubin", i), 0);
	a = merged("x", "oci-layout", f, 2);
	assert_int_equal(a.stores.n, 3);
	for (size_t i = 0; i < 3; i++) {
		const struct store *s = &a.stores.v[i];

		assert_span(s->path, "k");
		assert_int_equal(s->files, s->layer == 2 ? 70 : 35);
		shown += s->hidden ? 0 : s->files;
		hidden += s->hidden ? s->files : 0;
	}
	assert_int_equal(shown, 105);
	assert_int_equal(hidden, 35);
	assert_int_equal(a.backends.v[0].carried_bytes, 1050);
	assert_int_equal(a.backends.v[0].hidden_bytes, 350);
	assert_int_equal(a.backends.v[0].layers.n, 2);
}

static void links_to_vendor_libraries_are_hidden_too(void **state)
{
	struct facts f[2];
	struct artifact a;

	(void)state;
	layer_add(&f[0], 1, "libcudart.so.12->x libcudart.so->x");
	layer_add(&f[1], 2, ".wh.libcudart.so");
	a = merged("x", "oci-layout", f, 2);
	assert_true(find(&a, "libcudart.so", 1)->hidden);
	assert_int_equal(find(&a, "libcudart.so", 1)->type, OBJECT_LINK);
	assert_false(find(&a, "libcudart.so.12", 1)->hidden);
}

static void problems_name_their_layer(void **state)
{
	struct facts f[2];
	struct artifact a;

	(void)state;
	layer_add(&f[0], 1, "a");
	layer_add(&f[1], 2, "b");
	problem_add(&f[1].problems, &mem, PROBLEM_INCOMPLETE, FINDING_OBJECT_UNREADABLE, SPAN("b"), "cut");
	a = merged("x", "oci-layout", f, 2);
	assert_int_equal(a.incomplete.n, 1);
	assert_int_equal(a.incomplete.v[0].layer, 2);
	assert_false(a.complete);
}

static void a_tree_above_the_limit_is_incomplete_and_shows_all(void **state)
{
	struct facts f[2];
	struct artifact a;

	(void)state;
	limits.v[LIMIT_TREE_NODES] = 2;
	layer_add(&f[0], 1, "a/b.so");
	layer_object(&f[0], "a/b.so");
	layer_add(&f[1], 2, "c/d.so .wh.a");
	layer_object(&f[1], "c/d.so");
	a = merged("x", "oci-layout", f, 2);
	assert_false(a.complete);
	assert_int_equal(a.incomplete.v[0].limit, LIMIT_TREE_NODES);
	assert_int_equal(a.objects.n, 2);
	assert_false(find(&a, "c/d.so", 2)->hidden);
}

/* A tar that is no image has no layers: the smallest name counts, and nothing is a whiteout. */
static void a_root_tar_is_one_tree_without_layers(void **state)
{
	struct facts f;
	struct artifact a;

	(void)state;
	layer_add(&f, 0, "z.so a.so=z.so .wh.z.so l->d d/ l/x.so");
	layer_object(&f, "z.so");
	layer_object(&f, "l/x.so");
	a = merged("x", "rootfs-tar", &f, 1);
	assert_int_equal(a.objects.n, 2);
	assert_non_null(find(&a, "a.so", 0));
	assert_paths(&find(&a, "a.so", 0)->links, "z.so");
	assert_non_null(find(&a, "d/x.so", 0));
	assert_int_equal(a.ambiguous.n, 0);
	assert_int_equal(a.files, 4);
	assert_true(a.complete);
}

static void a_hard_link_in_a_root_tar_has_what_its_other_name_had_then(void **state)
{
	struct facts f;
	struct artifact a;

	(void)state;
	layer_add(&f, 0, "duplicate-1!/z.so a.so=z.so z.so");
	layer_object(&f, "duplicate-1!/z.so")->bytes = 5;
	layer_object(&f, "z.so");
	a = merged("x", "rootfs-tar", &f, 1);
	assert_int_equal(a.objects.n, 2);
	assert_int_equal(find(&a, "a.so", 0)->bytes, 5);
	assert_false(find(&a, "a.so", 0)->hidden);
	assert_int_equal(find(&a, "z.so", 0)->links.n, 0);
}

static void stores_and_what_only_a_name_tells_say_which_layer_hides_them(void **state)
{
	struct facts f[3];
	struct artifact a;

	(void)state;
	layer_add(&f[0], 1, "d/ d/libcudart.so.12 d/libcudart.so->libcudart.so.12");
	for (int i = 0; i < 40; i++) {
		struct object *o;

		layer_entry(&f[0], arena_printf(&mem, "k/%d.cubin", i), 4 + (uint32_t)i);
		o = layer_object(&f[0], (const char *)arena_printf(&mem, "k/%d.cubin", i).p);
		o->type = OBJECT_CUBIN;
		code(o, "cuda", "sm_90", FORM_NATIVE, 10);
	}
	layer_add(&f[1], 2, "d/.wh.libcudart.so .wh.k");
	layer_add(&f[2], 3, "d/.wh.libcudart.so.12");
	a = merged("x", "oci-layout", f, 3);
	assert_int_equal(a.stores.n, 1);
	assert_true(a.stores.v[0].hidden);
	assert_int_equal(a.stores.v[0].hidden_by, 2);
	assert_true(find(&a, "d/libcudart.so", 1)->hidden);
	assert_int_equal(find(&a, "d/libcudart.so", 1)->hidden_by, 2);
	assert_int_equal(find(&a, "d/libcudart.so.12", 1)->hidden_by, 3);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test_setup_teardown(hidden_files_make_no_level, kit_setup, kit_teardown),
	        cmocka_unit_test_setup_teardown(a_package_that_is_replaced_keeps_its_files, kit_setup, kit_teardown),
	        cmocka_unit_test_setup_teardown(a_file_that_is_replaced_keeps_its_package, kit_setup, kit_teardown),
	        cmocka_unit_test_setup_teardown(what_lies_in_an_archive_goes_with_it, kit_setup, kit_teardown),
	        cmocka_unit_test_setup_teardown(stores_are_of_one_layer, kit_setup, kit_teardown),
	        cmocka_unit_test_setup_teardown(links_to_vendor_libraries_are_hidden_too, kit_setup, kit_teardown),
	        cmocka_unit_test_setup_teardown(problems_name_their_layer, kit_setup, kit_teardown),
	        cmocka_unit_test_setup_teardown(a_tree_above_the_limit_is_incomplete_and_shows_all, kit_setup,
	                                        kit_teardown),
	        cmocka_unit_test_setup_teardown(a_hard_link_in_a_root_tar_has_what_its_other_name_had_then, kit_setup,
	                                        kit_teardown),
	        cmocka_unit_test_setup_teardown(stores_and_what_only_a_name_tells_say_which_layer_hides_them,
	                                        kit_setup, kit_teardown),
	        cmocka_unit_test_setup_teardown(a_root_tar_is_one_tree_without_layers, kit_setup, kit_teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
