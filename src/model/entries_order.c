/* SPDX-License-Identifier: Apache-2.0 */
/* Order of an open list, by numbers: rows stay where they are. */
#include <stdlib.h>

#include "model/entries_parts.h"

static void row_open(const struct entries *l, uint32_t place, struct entry_row *r)
{
	const uint8_t *p = chunk_at(l, place) + 1;

	number_next(&p);
	row_decode(p, r);
}

static struct span name_open(const struct entries *l, uint32_t place)
{
	const uint8_t *p = chunk_at(l, place) + 1;
	struct span name;

	number_next(&p);
	p++;
	name.n = (size_t)number_next(&p);
	name.p = p;
	return name;
}

static int by_name(const void *x, const void *y, void *list)
{
	uint32_t a = *(const uint32_t *)x, b = *(const uint32_t *)y;
	int c = span_cmp(name_open(list, a), name_open(list, b));

	return c ? c : (a > b) - (a < b);
}

static void run_sort(const struct entries *l, uint32_t *v, size_t n)
{
	for (size_t i = 1; i < n; i++) {
		if (by_name(&v[i - 1], &v[i], (void *)(uintptr_t)l) < 0)
			continue;
		qsort_r(v, n, sizeof(*v), by_name, (void *)(uintptr_t)l);
		return;
	}
}

static bool wanted(const struct entry_cursor *c, uint8_t level)
{
	return level == ENTRIES_ALL || c->level == level;
}

uint32_t *entries_order(const struct entries *l, uint8_t level, uint32_t from, size_t *n)
{
	/* Where the rows of each folder begin, and while they are put there, where the next one goes. */
	uint32_t *at = calloc(l->folder_n + 2, sizeof(*at)), *v;
	struct entry_cursor c = {.next = from};

	if (!at)
		out_of_memory();
	for (*n = 0; entries_next(l, &c);)
		if (wanted(&c, level)) {
			at[c.folder + 2]++;
			++*n;
		}
	v = malloc((*n + 1) * sizeof(*v));
	if (!v)
		out_of_memory();
	for (size_t i = 1; i < l->folder_n + 2; i++)
		at[i] += at[i - 1];
	c = (struct entry_cursor){.next = from};
	while (entries_next(l, &c))
		if (wanted(&c, level))
			v[at[c.folder + 1]++] = c.at;
	for (size_t i = 0; i < l->folder_n; i++)
		run_sort(l, v + at[i], at[i + 1] - at[i]);
	free(at);
	return v;
}

/* What is left to compare of rows of one name. */
static int by_rest(const void *x, const void *y, void *list)
{
	struct entry_row a, b;
	int c;

	row_open(list, *(const uint32_t *)x, &a);
	row_open(list, *(const uint32_t *)y, &b);
	c = (a.kind > b.kind) - (a.kind < b.kind);
	c = c ? c : (a.bytes > b.bytes) - (a.bytes < b.bytes);
	c = c ? c : span_cmp(a.target, b.target);
	return c ? c : (a.order > b.order) - (a.order < b.order);
}

/* Rows of one folder in order of name: puts those of one name in order, and equal ones are there once. */
static size_t rows_unique(const struct entries *l, uint32_t *v, size_t n)
{
	size_t kept = 0, end;

	for (size_t i = 0; i < n; i = end) {
		size_t first = kept;

		for (end = i + 1; end < n && span_eq(name_open(l, v[i]), name_open(l, v[end]));)
			end++;
		if (end > i + 1)
			qsort_r(v + i, end - i, sizeof(*v), by_rest, (void *)(uintptr_t)l);
		for (size_t k = i; k < end; k++)
			if (kept == first || by_rest(&v[kept - 1], &v[k], (void *)(uintptr_t)l) != 0)
				v[kept++] = v[k];
	}
	return kept;
}

/* Folders in the order in which they are written. */
struct ranking {
	const struct entries *l;
	uint32_t *by_parent; /* folders by (parent, name) */
	uint32_t *first;     /* of each folder: its children in by_parent */
	uint32_t *rank;      /* of each folder */
	uint32_t *folder;    /* of each rank */
	bool *needed;        /* it has rows, or a folder below it has */
	size_t n;
};

static int by_folder_name(const void *x, const void *y, void *list)
{
	const struct entries *l = list;

	return span_cmp(folder_name(entries_folder(l, *(const uint32_t *)x)),
	                folder_name(entries_folder(l, *(const uint32_t *)y)));
}

