/* SPDX-License-Identifier: Apache-2.0 */
/* Cubins: ELF files of machine 190. EI_ABIVERSION 7 and 8 have e_flags of their own; the suffix is in notes. */
#include "elf/device/cubin.h"

#include <stdio.h>

#include "elf/device/code.h"

#define COMPAT_SECTION 0x70000086 /* type of .nv.compat */
#define NOTE_CUINFO    0x3e8
#define NOTE_TKINFO    0x7d0
#define FLAG_A_ABI7    0x800
#define FLAG_A_ABI8    0x08
#define SYMBOL_FUNC    2
#define SYMBOL_KERNEL  0x10 /* in st_other */
#define NOTE_SECTIONS  8    /* looked at; real cubins have two */

/* A decimal number behind `before` in s; 0 when it is not there. *rest: what follows. */
static unsigned number_behind(struct span s, struct span before, struct span *rest)
{
	unsigned n = 0;

	for (; s.n >= before.n; s = span_after(s, 1)) {
		if (!span_starts(s, before))
			continue;
		s = span_after(s, before.n);
		while (s.n && s.p[0] >= '0' && s.p[0] <= '9' && n < 100000) {
			n = n * 10 + (unsigned)(s.p[0] - '0');
			s = span_after(s, 1);
		}
		*rest = s;
		return n;
	}
	return 0;
}

/* Options of the tool and its release: "-arch sm_90a", "release 13.0". */
static void tkinfo_read(struct span desc, struct cubin *c)
{
	struct span rest;
	unsigned n = number_behind(desc, SPAN("-arch sm_"), &rest);

	if (n && n == c->sm) {
		c->suffix = rest.n && (rest.p[0] == 'a' || rest.p[0] == 'f') ? (char)rest.p[0] : '\0';
		c->suffix_known = true;
	}
	n = number_behind(desc, SPAN("release "), &rest);
	if (n && rest.n > 1 && rest.p[0] == '.' && rest.p[1] >= '0' && rest.p[1] <= '9' && !c->toolkit)
		c->toolkit = n * 10 + (unsigned)(rest.p[1] - '0');
}

static void note_read(const struct code_note *n, struct cubin *c)
{
	struct cursor d = cursor_over(n->desc);

	if (!span_eq(n->name, SPAN("NVIDIA Corp")))
		return;
	if (n->type == NOTE_TKINFO) {
		tkinfo_read(n->desc, c);
	} else if (n->type == NOTE_CUINFO) {
		cursor_skip(&d, 4);
		if (!c->toolkit)
			c->toolkit = cursor_u16(&d);
	}
}

/* Attribute 9: 1 is `a`. Only where no note said it better. */
static void compat_read(struct span s, struct cubin *c)
{
	struct cursor d = cursor_over(s);

	while (cursor_left(&d) >= 4 && !c->suffix_known) {
		uint8_t fmt = cursor_u8(&d), attribute = cursor_u8(&d);
		uint16_t value = cursor_u16(&d);

		if (attribute == 9 && fmt != 4) {
			c->suffix = (value & 0xff) == 1 ? 'a' : '\0';
			/* f exists from sm_100 on, and has no attribute. */
			c->suffix_known = c->suffix == 'a' || c->sm < 100;
		}
		if (fmt == 4)
			cursor_skip(&d, value);
	}
	if (c->sm < 100 && !d.bad)
		c->suffix_known = true;
}

static void sections_read(struct span image, const struct code_header *h, struct cubin *c)
{
	struct code_section s, names = {0};
	struct span strings = SPAN_NONE, compat = SPAN_NONE;
	unsigned notes = 0;

	if (code_section(image, h, h->names, &names))
		strings = code_bytes(image, &names);
	for (unsigned i = 0; i < h->sections && code_section(image, h, i, &s); i++) {
		struct cursor d = cursor_over(code_bytes(image, &s));
		struct code_note n;

		if (s.type == SECTION_NOTE && notes++ < NOTE_SECTIONS) {
			while (code_note(&d, &n))
				note_read(&n, c);
			if (d.bad)
				c->odd = "the notes of a cubin lie about their sizes";
		} else if (s.type == COMPAT_SECTION && span_eq(code_string(strings, s.name), SPAN(".nv.compat"))) {
			compat = code_bytes(image, &s);
		}
	}
	if (!c->suffix_known && compat.n)
		compat_read(compat, c);
}

