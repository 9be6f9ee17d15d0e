/* SPDX-License-Identifier: Apache-2.0 */
#include "merge_kit.h"

/* A wheel with two members and its dist-info; RECORD as the test says. */
static struct facts wheel(struct package **p)
{
	struct facts f = facts_new();

	file(&f, "pkg/a.py", 6);
	object(&f, "pkg/b.so", OBJECT_ELF, 100);
	file(&f, "w-1.0.dist-info/METADATA", 10);
	file(&f, "w-1.0.dist-info/WHEEL", 20);
	file(&f, "w-1.0.dist-info/RECORD", 30);
	*p = package(&f, "w", "1.0", "w-1.0.dist-info");
	return f;
}

static void a_wheel_owns_every_member(void **state)
{
	struct package *p;
	struct facts f = wheel(&p);
	struct artifact a = merged("w-1.0-py3-none-any.whl", "wheel", &f, 1);

	(void)state;
	assert_int_equal(a.packages.n, 1);
	assert_span(a.packages.v[0].id, "pypi:w@1.0");
	assert_span(a.packages.v[0].root, "");
	assert_int_equal(a.packages.v[0].bytes, 166);
	assert_int_equal(a.objects.n, 1);
	assert_span(a.objects.v[0].package, "pypi:w@1.0");
	assert_int_equal(a.files, 5);
	assert_int_equal(a.elf_files, 1);
	assert_int_equal(a.bytes, 166);
	assert_true(a.complete);
	assert_int_equal(a.anomalies.n, 0);
}

/* Fixture recmiss: every other member must be listed, RECORD itself need not. */
static void members_that_are_not_listed_are_told(void **state)
{
	struct package *p;
	struct facts f = wheel(&p);
	struct artifact a;

	(void)state;
	record(p, "pkg/a.py", "sha256=x", 6);
	file(&f, "w-1.0.dist-info/RECORD.jws", 1);
	file(&f, "w-1.0.dist-info/RECORD.p7s", 1);
	a = merged("w-1.0-py3-none-any.whl", "wheel", &f, 1);
	p = &a.packages.v[0];
	assert_int_equal(p->record_unlisted.n, 3);
	assert_span(p->record_unlisted.v[0], "pkg/b.so");
	assert_span(p->record_unlisted.v[1], "w-1.0.dist-info/METADATA");
	assert_span(p->record_unlisted.v[2], "w-1.0.dist-info/WHEEL");
	assert_int_equal(p->record_missing.n + p->record_size_differs.n, 0);
	assert_int_equal(a.anomalies.n, 1);
	assert_int_equal(a.anomalies.v[0].id, FINDING_RECORD_MISMATCH);
	assert_span(a.anomalies.v[0].path, "w-1.0.dist-info/RECORD");
	assert_true(a.complete);
}

/* Fixtures recextra, rechash, recodd. */
static void lines_that_do_not_hold_are_told(void **state)
{
	struct package *p;
	struct facts f = wheel(&p);
	struct artifact a;
	bool weak = false, none = false;

	(void)state;
	record(p, "pkg/a.py", "md5=x", 5);
	record(p, "pkg/./b.so", "", 100);
	record(p, "pkg/with,comma.py", "sha256=!!!!", 1);
	record(p, "/etc/passwd", "sha256=AAAA", 1);
	record(p, "../../x", "sha256=AAAA", 1);
	record(p, "w-1.0.dist-info/METADATA", "sha256=x", 10);
	record(p, "w-1.0.dist-info/WHEEL", "sha256=x", -1);
	record(p, "w-1.0.dist-info/RECORD", "", -1);
	a = merged("w-1.0-py3-none-any.whl", "wheel", &f, 1);
	p = &a.packages.v[0];
	assert_int_equal(p->record_unlisted.n, 0);
	assert_int_equal(p->record_missing.n, 3);
	assert_span(p->record_missing.v[0], "../../x");
	assert_span(p->record_missing.v[1], "/etc/passwd");
	assert_span(p->record_missing.v[2], "pkg/with,comma.py");
	assert_int_equal(p->record_size_differs.n, 1);
	assert_span(p->record_size_differs.v[0], "pkg/a.py");
	for (size_t i = 0; i < a.anomalies.n; i++) {
		weak = weak ||
		       span_eq(a.anomalies.v[i].reason, SPAN("1 line with a hash weaker than sha256: 'pkg/a.py'"));
		none = none || span_eq(a.anomalies.v[i].reason, SPAN("1 line without a hash: 'pkg/b.so'"));
	}
	assert_true(weak && none);
}

static bool tells(const struct artifact *a, const char *reason)
{
	for (size_t i = 0; i < a->anomalies.n; i++)
		if (span_eq(a->anomalies.v[i].reason, span_of(reason)))
			return true;
	return false;
}

