/* SPDX-License-Identifier: Apache-2.0 */
/* Zip archives written byte by byte (APPNOTE 4.3), every number of which a test may falsify. */
#ifndef POSTERN_TESTS_ZIP_MAKER_H
#define POSTERN_TESTS_ZIP_MAKER_H

#include <stdlib.h>
#include <string.h>

#include "base/span.h"

#define MAKER_BYTES (1u << 20)

struct maker {
	uint8_t *p, *directory;
	size_t n, directory_n, members;
};

/* What a member says; zero means the truth. */
struct maker_member {
	const char *name, *local_name;
	struct span data;
	bool deflated; /* as one stored block of deflate */
	bool descriptor;
	uint16_t flags, method, mode;
	uint32_t crc, size, at, local_size;
	struct span extra; /* in the directory only */
};

static inline struct maker maker_new(void)
{
	return (struct maker){calloc(1, MAKER_BYTES), calloc(1, MAKER_BYTES), 0, 0, 0};
}

static inline void maker_free(struct maker *m)
{
	free(m->p);
	free(m->directory);
}

static inline void put_bytes(uint8_t *p, size_t *n, struct span s)
{
	if (s.n)
		memcpy(p + *n, s.p, s.n);
	*n += s.n;
}

static inline void put_number(uint8_t *p, size_t *n, uint64_t v, unsigned bytes)
{
	for (unsigned i = 0; i < bytes; i++)
		p[(*n)++] = (uint8_t)(v >> (8 * i));
}

/* CRC-32 as APPNOTE 4.4.7 has it, bit by bit. */
static inline uint32_t maker_crc(struct span s)
{
	uint32_t crc = 0xffffffff;

	for (size_t i = 0; i < s.n; i++) {
		crc ^= s.p[i];
		for (int bit = 0; bit < 8; bit++)
			crc = crc >> 1 ^ (crc & 1 ? 0xedb88320 : 0);
	}
	return ~crc;
}

static inline void maker_add(struct maker *m, struct maker_member o)
{
	uint32_t crc = o.crc ? o.crc : maker_crc(o.data);
	uint32_t size = o.size ? o.size : (uint32_t)o.data.n;
	uint32_t stored = (uint32_t)o.data.n + (o.deflated ? 5 : 0);
	uint16_t method = o.method ? o.method : o.deflated ? 8 : 0;
	uint16_t flags = (uint16_t)(o.flags | (o.descriptor ? 8 : 0));
	uint32_t at = o.at ? o.at : (uint32_t)m->n;
	struct span local = span_of(o.local_name ? o.local_name : o.name), name = span_of(o.name);

	put_bytes(m->p, &m->n, SPAN("PK\3\4"));
	put_number(m->p, &m->n, 20, 2);
	put_number(m->p, &m->n, flags, 2);
	put_number(m->p, &m->n, method, 2);
	put_number(m->p, &m->n, 0, 4);
	put_number(m->p, &m->n, o.descriptor ? 0 : crc, 4);
	put_number(m->p, &m->n, o.descriptor ? 0 : stored, 4);
	put_number(m->p, &m->n, o.descriptor ? 0 : o.local_size ? o.local_size : size, 4);
	put_number(m->p, &m->n, local.n, 2);
	put_number(m->p, &m->n, 0, 2);
	put_bytes(m->p, &m->n, local);
	if (o.deflated) {
		put_number(m->p, &m->n, 1, 1);
		put_number(m->p, &m->n, o.data.n, 2);
		put_number(m->p, &m->n, ~o.data.n, 2);
	}
	put_bytes(m->p, &m->n, o.data);
	if (o.descriptor) {
		put_bytes(m->p, &m->n, SPAN("PK\7\x08"));
		put_number(m->p, &m->n, crc, 4);
		put_number(m->p, &m->n, stored, 4);
		put_number(m->p, &m->n, size, 4);
	}
	put_bytes(m->directory, &m->directory_n, SPAN("PK\1\2"));
	put_number(m->directory, &m->directory_n, 3 << 8 | 20, 2);
	put_number(m->directory, &m->directory_n, 20, 2);
	put_number(m->directory, &m->directory_n, flags, 2);
	put_number(m->directory, &m->directory_n, method, 2);
	put_number(m->directory, &m->directory_n, 0, 4);
	put_number(m->directory, &m->directory_n, crc, 4);
	put_number(m->directory, &m->directory_n, stored, 4);
	put_number(m->directory, &m->directory_n, size, 4);
	put_number(m->directory, &m->directory_n, name.n, 2);
	put_number(m->directory, &m->directory_n, o.extra.n, 2);
	put_number(m->directory, &m->directory_n, 0, 6);
	put_number(m->directory, &m->directory_n, (uint32_t)(o.mode ? o.mode : 0100644) << 16, 4);
	put_number(m->directory, &m->directory_n, at, 4);
	put_bytes(m->directory, &m->directory_n, name);
	put_bytes(m->directory, &m->directory_n, o.extra);
	m->members++;
}

static inline void maker_file(struct maker *m, const char *name, struct span data)
{
	maker_add(m, (struct maker_member){.name = name, .data = data, .deflated = true});
}

/* The directory and the end record, with a count that may lie and a comment. */
static inline struct span maker_end(struct maker *m, size_t count, struct span comment)
{
	size_t at = m->n;

	put_bytes(m->p, &m->n, (struct span){m->directory, m->directory_n});
	put_bytes(m->p, &m->n, SPAN("PK\5\6"));
	put_number(m->p, &m->n, 0, 4);
	put_number(m->p, &m->n, count, 2);
	put_number(m->p, &m->n, count, 2);
	put_number(m->p, &m->n, m->directory_n, 4);
	put_number(m->p, &m->n, at, 4);
	put_number(m->p, &m->n, comment.n, 2);
	put_bytes(m->p, &m->n, comment);
	return (struct span){m->p, m->n};
}

static inline struct span maker_done(struct maker *m)
{
	return maker_end(m, m->members, SPAN_NONE);
}

#endif
