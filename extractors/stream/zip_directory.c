/* SPDX-License-Identifier: Apache-2.0 */
/* The central directory (artifacts.md B3, APPNOTE 4.3.12). */
#include "extractors/stream/zip_directory.h"

#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/checked.h"
#include "base/cursor.h"
#include "extractors/stream/zip_seen.h"

#define RECORD_BYTES 46
#define MADE_ON_UNIX 3

static const struct span record_mark = SPAN_INIT("PK\1\2");

/* The directory stays in the page cache: a mapping costs no data, however large it is. */
static bool directory_map(struct zip_directory *z)
{
	uint64_t at = z->end.directory_at, n = z->end.directory_bytes;
	uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
	uint64_t low;
	void *p;

	if (!range_inside(at, n, z->bytes.size) || n > SIZE_MAX / 2)
		return false;
	if (z->bytes.mem || n == 0) {
		z->directory = (struct span){z->bytes.mem ? z->bytes.mem + at : NULL, (size_t)n};
		return true;
	}
	if (z->bytes.seen) {
		z->directory = zip_seen_piece(z->bytes.seen, at, n);
		return z->directory.n == n;
	}
	low = (z->bytes.start + at) % page;
	p = mmap(NULL, (size_t)(n + low), PROT_READ, MAP_PRIVATE, z->bytes.fd, (off_t)(z->bytes.start + at - low));
	if (p == MAP_FAILED)
		return false;
	z->map = p;
	z->map_bytes = (size_t)(n + low);
	z->directory = (struct span){(const uint8_t *)p + low, (size_t)n};
	return true;
}

/* Bytes of the record at the front of s, 0 when it is none or is cut. */
static size_t record_bytes(struct span s)
{
	struct cursor c = cursor_over(s);
	uint64_t n = RECORD_BYTES;

	if (!span_starts(s, record_mark))
		return 0;
	cursor_skip(&c, 28);
	n += cursor_u16(&c);
	n += cursor_u16(&c);
	n += cursor_u16(&c);
	return c.bad || n > s.n ? 0 : (size_t)n;
}

/* Counts the records, or with records not NULL also notes where they are. */
static size_t directory_walk_records(struct zip_directory *z, uint64_t most, uint64_t *records)
{
	size_t at = 0, n = 0;

	while (at < z->directory.n) {
		struct span rest = span_after(z->directory, at);
		size_t bytes = record_bytes(rest);

		if (bytes == 0) {
			z->odd_tail = span_starts(rest, SPAN("PK\5\5"));
			z->damaged = !z->odd_tail;
			break;
		}
		if (n == most) {
			z->limited = true;
			break;
		}
		if (records)
			records[n] = at;
		n++;
		at += bytes;
	}
	return n;
}

int zip_directory_open(struct zip_directory *z, const struct zip_bytes *b, const struct limits *limits)
{
	uint64_t most;

	*z = (struct zip_directory){.bytes = *b};
	if (zip_end_find(b, &z->end))
		return 1;
	if (!directory_map(z)) {
		z->damaged = true;
		return 0;
	}
	most = limits->v[LIMIT_ARTIFACT_ENTRIES];
	z->n = directory_walk_records(z, most < UINT32_MAX ? most : UINT32_MAX, NULL);
	z->records = calloc(z->n ? z->n : 1, sizeof(*z->records));
	if (!z->records)
		out_of_memory();
	directory_walk_records(z, z->n, z->records);
	return 0;
}

void zip_directory_close(struct zip_directory *z)
{
	if (z->map)
		munmap(z->map, z->map_bytes);
	free(z->records);
	*z = (struct zip_directory){0};
}

bool zip_extra_read(struct span extra, uint64_t *size, uint64_t *stored, uint64_t *at)
{
	struct cursor c = cursor_over(extra);
	uint64_t *const wanted[] = {size, stored, at};
	bool seen = false;

	while (cursor_left(&c) >= 4) {
		uint16_t id = cursor_u16(&c);
		uint16_t n = cursor_u16(&c);
		struct cursor field = cursor_over(cursor_take(&c, n));

		if (c.bad)
			return false;
		if (id != 1 || seen)
			continue;
		seen = true;
		if (n < 8)
			return false;
		for (size_t i = 0; i < sizeof(wanted) / sizeof(wanted[0]); i++)
			if (wanted[i] && *wanted[i] == UINT32_MAX && cursor_left(&field) >= 8)
				*wanted[i] = cursor_u64(&field);
	}
	return true;
}

void zip_member_at(const struct zip_directory *z, size_t i, struct zip_member *m)
{
	struct cursor c = cursor_over(span_after(z->directory, (size_t)z->records[i]));
	uint16_t made, name_bytes, extra_bytes;
	uint32_t attributes;

	*m = (struct zip_member){0};
	cursor_skip(&c, 4);
	made = cursor_u16(&c);
	cursor_skip(&c, 2);
	m->flags = cursor_u16(&c);
	m->method = cursor_u16(&c);
	cursor_skip(&c, 4);
	m->crc = cursor_u32(&c);
	m->stored = cursor_u32(&c);
	m->size = cursor_u32(&c);
	name_bytes = cursor_u16(&c);
	extra_bytes = cursor_u16(&c);
	cursor_skip(&c, 6);
	attributes = cursor_u32(&c);
	m->at = cursor_u32(&c);
	m->name = cursor_take(&c, name_bytes);
	m->mode = made >> 8 == MADE_ON_UNIX ? (uint16_t)(attributes >> 16) : 0;
	m->extra_bad = !zip_extra_read(cursor_take(&c, extra_bytes), &m->size, &m->stored, &m->at);
	m->at += z->end.prefix;
}