/* SHA-256 of "abc" (FIPS 180-2), and how RECORD writes it (PEP 376: URL-safe base64 without padding). */
#define ABC_SHA256                                                                                                     \
	SPAN_INIT("\xba\x78\x16\xbf\x8f\x01\xcf\xea\x41\x41\x40\xde\x5d\xae\x22\x23\xb0\x03\x61\xa3\x96\x17\x7a\x9c\xb4\x10"     \
	          "\xff\x61\xf2\x00\x15\xad")
#define ABC_RECORD "sha256=ungWv48Bz-pBQUDeXa4iI7ADYaOWF3qctBD_YfIAFa0"

static void hashes_are_compared_when_files_were_hashed(void **state)
{
	static const struct span abc = ABC_SHA256;
	struct package *p;
	struct facts f = wheel(&p);
	struct artifact a;

	(void)state;
	record(p, "pkg/a.py", ABC_RECORD "=", 6);
	record(p, "pkg/b.so", ABC_RECORD, 100);
	record(p, "w-1.0.dist-info/METADATA", "sha512=x", 10);
	record(p, "w-1.0.dist-info/WHEEL", ABC_RECORD, 20);
	record(p, "w-1.0.dist-info/RECORD", "sha256=x", -1);
	digest(&f, "pkg/a.py", abc);
	digest(&f, "pkg/b.so", SPAN("\xba\x78\x16\xbf\x8f\x01\xcf\xea\x41\x41\x40\xde\x5d\xae\x22\x23"
	                            "\xb0\x03\x61\xa3\x96\x17\x7a\x9c\xb4\x10\xff\x61\xf2\x00\x15\xac"));
	a = merged_verified("w-1.0-py3-none-any.whl", "wheel", &f, 1);
	assert_int_equal(a.packages.v[0].record_hash_differs.n, 1);
	assert_span(a.packages.v[0].record_hash_differs.v[0], "pkg/b.so");
	assert_int_equal(a.anomalies.n, 3);
	assert_true(tells(&a, "1 file has another hash"));
	assert_true(tells(&a, "1 line with a hash that is not sha256, and was not compared: "
	                      "'w-1.0.dist-info/METADATA'"));
	assert_true(tells(&a, "1 line whose file was not hashed: 'w-1.0.dist-info/WHEEL'"));
	a = merged("w-1.0-py3-none-any.whl", "wheel", &f, 1);
	assert_int_equal(a.packages.v[0].record_hash_differs.n + a.anomalies.n, 0);
}

/* Package managers link the same file into several environments. */
static void a_hard_link_has_the_content_of_its_first_name(void **state)
{
	static const struct span abc = ABC_SHA256;
	struct facts f = facts_new();
	struct package *p;
	struct artifact a;

	(void)state;
	object(&f, "a/pkg/x.so", OBJECT_ELF, 7);
	file(&f, "a/pkg/libcudart.so.12", 3);
	hard_link(&f, "b/pkg/x.so", "a/pkg/x.so");
	hard_link(&f, "c", "a/pkg/x.so");
	hard_link(&f, "b/pkg/libcudart.so.12", "a/pkg/libcudart.so.12");
	digest(&f, "a/pkg/x.so", abc);
	p = package(&f, "w", "1.0", "b/w-1.0.dist-info");
	record(p, "pkg/x.so", ABC_RECORD, 8);
	a = merged_verified("d", "directory", &f, 1);
	assert_int_equal(a.anomalies.n, 1);
	assert_true(tells(&a, "1 file has another size"));
	assert_int_equal(a.objects.n, 2);
	assert_span(a.objects.v[0].path, "a/pkg/libcudart.so.12");
	assert_int_equal(a.objects.v[0].type, OBJECT_OTHER);
	assert_int_equal(a.objects.v[0].links.n, 1);
	assert_int_equal(a.objects.v[1].links.n, 2);
	assert_span(a.objects.v[1].links.v[0], "b/pkg/x.so");
	assert_span(a.objects.v[1].links.v[1], "c");
}

static void no_record_is_no_mismatch(void **state)
{
	struct package *p;
	struct facts f = wheel(&p);
	struct artifact a = merged("w-1.0-py3-none-any.whl", "wheel", &f, 1);

	(void)state;
	assert_false(a.packages.v[0].has_record);
	assert_int_equal(a.packages.v[0].record_unlisted.n, 0);
}

/* Fixture twodist: the file's name chooses. */
static void of_two_dist_infos_the_file_name_chooses(void **state)
{
	struct package *p;
	struct facts f = wheel(&p);
	struct artifact a;

	(void)state;
	package(&f, "other", "9", "other-9.dist-info");
	a = merged("dir/W-1.0-py3-none-any.whl", "wheel", &f, 1);
	assert_span(a.objects.v[0].package, "pypi:w@1.0");
	a = merged("other-9-py3-none-any.whl", "wheel", &f, 1);
	assert_span(a.objects.v[0].package, "pypi:other@9");
}