/* Notes by their look, where the section table is not at hand. */
static void front_read(struct span front, struct cubin *c)
{
	static const struct span name = SPAN_INIT("NVIDIA Corp");
	size_t at = CODE_HEADER;

	while (at + 12 + name.n < front.n) {
		struct span rest = span_after(front, at);
		size_t i = span_find(rest, 'N');
		struct cursor d;
		struct code_note n;

		if (i == rest.n)
			return;
		at += i + 1;
		if (i < 12 || !span_starts(span_after(rest, i), name))
			continue;
		d = cursor_over(span_after(rest, i - 12));
		if (code_note(&d, &n))
			note_read(&n, c);
	}
}

static void count_kernel(void *sink, const struct code_symbol *s)
{
	if (s->type == SYMBOL_FUNC && s->other & SYMBOL_KERNEL)
		++*(uint64_t *)sink;
}

static void flags_read(const struct code_header *h, struct cubin *c)
{
	c->known_layout = h->abi == 7 || h->abi == 8;
	if (h->abi == 7) {
		c->sm = h->flags & 0xff;
		c->suffix = h->flags & FLAG_A_ABI7 && c->sm >= 90 ? 'a' : '\0';
		c->suffix_known = true;
		c->toolkit = h->version > 1 && h->version < 1000 ? h->version : 0;
	} else if (h->abi == 8) {
		c->sm = h->flags >> 8 & 0xff;
		c->suffix_known = c->sm < 90;
	}
}

bool cubin_read(struct span bytes, bool whole, struct cubin *c)
{
	struct code_header h;

	*c = (struct cubin){0};
	if (!code_header(bytes, &h) || h.machine != CUBIN_MACHINE)
		return false;
	c->abi = h.abi;
	c->relocatable = h.type == CODE_RELOCATABLE;
	flags_read(&h, c);
	if (c->known_layout && c->sm == 0)
		c->odd = "the flags of a cubin name no target";
	if (whole) {
		sections_read(bytes, &h, c);
		c->opened = code_symbols(bytes, &h, SECTION_SYMTAB, count_kernel, &c->kernels);
	} else {
		front_read(bytes, c);
	}
	/* CUDA 12.9 has no attribute, and says it here; later ones never set the bit. */
	if (!c->suffix_known && c->abi == 8 && h.flags & FLAG_A_ABI8) {
		c->suffix = 'a';
		c->suffix_known = true;
	}
	return true;
}

enum code_form cubin_form(const struct cubin *c)
{
	if (c->relocatable)
		return FORM_RELOCATABLE;
	return c->opened && c->kernels == 0 ? FORM_STUB : FORM_NATIVE;
}

void cubin_texts(const struct cubin *c, struct cubin_texts *t)
{
	char suffix[2] = {c->suffix, '\0'};

	*t = (struct cubin_texts){.target = "unknown"};
	if (c->sm)
		snprintf(t->target, sizeof(t->target), "sm_%u%s", c->sm,
		         c->suffix_known ? suffix : " (suffix unknown)");
	if (c->toolkit)
		snprintf(t->toolkit, sizeof(t->toolkit), "%u.%u", c->toolkit / 10, c->toolkit % 10);
}

void cubin_image(struct reader *r, const struct cubin *c, struct span codec, uint64_t offset, uint64_t bytes)
{
	struct cubin_texts t;
	struct device_code code = {
	        .backend = SPAN("cuda"),
	        .form = cubin_form(c),
	        .container = SPAN("cubin"),
	        .codec = codec,
	        .abi = c->abi,
	        .count = 1,
	        .bytes = bytes,
	        .offset = offset,
	        .opened = c->opened,
	        .kernels = c->kernels,
	};

	cubin_texts(c, &t);
	code.target = span_of(t.target);
	code.toolkit = span_of(t.toolkit);
	if (c->odd)
		reader_oddity(r, PROBLEM_ANOMALY, "%s", c->odd);
	r->unit = true;
	reader_image(r, &code, code.form == FORM_NATIVE);
}

/* --- a cubin alone */

static enum reader_answer cubin_feed(struct reader *r, struct span bytes)
{
	struct code_state *st = r->state;
	enum reader_answer answer = code_feed(r, st, bytes, CUBIN_MACHINE);
	struct cubin c;

	if (answer == READER_DONE && cubin_read(reader_kept(r), st->whole, &c))
		cubin_image(r, &c, SPAN("none"), r->start, r->end - r->start);
	return answer;
}

const struct device_format device_cubin = {
        .name = "cubin",
        .type = OBJECT_CUBIN,
        .magics = {SPAN_INIT("\x7f"
                             "ELF\2\1")},
        .machine = CUBIN_MACHINE,
        .state_bytes = sizeof(struct code_state),
        .start = code_start,
        .feed = cubin_feed,
};
