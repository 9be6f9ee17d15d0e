/* SPDX-License-Identifier: Apache-2.0 */
/*
 * CUDA fatbins: a header, then entries (header, extensions, payload) that fill it exactly. Payloads are looked at: all
 * of one that is small, stored and inflated, else its front.
 */
#include "elf/device/fatbin.h"

#include "base/checked.h"
#include "elf/device/zstd_frame.h"

#define MAGIC         0xBA55ED50u
#define HEADER        16
#define VERSION       1
#define ENTRY_VERSION 0x0101

enum { PHASE_HEADER, PHASE_ENTRY, PHASE_PAYLOAD, PHASE_BLOCK };

struct fatbin_state {
	uint8_t phase;
	uint64_t at;     /* of the entry in turn, in the file */
	uint64_t finish; /* of the fatbin */
	struct fatbin_entry entry;
};

static enum reader_answer next_entry(struct reader *r, struct fatbin_state *st)
{
	if (st->at == st->finish) {
		r->end = st->finish;
		return READER_DONE;
	}
	if (st->finish - st->at < FATBIN_ENTRY)
		return reader_bad(r, PROBLEM_INCOMPLETE, ERR_FORMAT, "the entries of the fatbin at %llu do not fill it",
		                  (unsigned long long)r->start);
	st->phase = PHASE_ENTRY;
	return reader_want(r, st->at, FATBIN_ENTRY);
}

static enum reader_answer header_read(struct reader *r, struct fatbin_state *st, struct span bytes)
{
	struct cursor c = cursor_over(bytes);
	uint32_t magic = cursor_u32(&c);
	uint16_t version = cursor_u16(&c), header = cursor_u16(&c);
	uint64_t size = cursor_u64(&c), room = r->file_size - r->start;

	if (magic != MAGIC)
		return reader_bad(r, PROBLEM_INCOMPLETE, ERR_UNSUPPORTED, "a fatbin of the old kind at %llu",
		                  (unsigned long long)r->start);
	if (version != VERSION)
		return reader_bad(r, PROBLEM_INCOMPLETE, ERR_UNSUPPORTED, "the fatbin at %llu has version %u",
		                  (unsigned long long)r->start, version);
	if (header < HEADER || header % 8)
		return reader_bad(r, PROBLEM_INCOMPLETE, ERR_FORMAT, "the fatbin at %llu has a header of %u bytes",
		                  (unsigned long long)r->start, header);
	if (!range_inside(header, size, room)) {
		if (size && room < header + (uint64_t)FATBIN_ENTRY)
			return reader_cut(r);
		return reader_bad(r, PROBLEM_INCOMPLETE, ERR_FORMAT,
		                  "the fatbin at %llu goes beyond the end of the file", (unsigned long long)r->start);
	}
	r->unit = true;
	st->at = r->start + header;
	st->finish = st->at + size;
	r->end = st->finish;
	return next_entry(r, st);
}

static enum reader_answer entry_lies(struct reader *r, const struct fatbin_state *st, const char *what)
{
	return reader_bad(r, PROBLEM_INCOMPLETE, ERR_FORMAT, "the fatbin entry at %llu has %s",
	                  (unsigned long long)st->at, what);
}

static void entry_parse(struct span bytes, struct fatbin_entry *e)
{
	struct cursor c = cursor_over(bytes);

	e->kind = cursor_u16(&c);
	e->version = cursor_u16(&c);
	e->header = cursor_u32(&c);
	e->size = cursor_u64(&c);
	e->packed = cursor_u32(&c);
	e->options = cursor_u32(&c);
	e->minor = cursor_u16(&c);
	e->major = cursor_u16(&c);
	e->sm = cursor_u32(&c);
	e->name = cursor_u32(&c);
	e->name_length = cursor_u32(&c);
	e->flags = cursor_u64(&c);
	cursor_skip(&c, 8);
	e->inflated = cursor_u64(&c);
}

/* What else the header says, and hides no byte. */
static void entry_oddities(struct reader *r, const struct fatbin_entry *e)
{
	if (e->name_length && !range_inside(e->name, e->name_length, e->header))
		reader_oddity(r, PROBLEM_ANOMALY, "the name of the fatbin entry at %llu lies outside its header",
		              (unsigned long long)e->at);
	if (e->options && !range_inside(e->options, 8, e->header))
		reader_oddity(r, PROBLEM_ANOMALY, "the options of the fatbin entry at %llu lie outside its header",
		              (unsigned long long)e->at);
	if (e->sm < 10 || e->sm > 999)
		reader_oddity(r, PROBLEM_ANOMALY, "the fatbin entry at %llu names the target %u",
		              (unsigned long long)e->at, e->sm);
}

