/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <cmocka.h>

#include "core/facts_sample.h"
#include "entries_list.h"
#include "workers/facts.h"

#define MAX ((size_t)1 << 20)

static void same_text(struct span a, struct span b)
{
	if (!span_eq(a, b))
		fail_msg("'%.*s' became '%.*s'", (int)a.n, a.p, (int)b.n, b.p);
}

static void same_texts(const struct spans *a, const struct spans *b)
{
	assert_int_equal(a->n, b->n);
	for (size_t i = 0; i < a->n; i++)
		same_text(a->v[i], b->v[i]);
}

static void same_elf(const struct elf_facts *a, const struct elf_facts *b)
{
	assert_true(a->present == b->present && a->class_bits == b->class_bits && a->big_endian == b->big_endian);
	assert_true(a->has_soname == b->has_soname && a->has_interpreter == b->has_interpreter);
	assert_true(a->has_rpath == b->has_rpath && a->has_runpath == b->has_runpath &&
		    a->exports_python == b->exports_python);
	same_text(a->machine, b->machine);
	same_text(a->type, b->type);
	same_text(a->soname, b->soname);
	same_text(a->interpreter, b->interpreter);
	same_text(a->rpath, b->rpath);
	same_text(a->runpath, b->runpath);
	same_texts(&a->needed, &b->needed);
	same_texts(&a->verneed, &b->verneed);
	same_text(a->verdef_base, b->verdef_base);
	same_texts(&a->verdef, &b->verdef);
}

static void same_evidence(const struct evidences *a, const struct evidences *b)
{
	assert_int_equal(a->n, b->n);
	for (size_t i = 0; i < a->n; i++) {
		const struct evidence *x = &a->v[i], *y = &b->v[i];

		same_text(x->backend, y->backend);
		same_text(x->value, y->value);
		same_texts(&x->names, &y->names);
		assert_true(x->kind == y->kind && x->strength == y->strength && x->confidence == y->confidence);
		assert_true(x->has_offset == y->has_offset && x->offset == y->offset);
	}
}

static void same_device_code(const struct object *a, const struct object *b)
{
	assert_int_equal(a->device_code.n, b->device_code.n);
	for (size_t i = 0; i < a->device_code.n; i++) {
		const struct device_code *x = &a->device_code.v[i], *y = &b->device_code.v[i];

		same_text(x->backend, y->backend);
		same_text(x->target, y->target);
		same_text(x->container, y->container);
		same_text(x->where, y->where);
		same_text(x->codec, y->codec);
		same_text(x->declared, y->declared);
		same_text(x->isa, y->isa);
		same_text(x->toolkit, y->toolkit);
		assert_true(x->form == y->form && x->mismatch == y->mismatch && x->abi == y->abi &&
			    x->count == y->count);
		assert_true(x->bytes == y->bytes && x->offset == y->offset && x->opened == y->opened &&
			    x->kernels == y->kernels);
	}
	assert_true(a->units == b->units && a->unit_sets.n == b->unit_sets.n);
	for (size_t i = 0; i < a->unit_sets.n; i++) {
		assert_int_equal(a->unit_sets.v[i].count, b->unit_sets.v[i].count);
		same_texts(&a->unit_sets.v[i].targets, &b->unit_sets.v[i].targets);
	}
}

static void same_object(const struct object *a, const struct object *b)
{
	same_text(a->path, b->path);
	same_text(a->build_id, b->build_id);
	same_text(a->link_target, b->link_target);
	same_texts(&a->faults, &b->faults);
	assert_true(a->bytes == b->bytes && a->type == b->type);
	same_elf(&a->elf, &b->elf);
	same_evidence(&a->evidence, &b->evidence);
	same_device_code(a, b);
}

static void same_package(const struct package *a, const struct package *b)
{
	same_text(a->name, b->name);
	same_text(a->version, b->version);
	same_text(a->path, b->path);
	same_text(a->variant, b->variant);
	same_texts(&a->tags, &b->tags);
	assert_true(a->has_purelib == b->has_purelib && a->purelib == b->purelib && a->has_record == b->has_record);
	assert_true(a->declares.n == 1 && b->declares.n == 1 && a->requires.n == 1 && b->requires.n == 1);
	same_text(a->declares.v->backend, b->declares.v->backend);
	same_text(a->declares.v->by, b->declares.v->by);
	same_text(a->declares.v->value, b->declares.v->value);
	assert_true(b->declares.v->applies && b->declares.v->has_applies);
	same_text(a->requires.v->name, b->requires.v->name);
	same_text(a->requires.v->spec, b->requires.v->spec);
	assert_true(b->requires.v->applies && b->requires.v->has_applies);
	assert_true(a->record.n == 2 && b->record.n == 2);
	for (size_t i = 0; i < 2; i++) {
		same_text(a->record.v[i].path, b->record.v[i].path);
		same_text(a->record.v[i].hash, b->record.v[i].hash);
		assert_true(a->record.v[i].has_size == b->record.v[i].has_size &&
			    a->record.v[i].size == b->record.v[i].size);
	}
}

