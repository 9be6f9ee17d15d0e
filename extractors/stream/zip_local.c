/* SPDX-License-Identifier: Apache-2.0 */
/* Local headers and data descriptors, held against the directory (APPNOTE 4.3.7 and 4.3.9). */
#include "extractors/stream/zip_directory.h"

#include "base/checked.h"
#include "base/cursor.h"
#include "extractors/stream/zip_seen.h"

#define ROOM_BYTES   8192
#define MOST_HEADERS 512 /* nearly all are shorter */

static const struct span local_mark = SPAN_INIT("PK\3\4");
static const struct span descriptor_mark = SPAN_INIT("PK\7\x08");

struct local {
	struct zip_member m; /* name and extra only as far as they are in the room */
	uint64_t name_bytes, data;
	bool extra_cut;
};

static bool local_parse(struct span s, uint64_t at, struct local *out)
{
	struct cursor c = cursor_over(s);
	struct span extra;
	uint16_t extra_bytes;

	*out = (struct local){0};
	if (s.n < ZIP_LOCAL_BYTES || !span_starts(s, local_mark))
		return false;
	cursor_skip(&c, 6);
	out->m.flags = cursor_u16(&c);
	out->m.method = cursor_u16(&c);
	cursor_skip(&c, 4);
	out->m.crc = cursor_u32(&c);
	out->m.stored = cursor_u32(&c);
	out->m.size = cursor_u32(&c);
	out->name_bytes = cursor_u16(&c);
	extra_bytes = cursor_u16(&c);
	out->m.name = span_first(span_after(s, ZIP_LOCAL_BYTES), (size_t)out->name_bytes);
	extra = span_first(span_after(s, ZIP_LOCAL_BYTES + (size_t)out->name_bytes), extra_bytes);
	out->extra_cut = extra.n < extra_bytes;
	out->m.at = at;
	out->data = at + ZIP_LOCAL_BYTES + out->name_bytes + extra_bytes;
	out->m.extra_bad = !zip_extra_read(extra, &out->m.size, &out->m.stored, NULL) && !out->extra_cut;
	return true;
}

static bool local_read(const struct zip_directory *z, uint64_t at, uint8_t *room, size_t room_bytes, struct local *out)
{
	size_t some = room_bytes < MOST_HEADERS ? room_bytes : MOST_HEADERS;
	bool good = local_parse((struct span){room, zip_bytes_some(&z->bytes, at, room, some)}, at, out);

	if (!good || out->data - at <= some)
		return good;
	return local_parse((struct span){room, zip_bytes_some(&z->bytes, at, room, room_bytes)}, at, out);
}

bool zip_local_parse(struct span s, uint64_t at, struct zip_member *m, uint64_t *data)
{
	struct local local;

	if (!local_parse(s, at, &local))
		return false;
	*m = local.m;
	*data = local.data;
	return true;
}

bool zip_member_late(const struct zip_member *m)
{
	return (m->flags & ZIP_DESCRIPTOR) && (m->stored == 0 || m->stored == UINT32_MAX);
}

static bool differs(uint64_t local, uint64_t a, bool later)
{
	return local != a && !(later && (local == 0 || local == UINT32_MAX));
}

/* With a descriptor any of the local numbers may be left out. */
static bool sizes_differ(const struct zip_member *a, const struct zip_member *local)
{
	bool later = local->flags & ZIP_DESCRIPTOR;

	return differs(local->size, a->size, later) || differs(local->stored, a->stored, later) ||
	       (local->crc != a->crc && !(later && local->crc == 0));
}

