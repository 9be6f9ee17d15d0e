/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tar archives written byte by byte (POSIX.1-2017 pax, ustar format; GNU tar's manual for its own types), and streams of
 * gzip (RFC 1952) and zstd (RFC 8878) around them that store their bytes.
 */
#ifndef POSTERN_TESTS_TAR_MAKER_H
#define POSTERN_TESTS_TAR_MAKER_H

#include <stdio.h>

#include "extractors/zip_maker.h"

#define TAR_ROOM (4u << 20)

struct tarball {
	uint8_t *p;
	size_t n;
};

/* What a header says; size is that of the data unless `says` is set. */
struct tar_member {
	const char *name, *link, *prefix;
	char type; /* 0: '0' */
	struct span data;
	const char *says; /* the size field as text */
	bool bad_sum;
};

static inline struct tarball tarball_new(void)
{
	return (struct tarball){calloc(1, TAR_ROOM), 0};
}

static inline void tar_text(uint8_t *at, size_t room, const char *text)
{
	size_t n = text ? strlen(text) : 0;

	if (n)
		memcpy(at, text, n < room ? n : room);
}

static inline void tar_sum(uint8_t *h, bool bad)
{
	char text[8];
	unsigned sum = 0;

	memset(h + 148, ' ', 8);
	for (size_t i = 0; i < 512; i++)
		sum += h[i];
	snprintf(text, sizeof(text), "%06o", sum + bad);
	memcpy(h + 148, text, 7);
}

static inline void tar_pad(struct tarball *t)
{
	t->n = (t->n + 511) / 512 * 512;
}

static inline uint8_t *tar_member(struct tarball *t, struct tar_member m)
{
	uint8_t *h = t->p + t->n;
	char size[24];

	snprintf(size, sizeof(size), "%011llo", (unsigned long long)m.data.n);
	tar_text(h, 100, m.name);
	tar_text(h + 100, 8, "0000644");
	tar_text(h + 108, 8, "0000000");
	tar_text(h + 116, 8, "0000000");
	tar_text(h + 124, 12, m.says ? m.says : size);
	tar_text(h + 136, 12, "00000000000");
	h[156] = (uint8_t)(m.type ? m.type : '0');
	tar_text(h + 157, 100, m.link);
	memcpy(h + 257, "ustar\00000", 8);
	tar_text(h + 345, 155, m.prefix);
	tar_sum(h, m.bad_sum);
	t->n += 512;
	put_bytes(t->p, &t->n, m.data);
	tar_pad(t);
	return h;
}

static inline void tar_file(struct tarball *t, const char *name, struct span data)
{
	tar_member(t, (struct tar_member){.name = name, .data = data});
}

/* Header of a type whose data speaks of the next member: x, g, L or K. */
static inline void tar_ahead(struct tarball *t, char type, struct span data)
{
	tar_member(t, (struct tar_member){.name = "./ahead", .type = type, .data = data});
}

/* A pax header with one record. */
static inline void tar_pax(struct tarball *t, char type, const char *keyword, struct span value)
{
	char text[40];
	uint8_t record[2048];
	size_t length = strlen(keyword) + value.n + 3, n = 0, digits = 1;

	for (size_t v = length + 1; v >= 10; v /= 10)
		digits++;
	length += digits;
	snprintf(text, sizeof(text), "%zu ", length);
	put_bytes(record, &n, span_of(text));
	put_bytes(record, &n, span_of(keyword));
	put_bytes(record, &n, SPAN("="));
	put_bytes(record, &n, value);
	put_bytes(record, &n, SPAN("\n"));
	tar_ahead(t, type, (struct span){record, n});
}

static inline struct span tar_end(struct tarball *t)
{
	t->n += 1024;
	return (struct span){t->p, t->n};
}

/* One gzip member. */
static inline void gzip_member(struct tarball *t, struct span s, uint32_t wrong)
{
	uint32_t crc = maker_crc(s) + wrong;
	size_t n = s.n;

	put_bytes(t->p, &t->n, SPAN("\x1f\x8b\x08\0\0\0\0\0\0\x03"));
	do {
		size_t some = s.n < 65535 ? s.n : 65535;

		put_number(t->p, &t->n, some == s.n, 1);
		put_number(t->p, &t->n, some, 2);
		put_number(t->p, &t->n, ~some, 2);
		put_bytes(t->p, &t->n, span_first(s, some));
		s = span_after(s, some);
	} while (s.n);
	put_number(t->p, &t->n, crc, 4);
	put_number(t->p, &t->n, n, 4);
}

/* One zstd frame of raw blocks, its window 2^(10 + log). */
static inline void zstd_frame(struct tarball *t, struct span s, unsigned log)
{
	put_bytes(t->p, &t->n, SPAN("\x28\xb5\x2f\xfd"));
	put_number(t->p, &t->n, 0, 1);
	put_number(t->p, &t->n, log << 3, 1);
	do {
		size_t some = s.n < 1024 ? s.n : 1024;

		put_number(t->p, &t->n, (some == s.n) | some << 3, 3);
		put_bytes(t->p, &t->n, span_first(s, some));
		s = span_after(s, some);
	} while (s.n);
}

static inline void zstd_skippable(struct tarball *t, unsigned mark, struct span s)
{
	put_number(t->p, &t->n, 0x184d2a50 + mark, 4);
	put_number(t->p, &t->n, s.n, 4);
	put_bytes(t->p, &t->n, s);
}

#endif