static struct outbuf write_facts(const struct facts *f)
{
	struct outbuf out = outbuf_limited(MAX);

	facts_write(f, &out);
	assert_false(out.failed);
	return out;
}

static void every_field_comes_back(void **state)
{
	struct arena mem = ARENA_INIT;
	struct err e = ERR_INIT;
	struct facts f, g = {.mem = &mem};
	struct entry_list l;
	struct outbuf out;

	make_facts(&f, &mem);
	out = write_facts(&f);
	assert_int_equal(facts_read(outbuf_span(&out), &g, &e), 0);
	same_text(f.plan.extractor, g.plan.extractor);
	same_text(f.plan.kind, g.plan.kind);
	same_text(f.plan.refused, g.plan.refused);
	assert_int_equal(g.plan.slices, 128);
	same_text(f.digest, g.digest);
	assert_true(g.entries.n == 4 && g.objects.n == 2 && g.packages.n == 1 && g.problems.n == 2);
	l = entries_list(&g.entries, &mem);
	same_text(l.v[3].path, SPAN("lib/x.so"));
	same_text(l.v[3].target, SPAN("x.so.1"));
	assert_true(l.v[3].kind == ENTRY_SYMLINK && l.v[3].bytes == 16384 && l.v[3].order == 7);
	same_text(l.v[0].path, SPAN("a/b!/c"));
	assert_true(l.v[0].kind == ENTRY_FILE && l.v[0].bytes == 1 && l.v[0].order == 0 && l.v[2].order == 300);
	for (size_t i = 0; i < 2; i++)
		same_object(&f.objects.v[i], &g.objects.v[i]);
	same_package(f.packages.v, g.packages.v);
	assert_int_equal(g.digests.n, 2);
	same_text(g.digests.v[1].path, SPAN("lib/y.so"));
	same_text(g.digests.v[0].sha256, SPAN("\xff"));
	same_text(g.problems.v[1].path, SPAN("p"));
	same_text(g.problems.v[1].reason, SPAN("job-seconds is 600"));
	assert_true(g.problems.v[1].grade == PROBLEM_INCOMPLETE && g.problems.v[1].id == FINDING_SCAN_INCOMPLETE);
	assert_int_equal(g.problems.v[1].limit, LIMIT_JOB_SECONDS);
	outbuf_release(&out);
	arena_clear(&mem);
}

static void lists_are_sorted_and_doubles_are_gone(void **state)
{
	struct arena mem = ARENA_INIT;
	struct facts f;

	make_facts(&f, &mem);
	assert_int_equal(f.entries.n, 5);
	entries_seal(&f.entries, &mem);
	assert_int_equal(f.entries.n, 4);
	assert_true(entries_find(&f.entries, SPAN("lib")) != NO_PLACE);
	same_text(f.objects.v[0].path, SPAN("lib/x.so"));
	same_text(f.digests.v[0].path, SPAN("lib/x.so"));
	assert_int_equal(f.problems.v[0].grade, PROBLEM_ANOMALY);
	arena_clear(&mem);
}

/* From a block of exactly this size, so that reading beyond it is seen. 0 or -1 as the reader says. */
static int read_exactly(struct span s, struct facts *f)
{
	uint8_t *copy = arena_alloc(f->mem, s.n);
	struct err e = ERR_INIT;
	int rc;

	memcpy(copy, s.p, s.n);
	rc = facts_read((struct span){copy, s.n}, f, &e);
	assert_int_equal(rc ? e.code : ERR_FORMAT, ERR_FORMAT);
	return rc;
}

