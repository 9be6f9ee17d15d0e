/* SPDX-License-Identifier: Apache-2.0 */
#include "merge_kit.h"

#define FILES 8

static char paths[FILES][32];

static void filled(struct facts *f, size_t i)
{
	struct object *o = object(f, paths[i], i % 3 ? OBJECT_ELF : OBJECT_CUBIN, 100 + i);

	code(o, i % 2 ? "cuda" : "rocm", i % 2 ? "sm_90" : "gfx90a", FORM_NATIVE, 7 * i);
	if (i == 3)
		hard(o, "cuda", "libcudart.so.12");
	if (i == 4)
		problem_add(&f->problems, &mem, PROBLEM_ANOMALY, FINDING_ELF_INCONSISTENT, o->path, "odd");
}

static void assert_same(const struct artifact *a, const struct artifact *b)
{
	assert_int_equal(a->objects.n, b->objects.n);
	for (size_t i = 0; i < a->objects.n; i++) {
		assert_true(span_eq(a->objects.v[i].path, b->objects.v[i].path));
		assert_true(span_eq(a->objects.v[i].package, b->objects.v[i].package));
		assert_int_equal(a->objects.v[i].bytes, b->objects.v[i].bytes);
	}
	assert_int_equal(a->backends.n, b->backends.n);
	for (size_t i = 0; i < a->backends.n; i++) {
		assert_true(span_eq(a->backends.v[i].backend, b->backends.v[i].backend));
		assert_int_equal(a->backends.v[i].level, b->backends.v[i].level);
		assert_int_equal(a->backends.v[i].device_code_bytes, b->backends.v[i].device_code_bytes);
		assert_int_equal(a->backends.v[i].carried_bytes, b->backends.v[i].carried_bytes);
		assert_int_equal(a->backends.v[i].targets.n, b->backends.v[i].targets.n);
	}
	assert_int_equal(a->files, b->files);
	assert_int_equal(a->bytes, b->bytes);
	assert_int_equal(a->shared_bytes, b->shared_bytes);
	assert_int_equal(a->anomalies.n, b->anomalies.n);
	assert_int_equal(a->packages.v[0].bytes, b->packages.v[0].bytes);
	assert_int_equal(a->packages.v[0].record_unlisted.n, b->packages.v[0].record_unlisted.n);
}

/* Every way to deal the files out to two jobs, in both orders, is the same as one job with all. */
static void the_cut_into_jobs_does_not_show(void **state)
{
	struct facts whole = facts_new();
	struct artifact one;

	(void)state;
	for (size_t i = 0; i < FILES; i++) {
		snprintf(paths[i], sizeof(paths[i]), "pkg/%c.so", (int)('h' - i));
		filled(&whole, i);
	}
	record(package(&whole, "w", "1", "w-1.dist-info"), "pkg/a.so", "sha256=x", 107);
	one = merged("w-1-py3-none-any.whl", "wheel", &whole, 1);
	assert_int_equal(one.objects.n, FILES);
	assert_int_equal(one.packages.v[0].record_unlisted.n, FILES - 1);
	for (unsigned cut = 0; cut < 1u << FILES; cut++) {
		struct facts parts[2] = {facts_new(), facts_new()};
		struct artifact two;

		for (size_t i = 0; i < FILES; i++)
			filled(&parts[cut >> i & 1], i);
		record(package(&parts[cut & 1], "w", "1", "w-1.dist-info"), "pkg/a.so", "sha256=x", 107);
		two = merged("w-1-py3-none-any.whl", "wheel", parts, 2);
		assert_same(&one, &two);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test_setup_teardown(the_cut_into_jobs_does_not_show, kit_setup, kit_teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
