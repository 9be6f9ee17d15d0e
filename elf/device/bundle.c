/* SPDX-License-Identifier: Apache-2.0 */
#include "elf/device/bundle.h"

#define ID_MAX 4096

static size_t find(struct span s, struct span what)
{
	const uint8_t *at = s.n ? memmem(s.p, s.n, what.p, what.n) : NULL;

	return at ? (size_t)(at - s.p) : s.n;
}

bool bundle_is_host(struct span id)
{
	return span_starts(id, SPAN("host-"));
}

struct span bundle_target(struct span id)
{
	size_t at = find(id, SPAN("--"));

	if (at < id.n)
		return span_after(id, at + 2);
	return span_after(id, find(id, SPAN("gfx")));
}

struct span bundle_backend(struct span id)
{
	if (span_starts(id, SPAN("hip")) || find(id, SPAN("-amd")) < id.n)
		return SPAN("rocm");
	if (find(id, SPAN("nvptx")) < id.n)
		return SPAN("cuda");
	return span_starts(id, SPAN("sycl")) ? SPAN("sycl") : SPAN("rocm");
}

static enum reader_answer table_lies(struct reader *r, const char *what)
{
	return reader_bad(r, PROBLEM_INCOMPLETE, ERR_FORMAT, "the bundle at %llu %s", (unsigned long long)r->start,
	                  what);
}

static enum reader_answer begin(struct reader *r, struct bundle_table *t, uint64_t room)
{
	struct cursor c = cursor_over(reader_kept(r));

	if (!span_starts(c.s, SPAN(BUNDLE_MAGIC)))
		return table_lies(r, "does not start as one");
	cursor_skip(&c, sizeof(BUNDLE_MAGIC) - 1);
	t->count = cursor_u64(&c);
	if (room < BUNDLE_HEADER || t->count > (room - BUNDLE_HEADER) / BUNDLE_ENTRY)
		return table_lies(r, "has more entries than bytes");
	t->begun = true;
	t->at = BUNDLE_HEADER;
	return READER_MORE;
}

enum reader_answer bundle_read(struct reader *r, struct bundle_table *t, uint64_t room, uint64_t *need)
{
	struct span kept = reader_kept(r);

	if (!t->begun) {
		if (kept.n < BUNDLE_HEADER) {
			*need = BUNDLE_HEADER - kept.n;
			return READER_MORE;
		}
		if (begin(r, t, room) == READER_BAD)
			return READER_BAD;
	}
	for (; t->read < t->count; t->read++) {
		struct cursor c = cursor_over(span_after(kept, t->at));
		uint64_t left = t->count - t->read, offset = cursor_u64(&c), size = cursor_u64(&c),
		         length = cursor_u64(&c);
		struct bundle_entry *e;

		if (c.bad) {
			*need = left * BUNDLE_ENTRY - (kept.n - t->at);
			return READER_MORE;
		}
		if (length > ID_MAX)
			return table_lies(r, "has an id of impossible length");
		if (cursor_left(&c) < length) {
			*need = length - cursor_left(&c) + (left - 1) * BUNDLE_ENTRY;
			return READER_MORE;
		}
		if (!reader_room_left(r))
			return READER_BAD;
		e = reader_table(r, sizeof(*e));
		*e = (struct bundle_entry){offset, size, (uint32_t)(t->at + BUNDLE_ENTRY), (uint32_t)length,
		                           (uint32_t)t->read};
		t->at += BUNDLE_ENTRY + (size_t)length;
	}
	return READER_DONE;
}
