/* SPDX-License-Identifier: Apache-2.0 */
/* Headers of the tar that holds an image. Only names and places are wanted, so its members are never read through. */
#include <errno.h>
#include <unistd.h>

#include "base/checked.h"
#include "store.h"

#define BLOCK 512

static uint64_t header_number(const uint8_t *field, size_t n, bool *bad)
{
	uint64_t v = 0;
	size_t i = 0;

	if (field[0] & 0x80) {
		/* Base 256; negative or above 63 bits is no size. */
		v = field[0] & 0x7f;
		for (i = 1; i < n; i++) {
			*bad |= v >> 55 != 0;
			v = v << 8 | field[i];
		}
		*bad |= (field[0] & 0x40) != 0 || v >> 63;
		return *bad ? 0 : v;
	}
	while (i < n && field[i] == ' ')
		i++;
	for (; i < n && field[i] >= '0' && field[i] <= '7'; i++)
		v = v << 3 | (field[i] - '0');
	*bad |= i < n && field[i] != 0 && field[i] != ' ';
	return v;
}

static bool checksum_fits(const uint8_t *block)
{
	uint64_t plain = 0;
	int64_t with_sign = 0;
	bool bad = false;
	uint64_t said = header_number(block + 148, 8, &bad);

	for (size_t i = 0; i < BLOCK; i++) {
		uint8_t c = i >= 148 && i < 156 ? ' ' : block[i];

		plain += c;
		with_sign += (int8_t)c;
	}
	return !bad && (said == plain || (int64_t)said == with_sign);
}

bool tar_begins(struct span head)
{
	return head.n >= BLOCK && head.p[0] && checksum_fits(head.p);
}

static bool read_at(int fd, uint64_t at, uint8_t *to, size_t n)
{
	while (n) {
		ssize_t got = pread(fd, to, n, (off_t)at);

		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			return false;
		to += got;
		at += (uint64_t)got;
		n -= (size_t)got;
	}
	return true;
}

static struct span field_text(const uint8_t *field, size_t n)
{
	struct span s = {field, n};

	return span_first(s, span_find(s, 0));
}

/* What headers before a member say of it. */
struct overrides {
	struct span name, link, real;
	uint64_t size;
	bool has_size;
	bool sparse; /* the member's bytes are not those of the file */
};

static bool decimal(struct span s, uint64_t *v)
{
	*v = 0;
	for (size_t i = 0; i < s.n; i++)
		if (s.p[i] < '0' || s.p[i] > '9' || !product_u64(*v, 10, v) || !sum_u64(*v, s.p[i] - '0', v))
			return false;
	return s.n > 0;
}

/* "KEY=VALUE" */
static bool pax_record(struct span record, struct overrides *o)
{
	size_t eq = span_find(record, '=');
	struct span key = span_first(record, eq), value = span_after(record, eq + 1);

	o->sparse |= span_starts(key, SPAN("GNU.sparse."));
	if (span_eq(key, SPAN("GNU.sparse.name")))
		o->real = value;
	if (span_eq(key, SPAN("path")))
		o->name = value;
	if (span_eq(key, SPAN("linkpath")))
		o->link = value;
	if (span_eq(key, SPAN("size"))) {
		o->has_size = true;
		return decimal(value, &o->size);
	}
	return eq < record.n;
}

/* Each record is "LENGTH KEY=VALUE\n", its length counts all of that. False when one is none. */
static bool pax_records(struct span s, struct overrides *o)
{
	while (s.n) {
		size_t blank = span_find(span_first(s, 20), ' ');
		uint64_t length;

		if (!decimal(span_first(s, blank), &length) || length > s.n || length < blank + 3 ||
		    s.p[length - 1] != '\n')
			return false;
		if (!pax_record((struct span){s.p + blank + 1, (size_t)length - blank - 2}, o))
			return false;
		s = span_after(s, (size_t)length);
	}
	return true;
}

