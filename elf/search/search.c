/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The search over every byte, in slices: first the texts of a slice, then its magics and the readers that are due, in
 * order. A place is looked at when SEARCH_LOOK bytes from it on are known; those of the last places of a piece wait for
 * the next.
 */
#include "search.h"

#include "elf/device/ptx.h"
#include "bytes.h"
#include "driver.h"

#define SLICE          8192
#define TEXT_MIN       4
#define TEXT_MAX       4096
#define TEXTS_IN_SLICE (SLICE / 2 + 1)

struct search {
	struct job_context ctx;
	struct driver *driver;
	enum search_step step;
	search_text *text;
	void *sink;
	struct magic_words magics;
	uint64_t size, pos;         /* all before pos was looked at */
	uint8_t carry[SEARCH_LOOK]; /* what follows pos, from earlier pieces */
	size_t carried;
	bool after_nul; /* the byte before pos was a NUL, or there was none */
	bool started;   /* a loose file's own reader was */
	struct {
		bool open; /* a text without its NUL yet */
		uint64_t at, next;
		size_t n;
		uint8_t *p;
	} open;
};

/* Places in a slice where PTX text may start. */
struct ptx_starts {
	uint16_t at[TEXTS_IN_SLICE];
	size_t n;
};

struct search *search_begin(const struct job_context *ctx, enum search_step step, uint64_t size, search_text *text,
                            void *sink)
{
	struct search *s = arena_alloc(ctx->mem, sizeof(*s));

	s->ctx = *ctx;
	s->driver = driver_new(&s->ctx, size);
	s->step = step == SEARCH_LOOSE ? SEARCH_LOOSE : SEARCH_LINKED;
	s->started = step != SEARCH_FILE;
	s->text = step == SEARCH_FILE ? NULL : text;
	s->sink = sink;
	s->size = size;
	s->after_nul = true;
	magic_words_set(&s->magics);
	return s;
}

static bool text_wanted(const struct search *s, const uint8_t *p)
{
	static const struct span always = SPAN_INIT("/cudart.shm.");

	for (size_t i = 0; i < TEXT_MIN; i++)
		if (p[i] < 0x20 || p[i] > 0x7e)
			return false;
	if (s->ctx.catalogue && catalogue_may_start(s->ctx.catalogue, p[0], p[1]))
		return true;
	return memcmp(p, always.p, always.n) == 0;
}

/* More of a text that had no NUL before the end of a piece. */
static void text_go_on(struct search *s, uint64_t offset, struct span bytes)
{
	size_t n, room = TEXT_MAX + 1 - s->open.n;

	if (!s->open.open || s->open.next < offset || s->open.next - offset >= bytes.n)
		return;
	bytes = span_after(bytes, (size_t)(s->open.next - offset));
	n = span_find(bytes, 0);
	if (n < bytes.n && n < room) {
		memcpy(s->open.p + s->open.n, bytes.p, n);
		s->text(s->sink, s->open.at, (struct span){s->open.p, s->open.n + n});
		s->open.open = false;
		return;
	}
	if (n >= room) {
		s->open.open = false;
		return;
	}
	memcpy(s->open.p + s->open.n, bytes.p, n);
	s->open.n += n;
	s->open.next += n;
}

/* A text starts at `at`; rest: all that is known from there on. */
static void text_start(struct search *s, uint64_t at, struct span rest)
{
	size_t n = span_find(span_first(rest, TEXT_MAX + 1), 0);

	if (n < rest.n && n <= TEXT_MAX) {
		s->text(s->sink, at, span_first(rest, n));
		return;
	}
	if (n > TEXT_MAX)
		return;
	if (!s->open.p)
		s->open.p = arena_alloc(s->ctx.mem, TEXT_MAX + 1);
	s->open.open = true;
	s->open.at = at;
	s->open.n = 0;
	s->open.next = at;
	text_go_on(s, at, rest);
}

/* Texts that start in the first n bytes of p, which has SEARCH_LOOK more; known: all that is known of p. */
static void slice_texts(struct search *s, const uint8_t *p, size_t n, size_t known, struct ptx_starts *ptx)
{
	struct text_scan scan = text_scan_begin(p, n, s->after_nul);
	size_t i;

	ptx->n = 0;
	while (text_scan_next(&scan, &i)) {
		if (!text_starts(p + i))
			continue;
		if (ptx_may_start((struct span){p + i, SEARCH_LOOK}))
			ptx->at[ptx->n++] = (uint16_t)i;
		if (s->text && text_wanted(s, p + i))
			text_start(s, s->pos + i, (struct span){p + i, known - i});
	}
	s->after_nul = p[n - 1] == 0;
}

/* The next magic of a slice, looked for no further than needed. */
struct magic_scan {
	size_t seen; /* places before it were looked at */
	size_t at;   /* the next magic, or seen when there is none before it */
};

