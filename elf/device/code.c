/* SPDX-License-Identifier: Apache-2.0 */
#include "elf/device/code.h"

#include "base/checked.h"

bool code_header(struct span front, struct code_header *h)
{
	static const uint8_t ident[] = {0x7f, 'E', 'L', 'F', 2, 1};
	struct cursor c = cursor_over(span_first(front, CODE_HEADER));

	if (front.n < CODE_HEADER || memcmp(front.p, ident, sizeof(ident)) != 0)
		return false;
	cursor_skip(&c, 7);
	h->osabi = cursor_u8(&c);
	h->abi = cursor_u8(&c);
	cursor_skip(&c, 7);
	h->type = cursor_u16(&c);
	h->machine = cursor_u16(&c);
	h->version = cursor_u32(&c);
	cursor_skip(&c, 8);
	h->segments_at = cursor_u64(&c);
	h->sections_at = cursor_u64(&c);
	h->flags = cursor_u32(&c);
	cursor_skip(&c, 2);
	h->segment_size = cursor_u16(&c);
	h->segments = cursor_u16(&c);
	h->section_size = cursor_u16(&c);
	h->sections = cursor_u16(&c);
	h->names = cursor_u16(&c);
	return true;
}

static void section_read(struct cursor *c, struct code_section *s)
{
	s->name = cursor_u32(c);
	s->type = cursor_u32(c);
	cursor_skip(c, 16);
	s->offset = cursor_u64(c);
	s->size = cursor_u64(c);
	s->link = cursor_u32(c);
	cursor_skip(c, 20);
}

bool code_section(struct span image, const struct code_header *h, unsigned i, struct code_section *s)
{
	struct cursor c;

	if (i >= h->sections || h->section_size != CODE_SECTION ||
	    !range_inside(h->sections_at, (uint64_t)h->sections * CODE_SECTION, image.n))
		return false;
	c = cursor_over(span_after(image, (size_t)h->sections_at + (size_t)i * CODE_SECTION));
	section_read(&c, s);
	return !c.bad;
}

struct span code_bytes(struct span image, const struct code_section *s)
{
	if (s->type == SECTION_NOBITS || !range_inside(s->offset, s->size, image.n))
		return SPAN_NONE;
	return (struct span){image.p + s->offset, (size_t)s->size};
}

struct span code_string(struct span table, uint64_t at)
{
	struct span s;

	if (at >= table.n)
		return SPAN_NONE;
	s = span_after(table, (size_t)at);
	return span_find(s, 0) < s.n ? span_first(s, span_find(s, 0)) : SPAN_NONE;
}

bool code_symbols(struct span image, const struct code_header *h, uint32_t type,
                  void (*each)(void *sink, const struct code_symbol *s), void *sink)
{
	struct code_section section = {0}, strings;
	struct span table, names = SPAN_NONE;
	struct cursor c;
	unsigned i = 0;

	while (i < h->sections && code_section(image, h, i, &section) && section.type != type)
		i++;
	if (i == h->sections || section.type != type)
		return false;
	table = code_bytes(image, &section);
	if (code_section(image, h, section.link, &strings))
		names = code_bytes(image, &strings);
	c = cursor_over(table);
	while (cursor_left(&c) >= CODE_SYMBOL) {
		struct code_symbol s;
		uint32_t name = cursor_u32(&c);

		s.type = cursor_u8(&c) & 0xf;
		s.other = cursor_u8(&c);
		s.section = cursor_u16(&c);
		cursor_skip(&c, 8);
		s.size = cursor_u64(&c);
		s.name = code_string(names, name);
		each(sink, &s);
	}
	return table.n != 0;
}

bool code_note(struct cursor *c, struct code_note *n)
{
	uint32_t name, desc;
	struct span s;

	if (cursor_left(c) < 12)
		return false;
	name = cursor_u32(c);
	desc = cursor_u32(c);
	n->type = cursor_u32(c);
	s = cursor_take(c, name);
	n->name = span_first(s, span_find(s, 0));
	cursor_skip(c, cursor_left(c) < (4 - name % 4) % 4 ? cursor_left(c) : (4 - name % 4) % 4);
	n->desc = cursor_take(c, desc);
	cursor_skip(c, cursor_left(c) < (4 - desc % 4) % 4 ? cursor_left(c) : (4 - desc % 4) % 4);
	return !c->bad;
}

/* --- one image in a file */

enum { PHASE_HEADER, PHASE_WHOLE, PHASE_FRONT, PHASE_SECTIONS, PHASE_SEGMENTS };

static void grow(struct reader *r, struct code_state *st, uint64_t to)
{
	if (to > st->length)
		st->length = to;
	if (sum_capped(r->start, st->length) > r->end)
		r->end = sum_capped(r->start, st->length);
}

static enum reader_answer lies(struct reader *r)
{
	return reader_bad(r, PROBLEM_INCOMPLETE, ERR_FORMAT, "the tables of the %s at %llu lie beyond the file",
	                  r->format->name, (unsigned long long)r->start);
}

/* Section or segment headers in bytes: the image reaches as far as they say. False when that does not fit. */
static bool entries_reach(struct reader *r, struct code_state *st, struct span bytes, bool sections)
{
	size_t size = sections ? CODE_SECTION : CODE_SEGMENT;

	for (; bytes.n >= size; bytes = span_after(bytes, size)) {
		struct cursor c = cursor_over(bytes);
		struct code_section s = {0};
		uint64_t end;

		if (sections) {
			section_read(&c, &s);
		} else {
			cursor_skip(&c, 8);
			s.offset = cursor_u64(&c);
			cursor_skip(&c, 16);
			s.size = cursor_u64(&c);
		}
		if (s.type == SECTION_NOBITS || s.size == 0)
			continue;
		if (!sum_u64(s.offset, s.size, &end) || !range_inside(r->start, end, r->file_size))
			return false;
		grow(r, st, end);
	}
	return true;
}

