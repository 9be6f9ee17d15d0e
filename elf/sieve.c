/* SPDX-License-Identifier: Apache-2.0 */
#include "elf/sieve.h"

#include <sys/mman.h>
#include <unistd.h>

#include "base/checked.h"

#define GROW     ((uint64_t)1 << 20) /* bytes made writable at a time */
#define SPAN_MAX ((uint64_t)1 << 44) /* no file system here has larger files; above, only the head is kept */

struct range {
	uint64_t start, end;
};

struct sieve {
	struct arena *mem;
	const uint8_t *bytes; /* the mapping or the reservation */
	struct room *room, own; /* of a stream: where its bytes are kept; NULL: nowhere */
	uint64_t room_most;     /* of it may stay warm: whole pages of the head */
	uint64_t page;          /* of this machine */
	uint64_t size;           /* as claimed; after sieve_close as it is */
	uint64_t at;             /* bytes that have passed */
	uint64_t head, writable; /* up to here the range in hand is memory */
	uint64_t budget;         /* left of object-ranges */
	bool cut, stream;
	size_t next;             /* first range that has not passed */
	LIST(struct range) kept; /* sorted, apart */
};

static uint64_t rounded_up(uint64_t v, uint64_t to)
{
	return (v + to - 1) / to * to;
}

/* Puts [start, end) in order and joins what touches. */
static void range_add(struct sieve *s, uint64_t start, uint64_t end)
{
	size_t i, j;

	if (start >= end)
		return;
	for (i = 0; i < s->kept.n && s->kept.v[i].end < start; i++)
		;
	for (j = i; j < s->kept.n && s->kept.v[j].start <= end; j++) {
		start = s->kept.v[j].start < start ? s->kept.v[j].start : start;
		end = s->kept.v[j].end > end ? s->kept.v[j].end : end;
	}
	if (j == i) {
		(void)list_add(s->mem, &s->kept);
		memmove(&s->kept.v[i + 1], &s->kept.v[i], (s->kept.n - 1 - i) * sizeof(struct range));
	} else {
		memmove(&s->kept.v[i + 1], &s->kept.v[j], (s->kept.n - j) * sizeof(struct range));
		s->kept.n -= j - i - 1;
	}
	s->kept.v[i] = (struct range){start, end};
}

struct sieve *sieve_begin(struct arena *mem, const struct limits *limits, uint64_t size, const uint8_t *map,
                          struct room *room)
{
	struct sieve *s = arena_alloc(mem, sizeof(*s));
	const uint64_t *limit = limits->v;

	s->mem = mem;
	s->size = size;
	s->stream = map == NULL;
	s->bytes = map;
	s->page = (uint64_t)sysconf(_SC_PAGESIZE);
	s->budget = limit[LIMIT_OBJECT_RANGES];
	s->head = size < limit[LIMIT_SIEVE_HEAD] ? size : limit[LIMIT_SIEVE_HEAD];
	s->head = s->head < SPAN_MAX ? s->head : SPAN_MAX;
	range_add(s, 0, s->head);
	if (size <= SPAN_MAX)
		range_add(s, size > limit[LIMIT_SIEVE_TAIL] ? size - limit[LIMIT_SIEVE_TAIL] : 0, size);
	if (!s->stream || size == 0)
		return s;
	s->room = room && !room->taken ? room : &s->own;
	s->room_most = limit[LIMIT_SIEVE_HEAD] / s->page * s->page;
	if (!room_take(s->room, rounded_up(size <= SPAN_MAX ? size : s->head, s->page))) {
		/* No room for holes: nothing is kept, and every table is told to be out of reach. */
		s->room = NULL;
		s->kept.n = 0;
		return s;
	}
	s->bytes = s->room->p;
	s->writable = s->room->warm;
	return s;
}

void sieve_free(struct sieve *s)
{
	if (s->room)
		room_give(s->room, s->writable, s->room_most);
	room_free(&s->own);
	s->room = NULL;
	s->bytes = NULL;
	s->kept.n = 0;
}

uint64_t sieve_head(const struct sieve *s)
{
	return s->head;
}

