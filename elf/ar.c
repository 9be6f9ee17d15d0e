/* SPDX-License-Identifier: Apache-2.0 */
#include "elf/ar.h"

#define MAGIC_BYTES  8
#define HEADER_BYTES 60
#define LEVELS_MAX   64 /* room; the limit is nested-containers */

static const struct span magic_plain = SPAN_INIT("!<arch>\n"), magic_thin = SPAN_INIT("!<thin>\n");

struct level {
	uint64_t end;
	uint64_t long_names; /* bytes of the table of long names */
	bool thin;           /* members are elsewhere, only tables are here */
};

struct ar {
	struct level levels[LEVELS_MAX];
	size_t depth, depth_max;
	uint64_t at;         /* what is looked at next */
	size_t wanted;       /* bytes there: a magic or a header */
	uint64_t member_end; /* of the member whose first bytes are wanted */
	uint8_t got[HEADER_BYTES];
	size_t got_n;
	bool done, deep;
	struct span fault;
};

bool ar_starts(struct span front)
{
	return span_starts(front, magic_plain) || span_starts(front, magic_thin);
}

static void fail(struct ar *a, const char *text)
{
	if (!a->fault.n)
		a->fault = span_of(text);
}

struct ar *ar_begin(struct arena *scratch, const struct limits *limits, uint64_t size)
{
	struct ar *a = arena_alloc(scratch, sizeof(*a));
	uint64_t most = limits->v[LIMIT_NESTED_CONTAINERS];

	a->depth_max = most < LEVELS_MAX - 1 ? (size_t)most : LEVELS_MAX - 1;
	a->wanted = MAGIC_BYTES;
	a->member_end = size;
	return a;
}

/* On to the header at `at`; leaves the archives that end there. */
static void go_on(struct ar *a, uint64_t at)
{
	at += at & 1;
	while (a->depth && at >= a->levels[a->depth - 1].end) {
		at = a->levels[a->depth - 1].end;
		at += at & 1;
		a->depth--;
	}
	a->at = at;
	a->wanted = HEADER_BYTES;
	a->got_n = 0;
	if (a->depth == 0) {
		a->done = true;
	} else if (a->levels[a->depth - 1].end - at < HEADER_BYTES) {
		fail(a, "the archive ends inside the header of a member");
		a->done = true;
	}
}

/* Digits, then spaces only. False when it is no number. */
static bool number(const uint8_t *p, size_t n, uint64_t *v)
{
	size_t i = 0;

	*v = 0;
	for (; i < n && p[i] >= '0' && p[i] <= '9'; i++)
		*v = *v * 10 + (uint64_t)(p[i] - '0');
	if (i == 0)
		return false;
	for (; i < n; i++)
		if (p[i] != ' ')
			return false;
	return true;
}

/* The first bytes of a member, or of the file: an archive is entered. */
static void look_inside(struct ar *a)
{
	struct span got = {a->got, a->got_n};

	if (!ar_starts(got)) {
		go_on(a, a->member_end);
		return;
	}
	if (a->depth >= a->depth_max) {
		a->deep = true;
		go_on(a, a->member_end);
		return;
	}
	a->levels[a->depth++] = (struct level){a->member_end, 0, span_starts(got, magic_thin)};
	go_on(a, a->at + MAGIC_BYTES);
}

/* "/123" is a place in the table of long names, "#1/20" a length within the member. */
static void check_name(struct ar *a, const struct level *l, uint64_t size)
{
	uint64_t v;

	if (a->got[0] == '/' && a->got[1] >= '0' && a->got[1] <= '9') {
		if (!number(a->got + 1, 15, &v) || v >= l->long_names)
			fail(a, "a member's name lies outside the table of long names");
	} else if (memcmp(a->got, "#1/", 3) == 0 && (!number(a->got + 3, 13, &v) || v > size)) {
		fail(a, "a member's name is longer than the member");
	}
}

static void member(struct ar *a)
{
	struct level *l = &a->levels[a->depth - 1];
	bool table = a->got[0] == '/' && (a->got[1] < '0' || a->got[1] > '9');
	uint64_t size, start = a->at + HEADER_BYTES;

	if (memcmp(a->got + 58, "`\n", 2) != 0 || !number(a->got + 48, 10, &size)) {
		fail(a, "the header of a member is not what its format says");
		a->done = true;
		return;
	}
	check_name(a, l, size);
	if (l->thin && !table)
		size = 0;
	if (size > l->end - start) {
		fail(a, "a member is longer than its archive");
		a->done = true;
		return;
	}
	if (a->got[0] == '/' && a->got[1] == '/')
		l->long_names = size;
	if (table || size < MAGIC_BYTES) {
		go_on(a, start + size);
		return;
	}
	a->at = start;
	a->member_end = start + size;
	a->wanted = MAGIC_BYTES;
	a->got_n = 0;
}

void ar_feed(struct ar *a, uint64_t offset, struct span bytes)
{
	while (!a->done) {
		uint64_t from = a->at + a->got_n;
		struct span rest;

		if (from < offset || from - offset >= bytes.n)
			return;
		rest = span_first(span_after(bytes, (size_t)(from - offset)), a->wanted - a->got_n);
		memcpy(a->got + a->got_n, rest.p, rest.n);
		a->got_n += rest.n;
		if (a->got_n < a->wanted)
			return;
		if (a->wanted == HEADER_BYTES)
			member(a);
		else
			look_inside(a);
	}
}

void ar_skip(struct ar *a, uint64_t offset, uint64_t n)
{
	static const uint8_t zeros[HEADER_BYTES];

	while (!a->done) {
		uint64_t from = a->at + a->got_n, left;

		if (from < offset || from - offset >= n)
			return;
		left = n - (from - offset);
		ar_feed(a, from, (struct span){zeros, left < sizeof(zeros) ? (size_t)left : sizeof(zeros)});
	}
}

struct span ar_end(struct ar *a, bool *deep)
{
	if (!a->done)
		fail(a, "the archive ends before its members do");
	*deep = a->deep;
	return a->fault;
}
