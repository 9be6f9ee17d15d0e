/* SPDX-License-Identifier: Apache-2.0 */
/* Open lists: level, number of the folder, and behind them the row as it stands in a sealed list. */
#include "model/entries.h"

#include <stdlib.h>

#include "base/name_hash.h"
#include "model/entries_parts.h"

#define CHUNK_FIRST 4096
#define CHUNK_BITS  20
#define CHUNK_MOST  ((size_t)1 << CHUNK_BITS)
#define CHUNKS_MOST ((size_t)1 << (32 - CHUNK_BITS))

const uint8_t *row_decode(const uint8_t *p, struct entry_row *r)
{
	uint8_t head = *p++;

	*r = (struct entry_row){.kind = (enum entry_kind)(head & ROW_KIND)};
	r->name.n = (size_t)number_next(&p);
	r->name.p = p;
	p += r->name.n;
	if (head & ROW_BYTES)
		r->bytes = number_next(&p);
	if (head & ROW_TARGET) {
		r->target.n = (size_t)number_next(&p);
		r->target.p = p;
		p += r->target.n;
	}
	if (head & ROW_ORDER)
		r->order = (uint32_t)number_next(&p);
	return p;
}

static size_t text_put(uint8_t *to, struct span s)
{
	size_t n = number_put(to, s.n);

	if (s.n)
		memcpy(to + n, s.p, s.n);
	return n + s.n;
}

/* to: room for the row's texts and four numbers. */
static size_t row_encode(uint8_t *to, const struct entry_row *r)
{
	size_t n = 1;

	to[0] = (uint8_t)((uint8_t)r->kind | (r->bytes ? ROW_BYTES : 0) | (r->target.n ? ROW_TARGET : 0) |
	                  (r->order ? ROW_ORDER : 0));
	n += text_put(to + n, r->name);
	if (r->bytes)
		n += number_put(to + n, r->bytes);
	if (r->target.n)
		n += text_put(to + n, r->target);
	if (r->order)
		n += number_put(to + n, r->order);
	return n;
}

uint8_t *chunk_at(const struct entries *l, uint32_t place)
{
	return l->chunks.v[place >> CHUNK_BITS].p + (place & (CHUNK_MOST - 1));
}

/* Room for one row; the caller says how much of it was used. */
static struct entry_chunk *chunk_room(struct entries *l, struct arena *mem, size_t n)
{
	struct entry_chunk *c = l->chunks.n ? &l->chunks.v[l->chunks.n - 1] : NULL;
	size_t size = !c || c->size >= CHUNK_MOST ? CHUNK_MOST : 2 * c->size;

	if (c && n <= c->size - c->used)
		return c;
	if (l->chunks.n == CHUNKS_MOST)
		out_of_memory();
	if (l->chunks.n == 0)
		size = CHUNK_FIRST;
	size = n > size ? n : size;
	c = list_add(mem, &l->chunks);
	*c = (struct entry_chunk){.p = arena_alloc(mem, size), .size = size};
	return c;
}

static void row_add(struct entries *l, struct arena *mem, uint32_t folder, uint8_t level, const struct entry_row *r)
{
	struct entry_chunk *c = chunk_room(l, mem, r->name.n + r->target.n + 2 + 5 * NUMBER_BYTES);
	size_t n = 1;

	c->p[c->used] = level;
	n += number_put(c->p + c->used + n, folder);
	n += row_encode(c->p + c->used + n, r);
	c->used += n;
	/* A row above the size of a chunk has one of its own. */
	if (c->used > CHUNK_MOST - 1)
		c->size = c->used;
	l->n++;
}

static size_t slot_find(const struct entries *l, uint32_t parent, struct span name)
{
	size_t i = name_hash(l->key, parent, name) & (l->slot_n - 1);

	for (; l->slots[i]; i = (i + 1) & (l->slot_n - 1)) {
		const struct entry_folder *f = entries_folder(l, l->slots[i] - 1);

		if (f->parent == parent && span_eq(folder_name(f), name))
			break;
	}
	return i;
}

static void slots_grow(struct entries *l, struct arena *mem)
{
	l->slot_n = l->slot_n ? 2 * l->slot_n : 16;
	l->slots = arena_alloc(mem, l->slot_n * sizeof(*l->slots));
	for (size_t i = 1; i < l->folder_n; i++) {
		const struct entry_folder *f = entries_folder(l, i);

		l->slots[slot_find(l, f->parent, folder_name(f))] = (uint32_t)i + 1;
	}
}

