/* SPDX-License-Identifier: Apache-2.0 */
/* What glibc 2.36 and musl 1.2.3 do with the same bytes decides what is right here. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "elf/make_elf.h"

static struct reading r;
static struct made m;

static int fresh(void **state)
{
	reading_begin(&r);
	made_begin(&m, true, false);
	return 0;
}

static int done(void **state)
{
	reading_end(&r);
	return 0;
}

static const struct object *object(void)
{
	assert_int_equal(r.facts.objects.n, 1);
	return &r.facts.objects.v[0];
}

static void assert_problem(enum problem_grade grade, enum finding_id id)
{
	assert_true(r.facts.problems.n > 0);
	for (size_t i = 0; i < r.facts.problems.n; i++) {
		assert_int_equal(r.facts.problems.v[i].grade, grade);
		assert_int_equal(r.facts.problems.v[i].id, id);
	}
}

static void the_size_of_the_string_table_is_not_believed(void **state)
{
	size_t at;

	made_dynamic(&m, DT_NEEDED, made_string(&m, "libb.so.1"));
	made_end(&m);
	at = AT_DYNAMIC + 2 * 16;
	made_put(&m, at + 8, 0, 8);
	reading_made(&r, &m);
	assert_int_equal(object()->elf.needed.n, 1);
	assert_true(span_eq(object()->elf.needed.v[0], SPAN("libb.so.1")));
	assert_problem(PROBLEM_ANOMALY, FINDING_ELF_INCONSISTENT);
}

/* Loaders map both segments side by side and see no border. */
static void a_border_between_segments_hides_nothing(void **state)
{
	static const size_t borders[] = {AT_DYNAMIC + 4, AT_DYNAMIC + 12, AT_STRINGS + 5, AT_STRINGS + 16,
	                                 AT_SYMBOLS + 30};

	for (size_t i = 0; i < sizeof(borders) / sizeof(borders[0]); i++) {
		made_dynamic(&m, DT_NEEDED, made_string(&m, "libb.so.1"));
		made_symbol(&m, "cudaMalloc", STB_GLOBAL, SHN_UNDEF);
		made_end(&m);
		made_segment_put(&m, 0, PT_LOAD, 0, borders[i]);
		made_segment_put(&m, 2, PT_LOAD, borders[i], MADE_BYTES - borders[i]);
		reading_made(&r, &m);
		assert_int_equal(object()->elf.needed.n, 1);
		assert_true(span_eq(object()->elf.needed.v[0], SPAN("libb.so.1")));
		assert_non_null(reading_evidence(&r, EVIDENCE_SYMBOL, "cuda-runtime"));
		assert_int_equal(r.facts.problems.n, 0);
		done(state);
		fresh(state);
	}
}

/* The value of the last entry lies in memory behind the file's bytes, where all is zero: the first name there is. */
static void an_entry_may_end_in_zeros(void **state)
{
	made_end(&m);
	memcpy(m.b + AT_STRINGS, "libb.so.1", 10);
	memset(m.b + AT_DYNAMIC + 5 * 16, 0, 16);
	made_put(&m, AT_DYNAMIC + 5 * 16, DT_NEEDED, 8);
	made_segment_put(&m, 0, PT_LOAD, 0, AT_DYNAMIC + 5 * 16 + 8);
	made_put(&m, made_segment(&m, 0) + 40, MADE_BYTES, 8);
	reading_run(&r, "lib/a.so", m.b, AT_DYNAMIC + 5 * 16 + 8, AT_DYNAMIC + 5 * 16 + 8, 0);
	assert_int_equal(object()->elf.needed.n, 1);
	assert_true(span_eq(object()->elf.needed.v[0], SPAN("libb.so.1")));
}

/* glibc passes over a dynamic segment without bytes, musl takes it. */
static void a_dynamic_segment_that_only_some_loaders_take_is_incomplete(void **state)
{
	made_dynamic(&m, DT_NEEDED, made_string(&m, "libb.so.1"));
	made_end(&m);
	made_segment_put(&m, 2, PT_DYNAMIC, 0x100000, 0);
	reading_made(&r, &m);
	assert_int_equal(object()->elf.needed.n, 1);
	assert_problem(PROBLEM_INCOMPLETE, FINDING_OBJECT_UNREADABLE);
}

/* musl steps from one program header to the next by the size that the first header says. */
static void program_headers_of_another_size_are_incomplete(void **state)
{
	made_end(&m);
	made_put(&m, 54, 64, 2);
	reading_made(&r, &m);
	assert_problem(PROBLEM_INCOMPLETE, FINDING_OBJECT_UNREADABLE);
}

