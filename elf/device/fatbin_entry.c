/* SPDX-License-Identifier: Apache-2.0 */
#include "elf/device/fatbin.h"

#include <stdio.h>

#include "elf/device/cubin.h"
#include "elf/device/ptx.h"
#include "elf/device/zstd_frame.h"

#define CUBIN_FRONT     64    /* its header */
#define CUBIN_FRONT_OUT 32768 /* its notes are looked for in so much of what comes out */
#define TAG_SM          1     /* first record of LTO IR: SM times 10 */
#define TAGS_AT         0x18

/* What is known of an image: first by the entry's header, then by its payload. */
struct known {
	struct device_code code;
	bool found;   /* the payload's own header was read */
	bool nothing; /* and it is no such thing */
	char declared[24], isa[16];
	struct cubin_texts cubin;
	struct ptx ptx;
};

bool fatbin_kind_known(uint16_t kind)
{
	return kind == FATBIN_PTX || kind == FATBIN_CUBIN || kind == FATBIN_LTO || kind == FATBIN_PTX_RELOC;
}

static void unread(struct reader *r, struct fatbin_entry *e, const char *why)
{
	reader_oddity(r, PROBLEM_INCOMPLETE, "the payload of the fatbin entry at %llu cannot be read: %s",
	              (unsigned long long)e->at, why);
	e->unread = true;
}

void fatbin_codec(struct reader *r, struct fatbin_entry *e)
{
	switch (e->flags & FATBIN_CODECS) {
	case 0:
		e->codec = CODEC_NONE;
		break;
	case FATBIN_ZLIB:
		e->codec = CODEC_ZLIB;
		break;
	case FATBIN_LZ4:
		e->codec = CODEC_LZ4_BLOCK;
		break;
	case FATBIN_LZ4_FRAME:
		e->codec = CODEC_LZ4_FRAME;
		break;
	case FATBIN_ZSTD:
		e->codec = CODEC_ZSTD;
		break;
	default:
		unread(r, e, "more than one codec is named");
		return;
	}
	if (e->codec != CODEC_NONE && (e->packed > e->size || e->size - e->packed > 8))
		unread(r, e, "its compressed size lies");
}

/* "sm_90a" as the header says. */
static struct span declared(struct known *k, const struct fatbin_entry *e)
{
	const char *kind = e->kind == FATBIN_CUBIN ? "sm" : e->kind == FATBIN_LTO ? "lto" : "compute";
	const char *suffix = e->flags & FATBIN_SUFFIX_A ? "a" : e->flags & FATBIN_SUFFIX_F ? "f" : "";

	snprintf(k->declared, sizeof(k->declared), "%s_%u%s", kind, e->sm, suffix);
	return span_of(k->declared);
}

static struct span codec_text(const struct fatbin_entry *e)
{
	return e->flags & FATBIN_OBFUSCATED ? SPAN("obfuscated") : span_of(codec_name(e->codec));
}

/* The payload's bytes or their front; empty when none can be had. */
static struct span inflate(struct reader *r, struct fatbin_entry *e, struct span payload)
{
	const struct limits *l = r->ctx->limits;
	size_t room = e->kind == FATBIN_CUBIN ? CUBIN_FRONT_OUT : PTX_FRONT, n = 0;
	struct err err = ERR_INIT;
	struct zstd_header frame;
	uint8_t *out;

	if (e->codec == CODEC_NONE || payload.n == 0)
		return payload;
	if (e->codec == CODEC_ZSTD && zstd_header(payload, &frame) && frame.has_size && frame.size != e->inflated) {
		unread(r, e, "its inflated size lies");
		e->whole = false;
	}
	if (e->whole && e->inflated) {
		out = reader_scratch(r, (size_t)reader_payload_max(r));
		if (codec_streams_whole(r->codecs, e->codec, l, payload, out, (size_t)e->inflated, &n, &err) < 0 || n != e->inflated) {
			unread(r, e, "it does not inflate to what it says");
			e->whole = false;
			return SPAN_NONE;
		}
		return (struct span){out, n};
	}
	e->whole = false;
	out = reader_scratch(r, room);
	if (codec_streams_front(r->codecs, e->codec, l, payload, out, room, &n, &err) < 0)
		unread(r, e, "it does not inflate");
	return (struct span){out, n};
}

