/* SPDX-License-Identifier: Apache-2.0 */
/* Sealed lists: the one strict reader of their bytes, and look-ups in them. */
#include "model/entries_parts.h"

static struct span text_get(struct cursor *c)
{
	return cursor_take(c, number_get(c, UINT32_MAX));
}

static int folder_cmp(const struct entry_folder *a, const struct entry_folder *b)
{
	int c = (a->parent > b->parent) - (a->parent < b->parent);

	return c ? c : span_cmp(folder_name(a), folder_name(b));
}

static bool has_slash(struct span name)
{
	return span_find(name, '/') < name.n;
}

/* Folders besides the root, each behind its parent, in strict order. */
static void folders_read(struct cursor *c, struct arena *mem, struct entries *l)
{
	uint64_t n = number_get(c, UINT32_MAX - 1);
	struct entry_folder *v;

	/* Each has a parent, a length and rows or a folder below. */
	if (n > cursor_left(c) / 2)
		c->bad = true;
	if (c->bad)
		return;
	v = arena_alloc(mem, ((size_t)n + 1) * sizeof(*v));
	l->groups = arena_alloc(mem, ((size_t)n + 1) * sizeof(*l->groups));
	l->folder_n = (size_t)n + 1;
	for (size_t i = 0; i < l->folder_n; i += (size_t)1 << FOLDERS_BITS)
		*list_add(mem, &l->pieces) = v + i;
	for (size_t i = 1; i <= n && !c->bad; i++) {
		struct entry_folder *f = &v[i];
		struct span name;

		f->parent = (uint32_t)number_get(c, i - 1);
		name = text_get(c);
		f->name = name.p;
		f->name_n = (uint32_t)name.n;
		if (has_slash(name) || (i > 1 && folder_cmp(f - 1, f) >= 0))
			c->bad = true;
	}
}

static uint64_t given(struct cursor *c, uint64_t max)
{
	uint64_t v = number_get(c, max);

	/* What is not there is not said to be there. */
	if (v == 0)
		c->bad = true;
	return v;
}

static void row_read(struct cursor *c, struct entry_row *r)
{
	uint8_t head = cursor_u8(c);

	*r = (struct entry_row){.kind = (enum entry_kind)(head & ROW_KIND)};
	if (r->kind >= ENTRY_KIND_COUNT || head >= 2 * ROW_ORDER)
		c->bad = true;
	r->name = text_get(c);
	if (has_slash(r->name))
		c->bad = true;
	if (head & ROW_BYTES)
		r->bytes = given(c, UINT64_MAX);
	if (head & ROW_TARGET)
		r->target = cursor_take(c, given(c, UINT32_MAX));
	if (head & ROW_ORDER)
		r->order = (uint32_t)given(c, UINT32_MAX);
}

static int row_cmp(const struct entry_row *a, const struct entry_row *b)
{
	int c = span_cmp(a->name, b->name);

	c = c ? c : (a->kind > b->kind) - (a->kind < b->kind);
	c = c ? c : (a->bytes > b->bytes) - (a->bytes < b->bytes);
	c = c ? c : span_cmp(a->target, b->target);
	return c ? c : (a->order > b->order) - (a->order < b->order);
}

/* most: rows that are left, for which there are steps. */
static void rows_read(struct cursor *c, struct entries *l, struct entry_group *f, uint64_t most, uint32_t *used)
{
	const uint8_t *start = l->bytes.p;
	struct entry_row rows[2];

	f->n = (uint32_t)number_get(c, most);
	f->first = (uint32_t)(c->s.p + c->at - start);
	f->step = *used;
	for (uint32_t i = 0; i < f->n && !c->bad; i++) {
		if (i && i % STEP == 0)
			l->steps[(*used)++] = (uint32_t)(c->s.p + c->at - start);
		row_read(c, &rows[i & 1]);
		if (i && row_cmp(&rows[(i - 1) & 1], &rows[i & 1]) >= 0)
			c->bad = true;
	}
}

/* Every folder is there for something. */
static bool all_needed(const struct entries *l)
{
	size_t child = 1;

	/* Children of one folder stand together, in order of their parents. */
	for (size_t i = 1; i < l->folder_n; i++) {
		while (child < l->folder_n && entries_folder(l, child)->parent < i)
			child++;
		if (l->groups[i].n == 0 && (child == l->folder_n || entries_folder(l, child)->parent != i))
			return false;
	}
	return true;
}

