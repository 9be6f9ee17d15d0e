/* SPDX-License-Identifier: Apache-2.0 */
#include "extractors/stream/zip_seen.h"

#include <stdlib.h>

#define RUN_COST   64  /* of a run, beside its bytes */
#define ENTRY_COST 320 /* of an entry, and what is told about it */

static const struct span record_mark = SPAN_INIT("PK\1\2");

void zip_seen_open(struct zip_seen *s, uint64_t most)
{
	*s = (struct zip_seen){.mem = ARENA_INIT, .room = most, .last = malloc(ZIP_SEEN_LAST)};
	if (!s->last)
		out_of_memory();
}

void zip_seen_close(struct zip_seen *s)
{
	arena_clear(&s->mem);
	free(s->tail);
	free(s->last);
	*s = (struct zip_seen){0};
}

static bool room_take(struct zip_seen *s, uint64_t n)
{
	if (s->full || n > s->room) {
		s->full = true;
		return false;
	}
	s->room -= n;
	return true;
}

static void records_note(struct zip_seen *s, uint64_t at, struct span bytes)
{
	size_t i = 0;

	while (i + record_mark.n <= bytes.n) {
		const uint8_t *p = memchr(bytes.p + i, 'P', bytes.n - i - (record_mark.n - 1));

		if (!p)
			return;
		i = (size_t)(p - bytes.p);
		if (memcmp(p, record_mark.p, record_mark.n) == 0 && room_take(s, 2 * sizeof(uint64_t)))
			*list_add(&s->mem, &s->records) = at + i;
		i++;
	}
}

/* Marks that begin in the piece before and end in this one. */
static void joint_note(struct zip_seen *s, struct span piece)
{
	uint8_t joint[6];
	size_t before = s->last_n < 3 ? s->last_n : 3, n = piece.n < 3 ? piece.n : 3;

	memcpy(joint, s->last + s->last_n - before, before);
	memcpy(joint + before, piece.p, n);
	records_note(s, s->size - before, (struct span){joint, before + n});
}

void zip_seen_note(struct zip_seen *s, struct span piece)
{
	size_t over;

	if (piece.n == 0)
		return;
	joint_note(s, piece);
	records_note(s, s->size, piece);
	s->size += piece.n;
	if (piece.n > ZIP_SEEN_LAST)
		piece = span_after(piece, piece.n - ZIP_SEEN_LAST);
	over = s->last_n + piece.n > ZIP_SEEN_LAST ? s->last_n + piece.n - ZIP_SEEN_LAST : 0;
	memmove(s->last, s->last + over, s->last_n - over);
	memcpy(s->last + s->last_n - over, piece.p, piece.n);
	s->last_n = s->last_n - over + piece.n;
}

struct span zip_seen_keep(struct zip_seen *s, uint64_t at, struct span bytes)
{
	struct zip_run *run;

	if (bytes.n == 0 || !room_take(s, bytes.n + RUN_COST))
		return SPAN_NONE;
	run = list_add(&s->mem, &s->runs);
	*run = (struct zip_run){at, arena_copy(&s->mem, bytes)};
	return run->bytes;
}

void zip_seen_keep_tail(struct zip_seen *s, uint64_t at, struct span bytes)
{
	if (bytes.n == 0 || !room_take(s, bytes.n))
		return;
	if (s->tail_n + bytes.n > s->tail_room) {
		s->tail_room = 2 * (s->tail_n + bytes.n);
		s->tail = realloc(s->tail, s->tail_room);
		if (!s->tail)
			out_of_memory();
	}
	if (s->tail_n == 0)
		s->tail_at = at;
	memcpy(s->tail + s->tail_n, bytes.p, bytes.n);
	s->tail_n += bytes.n;
}

struct zip_passed *zip_seen_entry_add(struct zip_seen *s)
{
	return room_take(s, ENTRY_COST) ? list_add(&s->mem, &s->entries) : NULL;
}

const struct zip_passed *zip_seen_entry(const struct zip_seen *s, uint64_t at)
{
	size_t low = 0, high = s->entries.n;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (s->entries.v[middle].m.at < at)
			low = middle + 1;
		else
			high = middle;
	}
	return low < s->entries.n && s->entries.v[low].m.at == at ? &s->entries.v[low] : NULL;
}

/* What is kept from `at` on in one piece: empty when nothing is. */
static struct span kept_at(const struct zip_seen *s, uint64_t at)
{
	size_t low = 0, high = s->runs.n;

	if (s->tail_n && at >= s->tail_at)
		return at - s->tail_at < s->tail_n
		               ? span_after((struct span){s->tail, s->tail_n}, (size_t)(at - s->tail_at))
		               : SPAN_NONE;
	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (s->runs.v[middle].at <= at)
			low = middle + 1;
		else
			high = middle;
	}
	if (low == 0 || at - s->runs.v[low - 1].at >= s->runs.v[low - 1].bytes.n)
		return SPAN_NONE;
	return span_after(s->runs.v[low - 1].bytes, (size_t)(at - s->runs.v[low - 1].at));
}

/* The same of the last bytes of all. */
static struct span last_at(const struct zip_seen *s, uint64_t at)
{
	if (at >= s->size || s->size - at > s->last_n)
		return SPAN_NONE;
	return span_after((struct span){s->last, s->last_n}, s->last_n - (size_t)(s->size - at));
}

size_t zip_seen_get(const struct zip_seen *s, uint64_t at, void *to, size_t n)
{
	size_t done = 0;

	while (done < n) {
		struct span some = kept_at(s, at + done);

		if (some.n == 0)
			some = last_at(s, at + done);
		if (some.n == 0)
			break;
		some = span_first(some, n - done);
		memcpy((uint8_t *)to + done, some.p, some.n);
		done += some.n;
	}
	return done;
}

struct span zip_seen_piece(const struct zip_seen *s, uint64_t at, uint64_t n)
{
	struct span some = kept_at(s, at);

	if (some.n < n)
		some = last_at(s, at);
	return some.n < n ? SPAN_NONE : span_first(some, (size_t)n);
}

bool zip_seen_record(struct zip_seen *s, uint64_t at)
{
	size_t low = 0, high = s->records.n;
	uint8_t found[4];

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (s->records.v[middle] < at)
			low = middle + 1;
		else
			high = middle;
	}
	if (low < s->records.n && s->records.v[low] == at)
		return true;
	if (!s->full || at >= s->size)
		return false;
	if (zip_seen_get(s, at, found, sizeof(found)) < sizeof(found)) {
		s->missed = true;
		return false;
	}
	return memcmp(found, record_mark.p, record_mark.n) == 0;
}