/* 4000 segments of a byte each once made the length of one name a matter of minutes. */
static void notes_and_names_are_bounded_together(void **state)
{
	static const char text[] = "[{\"soname\":[\"libcuda.so.1\"]}]";

	made_put(&m, AT_NOTES, 4, 4);
	made_put(&m, AT_NOTES + 4, sizeof(text), 4);
	made_put(&m, AT_NOTES + 8, 0x407c0c0a, 4);
	memcpy(m.b + AT_NOTES + 12, "FDO", 4);
	memcpy(m.b + AT_NOTES + 16, text, sizeof(text));
	made_end(&m);
	made_segment_put(&m, 2, PT_NOTE, AT_NOTES, 16 + sizeof(text));
	made_segment_put(&m, 3, PT_NOTE, AT_NOTES, 16 + sizeof(text));
	r.limits.v[LIMIT_OBJECT_RANGES] = sizeof(text) + 8;
	reading_made(&r, &m);
	assert_problem(PROBLEM_INCOMPLETE, FINDING_SCAN_INCOMPLETE);
	assert_int_equal(r.facts.problems.v[0].limit, LIMIT_OBJECT_RANGES);
}

static void the_dynamic_section_is_found_by_address_and_ends_at_null(void **state)
{
	made_dynamic(&m, DT_NEEDED, made_string(&m, "libb.so.1"));
	made_end(&m);
	made_put(&m, made_segment(&m, 1) + 8, (uint64_t)1 << 40, 8);
	made_put(&m, made_segment(&m, 1) + 32, 7, 8);
	reading_made(&r, &m);
	assert_int_equal(object()->elf.needed.n, 1);
	assert_problem(PROBLEM_ANOMALY, FINDING_ELF_INCONSISTENT);
}

static void a_needed_name_in_no_segment_cannot_be_told(void **state)
{
	made_dynamic(&m, DT_NEEDED, (uint64_t)1 << 32);
	made_dynamic(&m, DT_SONAME, made_string(&m, "liba.so.1"));
	made_end(&m);
	reading_made(&r, &m);
	assert_int_equal(object()->elf.needed.n, 0);
	assert_true(span_eq(object()->elf.soname, SPAN("liba.so.1")));
	assert_problem(PROBLEM_ANOMALY, FINDING_OBJECT_UNREADABLE);
}

static void the_last_of_two_sonames_wins(void **state)
{
	made_dynamic(&m, DT_SONAME, made_string(&m, "libold.so"));
	made_dynamic(&m, DT_SONAME, made_string(&m, "libnew.so"));
	made_end(&m);
	reading_made(&r, &m);
	assert_true(span_eq(object()->elf.soname, SPAN("libnew.so")));
	assert_problem(PROBLEM_ANOMALY, FINDING_ELF_INCONSISTENT);
}

static void more_entries_than_elf_dynamic_are_incomplete(void **state)
{
	made_dynamic(&m, DT_NEEDED, made_string(&m, "libb.so.1"));
	made_end(&m);
	r.limits.v[LIMIT_ELF_DYNAMIC] = 5;
	reading_made(&r, &m);
	assert_int_equal(r.facts.problems.v[0].limit, LIMIT_ELF_DYNAMIC);
	assert_int_equal(r.facts.problems.v[0].grade, PROBLEM_INCOMPLETE);
}

static void exactly_elf_dynamic_entries_are_read(void **state)
{
	made_dynamic(&m, DT_NEEDED, made_string(&m, "libb.so.1"));
	made_end(&m);
	r.limits.v[LIMIT_ELF_DYNAMIC] = 6;
	reading_made(&r, &m);
	assert_int_equal(r.facts.problems.n, 0);
}

static void weak_and_hard_symbols_are_told_apart(void **state)
{
	const struct object *o;

	made_dynamic(&m, DT_NEEDED, made_string(&m, "libcudart.so.12"));
	made_symbol(&m, "cudaMalloc", STB_GLOBAL, SHN_UNDEF);
	made_symbol(&m, "cudaFree", STB_GLOBAL, SHN_UNDEF);
	made_symbol(&m, "cudaMemcpy", STB_WEAK, SHN_UNDEF);
	made_symbol(&m, "cudaLocal", STB_LOCAL, SHN_UNDEF);
	made_symbol(&m, "cudaMine", STB_GLOBAL, 5);
	made_end(&m);
	reading_made(&r, &m);
	o = object();
	assert_int_equal(o->evidence.n, 3);
	assert_int_equal(o->evidence.v[1].strength, STRENGTH_HARD);
	assert_int_equal(o->evidence.v[1].names.n, 2);
	assert_true(span_eq(o->evidence.v[1].names.v[0], SPAN("cudaFree")));
	assert_int_equal(o->evidence.v[2].strength, STRENGTH_WEAK);
	assert_true(span_eq(o->evidence.v[2].names.v[0], SPAN("cudaMemcpy")));
	assert_int_equal(o->evidence.v[1].confidence, CONFIDENCE_NONE);
}