static struct entry_folder *folder_room(struct entries *l, struct arena *mem)
{
	size_t piece = (size_t)1 << FOLDERS_BITS;

	if (l->folder_n % piece == 0)
		*list_add(mem, &l->pieces) = arena_alloc(mem, piece * sizeof(struct entry_folder));
	return entries_folder(l, l->folder_n++);
}

static uint32_t child_add(struct entries *l, struct arena *mem, uint32_t parent, struct span name)
{
	struct entry_folder *f;
	size_t i = slot_find(l, parent, name);

	if (l->slots[i])
		return l->slots[i] - 1;
	if (4 * l->folder_n > 3 * l->slot_n) {
		slots_grow(l, mem);
		i = slot_find(l, parent, name);
	}
	f = folder_room(l, mem);
	f->name = arena_copy(mem, name).p;
	f->name_n = (uint32_t)name.n;
	f->parent = parent;
	l->slots[i] = (uint32_t)l->folder_n;
	return (uint32_t)l->folder_n - 1;
}

/* path: a folder's, with the slash behind it. */
static uint32_t folder_add(struct entries *l, struct arena *mem, struct span path)
{
	struct span rest = path;
	uint32_t at = ENTRIES_ROOT;

	if (l->folder_n && span_eq(path, (struct span){l->last_path, l->last_n}))
		return l->last;
	if (!l->folder_n) {
		folder_room(l, mem);
		l->key = name_hash_key();
		slots_grow(l, mem);
	}
	while (rest.n) {
		struct span part = span_first(rest, span_find(rest, '/'));

		at = child_add(l, mem, at, part);
		rest = span_after(rest, part.n + 1);
	}
	if (path.n > l->last_cap) {
		l->last_cap = 2 * path.n;
		l->last_path = arena_alloc(mem, l->last_cap);
	}
	if (path.n)
		memcpy(l->last_path, path.p, path.n);
	l->last_n = path.n;
	l->last = at;
	return at;
}

void entries_add_level(struct entries *l, struct arena *mem, const struct entry *e, uint8_t level)
{
	struct entry_row r = {span_base_name(e->path), e->kind, e->bytes, e->target, e->order};

	row_add(l, mem, folder_add(l, mem, span_first(e->path, e->path.n - r.name.n)), level, &r);
}

void entries_add(struct entries *l, struct arena *mem, const struct entry *e)
{
	entries_add_level(l, mem, e, ENTRIES_ALL);
}

uint32_t entries_end(const struct entries *l)
{
	const struct entry_chunk *c = l->chunks.n ? &l->chunks.v[l->chunks.n - 1] : NULL;

	if (!c)
		return 0;
	if (c->used >= CHUNK_MOST)
		return (uint32_t)(l->chunks.n << CHUNK_BITS);
	return (uint32_t)((l->chunks.n - 1) << CHUNK_BITS | c->used);
}

void entries_rename(struct entries *l, struct arena *mem, const struct entry_cursor *c, struct span path)
{
	struct span name = span_base_name(path);
	struct entry_row r = c->row;

	r.name = name;
	row_add(l, mem, folder_add(l, mem, span_first(path, path.n - name.n)), c->level, &r);
	*chunk_at(l, c->at) = ROW_GONE;
	l->n--;
}

/* The next row of an open list that is not gone. */
bool open_next(const struct entries *l, struct entry_cursor *c)
{
	for (;;) {
		size_t chunk = c->next >> CHUNK_BITS, offset = c->next & (CHUNK_MOST - 1);
		const uint8_t *start, *p;

		if (chunk >= l->chunks.n || (chunk + 1 == l->chunks.n && offset >= l->chunks.v[chunk].used))
			return false;
		if (offset >= l->chunks.v[chunk].used) {
			c->next = (uint32_t)((chunk + 1) << CHUNK_BITS);
			continue;
		}
		start = p = l->chunks.v[chunk].p + offset;
		c->at = c->next;
		c->level = *p++;
		c->folder = (uint32_t)number_next(&p);
		p = row_decode(p, &c->row);
		offset += (size_t)(p - start);
		c->next = (uint32_t)(offset < CHUNK_MOST ? chunk << CHUNK_BITS | offset : (chunk + 1) << CHUNK_BITS);
		if (c->level != ROW_GONE)
			return true;
	}
}
