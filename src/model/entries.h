/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The names of an artifact, millions of them: a folder's path stands once, and of each name the bytes that follow it.
 * A list is open while a job fills it: rows stand in the order in which they came. Sealed it is the bytes that facts have
 * of it: folders in strict order of (parent, name), then of each its rows in order of (name, kind, bytes, target, order).
 * A list of zeros is open and empty. What a row says points into the list.
 */
#ifndef POSTERN_MODEL_ENTRIES_H
#define POSTERN_MODEL_ENTRIES_H

#include "base/cursor.h"
#include "base/outbuf.h"
#include "model/entry.h"

#define ENTRIES_LAYOUT 1          /* of the bytes: another number whenever they change */
#define ENTRIES_ALL    0          /* rows of any level */
#define NO_PLACE       UINT32_MAX
#define ENTRIES_ROOT   0          /* the folder that all lie in */

struct entry_row {
	struct span name; /* the last part of the path */
	enum entry_kind kind;
	uint64_t bytes;
	struct span target;
	uint32_t order;
};

struct entry_folder {
	const uint8_t *name;
	uint32_t name_n, parent; /* parents stand before their children */
};

/* The rows of a folder in a sealed list. */
struct entry_group {
	uint32_t first, n; /* place of the first one, and how many */
	uint32_t step;     /* more than a few: the first of their places in `steps` */
};

#define FOLDERS_BITS 10 /* folders of one piece */

struct entry_chunk {
	uint8_t *p;
	size_t used, size;
};

struct entries {
	size_t n; /* rows */
	LIST(struct entry_folder *) pieces;
	size_t folder_n;
	/* Open: */
	LIST(struct entry_chunk) chunks;
	uint32_t *slots; /* numbers of folders, plus one, by name_hash */
	size_t slot_n;
	uint64_t key;
	uint8_t *last_path; /* of the folder that the last row lies in */
	size_t last_n, last_cap;
	uint32_t last;
	/* Sealed: */
	bool sealed;
	struct span bytes;
	struct entry_group *groups; /* one a folder */
	uint32_t *steps;            /* places of rows of large folders, some rows apart */
};

static inline struct entry_folder *entries_folder(const struct entries *l, size_t i)
{
	return &l->pieces.v[i >> FOLDERS_BITS][i & (((size_t)1 << FOLDERS_BITS) - 1)];
}

/* Walks all rows; zeros begin. entries_done frees what it holds. */
struct entry_cursor {
	uint32_t at; /* place of the row; with it entries_row finds it again */
	uint32_t folder;
	uint8_t level; /* open */
	struct entry_row row;
	/* Private: */
	uint32_t next; /* open: place of the next row; sealed: number of the next folder */
	uint32_t behind, left; /* sealed: place behind the row, and rows that the folder has there */
	uint8_t *path;
	size_t path_cap, path_n; /* bytes of the folder's path, and the slash */
	uint32_t path_of; /* the folder whose path stands there, plus one */
};

/* Adds a copy. level: of an open list, for whoever fills it (1 to 254). */
void entries_add(struct entries *l, struct arena *mem, const struct entry *e);
void entries_add_level(struct entries *l, struct arena *mem, const struct entry *e, uint8_t level);
/* The place that the next row will have or come after: rows from there on are newer. */
uint32_t entries_end(const struct entries *l);
/* The row at this place of an open list gets another path: it becomes the newest. */
void entries_rename(struct entries *l, struct arena *mem, const struct entry_cursor *c, struct span path);
/*
 * Places of the rows of that level which are no older than `from`, by (number of folder, name, age): malloc'ed, the
 * caller's; *n are there.
 */
uint32_t *entries_order(const struct entries *l, uint8_t level, uint32_t from, size_t *n);

bool entries_next(const struct entries *l, struct entry_cursor *c);
/* Sets c to the row at this place; entries_next goes on behind it (sealed). */
void entries_go(const struct entries *l, struct entry_cursor *c, uint32_t place);
/* The whole path of the cursor's row; it lives until the cursor moves. */
struct span entries_path(const struct entries *l, struct entry_cursor *c);
/* The row as a whole. Its path lives as that of entries_path. */
struct entry entries_entry(const struct entries *l, struct entry_cursor *c);
void entries_done(struct entry_cursor *c);

/* Writes the sealed form of any list. */
void entries_write(const struct entries *l, struct outbuf *out);
/* Takes exactly one sealed list in canonical form, or makes the cursor bad. *l points into the bytes. */
void entries_read(struct cursor *c, struct arena *mem, struct entries *l);
/* An open list becomes sealed, in memory of mem. */
void entries_seal(struct entries *l, struct arena *mem);

/* Of sealed lists: */
/* What stands at a place. */
struct entry_row entries_row(const struct entries *l, uint32_t place);
uint32_t entries_folder_of(const struct entries *l, uint32_t place);
/* The folder of that name in another, or NO_PLACE. */
uint32_t entries_child(const struct entries *l, uint32_t folder, struct span name);
/* The last row of that name in a folder, or NO_PLACE. */
uint32_t entries_find_in(const struct entries *l, uint32_t folder, struct span name);
/* The last row of that path, or NO_PLACE. */
uint32_t entries_find(const struct entries *l, struct span path);

#endif
