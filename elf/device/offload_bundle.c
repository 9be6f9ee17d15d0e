/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Clang offload bundles: a magic, a count, and entries {offset, size, id} that need no alignment and stand in any
 * order. The payloads are looked at by their place in the file.
 */
#include <stdlib.h>

#include "base/checked.h"
#include "elf/device/amdgpu.h"
#include "elf/device/bundle.h"
#include "elf/device/cubin.h"

#define PAYLOAD_FRONT 64

struct offload_bundle_state {
	struct bundle_table table;
	bool listed;    /* the table is complete and sorted */
	size_t n, next; /* entries with a payload, in order of their place */
	bool whole;
};

static void unread(struct reader *r, const struct bundle_entry *e, const char *why)
{
	reader_oddity(r, PROBLEM_INCOMPLETE, "entry %u of the bundle at %llu cannot be read: %s", e->number,
	              (unsigned long long)r->start, why);
}

static int by_place(const void *x, const void *y)
{
	const struct bundle_entry *a = x, *b = y;

	if (a->offset != b->offset)
		return a->offset < b->offset ? -1 : 1;
	if (a->size != b->size)
		return a->size < b->size ? -1 : 1;
	return (a->number > b->number) - (a->number < b->number);
}

/* Leaves only the entries that have a payload inside the file. */
static void select_entries(struct reader *r, struct offload_bundle_state *st)
{
	struct bundle_entry *v = bundle_entries(r);
	size_t n = r->table.n / sizeof(*v), kept = 0;

	for (size_t i = 0; i < n; i++) {
		struct bundle_entry *e = &v[i];
		bool host = bundle_is_host(bundle_id(r, e));

		if (!range_inside(e->offset, e->size, r->file_size - r->start)) {
			unread(r, e, "it lies beyond the end of the file");
			continue;
		}
		if (r->start + e->offset + e->size > r->end)
			r->end = r->start + e->offset + e->size;
		if (host)
			continue;
		if (e->size == 0)
			reader_oddity(r, PROBLEM_ANOMALY, "entry %u of the bundle at %llu holds no code", e->number,
			              (unsigned long long)r->start);
		else if (e->offset < st->table.at)
			unread(r, e, "it lies on the table");
		else
			v[kept++] = *e;
	}
	if (kept)
		qsort(v, kept, sizeof(*v), by_place);
	st->n = kept;
}

/* An old id spells features another way: "gfx906+xnack". */
static bool targets_differ(struct span declared, struct span found)
{
	size_t plus = span_find(declared, '+'), colon = span_find(declared, ':');

	if (plus < declared.n && colon == declared.n)
		return !span_eq(span_first(declared, plus), span_first(found, span_find(found, ':')));
	return !span_eq(declared, found);
}

/* What a payload is. Ids may share one by the hundred thousand, so it is read once. */
struct payload {
	bool bundle;
	struct device_code code; /* form, and with found: what its own header says */
	bool found;
	struct cubin_texts texts;
	struct amdgpu amdgpu;
};

static void code_object(struct reader *r, const struct offload_bundle_state *st, struct span bytes, struct payload *p)
{
	struct device_code *code = &p->code;
	struct amdgpu *a = &p->amdgpu;
	struct cubin c;

	p->found = true;
	if (amdgpu_read(bytes, st->whole, r->ctx->limits, a)) {
		code->backend = SPAN("rocm");
		code->target = span_of(a->target);
		code->form = amdgpu_form(a);
		code->opened = a->opened;
		code->kernels = a->kernels;
		if (a->odd)
			reader_oddity(r, PROBLEM_ANOMALY, "%s", a->odd);
	} else if (cubin_read(bytes, st->whole, &c)) {
		cubin_texts(&c, &p->texts);
		code->backend = SPAN("cuda");
		code->target = span_of(p->texts.target);
		code->toolkit = span_of(p->texts.toolkit);
		code->form = cubin_form(&c);
		code->abi = c.abi;
		code->opened = c.opened;
		code->kernels = c.kernels;
	} else {
		p->found = false;
		code->form = FORM_UNKNOWN;
	}
}