static void read_cubin(struct reader *r, const struct fatbin_entry *e, struct span bytes, struct known *k)
{
	struct cubin c;

	k->code.abi = e->minor;
	if (bytes.n < CUBIN_FRONT && !e->whole)
		return;
	k->found = true;
	if (!cubin_read(bytes, e->whole, &c)) {
		k->nothing = true;
		return;
	}
	/* The suffix of a cubin that was not opened is the header's word. */
	if (!c.suffix_known && c.sm == e->sm) {
		c.suffix = e->flags & FATBIN_SUFFIX_A ? 'a' : e->flags & FATBIN_SUFFIX_F ? 'f' : '\0';
		c.suffix_known = true;
	}
	if (c.odd)
		reader_oddity(r, PROBLEM_ANOMALY, "%s", c.odd);
	cubin_texts(&c, &k->cubin);
	k->code.target = span_of(k->cubin.target);
	k->code.form = cubin_form(&c);
	k->code.toolkit = span_of(k->cubin.toolkit);
	k->code.abi = c.abi;
	k->code.opened = c.opened;
	k->code.kernels = c.kernels;
}

static void read_ptx(const struct fatbin_entry *e, struct span bytes, struct known *k)
{
	bool good;

	k->code.form = FORM_PORTABLE;
	snprintf(k->isa, sizeof(k->isa), "%u.%u", e->major, e->minor);
	k->code.isa = span_of(k->isa);
	good = ptx_read(bytes, true, &k->ptx) == PTX_YES && k->ptx.target_good;
	/* A front that came out short proves nothing. */
	if (!good && !e->whole && bytes.n < PTX_FRONT && e->codec != CODEC_NONE)
		return;
	k->found = true;
	k->nothing = !good;
	if (!good)
		return;
	k->code.target = span_of(k->ptx.target);
	k->code.isa = span_of(k->ptx.isa);
	k->code.opened = e->whole;
	k->code.kernels = e->whole ? ptx_kernels(bytes) : 0;
}

static struct span number_target(struct known *k, const char *before, unsigned n, bool hex)
{
	snprintf(k->cubin.target, sizeof(k->cubin.target), hex ? "%s0x%x" : "%s%u", before, n);
	return span_of(k->cubin.target);
}

/* LTO IR: only the number of the target is sure, so a suffix stays the header's word. */
static void read_lto(const struct fatbin_entry *e, struct span bytes, struct known *k)
{
	static const struct span magic = SPAN_INIT("\xed\x43\x4e\x7f");
	struct cursor c = cursor_over(bytes);
	uint16_t tag, value;

	k->code.form = FORM_INTERMEDIATE;
	if (!span_starts(bytes, magic))
		return;
	cursor_skip(&c, TAGS_AT);
	tag = cursor_u16(&c);
	value = cursor_u16(&c);
	if (c.bad || tag != TAG_SM)
		return;
	k->found = true;
	if (value / 10 != e->sm)
		k->code.target = number_target(k, "lto_", value / 10, false);
}

static void read_payload(struct reader *r, struct fatbin_entry *e, struct span bytes, struct known *k)
{
	switch (e->kind) {
	case FATBIN_CUBIN:
		read_cubin(r, e, bytes, k);
		break;
	case FATBIN_LTO:
		read_lto(e, bytes, k);
		break;
	case FATBIN_PTX:
	case FATBIN_PTX_RELOC:
		read_ptx(e, bytes, k);
		break;
	default:
		k->code.form = FORM_UNKNOWN;
		k->code.target = number_target(k, "unknown kind ", e->kind, true);
		reader_oddity(r, PROBLEM_ANOMALY, "the fatbin entry at %llu is of the unknown kind 0x%x",
		              (unsigned long long)e->at, e->kind);
	}
	if (e->stored == 0 && fatbin_kind_known(e->kind))
		k->nothing = true;
}

void fatbin_image(struct reader *r, struct fatbin_entry *e, struct span payload)
{
	struct known k = {
	        .code = {.backend = SPAN("cuda"), .container = SPAN("fatbin"), .count = 1, .bytes = e->stored},
	};
	struct span says = declared(&k, e);

	/* What cannot even be told how it is packed is told, and not listed. */
	if (e->unread && e->codec == CODEC_NONE)
		return;
	k.code.target = says;
	k.code.codec = codec_text(e);
	k.code.offset = e->at + e->header;
	read_payload(r, e, inflate(r, e, payload), &k);
	if (k.nothing || (e->unread && !k.found)) {
		if (k.nothing && !e->unread)
			reader_oddity(r, PROBLEM_ANOMALY,
			              "the payload of the fatbin entry at %llu is not what its kind says",
			              (unsigned long long)e->at);
		k.code.form = FORM_UNKNOWN;
		k.code.target = SPAN("unknown");
		k.code.abi = 0;
		k.code.declared = says;
	} else if (k.found) {
		k.code.declared = says;
		k.code.mismatch = !span_eq(says, k.code.target);
	}
	reader_image(r, &k.code, k.code.form == FORM_NATIVE || k.code.form == FORM_PORTABLE);
}
