/* SPDX-License-Identifier: Apache-2.0 */
/* Where a member ends that does not say it at its front: data descriptors (APPNOTE 4.3.9). */
#include "base/codec.h"
#include "base/cursor.h"
#include "extractors/stream/zip_front.h"

#define DESCRIPTOR_MOST 24
#define MARK_BYTES      4
#define HELD            (DESCRIPTOR_MOST + MARK_BYTES - 1) /* may belong to what follows */
#define AT_HAND         4096

static const struct span descriptor_mark = SPAN_INIT("PK\7\x08");

static const struct form {
	unsigned mark, width;
} forms[] = {{4, 4}, {4, 8}, {0, 4}, {0, 8}};

static size_t form_bytes(const struct form *f)
{
	return f->mark + 4 + 2 * f->width;
}

static bool form_read(const struct form *f, struct span s, struct zip_member *m)
{
	struct cursor c = cursor_over(span_after(s, f->mark));

	if (f->mark && !span_starts(s, descriptor_mark))
		return false;
	m->crc = cursor_u32(&c);
	m->stored = cursor_uint(&c, f->width);
	m->size = cursor_uint(&c, f->width);
	return !c.bad;
}

static bool begins_header(struct span s)
{
	return span_starts(s, SPAN("PK\3\4")) || span_starts(s, SPAN("PK\1\2"));
}

/* Does a member of `bytes` bytes, the last of them in front of s, end where s begins? */
static bool ends_here(const struct form *f, const struct zip_ending *end, uint64_t bytes, struct span front, size_t k)
{
	struct zip_member m = {0};

	if (!form_read(f, span_after(front, k), &m) || m.stored != bytes || (!end->blind && m.size != bytes))
		return false;
	return end->blind ? f->mark > 0 : m.crc == codec_crc32(end->crc, span_first(front, k));
}

/* True: the header at h ends a member, of whose bytes *n are at hand. */
static bool header_ends(const struct zip_front *f, const struct zip_ending *end, size_t h, uint64_t *n)
{
	for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]); i++) {
		size_t bytes = form_bytes(&forms[i]);

		if (h >= bytes && ends_here(&forms[i], end, f->at - end->data + (h - bytes), f->in, h - bytes)) {
			*n = h - bytes;
			return true;
		}
	}
	return false;
}

bool zip_ending_next(struct zip_front *f, struct zip_ending *end, uint64_t *n)
{
	size_t i = 0;

	zip_front_fill(f, AT_HAND);
	while (i + MARK_BYTES <= f->in.n) {
		const uint8_t *p = memchr(f->in.p + i, 'P', f->in.n - i - (MARK_BYTES - 1));

		if (!p)
			break;
		i = (size_t)(p - f->in.p);
		if (begins_header(span_after(f->in, i)) && header_ends(f, end, i, n))
			return true;
		i++;
	}
	*n = f->dry ? f->in.n : f->in.n > HELD ? f->in.n - HELD : 0;
	end->crc = codec_crc32(end->crc, span_first(f->in, (size_t)*n));
	return false;
}

static bool descriptor_fits(const struct form *f, struct span s, const struct zip_member *m, bool read,
                            struct zip_member *found)
{
	if (!form_read(f, s, found) || found->stored != m->stored)
		return false;
	if (read && found->crc == m->crc && found->size == m->size)
		return true;
	return f->mark || begins_header(span_after(s, form_bytes(f)));
}

void zip_descriptor_take(struct zip_front *f, struct zip_member *m, bool read)
{
	zip_front_fill(f, DESCRIPTOR_MOST + MARK_BYTES);
	for (int exact = read; exact >= 0; exact--)
		for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]); i++) {
			size_t bytes = form_bytes(&forms[i]);
			struct zip_member found = {0};

			if (!descriptor_fits(&forms[i], f->in, m, read, &found) ||
			    (exact && (found.crc != m->crc || found.size != m->size)))
				continue;
			m->crc = found.crc;
			m->size = found.size;
			zip_seen_keep(f->seen, f->at, span_first(f->in, bytes));
			zip_front_use(f, bytes);
			return;
		}
}
