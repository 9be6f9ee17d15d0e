/* SPDX-License-Identifier: Apache-2.0 */
#include "extractors/stream/tar_header.h"

#define SIZE_AT     124
#define SIZE_N      12
#define CHECKSUM_AT 148
#define CHECKSUM_N  8
#define TYPE_AT     156
#define OCTAL_MOST  ((uint64_t)8 << 30) /* above it the size cannot stand in its field */

static struct span field(struct span block, size_t at, size_t n)
{
	return span_first(span_after(block, at), n);
}

bool tar_number(struct span s, uint64_t *v)
{
	size_t i = 0;

	*v = 0;
	if (s.n && s.p[0] & 0x80) {
		for (i = 1; i < s.n; i++) {
			if (*v >> 56)
				return false;
			*v = *v << 8 | s.p[i];
		}
		return s.p[0] == 0x80;
	}
	while (i < s.n && s.p[i] == ' ')
		i++;
	for (; i < s.n && s.p[i] >= '0' && s.p[i] <= '7'; i++)
		*v = *v * 8 + (uint64_t)(s.p[i] - '0');
	return i == s.n || s.p[i] == ' ' || s.p[i] == 0;
}

bool tar_block_is_header(struct span block)
{
	int64_t sum = 0, other = 0;
	uint64_t says;

	if (block.n < TAR_BLOCK || block.p[0] == 0)
		return false;
	if (span_starts(span_after(block, 257), SPAN("ustar")))
		return true;
	for (size_t i = 0; i < TAR_BLOCK; i++) {
		uint8_t c = i >= CHECKSUM_AT && i < CHECKSUM_AT + CHECKSUM_N ? ' ' : block.p[i];

		sum += c;
		other += (int8_t)c;
	}
	return tar_number(field(block, CHECKSUM_AT, CHECKSUM_N), &says) &&
	       ((int64_t)says == sum || (int64_t)says == other);
}

/* What the blocks before the entry's own header say. */
struct before {
	bool pax, longname, sparse;
	const char *odd;
};

static bool names_path(struct span keyword)
{
	return span_eq(keyword, SPAN("path")) || span_eq(keyword, SPAN("linkpath"));
}

/* "LENGTH KEYWORD=VALUE\n", one after the other. */
static void records_look(struct before *b, struct span text, bool global)
{
	while (text.n) {
		struct span record, keyword;
		size_t at = 0, length = 0;

		for (; at < text.n && at < 8 && text.p[at] >= '0' && text.p[at] <= '9'; at++)
			length = length * 10 + (size_t)(text.p[at] - '0');
		if (at == text.n || text.p[at] != ' ' || length <= at || length > text.n)
			return;
		record = span_after(span_first(text, length), at + 1);
		text = span_after(text, length);
		keyword = span_first(record, span_find(record, '='));
		b->sparse |= span_starts(keyword, SPAN("GNU.sparse."));
		if (!names_path(keyword) && !(global && span_eq(keyword, SPAN("size"))))
			continue;
		if (global)
			b->odd = "a global header speaks of the name or size of every file, and readers differ on it";
		else if (span_find(record, 0) < record.n)
			b->odd = "a name has a NUL in it, and readers cut it there or do not";
	}
}

static bool type_known(uint8_t type)
{
	return type == 0 || (type >= '0' && type <= '7') || type == 'S' || type == 'D' || type == 'M' || type == 'V' ||
	       type == 'N' || type == 'A';
}

static const char *last_look(struct span block, const struct before *b, bool file, uint64_t size, uint64_t *denied)
{
	uint8_t type = block.p[TYPE_AT];
	uint64_t says;

	if (!tar_number(field(block, SIZE_AT, SIZE_N), &says))
		return file ? "the size in its header is no number" : NULL;
	if (!type_known(type))
		return "an entry is of a type that no standard has";
	if (!file) {
		*denied = says;
		return says ? "an entry without bytes says that it has some" : NULL;
	}
	if (type == 'S' || b->sparse || says == size || size >= OCTAL_MOST)
		return NULL;
	return "its header and its extended header say different sizes";
}

const char *tar_header_oddity(struct span headers, bool file, uint64_t size, uint64_t *denied)
{
	struct before b = {0};
	const char *odd;

	*denied = 0;
	while (headers.n >= TAR_BLOCK) {
		struct span block = span_first(headers, TAR_BLOCK);
		uint8_t type = block.p[TYPE_AT];
		uint64_t n;

		if (type != 'x' && type != 'X' && type != 'g' && type != 'L' && type != 'K') {
			odd = last_look(block, &b, file, size, denied);
			return b.odd ? b.odd : odd;
		}
		if (!tar_number(field(block, SIZE_AT, SIZE_N), &n) || n > headers.n - TAR_BLOCK)
			return b.odd;
		if (type == 'x' || type == 'g')
			records_look(&b, field(headers, TAR_BLOCK, (size_t)n), type == 'g');
		if ((type == 'L' || type == 'K') && b.pax)
			b.odd = "a long name follows an extended header, and readers differ on whose that is";
		b.pax |= type == 'x';
		headers = span_after(headers, TAR_BLOCK + ((size_t)n + TAR_BLOCK - 1) / TAR_BLOCK * TAR_BLOCK);
	}
	return b.odd;
}
