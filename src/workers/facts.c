/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The bytes: magic, version of the layout, the fields of struct facts as facts_layout.c lists them, end mark. A number
 * is LEB128 of least length, a text its length and bytes, a list its length and elements.
 */
#include "facts.h"

#include <stdlib.h>

#include "base/number.h"
#include "facts_layout.h"

static const struct span magic = SPAN_INIT("postern-facts\n");
static const struct span end_mark = SPAN_INIT("\nend\n");

static void write_number(struct outbuf *out, uint64_t v)
{
	uint8_t bytes[NUMBER_BYTES];

	outbuf_put(out, (struct span){bytes, number_put(bytes, v)});
}

static void write_text(struct outbuf *out, struct span s)
{
	write_number(out, s.n);
	outbuf_put(out, s);
}

static void write_texts(struct outbuf *out, const struct spans *l)
{
	write_number(out, l->n);
	for (size_t i = 0; i < l->n; i++)
		write_text(out, l->v[i]);
}

static void write_record(struct outbuf *out, const struct record *r, const void *in);

static void write_records(struct outbuf *out, const struct record *r, const struct any_list *l)
{
	write_number(out, l->n);
	for (size_t i = 0; i < l->n && !out->failed; i++)
		write_record(out, r, (const uint8_t *)l->v + i * r->size);
}

/* Calls itself as deep as the tables go, whatever the facts are. */
static void write_record(struct outbuf *out, const struct record *r, const void *in)
{
	for (size_t i = 0; i < r->n; i++) {
		const struct field *f = &r->fields[i];

		switch (f->kind) {
		case FIELD_NUMBER:
			write_number(out, field_number(f, in));
			break;
		case FIELD_TEXT:
			write_text(out, *field_text(f, in));
			break;
		case FIELD_TEXTS:
		case FIELD_TEXTS_SORTED:
			write_texts(out, field_texts(f, in));
			break;
		case FIELD_RECORDS:
			write_records(out, f->of, field_records(f, in));
			break;
		case FIELD_ENTRIES:
			entries_write((const struct entries *)((const uint8_t *)in + f->offset), out);
			break;
		}
	}
}

void facts_write(const struct facts *f, struct outbuf *out)
{
	outbuf_put(out, magic);
	write_number(out, facts_layout_version());
	write_record(out, &facts_record, f);
	outbuf_put(out, end_mark);
}

/* Like the cursor in it, the reader is bad for ever once anything is wrong. */
struct reader {
	struct cursor c;
	struct arena *mem;
};

static uint64_t read_number(struct reader *r, uint64_t max)
{
	return number_get(&r->c, max);
}

static struct span read_text(struct reader *r)
{
	struct span s = cursor_take(&r->c, read_number(r, UINT64_MAX));

	return s.n ? s : SPAN_NONE;
}

/* Length of a list: no more than the bytes that are left can hold, so that memory follows from bytes that are there. */
static size_t read_count(struct reader *r, size_t least_bytes)
{
	uint64_t n = read_number(r, UINT64_MAX);

	if (n > cursor_left(&r->c) / least_bytes)
		r->c.bad = true;
	return r->c.bad ? 0 : (size_t)n;
}

static void read_texts(struct reader *r, bool sorted, struct spans *l)
{
	size_t n = read_count(r, 1);

	if (n)
		l->v = arena_alloc(r->mem, n * sizeof(*l->v));
	for (l->cap = n; l->n < n && !r->c.bad; l->n++) {
		l->v[l->n] = read_text(r);
		if (sorted && l->n && span_cmp(l->v[l->n - 1], l->v[l->n]) >= 0)
			r->c.bad = true;
	}
}

static void read_record(struct reader *r, const struct record *rec, void *to);

/* Every field takes a byte at least. */
static void read_records(struct reader *r, const struct record *rec, struct any_list *l)
{
	size_t n = read_count(r, rec->n);

	if (n)
		l->v = arena_alloc(r->mem, n * rec->size);
	for (l->cap = n; l->n < n && !r->c.bad; l->n++) {
		uint8_t *to = (uint8_t *)l->v + l->n * rec->size;

		read_record(r, rec, to);
		if (rec->keys && l->n && record_cmp(rec, rec->keys, to - rec->size, to) >= 0)
			r->c.bad = true;
	}
}

static void read_record(struct reader *r, const struct record *rec, void *to)
{
	for (size_t i = 0; i < rec->n && !r->c.bad; i++) {
		const struct field *f = &rec->fields[i];

		switch (f->kind) {
		case FIELD_NUMBER:
			field_number_set(f, to, read_number(r, f->max));
			break;
		case FIELD_TEXT:
			*(struct span *)((uint8_t *)to + f->offset) = read_text(r);
			break;
		case FIELD_TEXTS:
		case FIELD_TEXTS_SORTED:
			read_texts(r, f->kind == FIELD_TEXTS_SORTED, (struct spans *)((uint8_t *)to + f->offset));
			break;
		case FIELD_RECORDS:
			read_records(r, f->of, (struct any_list *)((uint8_t *)to + f->offset));
			break;
		case FIELD_ENTRIES:
			entries_read(&r->c, r->mem, (struct entries *)((uint8_t *)to + f->offset));
			break;
		}
	}
}

int facts_read(struct span bytes, struct facts *f, struct err *e)
{
	struct reader r = {cursor_over(bytes), f->mem};
	size_t at;

	*f = (struct facts){.mem = f->mem};
	if (!span_eq(cursor_take(&r.c, magic.n), magic) || read_number(&r, UINT64_MAX) != facts_layout_version())
		return err_set(e, ERR_FORMAT, 0, "not facts of this version");
	read_record(&r, &facts_record, f);
	at = r.c.at;
	if (!r.c.bad && span_eq(cursor_take(&r.c, end_mark.n), end_mark) && cursor_left(&r.c) == 0)
		return 0;
	*f = (struct facts){.mem = f->mem};
	return err_set(e, ERR_FORMAT, at, "facts are damaged at byte %zu", at);
}

static int by_keys(const void *a, const void *b, void *record)
{
	const struct record *r = record;

	return record_cmp(r, r->keys, a, b);
}

static void sort_records(const struct record *r, struct any_list *l)
{
	uint8_t *v = l->v;
	size_t kept = 0;

	if (l->n == 0)
		return;
	qsort_r(v, l->n, r->size, by_keys, (void *)(uintptr_t)r);
	for (size_t i = 1; i < l->n; i++)
		if (record_cmp(r, r->keys, v + kept * r->size, v + i * r->size) != 0 && ++kept != i)
			memcpy(v + kept * r->size, v + i * r->size, r->size);
	l->n = kept + 1;
}

void facts_sort(struct facts *f)
{
	for (size_t i = 0; i < f->objects.n; i++)
		object_sort(&f->objects.v[i], f->mem);
	for (size_t i = 0; i < f->packages.n; i++)
		spans_sort_unique(&f->packages.v[i].tags);
	sort_records(&object_record, (struct any_list *)&f->objects);
	sort_records(&package_record, (struct any_list *)&f->packages);
	sort_records(&digest_record, (struct any_list *)&f->digests);
	sort_records(&problem_record, (struct any_list *)&f->problems);
}