void entries_read(struct cursor *c, struct arena *mem, struct entries *l)
{
	uint64_t n = number_get(c, UINT32_MAX), sum = 0;
	size_t from = c->at;
	uint32_t used = 0;

	*l = (struct entries){.sealed = true};
	/* Two bytes a row, and what is not there is not counted. Places have 32 bits. */
	if (n > cursor_left(c) / 2 || c->s.n > UINT32_MAX)
		c->bad = true;
	if (c->bad || n == 0)
		return;
	folders_read(c, mem, l);
	if (c->bad)
		return;
	l->bytes.p = c->s.p + from;
	l->steps = arena_alloc(mem, ((size_t)n / STEP + 1) * sizeof(*l->steps));
	for (size_t i = 0; i < l->folder_n && !c->bad; i++) {
		rows_read(c, l, &l->groups[i], n - sum, &used);
		sum += l->groups[i].n;
	}
	if (sum != n || c->bad || !all_needed(l)) {
		c->bad = true;
		return;
	}
	l->n = (size_t)n;
	l->bytes.n = c->at - from;
}

void entries_seal(struct entries *l, struct arena *mem)
{
	struct outbuf out = outbuf_limited(UINT32_MAX);
	struct cursor c;

	if (l->sealed)
		return;
	entries_write(l, &out);
	if (out.failed)
		out_of_memory();
	arena_own(mem, out.p);
	c = cursor_over(outbuf_span(&out));
	entries_read(&c, mem, l);
}

struct entry_row entries_row(const struct entries *l, uint32_t place)
{
	struct entry_row r;

	row_decode(l->bytes.p + place, &r);
	return r;
}

uint32_t entries_folder_of(const struct entries *l, uint32_t place)
{
	size_t low = 0, high = l->folder_n;

	/* The counts before the rows make that no two begin at one place. */
	while (high - low > 1) {
		size_t mid = low + (high - low) / 2;

		if (l->groups[mid].first <= place)
			low = mid;
		else
			high = mid;
	}
	return (uint32_t)low;
}

uint32_t entries_child(const struct entries *l, uint32_t folder, struct span name)
{
	struct entry_folder key = {.name = name.p, .name_n = (uint32_t)name.n, .parent = folder};
	size_t low = 1, high = l->folder_n;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (folder_cmp(entries_folder(l, mid), &key) < 0)
			low = mid + 1;
		else
			high = mid;
	}
	return low < l->folder_n && folder_cmp(entries_folder(l, low), &key) == 0 ? (uint32_t)low : NO_PLACE;
}

uint32_t entries_find_in(const struct entries *l, uint32_t folder, struct span name)
{
	const struct entry_group *f = &l->groups[folder];
	uint32_t low = 0, high = f->n ? (f->n - 1) / STEP : 0, found = NO_PLACE;
	const uint8_t *p;

	/* The last step whose row is not behind the name. */
	while (low < high) {
		uint32_t mid = low + (high - low + 1) / 2;

		if (span_cmp(entries_row(l, l->steps[f->step + mid - 1]).name, name) <= 0)
			low = mid;
		else
			high = mid - 1;
	}
	p = l->bytes.p + (low ? l->steps[f->step + low - 1] : f->first);
	for (uint32_t i = low * STEP; i < f->n && i < (low + 1) * STEP; i++) {
		const uint8_t *at = p;
		struct entry_row r;
		int c;

		p = row_decode(p, &r);
		c = span_cmp(r.name, name);
		if (c > 0)
			break;
		if (c == 0)
			found = (uint32_t)(at - l->bytes.p);
	}
	return found;
}

uint32_t entries_find(const struct entries *l, struct span path)
{
	struct span name = span_base_name(path), rest = span_first(path, path.n - name.n);
	uint32_t at = ENTRIES_ROOT;

	if (l->n == 0)
		return NO_PLACE;
	while (rest.n && at != NO_PLACE) {
		struct span part = span_first(rest, span_find(rest, '/'));

		at = entries_child(l, at, part);
		rest = span_after(rest, part.n + 1);
	}
	return at == NO_PLACE ? NO_PLACE : entries_find_in(l, at, name);
}