static void every_cut_and_every_further_byte_is_refused(void **state)
{
	struct arena mem = ARENA_INIT, cut = ARENA_INIT;
	struct facts f, g = {.mem = &cut};
	struct outbuf out;

	make_facts(&f, &mem);
	out = write_facts(&f);
	for (size_t n = 0; n < out.n; n++) {
		assert_int_equal(read_exactly(span_first(outbuf_span(&out), n), &g), -1);
		assert_true(g.objects.n == 0 && g.entries.n == 0 && g.mem == &cut);
		arena_clear(&cut);
	}
	outbuf_char(&out, '\0');
	assert_int_equal(read_exactly(outbuf_span(&out), &g), -1);
	outbuf_release(&out);
	arena_clear(&cut);
	arena_clear(&mem);
}

static void every_flipped_bit_is_refused_or_is_another_canonical_set(void **state)
{
	struct arena mem = ARENA_INIT, flip = ARENA_INIT;
	struct facts f, g = {.mem = &flip};
	size_t refused = 0, taken = 0;
	struct outbuf out, again;

	make_facts(&f, &mem);
	out = write_facts(&f);
	for (size_t bit = 0; bit < out.n * 8; bit++) {
		out.p[bit / 8] ^= (uint8_t)(1u << bit % 8);
		if (read_exactly(outbuf_span(&out), &g)) {
			refused++;
		} else {
			taken++;
			again = write_facts(&g);
			same_text(outbuf_span(&out), outbuf_span(&again));
			outbuf_release(&again);
			/* Sorting finds nothing left to do: lists that promise an order have it. */
			facts_sort(&g);
			again = write_facts(&g);
			same_text(outbuf_span(&out), outbuf_span(&again));
			outbuf_release(&again);
		}
		out.p[bit / 8] ^= (uint8_t)(1u << bit % 8);
		arena_clear(&flip);
	}
	assert_true(refused > 1000 && taken > 1000);
	outbuf_release(&out);
	arena_clear(&mem);
}

/* The facts' bytes with `with` in place of the n bytes before the digest's first one: its length. */
static int read_with_length(struct span with, size_t n)
{
	struct arena mem = ARENA_INIT;
	struct facts f, g = {.mem = &mem};
	struct outbuf out, bad = outbuf_limited(MAX);
	const uint8_t *at;
	int rc;

	make_facts(&f, &mem);
	out = write_facts(&f);
	at = memmem(out.p, out.n, "sha256:", 7);
	assert_int_equal(at[-1], 71);
	outbuf_put(&bad, span_first(outbuf_span(&out), (size_t)(at - out.p) - n));
	outbuf_put(&bad, with);
	outbuf_put(&bad, span_after(outbuf_span(&out), (size_t)(at - out.p)));
	rc = read_exactly(outbuf_span(&bad), &g);
	outbuf_release(&bad);
	outbuf_release(&out);
	arena_clear(&mem);
	return rc;
}

static void numbers_have_one_form(void **state)
{
	assert_int_equal(read_with_length(SPAN("\x47"), 1), 0);
	assert_int_equal(read_with_length(SPAN("\xc7\0"), 1), -1);
	assert_int_equal(read_with_length(SPAN("\xc7\x80\0"), 1), -1);
	assert_int_equal(read_with_length(SPAN("\xc7\x80\x80\x80\x80\x80\x80\x80\x80\x80\0"), 1), -1);
	assert_int_equal(read_with_length(SPAN("\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"), 1), -1);
	assert_int_equal(read_with_length(SPAN("\xc7\x80\x80\x80\x80\x80\x80\x80\x80\x02"), 1), -1);
}

static void a_claimed_count_allocates_nothing(void **state)
{
	struct arena mem = ARENA_INIT;
	struct facts f = {.mem = &mem};
	struct outbuf out = write_facts(&f);
	struct err e = ERR_INIT;

	/* An empty set: nine numbers 0, the end mark of 5 bytes. The sixth counts the entries. */
	assert_int_equal(out.p[out.n - 5 - 4], 0);
	out.p[out.n - 5 - 4] = 0x7f;
	assert_int_equal(facts_read(outbuf_span(&out), &f, &e), -1);
	assert_int_equal(mem.held, 0);
	outbuf_release(&out);
	arena_clear(&mem);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_field_comes_back),
		cmocka_unit_test(lists_are_sorted_and_doubles_are_gone),
		cmocka_unit_test(every_cut_and_every_further_byte_is_refused),
		cmocka_unit_test(every_flipped_bit_is_refused_or_is_another_canonical_set),
		cmocka_unit_test(numbers_have_one_form),
		cmocka_unit_test(a_claimed_count_allocates_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