void sieve_keep(struct sieve *s, uint64_t offset, uint64_t n)
{
	uint64_t rest;

	if (s->size > SPAN_MAX || s->kept.n == 0 || offset >= s->size)
		return;
	rest = s->size - offset;
	n = n < rest ? n : rest;
	/* What is kept anyway costs nothing. */
	for (size_t i = 0; i < s->kept.n; i++)
		if (offset >= s->kept.v[i].start && offset + n <= s->kept.v[i].end)
			return;
	if (n > s->budget) {
		n = s->budget;
		s->cut = true;
	}
	s->budget -= n;
	range_add(s, offset, offset + n);
	for (s->next = 0; s->next < s->kept.n && s->kept.v[s->next].end <= s->at; s->next++)
		;
}

/* Makes memory of the range's pages up to `end`; fill: they are all written soon. */
static void make_writable(struct sieve *s, const struct range *r, uint64_t end, bool fill)
{
	uint64_t from, to;

	if (s->writable < r->start)
		s->writable = r->start / s->page * s->page;
	if (end <= s->writable)
		return;
	from = s->writable;
	to = rounded_up(end > from + GROW ? end : from + GROW, s->page);
	if (to > rounded_up(r->end, s->page))
		to = rounded_up(r->end, s->page);
	if (mprotect(s->room->p + from, to - from, PROT_READ | PROT_WRITE) < 0)
		out_of_memory();
	/* At once is cheaper than one by one; where the system cannot, they come as they are written. */
	if (fill)
		(void)madvise(s->room->p + from, to - from, MADV_POPULATE_WRITE);
	s->writable = to;
}

/* Zeros in [a, b): fresh memory has them, and an earlier file's whole pages are given back for it. */
static void blank(struct sieve *s, uint64_t a, uint64_t b)
{
	uint8_t *p = s->room->p;
	uint64_t whole = rounded_up(a, s->page), end = b < s->room->warm ? b : s->room->warm;

	if (a >= end)
		return;
	if (end <= whole) {
		memset(p + a, 0, (size_t)(end - a));
		return;
	}
	memset(p + a, 0, (size_t)(whole - a));
	if (madvise(p + whole, rounded_up(end, s->page) - whole, MADV_DONTNEED) < 0)
		memset(p + whole, 0, (size_t)(end - whole));
}

/* The next n bytes; bytes: NULL when they are zeros. */
static void take(struct sieve *s, const uint8_t *bytes, uint64_t n)
{
	uint64_t from = s->at, to;

	if (!s->stream)
		return;
	to = from + (n < s->size - from ? n : s->size - from);
	s->at = to;
	while (s->next < s->kept.n && s->kept.v[s->next].start < to) {
		const struct range *r = &s->kept.v[s->next];
		uint64_t a = r->start > from ? r->start : from, b = r->end < to ? r->end : to;

		if (a < b) {
			make_writable(s, r, b, bytes != NULL);
			if (bytes)
				memcpy(s->room->p + a, bytes + (a - from), (size_t)(b - a));
			else
				blank(s, a, b);
		}
		if (r->end > to)
			break;
		s->next++;
	}
}

void sieve_put(struct sieve *s, struct span bytes)
{
	take(s, bytes.p, bytes.n);
}

void sieve_skip(struct sieve *s, uint64_t n)
{
	take(s, NULL, n);
}

void sieve_close(struct sieve *s)
{
	if (s->stream && s->room) /* as behind the end of any mapped file */
		blank(s, s->at, rounded_up(s->at, s->page));
	if (s->stream)
		s->size = s->at;
	else
		s->at = s->size;
}

uint64_t sieve_size(const struct sieve *s)
{
	return s->size;
}

struct span sieve_run(const struct sieve *s, uint64_t offset)
{
	uint64_t seen = s->stream ? s->at : s->size, end;
	size_t lo = 0, hi = s->kept.n;

	/* The last range that starts at or before offset. */
	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (s->kept.v[mid].start <= offset)
			lo = mid + 1;
		else
			hi = mid;
	}
	if (lo == 0)
		return SPAN_NONE;
	end = s->kept.v[lo - 1].end < seen ? s->kept.v[lo - 1].end : seen;
	return offset < end ? (struct span){s->bytes + offset, (size_t)(end - offset)} : SPAN_NONE;
}

const uint8_t *sieve_at(const struct sieve *s, uint64_t offset, uint64_t n)
{
	struct span run = sieve_run(s, offset);

	return run.n >= n && run.n ? run.p : NULL;
}

enum limit_id sieve_limit(const struct sieve *s)
{
	return s->cut ? LIMIT_OBJECT_RANGES : LIMIT_SIEVE_HEAD;
}