static void a_needed_library_decides_whose_symbols_these_are(void **state)
{
	made_dynamic(&m, DT_NEEDED, made_string(&m, "librccl.so.1"));
	made_symbol(&m, "ncclAllReduce", STB_GLOBAL, SHN_UNDEF);
	made_end(&m);
	reading_made(&r, &m);
	assert_true(span_eq(reading_evidence(&r, EVIDENCE_SYMBOL, "nccl")->backend, SPAN("rocm")));
}

static void a_family_name_alone_makes_soft_evidence(void **state)
{
	made_symbol(&m, "ncclAllReduce", STB_GLOBAL, SHN_UNDEF);
	made_end(&m);
	reading_made(&r, &m);
	assert_int_equal(reading_evidence(&r, EVIDENCE_SYMBOL, "nccl")->strength, STRENGTH_SOFT);
	assert_int_equal(reading_evidence(&r, EVIDENCE_SYMBOL, "nccl")->confidence, CONFIDENCE_LOW);
}

static void driver_functions_of_its_own_make_a_stub(void **state)
{
	made_dynamic(&m, DT_SONAME, made_string(&m, "libstub_cuda.so"));
	made_symbol(&m, "cuInit", STB_GLOBAL, 1);
	made_symbol(&m, "cuMemAlloc", STB_GLOBAL, 1);
	made_symbol(&m, "cuLaunchKernel", STB_GLOBAL, 1);
	made_end(&m);
	reading_made(&r, &m);
	assert_int_equal(reading_evidence(&r, EVIDENCE_DRIVER_STUB, "cuda-driver")->names.n, 3);
}

static void the_driver_itself_is_no_stub(void **state)
{
	made_dynamic(&m, DT_SONAME, made_string(&m, "libcuda.so.1"));
	made_symbol(&m, "cuInit", STB_GLOBAL, 1);
	made_symbol(&m, "cuMemAlloc", STB_GLOBAL, 1);
	made_symbol(&m, "cuLaunchKernel", STB_GLOBAL, 1);
	made_end(&m);
	reading_made(&r, &m);
	assert_null(reading_evidence(&r, EVIDENCE_DRIVER_STUB, "cuda-driver"));
}

static void names_kept_as_text_count_beside_the_import_that_uses_them(void **state)
{
	made_symbol(&m, "dlopen", STB_GLOBAL, SHN_UNDEF);
	made_symbol(&m, "dlsym", STB_GLOBAL, SHN_UNDEF);
	made_text(&m, "libcuda.so.1");
	made_text(&m, "cudaMalloc");
	made_text(&m, "cudaFree");
	made_text(&m, "cudaMemcpy");
	made_text(&m, "ncclAllReduce");
	made_end(&m);
	reading_made(&r, &m);
	assert_int_equal(reading_evidence(&r, EVIDENCE_DLOPEN, "libcuda.so.1")->strength, STRENGTH_SOFT);
	assert_int_equal(reading_evidence(&r, EVIDENCE_DLOPEN, "libcuda.so.1")->confidence, CONFIDENCE_MEDIUM);
	assert_int_equal(reading_evidence(&r, EVIDENCE_DLOPEN, "libcuda.so.1")->offset, AT_TEXTS);
	assert_int_equal(reading_evidence(&r, EVIDENCE_API_NAME, "cuda-runtime")->names.n, 3);
	/* One name of a family is chance. */
	assert_null(reading_evidence(&r, EVIDENCE_API_NAME, "nccl"));
}

static void names_kept_as_text_are_nothing_without_the_import(void **state)
{
	made_text(&m, "libcuda.so.1");
	made_text(&m, "cudaMalloc");
	made_text(&m, "cudaFree");
	made_text(&m, "cudaMemcpy");
	made_end(&m);
	reading_made(&r, &m);
	assert_int_equal(object()->evidence.n, 0);
}

static void needed_names_are_no_text(void **state)
{
	made_dynamic(&m, DT_NEEDED, made_string(&m, "libcudart.so.12"));
	made_symbol(&m, "dlopen", STB_GLOBAL, SHN_UNDEF);
	made_end(&m);
	reading_made(&r, &m);
	assert_null(reading_evidence(&r, EVIDENCE_DLOPEN, "libcudart.so.12"));
}

