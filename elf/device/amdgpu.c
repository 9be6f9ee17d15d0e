/* SPDX-License-Identifier: Apache-2.0 */
/* AMDGPU code objects: ELF files of machine 224. e_flags name the target; EI_ABIVERSION says how (V2 to V6). */
#include "elf/device/amdgpu.h"

#include <stdio.h>

#include "elf/device/code.h"

enum { CODE_V2, CODE_V3, CODE_V4, CODE_V5, CODE_V6 }; /* EI_ABIVERSION */

#define SYMBOL_OBJECT 1
#define DESCRIPTOR    64 /* size of a kernel's descriptor, NAME.kd */
#define NOTE_ISA_V2   3  /* of "AMD" */
#define NOTE_METADATA 32 /* of "AMDGPU" */
#define NOTE_SECTIONS 8  /* looked at; real code objects have one */

enum feature { FEATURE_NONE, FEATURE_ANY, FEATURE_OFF, FEATURE_ON };

static const char *feature_text(const char *on, const char *off, unsigned f)
{
	return f == FEATURE_ON ? on : f == FEATURE_OFF ? off : "";
}

static void target_read(const struct code_header *h, struct amdgpu *a)
{
	const char *name = gfx_name(h->flags & 0xff);
	unsigned xnack = FEATURE_NONE, sramecc = FEATURE_NONE;

	/* 0 is no number of a target: V2 leaves it out. */
	if (!name) {
		if (h->flags & 0xff)
			snprintf(a->target, sizeof(a->target), "amdgcn mach 0x%x", h->flags & 0xff);
		else
			snprintf(a->target, sizeof(a->target), "unknown");
		return;
	}
	if (h->abi == CODE_V3) {
		xnack = h->flags & 0x100 ? FEATURE_ON : FEATURE_NONE;
		sramecc = h->flags & 0x200 ? FEATURE_ON : FEATURE_NONE;
	} else if (h->abi >= CODE_V4) {
		xnack = h->flags >> 8 & 3;
		sramecc = h->flags >> 10 & 3;
	}
	snprintf(a->target, sizeof(a->target), "%s%s%s", name, feature_text(":sramecc+", ":sramecc-", sramecc),
	         feature_text(":xnack+", ":xnack-", xnack));
}

/* V2 names its target in a note: sizes of two names, then major, minor, stepping. */
static void isa_read(struct span desc, struct amdgpu *a)
{
	struct cursor c = cursor_over(desc);
	uint32_t major, minor, stepping;

	cursor_skip(&c, 4);
	major = cursor_u32(&c);
	minor = cursor_u32(&c);
	stepping = cursor_u32(&c);
	if (!c.bad && major < 100 && minor < 10 && stepping < 16)
		snprintf(a->target, sizeof(a->target), "gfx%u%u%x", major, minor, stepping);
}

static void notes_read(struct span image, const struct code_header *h, const struct limits *limits, struct amdgpu *a)
{
	struct code_section s;
	unsigned notes = 0;

	for (unsigned i = 0; i < h->sections && code_section(image, h, i, &s) && notes < NOTE_SECTIONS; i++) {
		struct cursor c = cursor_over(code_bytes(image, &s));
		struct code_note n;

		if (s.type != SECTION_NOTE)
			continue;
		notes++;
		while (code_note(&c, &n)) {
			if (n.type == NOTE_ISA_V2 && h->abi == CODE_V2 && span_eq(n.name, SPAN("AMD")))
				isa_read(n.desc, a);
			if (n.type == NOTE_METADATA && span_eq(n.name, SPAN("AMDGPU")) &&
			    !msgpack_sound(n.desc, (unsigned)limits->v[LIMIT_MSGPACK_DEPTH]))
				a->odd = "the metadata of a code object cannot be read";
		}
		if (c.bad)
			a->odd = "the notes of a code object lie about their sizes";
	}
}

static void count_kernel(void *sink, const struct code_symbol *s)
{
	if (s->type == SYMBOL_OBJECT && s->size == DESCRIPTOR && s->section && span_ends(s->name, SPAN(".kd")))
		++*(uint64_t *)sink;
}

bool amdgpu_read(struct span bytes, bool whole, const struct limits *limits, struct amdgpu *a)
{
	struct code_header h;

	*a = (struct amdgpu){0};
	if (!code_header(bytes, &h) || h.machine != AMDGPU_MACHINE)
		return false;
	a->relocatable = h.type == CODE_RELOCATABLE;
	target_read(&h, a);
	if (!whole)
		return true;
	notes_read(bytes, &h, limits, a);
	/* V2 has no descriptors with names: its kernels are not counted. */
	a->opened = h.abi != CODE_V2 && code_symbols(bytes, &h, a->relocatable ? SECTION_SYMTAB : SECTION_DYNSYM,
	                                             count_kernel, &a->kernels);
	return true;
}

enum code_form amdgpu_form(const struct amdgpu *a)
{
	if (a->relocatable)
		return FORM_RELOCATABLE;
	return a->opened && a->kernels == 0 ? FORM_STUB : FORM_NATIVE;
}

/* --- a code object alone */

static enum reader_answer amdgpu_feed(struct reader *r, struct span bytes)
{
	struct code_state *st = r->state;
	enum reader_answer answer = code_feed(r, st, bytes, AMDGPU_MACHINE);
	struct amdgpu a;
	struct device_code code = {
	        .backend = SPAN("rocm"),
	        .container = SPAN("amdgpu"),
	        .codec = SPAN("none"),
	        .count = 1,
	        .offset = r->start,
	};

	if (answer != READER_DONE || !amdgpu_read(reader_kept(r), st->whole, r->ctx->limits, &a))
		return answer;
	code.target = span_of(a.target);
	code.form = amdgpu_form(&a);
	code.bytes = r->end - r->start;
	code.opened = a.opened;
	code.kernels = a.kernels;
	if (a.odd)
		reader_oddity(r, PROBLEM_ANOMALY, "%s", a.odd);
	r->unit = true;
	reader_image(r, &code, code.form == FORM_NATIVE);
	return answer;
}

const struct device_format device_amdgpu = {
        .name = "amdgpu",
        .type = OBJECT_HSACO,
        .magics = {SPAN_INIT("\x7f"
                             "ELF\2\1")},
        .machine = AMDGPU_MACHINE,
        .state_bytes = sizeof(struct code_state),
        .start = code_start,
        .feed = amdgpu_feed,
};