/* A header that tells of the next one: its text is kept in o. */
static int extension_read(struct tar_walk *w, char type, uint64_t size, struct overrides *o, struct err *e)
{
	uint8_t *room;
	struct span text;

	if (size > w->limits->v[LIMIT_HEADER_BYTES])
		return err_limit(e, LIMIT_HEADER_BYTES, w->limits, "a long name in the archive");
	room = arena_alloc(w->mem, (size_t)size + 1);
	if (!range_inside(w->at, size, w->size) || !read_at(w->fd, w->at, room, (size_t)size))
		return err_set(e, ERR_TRUNCATED, w->at, "the archive ends inside a header, at byte %llu",
		               (unsigned long long)w->size);
	text = (struct span){room, (size_t)size};
	if (type == 'L')
		o->name = span_first(text, span_find(text, 0));
	else if (type == 'K')
		o->link = span_first(text, span_find(text, 0));
	else if (type == 'x' && !pax_records(text, o))
		return err_set(e, ERR_FORMAT, w->at, "the archive has a damaged pax header at byte %llu",
		               (unsigned long long)w->at);
	return 0;
}

static enum member_kind kind_of(char type)
{
	switch (type) {
	case '0':
	case '\0':
	case '7':
		return MEMBER_FILE;
	case '1':
		return MEMBER_HARDLINK;
	case '2':
		return MEMBER_SYMLINK;
	default:
		return MEMBER_OTHER;
	}
}

static void member_fill(struct tar_walk *w, const uint8_t *block, const struct overrides *o, struct image_member *m)
{
	struct span name = field_text(block, 100), prefix = SPAN_NONE;

	if (memcmp(block + 257, "ustar\0", 6) == 0)
		prefix = field_text(block + 345, 155);
	if (o->real.n)
		m->name = o->real;
	else if (o->name.n)
		m->name = o->name;
	else if (prefix.n)
		m->name = arena_printf(w->mem, "%.*s/%.*s", (int)prefix.n, (const char *)prefix.p, (int)name.n,
		                       (const char *)name.p);
	else
		m->name = arena_copy(w->mem, name);
	m->link = o->link.n ? o->link : arena_copy(w->mem, field_text(block + 157, 100));
	m->kind = o->sparse ? MEMBER_OTHER : kind_of((char)block[156]);
	m->offset = w->at;
}

static bool all_zero(const uint8_t *block)
{
	for (size_t i = 0; i < BLOCK; i++)
		if (block[i])
			return false;
	return true;
}

/* Moves behind `size` bytes, rounded up to blocks. */
static bool skip(struct tar_walk *w, uint64_t size)
{
	uint64_t end;

	if (!sum_u64(size, BLOCK - 1, &end) || !sum_u64(w->at, end / BLOCK * BLOCK, &end))
		return false;
	w->at = end;
	return true;
}

static int cut(const struct tar_walk *w, struct err *e)
{
	return err_set(e, ERR_TRUNCATED, w->size, "the archive ends inside a member, at byte %llu",
	               (unsigned long long)w->size);
}

/* The next header: 1 at the end marks, or where the file ends without them. */
static int header_next(struct tar_walk *w, uint8_t block[BLOCK], uint64_t *size, struct err *e)
{
	bool bad = false;

	if (w->at >= w->size)
		return w->at == w->size ? 1 : cut(w, e);
	if (!range_inside(w->at, BLOCK, w->size) || !read_at(w->fd, w->at, block, BLOCK))
		return cut(w, e);
	if (all_zero(block))
		return 1;
	*size = header_number(block + 124, 12, &bad);
	if (!checksum_fits(block) || bad)
		return err_set(e, ERR_FORMAT, w->at, "the archive has a damaged header at byte %llu",
		               (unsigned long long)w->at);
	w->at += BLOCK;
	return 0;
}

static bool is_extension(char type)
{
	return type == 'L' || type == 'K' || type == 'x' || type == 'g';
}

static int member_end(struct tar_walk *w, struct image_member *m, char type, uint64_t size, struct err *e)
{
	/* Links and folders have no bytes, whatever their size says. */
	if (type == '1' || type == '2' || type == '5')
		return 0;
	if (!range_inside(w->at, size, w->size) || !skip(w, size))
		return cut(w, e);
	m->size = size;
	return 0;
}

int tar_walk_next(struct tar_walk *w, struct image_member *m, struct err *e)
{
	struct overrides o = {0};

	*m = (struct image_member){0};
	for (;;) {
		uint8_t block[BLOCK];
		uint64_t size = 0;
		int rc = header_next(w, block, &size, e);

		if (rc)
			return rc;
		if (!is_extension((char)block[156])) {
			member_fill(w, block, &o, m);
			return member_end(w, m, (char)block[156], o.has_size ? o.size : size, e);
		}
		if (block[156] != 'g' && extension_read(w, (char)block[156], size, &o, e) < 0)
			return -1;
		if (!skip(w, size))
			return cut(w, e);
	}
}
