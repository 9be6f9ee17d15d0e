/* SPDX-License-Identifier: Apache-2.0 */
/* End records: which one counts, and where they say that the directory is (artifacts.md B3, APPNOTE 4.3.14 to 4.3.16).
 */
#include "extractors/stream/zip_directory.h"

#include <stdlib.h>
#include <unistd.h>

#include "base/checked.h"
#include "base/cursor.h"
#include "extractors/stream/zip_seen.h"

#define END_BYTES     22
#define LOCATOR_BYTES 20
#define END64_BYTES   56
#define TAIL_BYTES    (66u << 10)

static const struct span end_mark = SPAN_INIT("PK\5\6");
static const struct span directory_mark = SPAN_INIT("PK\1\2");

bool zip_bytes_get(const struct zip_bytes *b, uint64_t at, void *to, size_t n)
{
	size_t done = 0;

	if (!range_inside(at, n, b->size))
		return false;
	if (b->mem) {
		memcpy(to, b->mem + at, n);
		return true;
	}
	if (b->seen) {
		bool had = zip_seen_get(b->seen, at, to, n) == n;

		b->seen->missed |= !had;
		return had;
	}
	while (done < n) {
		ssize_t got = pread(b->fd, (uint8_t *)to + done, n - done, (off_t)(b->start + at + done));

		if (got <= 0)
			return false;
		done += (size_t)got;
	}
	return true;
}

size_t zip_bytes_some(const struct zip_bytes *b, uint64_t at, void *to, size_t n)
{
	uint64_t rest = at < b->size ? b->size - at : 0;
	size_t most = rest < n ? (size_t)rest : n;

	if (!b->seen)
		return zip_bytes_get(b, at, to, most) ? most : 0;
	n = zip_seen_get(b->seen, at, to, most);
	b->seen->missed |= most && n == 0;
	return n;
}

static bool marked(const struct zip_bytes *b, uint64_t at, struct span mark)
{
	uint8_t found[4];

	if (b->seen && mark.p == directory_mark.p)
		return zip_seen_record(b->seen, at);
	return zip_bytes_get(b, at, found, sizeof(found)) && memcmp(found, mark.p, sizeof(found)) == 0;
}

/* The numbers of a zip64 end record at `at`. */
static bool end64_read(const struct zip_bytes *b, uint64_t at, struct zip_end *end, uint64_t *offset)
{
	uint8_t raw[END64_BYTES];
	struct cursor c = cursor_over((struct span){raw, sizeof(raw)});

	if (!marked(b, at, SPAN("PK\6\6")) || !zip_bytes_get(b, at, raw, sizeof(raw)))
		return false;
	cursor_skip(&c, 32);
	end->count = cursor_u64(&c);
	end->directory_bytes = cursor_u64(&c);
	*offset = cursor_u64(&c);
	end->at = at;
	end->zip64 = true;
	return true;
}

/* Where zipfile looks first, then where the locator points to. */
static void end64_find(const struct zip_bytes *b, struct zip_end *end, uint64_t *offset)
{
	uint8_t raw[LOCATOR_BYTES];
	struct cursor c = cursor_over((struct span){raw, sizeof(raw)});
	uint64_t locator = end->at - LOCATOR_BYTES;
	uint64_t told;

	if (end->at < LOCATOR_BYTES || !marked(b, locator, SPAN("PK\6\7")) ||
	    !zip_bytes_get(b, locator, raw, sizeof(raw)))
		return;
	cursor_skip(&c, 8);
	told = cursor_u64(&c);
	if (locator >= END64_BYTES && end64_read(b, locator - END64_BYTES, end, offset))
		return;
	if (told < locator)
		end64_read(b, told, end, offset);
}

