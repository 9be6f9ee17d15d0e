/* SPDX-License-Identifier: Apache-2.0 */
/* One row after another, with the path where somebody asks for it. */
#include <stdlib.h>

#include "model/entries_parts.h"

static void row_take(const struct entries *l, struct entry_cursor *c, uint32_t place)
{
	c->at = place;
	c->behind = (uint32_t)(row_decode(l->bytes.p + place, &c->row) - l->bytes.p);
}

static bool sealed_next(const struct entries *l, struct entry_cursor *c)
{
	if (c->left) {
		c->left--;
		row_take(l, c, c->behind);
		return true;
	}
	while (c->next < l->folder_n && l->groups[c->next].n == 0)
		c->next++;
	if (l->n == 0 || c->next >= l->folder_n)
		return false;
	c->folder = c->next++;
	c->left = l->groups[c->folder].n - 1;
	row_take(l, c, l->groups[c->folder].first);
	return true;
}

bool entries_next(const struct entries *l, struct entry_cursor *c)
{
	return l->sealed ? sealed_next(l, c) : open_next(l, c);
}

void entries_go(const struct entries *l, struct entry_cursor *c, uint32_t place)
{
	uint32_t folder = c->folder;

	if (!l->sealed) {
		c->next = place;
		open_next(l, c);
		return;
	}
	/* Most lie in the folder of the one before. */
	if (place < l->groups[folder].first ||
	    (folder + 1 < l->folder_n && place >= l->groups[folder + 1].first))
		folder = entries_folder_of(l, place);
	c->folder = folder;
	c->next = folder + 1;
	c->left = 0;
	row_take(l, c, place);
}

static void path_room(struct entry_cursor *c, size_t n)
{
	if (n <= c->path_cap)
		return;
	c->path_cap = n < 256 ? 256 : 2 * n;
	c->path = realloc(c->path, c->path_cap);
	if (!c->path)
		out_of_memory();
}

static void folder_path(const struct entries *l, struct entry_cursor *c)
{
	size_t n = 0, at;

	for (uint32_t i = c->folder; i != ENTRIES_ROOT; i = entries_folder(l, i)->parent)
		n += entries_folder(l, i)->name_n + 1;
	path_room(c, n);
	at = n;
	for (uint32_t i = c->folder; i != ENTRIES_ROOT; i = entries_folder(l, i)->parent) {
		const struct entry_folder *f = entries_folder(l, i);

		at -= f->name_n + 1;
		if (f->name_n)
			memcpy(c->path + at, f->name, f->name_n);
		c->path[at + f->name_n] = '/';
	}
	c->path_n = n;
	c->path_of = c->folder + 1;
}

struct span entries_path(const struct entries *l, struct entry_cursor *c)
{
	if (c->path_of != c->folder + 1)
		folder_path(l, c);
	path_room(c, c->path_n + c->row.name.n);
	if (c->row.name.n)
		memcpy(c->path + c->path_n, c->row.name.p, c->row.name.n);
	return (struct span){c->path, c->path_n + c->row.name.n};
}

struct entry entries_entry(const struct entries *l, struct entry_cursor *c)
{
	return (struct entry){.path = entries_path(l, c),
	                      .kind = c->row.kind,
	                      .bytes = c->row.bytes,
	                      .target = c->row.target,
	                      .order = c->row.order};
}

void entries_done(struct entry_cursor *c)
{
	free(c->path);
	*c = (struct entry_cursor){0};
}