static void in_a_folder_record_says_whose_a_file_is(void **state)
{
	struct facts f = facts_new();
	struct package *p;
	struct artifact a;

	(void)state;
	object(&f, "lib/site-packages/pkg/b.so", OBJECT_ELF, 100);
	object(&f, "lib/site-packages/stray.so", OBJECT_ELF, 7);
	object(&f, "bin/tool", OBJECT_ELF, 9);
	p = package(&f, "w", "1.0", "lib/site-packages/w-1.0.dist-info");
	record(p, "pkg/b.so", "sha256=x", 100);
	record(p, "../../bin/tool", "sha256=x", 9);
	record(p, "../../../outside", "sha256=x", 9);
	record(p, "pkg/__pycache__/a.cpython-312.pyc", "", -1);
	record(p, "pkg/gone.py", "sha256=x", 1);
	a = merged("root", "directory", &f, 1);
	assert_int_equal(a.objects.n, 3);
	assert_span(a.objects.v[0].path, "bin/tool");
	assert_span(a.objects.v[0].package, "pypi:w@1.0");
	assert_span(a.objects.v[1].package, "pypi:w@1.0");
	assert_span(a.objects.v[2].package, "");
	p = &a.packages.v[0];
	assert_span(p->root, "lib/site-packages/");
	assert_int_equal(p->bytes, 109);
	assert_int_equal(p->record_missing.n, 1);
	assert_span(p->record_missing.v[0], "lib/site-packages/pkg/gone.py");
	assert_int_equal(p->record_unlisted.n, 0);
}

/* setuptools carries whole packages with dist-info folders inside: they are its files. */
static void the_outer_package_owns_what_it_vendors(void **state)
{
	struct facts f = facts_new();
	struct package *p;
	struct artifact a;

	(void)state;
	object(&f, "big/_vendor/small/x.so", OBJECT_ELF, 1);
	p = package(&f, "small", "2", "big/_vendor/small-2.dist-info");
	record(p, "small/x.so", "sha256=x", 1);
	p = package(&f, "big", "1", "big-1.dist-info");
	record(p, "big/_vendor/small/x.so", "sha256=x", 1);
	a = merged("d", "directory", &f, 1);
	assert_span(a.objects.v[0].package, "pypi:big@1");
	a = merged("big-1-py3-none-any.whl", "wheel", &f, 1);
	assert_span(a.objects.v[0].package, "pypi:big@1");
}

static void the_nearest_wheel_owns_what_lies_in_it(void **state)
{
	struct facts f = facts_new();
	struct package *p;
	struct artifact a;

	(void)state;
	file(&f, "w/in-2-py3-none-any.whl", 50);
	object(&f, "w/in-2-py3-none-any.whl!/in/x.so", OBJECT_ELF, 40);
	file(&f, "w/plain.zip", 60);
	object(&f, "w/plain.zip!/y.so", OBJECT_ELF, 41);
	object(&f, "odd!/z.so", OBJECT_ELF, 42);
	package(&f, "in", "2", "w/in-2-py3-none-any.whl!/in-2.dist-info");
	p = package(&f, "out", "1", "out-1.dist-info");
	record(p, "w/in-2-py3-none-any.whl", "sha256=x", 50);
	record(p, "w/plain.zip", "sha256=x", 60);
	record(p, "odd!/z.so", "sha256=x", 42);
	for (int i = 0; i < 2; i++) {
		a = merged("out-1-py3-none-any.whl", i ? "directory" : "wheel", &f, 1);
		assert_int_equal(a.objects.n, 3);
		assert_span(a.objects.v[0].package, "pypi:out@1");
		assert_span(a.objects.v[1].package, "pypi:in@2");
		assert_span(a.objects.v[2].package, "pypi:out@1");
		assert_int_equal(a.packages.v[0].bytes, 152);
		assert_int_equal(a.packages.v[1].bytes, 40);
		assert_int_equal(a.packages.v[0].record_unlisted.n, 0);
		assert_int_equal(a.bytes, 152);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test_setup_teardown(a_wheel_owns_every_member, kit_setup, kit_teardown),
	        cmocka_unit_test_setup_teardown(members_that_are_not_listed_are_told, kit_setup, kit_teardown),
	        cmocka_unit_test_setup_teardown(lines_that_do_not_hold_are_told, kit_setup, kit_teardown),
	        cmocka_unit_test_setup_teardown(hashes_are_compared_when_files_were_hashed, kit_setup, kit_teardown),
	        cmocka_unit_test_setup_teardown(a_hard_link_has_the_content_of_its_first_name, kit_setup, kit_teardown),
	        cmocka_unit_test_setup_teardown(no_record_is_no_mismatch, kit_setup, kit_teardown),
	        cmocka_unit_test_setup_teardown(of_two_dist_infos_the_file_name_chooses, kit_setup, kit_teardown),
	        cmocka_unit_test_setup_teardown(in_a_folder_record_says_whose_a_file_is, kit_setup, kit_teardown),
	        cmocka_unit_test_setup_teardown(the_outer_package_owns_what_it_vendors, kit_setup, kit_teardown),
	        cmocka_unit_test_setup_teardown(the_nearest_wheel_owns_what_lies_in_it, kit_setup, kit_teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
