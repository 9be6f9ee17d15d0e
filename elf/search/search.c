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

#define ZEROS    8192
#define TEXT_MIN 4
#define TEXT_MAX 4096

struct search {
	struct job_context ctx;
	struct driver *driver;
	enum search_step step;
	search_text *text;
	void *sink;
	struct byte_scan bytes;
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
	s->bytes = byte_scan_new(s->step);
	return s;
}

/* Printable bytes from `low` on. */
static bool text_starts(const uint8_t *p, uint8_t low)
{
	bool good = true;

	for (size_t i = 0; i < TEXT_MIN; i++)
		good = good && p[i] >= low && p[i] <= '~';
	return good;
}

static bool text_wanted(const struct search *s, const uint8_t *p)
{
	static const struct span always = SPAN_INIT("/cudart.shm.");

	if (s->ctx.catalogue && catalogue_may_start(s->ctx.catalogue, p[0], p[1]))
		return text_starts(p, ' ');
	return p[0] == always.p[0] && memcmp(p, always.p, always.n) == 0;
}

/* White space, a comment or a dot: nothing behind a slash in ASCII. */
static bool ptx_wanted(const uint8_t *p)
{
	return p[0] <= '/' && text_starts(p, '\t') && ptx_may_start((struct span){p, SEARCH_LOOK});
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

/*
 * Texts that start in a slice, whose places from `at` on begin at p; known: all that is known there. Only the places
 * where PTX may start are left.
 */
static void slice_texts(struct search *s, struct place_set *texts, size_t at, const uint8_t *p, size_t known)
{
	for (uint64_t any = texts->any; any; any &= any - 1) {
		size_t block = (size_t)__builtin_ctzll(any);
		uint64_t ptx = 0;

		for (uint64_t bits = texts->in[block]; bits; bits &= bits - 1) {
			size_t i = block * BYTES_BLOCK + (size_t)__builtin_ctzll(bits) - at;

			if (ptx_wanted(p + i))
				ptx |= bits & -bits;
			if (s->text && text_wanted(s, p + i))
				text_start(s, s->pos + i, (struct span){p + i, known - i});
		}
		texts->in[block] = ptx;
		if (!ptx)
			texts->any ^= 1ull << block;
	}
}

/* Magics of a slice up to `end`, and the readers that are due, in order. p: the bytes from `from` on. */
static void slice_readers(struct search *s, const struct slice_places *found, uint64_t end, uint64_t from,
                          const uint8_t *p)
{
	uint64_t base = s->pos - s->pos % BYTES_SLICE;

	while (s->pos < end) {
		uint64_t due = driver_due(s->driver), stop = due < end ? due : end;
		uint64_t magic = base + place_set_next(&found->magics, (size_t)(s->pos - base));
		uint64_t text = base + place_set_next(&found->texts, (size_t)(s->pos - base));

		if (magic < stop && magic <= text) {
			driver_start(s->driver, magic, p + (magic - from), false);
			s->pos = magic + 1;
		} else if (text < stop) {
			driver_start_format(s->driver, &device_ptx, text, false);
			s->pos = text + 1;
		} else {
			s->pos = stop;
		}
		if (s->pos == driver_due(s->driver))
			driver_feed(s->driver, s->pos, from, p);
	}
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
	uint64_t from = s->pos, end = from + n;
	struct slice_places found;

	if (!s->started && n)
		file_start(s, p);
	while (s->pos < end) {
		size_t done = (size_t)(s->pos - from), at = (size_t)(s->pos % BYTES_SLICE), slice = BYTES_SLICE - at;

		slice = slice < n - done ? slice : n - done;
		byte_scan_run(&s->bytes, at, p + done, slice, s->after_nul, &found);
		s->after_nul = p[done + slice - 1] == 0;
		slice_texts(s, &found.texts, at, p + done, known - done);
		slice_readers(s, &found, s->pos + slice, from, p);
	}
	driver_save(s->driver, from, end, p);
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
	static const uint8_t zeros[ZEROS];
	uint64_t end = offset + n, idle = 0;

	while (offset < end) {
		uint64_t left = end - offset;

		if (idle) {
			left = idle < left ? idle : left;
			s->pos += left;
		} else {
			left = left < ZEROS ? left : ZEROS;
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