/* How much of the payload is wanted; 0: nothing. */
static uint64_t payload_wanted(struct reader *r, struct fatbin_entry *e)
{
	const struct limits *l = r->ctx->limits;
	uint64_t stored = e->codec == CODEC_NONE ? e->size : e->packed, front = l->v[LIMIT_DEVICE_FRONT];

	e->stored = stored;
	if (stored == 0 || e->unread || e->flags & FATBIN_OBFUSCATED || !fatbin_kind_known(e->kind))
		return 0;
	e->whole = (e->kind == FATBIN_CUBIN || e->kind == FATBIN_PTX || e->kind == FATBIN_PTX_RELOC) &&
	           stored <= reader_payload_max(r) && (e->codec == CODEC_NONE || e->inflated <= reader_payload_max(r));
	if (e->whole)
		return stored;
	return stored < front ? stored : front;
}

static enum reader_answer entry_end(struct reader *r, struct fatbin_state *st)
{
	st->at += st->entry.header + st->entry.size;
	return next_entry(r, st);
}

static enum reader_answer entry_read(struct reader *r, struct fatbin_state *st, struct span bytes)
{
	struct fatbin_entry *e = &st->entry;
	uint64_t room = st->finish - st->at, wanted;

	*e = (struct fatbin_entry){.at = st->at};
	entry_parse(bytes, e);
	if (e->version != ENTRY_VERSION)
		return entry_lies(r, st, "an unknown version");
	if (e->header < FATBIN_ENTRY || e->header % 8 || e->header > room)
		return entry_lies(r, st, "a header of impossible size");
	if (e->size > room - e->header)
		return entry_lies(r, st, "a payload that goes beyond the fatbin");
	entry_oddities(r, e);
	fatbin_codec(r, e);
	wanted = payload_wanted(r, e);
	if (wanted == 0) {
		fatbin_image(r, e, SPAN_NONE);
		return entry_end(r, st);
	}
	st->phase = PHASE_PAYLOAD;
	return reader_want(r, st->at + e->header, wanted);
}

/* Nothing comes out of a zstd frame before its first block is complete: reads on to its end when that is near. */
static enum reader_answer payload_read(struct reader *r, struct fatbin_state *st, struct span bytes)
{
	const struct fatbin_entry *e = &st->entry;
	uint64_t block;

	if (st->phase == PHASE_PAYLOAD && e->codec == CODEC_ZSTD && !e->whole && zstd_first_block(bytes, &block) &&
	    block > bytes.n && block <= e->stored && block <= reader_payload_max(r)) {
		reader_keep(r, bytes);
		st->phase = PHASE_BLOCK;
		return reader_want(r, e->at + e->header + bytes.n, block - bytes.n);
	}
	if (st->phase == PHASE_BLOCK) {
		reader_keep(r, bytes);
		bytes = reader_kept(r);
		r->kept.n = 0;
	}
	fatbin_image(r, &st->entry, bytes);
	return entry_end(r, st);
}

static enum reader_answer fatbin_start(struct reader *r)
{
	if (r->file_size - r->start < HEADER)
		return reader_cut(r);
	return reader_want(r, r->start, HEADER);
}

static enum reader_answer fatbin_feed(struct reader *r, struct span bytes)
{
	struct fatbin_state *st = r->state;

	switch (st->phase) {
	case PHASE_HEADER:
		return header_read(r, st, bytes);
	case PHASE_ENTRY:
		return entry_read(r, st, bytes);
	default:
		return payload_read(r, st, bytes);
	}
}

const struct device_format device_fatbin = {
        .name = "fatbin",
        .type = OBJECT_FATBIN,
        .magics = {SPAN_INIT("\x50\xed\x55\xba"), SPAN_INIT("\x01\x5a\xe5\x1e")},
        .sections = {".nv_fatbin", "__nv_relfatbin"},
        .state_bytes = sizeof(struct fatbin_state),
        .start = fatbin_start,
        .feed = fatbin_feed,
};