static uint64_t table_at(const struct code_state *st, bool sections)
{
	return sections ? st->header.sections_at : st->header.segments_at;
}

static uint64_t table_size(const struct code_state *st, bool sections)
{
	return sections ? (uint64_t)st->header.sections * CODE_SECTION : (uint64_t)st->header.segments * CODE_SEGMENT;
}

/* The next piece of the tables of a large image, the lower one first. */
static enum reader_answer want_table(struct reader *r, struct code_state *st)
{
	uint64_t most = reader_payload_max(r), left;
	bool first = st->header.sections_at < st->header.segments_at || !st->header.segments;

	for (; st->second < 2; st->second++, st->begun = false) {
		bool sections = st->second ? !first : first;
		uint64_t at = table_at(st, sections), size = table_size(st, sections);
		size_t entry = sections ? CODE_SECTION : CODE_SEGMENT;

		if (size == 0)
			continue;
		/* A small table before or inside the front was kept with it. */
		if (range_inside(at, size, r->kept.n)) {
			if (!entries_reach(r, st, span_first(span_after(reader_kept(r), (size_t)at), (size_t)size),
			                   sections))
				return lies(r);
			continue;
		}
		if (!st->begun && at < st->table_end)
			return lies(r);
		if (!st->begun)
			st->table_end = at;
		st->begun = true;
		left = at + size - st->table_end;
		if (left == 0)
			continue;
		most = most / entry * entry;
		st->phase = sections ? PHASE_SECTIONS : PHASE_SEGMENTS;
		return reader_want(r, r->start + st->table_end, left < most ? left : most);
	}
	r->end = r->start + st->length;
	return READER_DONE;
}

/* Both tables were kept. The image may reach behind them. */
static enum reader_answer whole_measure(struct reader *r, struct code_state *st)
{
	struct span kept = reader_kept(r);

	for (unsigned sections = 0; sections < 2; sections++) {
		uint64_t at = table_at(st, sections), size = table_size(st, sections);

		if (!entries_reach(r, st, span_first(span_after(kept, (size_t)at), (size_t)size), sections))
			return lies(r);
	}
	if (st->length > kept.n && st->length <= reader_payload_max(r))
		return reader_want(r, r->start + kept.n, st->length - kept.n);
	st->whole = st->length <= kept.n;
	r->end = r->start + st->length;
	return READER_DONE;
}

/* Where both tables end, and how much of the front can be asked for before the first; false: they lie. */
static bool tables_measure(struct reader *r, struct code_state *st, uint64_t *front)
{
	uint64_t end;

	grow(r, st, CODE_HEADER);
	for (unsigned sections = 0; sections < 2; sections++) {
		uint64_t size = table_size(st, sections), at = table_at(st, sections);

		if (size == 0)
			continue;
		if (!sum_u64(at, size, &end) || !range_inside(r->start, end, r->file_size))
			return false;
		grow(r, st, end);
		/* Ranges are asked for in ascending order: the front ends where a table begins. */
		if (at < *front)
			*front = at > CODE_HEADER ? at : CODE_HEADER;
	}
	return true;
}

static enum reader_answer header_read(struct reader *r, struct code_state *st, struct span bytes, uint16_t machine)
{
	const struct code_header *h = &st->header;
	uint64_t front = CODE_FRONT;

	if (!code_header(bytes, &st->header) || h->machine != machine)
		return r->at_file ? reader_bad(r, PROBLEM_ANOMALY, ERR_FORMAT, "the ELF header is not that of a %s",
		                               r->format->name)
		                  : READER_NOT;
	if ((h->sections && h->section_size != CODE_SECTION) || (h->segments && h->segment_size != CODE_SEGMENT))
		return reader_bad(r, PROBLEM_INCOMPLETE, ERR_FORMAT, "the %s at %llu has tables of an unknown kind",
		                  r->format->name, (unsigned long long)r->start);
	if (!h->sections && !h->segments && !r->at_file)
		return READER_NOT;
	if (!tables_measure(r, st, &front))
		return lies(r);
	reader_keep(r, bytes);
	if (st->length <= reader_payload_max(r)) {
		st->phase = PHASE_WHOLE;
		return st->length == CODE_HEADER ? whole_measure(r, st)
		                                 : reader_want(r, r->start + CODE_HEADER, st->length - CODE_HEADER);
	}
	st->phase = PHASE_FRONT;
	st->table_end = front;
	if (front == CODE_HEADER)
		return want_table(r, st);
	return reader_want(r, r->start + CODE_HEADER, front - CODE_HEADER);
}

enum reader_answer code_start(struct reader *r)
{
	if (r->file_size - r->start < CODE_HEADER)
		return reader_cut(r);
	return reader_want(r, r->start, CODE_HEADER);
}

enum reader_answer code_feed(struct reader *r, struct code_state *st, struct span bytes, uint16_t machine)
{
	switch (st->phase) {
	case PHASE_HEADER:
		return header_read(r, st, bytes, machine);
	case PHASE_WHOLE:
		reader_keep(r, bytes);
		return whole_measure(r, st);
	case PHASE_FRONT:
		reader_keep(r, bytes);
		return want_table(r, st);
	default:
		st->table_end += bytes.n;
		if (!entries_reach(r, st, bytes, st->phase == PHASE_SECTIONS))
			return lies(r);
		return want_table(r, st);
	}
}
