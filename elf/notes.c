/* SPDX-License-Identifier: Apache-2.0 */
/* Interpreter, build id, and what .note.dlopen says (owner FDO, type 0x407c0c0a: a JSON list of needs at run time). */
#include <elf.h>
#include <limits.h>

#include "base/checked.h"
#include "base/json.h"
#include "elf/dynamic.h"

#define NOTE_HEADER  12
#define NOTE_DLOPEN  0x407c0c0a
#define BUILD_ID_MAX 64

static void interpreter_read(struct host_elf *m, const struct elf_segment *p)
{
	struct elf_facts *f = &m->object->elf;
	struct span text;

	if (!range_inside(p->offset, p->filesz, m->size)) {
		host_fault(m, "the name of the interpreter ends beyond the file");
		return;
	}
	if (p->filesz < 2 || p->filesz > PATH_MAX) {
		host_fault(m, "the name of the interpreter has a length that no kernel takes");
		return;
	}
	text = host_bytes(m, p->offset, p->filesz, "the place of its interpreter's name");
	if (!text.n)
		return;
	if (text.p[text.n - 1] != 0) {
		host_fault(m, "the name of the interpreter has no end");
		return;
	}
	f->has_interpreter = true;
	f->interpreter = arena_copy(m->ctx->mem, span_first(text, span_find(text, 0)));
}

static void build_id(struct host_elf *m, struct span id)
{
	static const char digits[] = "0123456789abcdef";
	uint8_t *p;

	if (m->object->build_id.n || id.n == 0 || id.n > BUILD_ID_MAX)
		return;
	p = arena_alloc(m->ctx->mem, 2 * id.n);
	for (size_t i = 0; i < id.n; i++) {
		p[2 * i] = (uint8_t)digits[id.p[i] >> 4];
		p[2 * i + 1] = (uint8_t)digits[id.p[i] & 15];
	}
	m->object->build_id = (struct span){p, 2 * id.n};
}

/* One name that the file may open at run time. */
static void dlopen_name(struct host_elf *m, struct span name, uint64_t offset)
{
	const struct library_rule *r = catalogue_library(m->ctx->catalogue, name);
	struct arena *mem = m->ctx->mem;
	struct evidence *e;

	if (!r)
		return;
	if (++m->dlopen_names > m->ctx->limits->v[LIMIT_ELF_STRINGS]) {
		host_limit(m, LIMIT_ELF_STRINGS, "the names in its dlopen notes");
		return;
	}
	e = object_evidence(m->object, mem, r->backend, EVIDENCE_DLOPEN, arena_copy(mem, name), STRENGTH_SOFT);
	e->confidence = CONFIDENCE_HIGH;
	e->has_offset = true;
	e->offset = offset;
}

/* A string of the member, or none at all; false when it is something else. */
static bool optional_string(const json *object, const char *name, struct span *out)
{
	const json *j = json_member(object, name);

	*out = SPAN_NONE;
	return !j || json_string(j, out);
}

/* One element: {"soname": [names], "priority": word, ...}. False when it is not of that form. */
static bool dlopen_element(struct host_elf *m, const json *j, uint64_t offset)
{
	const json *names = json_is_object(j) ? json_member(j, "soname") : NULL;
	struct span text, priority;
	bool sound;

	if (!names || !json_is_list(names) || !json_first(names))
		return false;
	sound = optional_string(j, "feature", &text) && optional_string(j, "description", &text) &&
	        optional_string(j, "priority", &priority) &&
	        (!json_member(j, "priority") || span_eq(priority, SPAN("required")) ||
	         span_eq(priority, SPAN("recommended")) || span_eq(priority, SPAN("suggested")));
	for (const json *n = json_first(names); n; n = json_next(n)) {
		if (json_string(n, &text))
			dlopen_name(m, text, offset);
		else
			sound = false;
	}
	return sound;
}

static void dlopen_note(struct host_elf *m, struct span text, uint64_t offset)
{
	size_t n = span_find(text, 0);
	struct err e = ERR_INIT;
	bool sound = true;
	json *all;

	/* Segments may name the same notes again and again. */
	if (!host_name_budget(m, n))
		return;
	if (n == text.n)
		host_fault(m, "the text of a dlopen note has no end");
	all = json_read(span_first(text, n), m->ctx->limits, &e);
	if (!all && e.code == ERR_LIMIT) {
		host_limit(m, e.limit, "a dlopen note");
		return;
	}
	if (!all || !json_is_list(all))
		sound = false;
	for (const json *j = sound ? json_first(all) : NULL; j; j = json_next(j))
		sound &= dlopen_element(m, j, offset);
	if (!sound)
		host_fault(m, "a dlopen note is not what its format says");
	json_free(all);
}

static void note(struct host_elf *m, struct span owner, uint64_t type, struct span text, uint64_t offset)
{
	if (type == NT_GNU_BUILD_ID && span_eq(owner, SPAN("GNU\0")))
		build_id(m, text);
	else if (type == NOTE_DLOPEN && span_eq(owner, SPAN("FDO\0")))
		dlopen_note(m, text, offset);
}

static void segment_notes(struct host_elf *m, const struct elf_segment *p, uint64_t *left)
{
	uint64_t align = p->align == 8 ? 8 : 4, at = 0, text, end;
	struct span all;

	if (p->filesz == 0)
		return;
	if (!range_inside(p->offset, p->filesz, m->size)) {
		host_fault(m, "its notes end beyond the file");
		return;
	}
	all = host_bytes(m, p->offset, p->filesz, "the place of its notes");
	while (all.n - at >= NOTE_HEADER && all.n > at) {
		const uint8_t *h = all.p + at;
		uint64_t owner_n = elf_number(m->layout, h, 4), text_n = elf_number(m->layout, h + 4, 4);

		if (*left == 0) {
			host_limit(m, LIMIT_ELF_NOTES, "its number of notes");
			return;
		}
		--*left;
		/* Sums of three numbers below 2^33 and one below 2^62 do not wrap. */
		text = (at + NOTE_HEADER + owner_n + align - 1) / align * align;
		end = text + text_n;
		if (text > all.n || end > all.n) {
			host_fault(m, "a note is longer than its segment");
			return;
		}
		note(m, (struct span){h + NOTE_HEADER, (size_t)owner_n}, elf_number(m->layout, h + 8, 4),
		     (struct span){all.p + text, (size_t)text_n}, p->offset + text);
		at = (end + align - 1) / align * align;
		at = at < all.n ? at : all.n;
	}
}

void notes_read(struct host_elf *m)
{
	uint64_t left = m->ctx->limits->v[LIMIT_ELF_NOTES];
	bool named = false;

	for (size_t i = 0; i < m->segments_n; i++) {
		const struct elf_segment *p = &m->segments[i];

		if (p->type == PT_NOTE)
			segment_notes(m, p, &left);
		if (p->type == PT_INTERP && !named) {
			named = true;
			interpreter_read(m, p);
		}
	}
}