static void three_marks_make_a_static_runtime(void **state)
{
	made_text(&m, "/cudart.shm.%x");
	made_text(&m, "cudaVDPAUSetVDPAUDevice");
	made_text(&m, "cuGetExportTable");
	made_end(&m);
	reading_made(&r, &m);
	assert_int_equal(reading_evidence(&r, EVIDENCE_STATIC_RUNTIME, "cudart")->offset, AT_TEXTS);
}

static void two_marks_are_a_lazy_stub(void **state)
{
	made_text(&m, "cudaVDPAUSetVDPAUDevice");
	made_text(&m, "cuGetExportTable");
	made_end(&m);
	reading_made(&r, &m);
	assert_null(reading_evidence(&r, EVIDENCE_STATIC_RUNTIME, "cudart"));
}

static void notes(const char *text, size_t n)
{
	made_end(&m);
	made_put(&m, AT_NOTES, 4, 4);
	made_put(&m, AT_NOTES + 4, n, 4);
	made_put(&m, AT_NOTES + 8, 0x407c0c0a, 4);
	memcpy(m.b + AT_NOTES + 12, "FDO", 4);
	memcpy(m.b + AT_NOTES + 16, text, n);
	made_segment_put(&m, 2, PT_NOTE, AT_NOTES, 16 + (n + 3) / 4 * 4);
	reading_made(&r, &m);
}

static void a_dlopen_note_is_exact(void **state)
{
	static const char text[] = "[{\"soname\":[\"libcuda.so.1\",\"libz.so.1\"],\"priority\":\"suggested\"}]";

	notes(text, sizeof(text));
	assert_int_equal(r.facts.problems.n, 0);
	assert_int_equal(reading_evidence(&r, EVIDENCE_DLOPEN, "libcuda.so.1")->confidence, CONFIDENCE_HIGH);
	assert_int_equal(object()->evidence.n, 1);
}

static void a_dlopen_note_of_another_form_is_odd(void **state)
{
	static const char text[] = "[{\"soname\":\"libcuda.so.1\"}]";

	notes(text, sizeof(text));
	assert_problem(PROBLEM_ANOMALY, FINDING_ELF_INCONSISTENT);
}

static void a_build_id_is_read_from_the_notes(void **state)
{
	made_end(&m);
	made_put(&m, AT_NOTES, 4, 4);
	made_put(&m, AT_NOTES + 4, 3, 4);
	made_put(&m, AT_NOTES + 8, NT_GNU_BUILD_ID, 4);
	memcpy(m.b + AT_NOTES + 12, "GNU\0\xab\x01\xfe", 7);
	made_segment_put(&m, 2, PT_NOTE, AT_NOTES, 20);
	reading_made(&r, &m);
	assert_true(span_eq(object()->build_id, SPAN("ab01fe")));
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, fresh, done)

int main(void)
{
	const struct CMUnitTest tests[] = {
	        TEST(the_size_of_the_string_table_is_not_believed),
	        TEST(the_dynamic_section_is_found_by_address_and_ends_at_null),
	        TEST(a_border_between_segments_hides_nothing),
	        TEST(an_entry_may_end_in_zeros),
	        TEST(a_dynamic_segment_that_only_some_loaders_take_is_incomplete),
	        TEST(program_headers_of_another_size_are_incomplete),
	        TEST(notes_and_names_are_bounded_together),
	        TEST(a_needed_name_in_no_segment_cannot_be_told),
	        TEST(the_last_of_two_sonames_wins),
	        TEST(more_entries_than_elf_dynamic_are_incomplete),
	        TEST(exactly_elf_dynamic_entries_are_read),
	        TEST(weak_and_hard_symbols_are_told_apart),
	        TEST(a_needed_library_decides_whose_symbols_these_are),
	        TEST(a_family_name_alone_makes_soft_evidence),
	        TEST(driver_functions_of_its_own_make_a_stub),
	        TEST(the_driver_itself_is_no_stub),
	        TEST(names_kept_as_text_count_beside_the_import_that_uses_them),
	        TEST(names_kept_as_text_are_nothing_without_the_import),
	        TEST(needed_names_are_no_text),
	        TEST(three_marks_make_a_static_runtime),
	        TEST(two_marks_are_a_lazy_stub),
	        TEST(a_dlopen_note_is_exact),
	        TEST(a_dlopen_note_of_another_form_is_odd),
	        TEST(a_build_id_is_read_from_the_notes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