int zip_local_find(const struct zip_directory *z, const struct zip_member *m, struct zip_local *out, struct err *e)
{
	uint8_t room[ROOM_BYTES];
	struct local local;

	*out = (struct zip_local){0};
	if (!local_read(z, m->at, room, sizeof(room), &local))
		return err_set(e, ERR_FORMAT, m->at, "no local header at %llu, where the directory says",
		               (unsigned long long)m->at);
	out->data = local.data;
	if (local.name_bytes != m->name.n || !span_starts(m->name, local.m.name))
		out->odd |= ZIP_LOCAL_NAME;
	if (local.m.method != m->method || ((local.m.flags ^ m->flags) & ZIP_ENCRYPTED))
		out->odd |= ZIP_LOCAL_METHOD;
	if (!local.extra_cut && sizes_differ(m, &local.m))
		out->odd |= ZIP_LOCAL_SIZE;
	if (local.m.extra_bad)
		out->odd |= ZIP_LOCAL_EXTRA;
	if (!range_inside(local.data, m->stored, z->bytes.size))
		return err_set(e, ERR_TRUNCATED, local.data, "its %llu stored bytes from %llu go beyond the archive",
		               (unsigned long long)m->stored, (unsigned long long)local.data);
	return 0;
}

/* A descriptor whose numbers have 64 bits: the next header follows those. */
static void wide_read(const struct zip_directory *z, uint64_t at, struct zip_member *m)
{
	uint8_t raw[28];
	struct span s = {raw, zip_bytes_some(&z->bytes, at, raw, sizeof(raw))};
	struct span next = span_after(s, 24);
	struct cursor c = cursor_over(span_after(s, 8));

	if ((span_starts(next, local_mark) || span_starts(next, SPAN("PK\1\2"))) && cursor_u64(&c) == m->stored)
		m->size = cursor_u64(&c);
}

/* The signed descriptor that ends the stored bytes from data on: it gives just the size that they then have. */
static bool descriptor_find(const struct zip_directory *z, uint64_t data, uint64_t end, struct zip_member *m)
{
	uint8_t room[ROOM_BYTES];
	uint64_t at = data;

	while (at + 16 <= end) {
		struct span s = {room, end - at < sizeof(room) ? (size_t)(end - at) : sizeof(room)};

		if (!zip_bytes_get(&z->bytes, at, room, s.n))
			return false;
		for (size_t i = 0; i + 16 <= s.n; i++) {
			struct cursor c = cursor_over(span_after(s, i + 4));

			if (s.p[i] != 'P' || !span_starts(span_after(s, i), descriptor_mark))
				continue;
			m->crc = cursor_u32(&c);
			m->stored = cursor_u32(&c);
			m->size = cursor_u32(&c);
			if (m->stored == at + i - data) {
				wide_read(z, at + i, m);
				return true;
			}
		}
		at += s.n - 15;
	}
	m->crc = 0;
	m->size = 0;
	return false;
}

bool zip_local_member(const struct zip_directory *z, uint64_t at, uint64_t end, struct zip_member *m, uint8_t *room,
                      size_t room_bytes, uint64_t *data)
{
	const struct zip_passed *passed = z->bytes.seen ? zip_seen_entry(z->bytes.seen, at) : NULL;
	struct local local;

	if (!local_read(z, at, room, room_bytes, &local) || local.data > end)
		return false;
	*m = local.m;
	*data = local.data;
	if (passed) {
		m->crc = passed->m.crc;
		m->stored = passed->m.stored;
		m->size = passed->m.size;
	}
	if (!passed && zip_member_late(m) ? !descriptor_find(z, *data, end, m) : !range_inside(*data, m->stored, end))
		m->stored = end - *data;
	return true;
}

uint64_t zip_descriptor_bytes(const struct zip_directory *z, const struct zip_member *m, uint64_t at)
{
	static const struct {
		unsigned mark, width;
	} forms[] = {{4, 4}, {4, 8}, {0, 4}, {0, 8}};
	uint8_t raw[24];
	struct span s = {raw, 0};

	if (!(m->flags & ZIP_DESCRIPTOR))
		return 0;
	s.n = zip_bytes_some(&z->bytes, at, raw, sizeof(raw));
	for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]); i++) {
		struct cursor c = cursor_over(span_after(s, forms[i].mark));
		uint32_t crc = cursor_u32(&c);
		uint64_t stored = cursor_uint(&c, forms[i].width);
		uint64_t size = cursor_uint(&c, forms[i].width);

		if (forms[i].mark && !span_starts(s, descriptor_mark))
			continue;
		if (!c.bad && crc == m->crc && stored == m->stored && size == m->size)
			return c.at + forms[i].mark;
	}
	return 0;
}