static void *zeroed(size_t n, size_t size)
{
	void *p = calloc(n, size);

	if (!p)
		out_of_memory();
	return p;
}

/* rows: of each folder. */
static void rank_all(struct ranking *r, const uint32_t *rows)
{
	const struct entries *l = r->l;
	size_t n = l->folder_n;

	r->by_parent = zeroed(n + 1, sizeof(uint32_t));
	r->first = zeroed(n + 2, sizeof(uint32_t));
	r->rank = zeroed(n + 1, sizeof(uint32_t));
	r->folder = zeroed(n + 1, sizeof(uint32_t));
	r->needed = zeroed(n + 1, sizeof(bool));
	for (size_t i = n; i-- > 0;) {
		r->needed[i] = r->needed[i] || rows[i];
		if (i && r->needed[i]) {
			r->needed[entries_folder(l, i)->parent] = true;
			r->first[entries_folder(l, i)->parent + 2]++;
		}
	}
	for (size_t i = 1; i < n + 2; i++)
		r->first[i] += r->first[i - 1];
	for (size_t i = 1; i < n; i++)
		if (r->needed[i])
			r->by_parent[r->first[entries_folder(l, i)->parent + 1]++] = (uint32_t)i;
	r->n = 1;
	for (size_t i = 0; i < r->n; i++) {
		uint32_t f = r->folder[i], from = r->first[f], end = r->first[f + 1];

		qsort_r(r->by_parent + from, end - from, sizeof(uint32_t), by_folder_name, (void *)(uintptr_t)l);
		for (uint32_t k = from; k < end; k++) {
			r->rank[r->by_parent[k]] = (uint32_t)r->n;
			r->folder[r->n++] = r->by_parent[k];
		}
	}
}

static void ranking_free(struct ranking *r)
{
	free(r->by_parent);
	free(r->first);
	free(r->rank);
	free(r->folder);
	free(r->needed);
}

static void put_number(struct outbuf *out, uint64_t v)
{
	uint8_t bytes[NUMBER_BYTES];

	outbuf_put(out, (struct span){bytes, number_put(bytes, v)});
}

static void row_write(const struct entries *l, uint32_t place, struct outbuf *out)
{
	const uint8_t *p = chunk_at(l, place) + 1, *end;
	struct entry_row r;

	number_next(&p);
	end = row_decode(p, &r);
	outbuf_put(out, (struct span){p, (size_t)(end - p)});
}

/* v: the rows of all folders, `rows` of each; where they begin is in `from`. */
static void sealed_write(const struct ranking *r, const uint32_t *v, const uint32_t *from, const uint32_t *rows,
                         struct outbuf *out)
{
	put_number(out, r->n - 1);
	for (size_t i = 1; i < r->n; i++) {
		const struct entry_folder *f = entries_folder(r->l, r->folder[i]);

		put_number(out, r->rank[f->parent]);
		put_number(out, f->name_n);
		outbuf_put(out, folder_name(f));
	}
	for (size_t i = 0; i < r->n; i++) {
		uint32_t f = r->folder[i];

		put_number(out, rows[f]);
		for (size_t k = 0; k < rows[f]; k++)
			row_write(r->l, v[from[f] + k], out);
	}
}

static uint32_t folder_open(const struct entries *l, uint32_t place)
{
	const uint8_t *p = chunk_at(l, place) + 1;

	return (uint32_t)number_next(&p);
}

void entries_write(const struct entries *l, struct outbuf *out)
{
	struct ranking r = {.l = l};
	uint32_t *v, *from, *rows;
	size_t n, total = 0, end;

	if (l->sealed || l->n == 0) {
		put_number(out, l->n);
		outbuf_put(out, l->bytes);
		return;
	}
	v = entries_order(l, ENTRIES_ALL, 0, &n);
	from = zeroed(l->folder_n + 1, sizeof(*from));
	rows = zeroed(l->folder_n + 1, sizeof(*rows));
	for (size_t i = 0; i < n; i = end) {
		uint32_t f = folder_open(l, v[i]);

		for (end = i + 1; end < n && folder_open(l, v[end]) == f;)
			end++;
		from[f] = (uint32_t)i;
		rows[f] = (uint32_t)rows_unique(l, v + i, end - i);
		total += rows[f];
	}
	rank_all(&r, rows);
	put_number(out, total);
	sealed_write(&r, v, from, rows, out);
	ranking_free(&r);
	free(rows);
	free(from);
	free(v);
}