static size_t slice_magic(const struct search *s, struct magic_scan *m, uint64_t from, const uint8_t *p, size_t stop)
{
	size_t pos = (size_t)(s->pos - from);

	if (m->at < m->seen && m->at >= pos)
		return m->at < stop ? m->at : stop;
	if (m->seen < pos)
		m->seen = pos;
	if (m->seen < stop) {
		m->at = magic_words_find(&s->magics, s->step, from, p, m->seen, stop);
		m->seen = m->at < stop ? m->at + 1 : stop;
	}
	return m->at < m->seen && m->at >= pos ? m->at : stop;
}

/* Magics in the first n bytes of p, and the readers that are due, in order. */
static void slice_readers(struct search *s, const uint8_t *p, size_t n, const struct ptx_starts *ptx)
{
	uint64_t from = s->pos, end = from + n;
	struct magic_scan scan = {0, 0};
	size_t next_ptx = 0;

	while (s->pos < end) {
		uint64_t due = driver_due(s->driver), stop = due < end ? due : end, text = UINT64_MAX;
		uint64_t at = from + slice_magic(s, &scan, from, p, (size_t)(stop - from));

		while (next_ptx < ptx->n && from + ptx->at[next_ptx] < s->pos)
			next_ptx++;
		if (next_ptx < ptx->n)
			text = from + ptx->at[next_ptx];
		if (at < stop && at <= text) {
			driver_start(s->driver, at, p + (at - from), false);
			s->pos = at + 1;
		} else if (text < stop) {
			driver_start_format(s->driver, &device_ptx, text, false);
			s->pos = text + 1;
		} else {
			s->pos = stop;
		}
		if (s->pos == driver_due(s->driver))
			driver_feed(s->driver, s->pos, from, p);
	}
	driver_save(s->driver, from, end, p);
}

static void file_start(struct search *s, const uint8_t *p)
{
	s->started = true;
	if (!driver_start(s->driver, 0, p, true))
		driver_start_format(s->driver, &device_ptx, 0, true);
}

/* Looks at the next n places; p: the bytes there, and `known` of them in all, at least n + SEARCH_LOOK - 1. */
static void places(struct search *s, const uint8_t *p, size_t n, size_t known)
{
	struct ptx_starts ptx;

	if (!s->started && n)
		file_start(s, p);
	while (n) {
		size_t slice = n < SLICE ? n : SLICE;

		slice_texts(s, p, slice, known, &ptx);
		slice_readers(s, p, slice, &ptx);
		p += slice;
		n -= slice;
		known -= slice;
	}
}

void search_feed(struct search *s, uint64_t offset, struct span bytes)
{
	uint8_t joint[3 * SEARCH_LOOK];
	size_t old = s->carried, n;
	uint64_t end = offset + bytes.n;

	text_go_on(s, offset, bytes);
	if (old) {
		size_t more = bytes.n < sizeof(joint) - old ? bytes.n : sizeof(joint) - old;

		memcpy(joint, s->carry, old);
		if (more)
			memcpy(joint + old, bytes.p, more);
		n = old + more < SEARCH_LOOK ? 0 : old + more - (SEARCH_LOOK - 1);
		n = n < old ? n : old;
		places(s, joint, n, old + more);
		if (n < old) {
			s->carried = old + more - n;
			memcpy(s->carry, joint + n, s->carried);
			text_go_on(s, offset, bytes);
			return;
		}
		text_go_on(s, offset, bytes);
	}
	/* pos is offset now. */
	n = bytes.n < SEARCH_LOOK ? 0 : bytes.n - (SEARCH_LOOK - 1);
	places(s, bytes.p, n, bytes.n);
	s->carried = (size_t)(end - s->pos);
	if (s->carried)
		memcpy(s->carry, bytes.p + n, s->carried);
	driver_rest(s->driver);
}

/*
 * Nothing starts with a zero. Behind some of them no text is open and only zeros wait for the next piece: on to where a
 * reader asks for bytes.
 */
void search_skip(struct search *s, uint64_t offset, uint64_t n)
{
	static const uint8_t zeros[SLICE];
	uint64_t end = offset + n, idle = 0;

	while (offset < end) {
		uint64_t left = end - offset;

		if (idle) {
			left = idle < left ? idle : left;
			s->pos += left;
		} else {
			left = left < SLICE ? left : SLICE;
			search_feed(s, offset, (struct span){zeros, (size_t)left});
		}
		offset += left;
		idle = driver_idle(s->driver, offset);
	}
}

struct found *search_end(struct search *s, uint64_t size)
{
	uint8_t last[2 * SEARCH_LOOK] = {0};
	size_t n = s->carried;

	if (n) {
		/* The zeros behind the end are no NUL of a text. */
		memcpy(last, s->carry, n);
		places(s, last, n, n);
	}
	return driver_end(s->driver, size);
}

void search_free(struct search *s)
{
	if (s)
		driver_free(s->driver);
}