static void payload_read(struct reader *r, const struct offload_bundle_state *st, struct span bytes, struct payload *p)
{
	*p = (struct payload){.bundle = span_starts(bytes, SPAN(BUNDLE_MAGIC)) || span_starts(bytes, SPAN("CCOB"))};
	if (span_starts(bytes, SPAN("BC\xc0\xde")) || span_starts(bytes, SPAN("\xde\xc0\x17\x0b")))
		p->code.form = FORM_INTERMEDIATE;
	else if (span_starts(bytes, SPAN("\x03\x02\x23\x07")))
		p->code.form = FORM_PORTABLE;
	else if (!p->bundle)
		code_object(r, st, bytes, p);
}

static void list_entry(struct reader *r, const struct bundle_entry *e, const struct payload *p)
{
	struct span id = bundle_id(r, e), declared = bundle_target(id);
	struct device_code code = p->code;

	if (p->bundle) {
		unread(r, e, "a bundle inside a bundle");
		return;
	}
	if (!p->found) {
		code.backend = bundle_backend(id);
		code.target = declared.n ? declared : SPAN("unknown");
	}
	code.container = SPAN("bundle");
	code.codec = SPAN("none");
	code.count = 1;
	code.bytes = e->size;
	code.offset = r->start + e->offset;
	if (p->found || code.form == FORM_UNKNOWN)
		code.declared = declared;
	code.mismatch = p->found && targets_differ(declared, code.target);
	if (code.form == FORM_UNKNOWN) {
		code.target = SPAN("unknown");
		reader_oddity(r, PROBLEM_ANOMALY, "entry %u of the bundle at %llu is no device code that is known",
		              e->number, (unsigned long long)r->start);
	}
	reader_image(r, &code, code.form == FORM_NATIVE || code.form == FORM_PORTABLE);
}

static enum reader_answer next_payload(struct reader *r, struct offload_bundle_state *st, uint64_t passed)
{
	const struct bundle_entry *v = bundle_entries(r);

	for (; st->next < st->n; st->next++) {
		const struct bundle_entry *e = &v[st->next];
		uint64_t wanted = e->size;

		if (r->start + e->offset < passed) {
			unread(r, e, "it overlaps another");
			continue;
		}
		st->whole = wanted <= reader_payload_max(r);
		if (!st->whole)
			wanted = PAYLOAD_FRONT;
		return reader_want(r, r->start + e->offset, wanted);
	}
	return READER_DONE;
}

static enum reader_answer read_table(struct reader *r, struct offload_bundle_state *st)
{
	uint64_t room = r->file_size - r->start, need = 0, most = reader_payload_max(r);
	enum reader_answer answer = bundle_read(r, &st->table, room, &need);

	if (answer == READER_BAD)
		return answer;
	if (r->kept.n > r->ctx->limits->v[LIMIT_BUNDLE_TABLE]) {
		err_limit(&r->fault, LIMIT_BUNDLE_TABLE, r->ctx->limits, "the id table of a bundle");
		r->grade = PROBLEM_INCOMPLETE;
		return READER_BAD;
	}
	if (answer == READER_MORE)
		return reader_want(r, r->start + r->kept.n, need < most ? need : most);
	r->unit = true;
	r->end = r->start + st->table.at;
	st->listed = true;
	select_entries(r, st);
	return next_payload(r, st, r->start + r->kept.n);
}

static enum reader_answer offload_bundle_start(struct reader *r)
{
	if (r->file_size - r->start < BUNDLE_HEADER)
		return reader_cut(r);
	return reader_want(r, r->start, BUNDLE_HEADER);
}

static enum reader_answer offload_bundle_feed(struct reader *r, struct span bytes)
{
	struct offload_bundle_state *st = r->state;
	const struct bundle_entry *v, *first;
	struct payload payload;

	if (!st->listed) {
		reader_keep(r, bytes);
		return read_table(r, st);
	}
	v = bundle_entries(r);
	first = &v[st->next];
	payload_read(r, st, bytes, &payload);
	for (; st->next < st->n && v[st->next].offset == first->offset && v[st->next].size == first->size; st->next++)
		list_entry(r, &v[st->next], &payload);
	return next_payload(r, st, r->want.at + r->want.n);
}

const struct device_format device_offload_bundle = {
        .name = "offload_bundle",
        .type = OBJECT_HIPFB,
        .magics = {SPAN_INIT(BUNDLE_MAGIC)},
        .sections = {".hip_fatbin"},
        .state_bytes = sizeof(struct offload_bundle_state),
        .start = offload_bundle_start,
        .feed = offload_bundle_feed,
};