/* Where the directory is: it ends where the end records begin, says zipfile; at the offset, say others. */
static bool directory_find(const struct zip_bytes *b, struct zip_end *end, uint64_t offset)
{
	uint64_t by_size = end->directory_bytes <= end->at ? end->at - end->directory_bytes : UINT64_MAX;
	bool at_offset = offset < end->at && marked(b, offset, directory_mark);

	if (end->directory_bytes == 0 && end->count == 0) {
		end->directory_at = end->at;
		return true;
	}
	if (by_size < end->at && marked(b, by_size, directory_mark)) {
		end->directory_at = by_size;
		end->prefix = by_size - offset;
		end->unsure_place = at_offset && by_size != offset;
		return true;
	}
	if (!at_offset)
		return false;
	end->directory_at = offset;
	end->unsure_place = true;
	if (!range_inside(offset, end->directory_bytes, end->at) || end->directory_bytes == 0)
		end->directory_bytes = end->at - offset;
	return true;
}

static bool end_read(const struct zip_bytes *b, struct span record, uint64_t at, struct zip_end *end)
{
	struct cursor c = cursor_over(record);
	uint64_t offset;

	*end = (struct zip_end){.at = at};
	cursor_skip(&c, 10);
	end->count = cursor_u16(&c);
	end->directory_bytes = cursor_u32(&c);
	offset = cursor_u32(&c);
	end->records_end = at + END_BYTES + cursor_u16(&c);
	if (c.bad)
		return false;
	end->trailing = end->records_end != b->size;
	end64_find(b, end, &offset);
	return directory_find(b, end, offset);
}

/* True when a reader that takes offsets as they stand would find a directory by this end record. */
static bool leads_elsewhere(const struct zip_bytes *b, struct span record, uint64_t at, const struct zip_end *chosen)
{
	struct cursor c = cursor_over(record);
	uint64_t bytes, offset;

	cursor_skip(&c, 12);
	bytes = cursor_u32(&c);
	offset = cursor_u32(&c);
	return !c.bad && bytes && range_inside(offset, bytes, at) && offset != chosen->directory_at &&
	       marked(b, offset, directory_mark);
}

/* Place of the last end mark before `before`, or before when there is none. */
static size_t mark_before(struct span tail, size_t before)
{
	for (size_t i = before; i > 0; i--)
		if (tail.p[i - 1] == 'P' && span_starts(span_after(tail, i - 1), end_mark))
			return i - 1;
	return before;
}

/* zipfile's rule: an end record without comment as the last bytes, else the last mark that there is. */
static size_t first_choice(struct span tail)
{
	size_t at = tail.n - END_BYTES;

	if (span_starts(span_after(tail, at), end_mark) && tail.p[tail.n - 2] == 0 && tail.p[tail.n - 1] == 0)
		return at + 1;
	return tail.n - END_BYTES + 1;
}

static int choose(const struct zip_bytes *b, struct span tail, uint64_t tail_at, struct zip_end *end)
{
	bool chosen = false, passed_over = false;
	size_t before = first_choice(tail);

	for (;;) {
		size_t at = mark_before(tail, before);
		struct span record = span_first(span_after(tail, at), END_BYTES);

		if (at == before)
			break;
		before = at;
		if (chosen)
			end->second |= leads_elsewhere(b, record, tail_at + at, end);
		else if (end_read(b, record, tail_at + at, end))
			chosen = true;
		else
			passed_over = true;
		if (chosen && end->second)
			break;
	}
	if (chosen)
		end->passed_over = passed_over;
	return chosen ? 0 : 1;
}

int zip_end_find(const struct zip_bytes *b, struct zip_end *end)
{
	size_t n = b->size < TAIL_BYTES ? (size_t)b->size : TAIL_BYTES;
	uint8_t *room;
	int rc = 1;

	*end = (struct zip_end){0};
	if (n < END_BYTES)
		return 1;
	room = malloc(n);
	if (!room)
		out_of_memory();
	if (zip_bytes_get(b, b->size - n, room, n))
		rc = choose(b, (struct span){room, n}, b->size - n, end);
	free(room);
	return rc;
}
