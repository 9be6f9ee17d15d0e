/* SPDX-License-Identifier: Apache-2.0 */
/* From a map of a document to a struct: which keys there are is a table, and everything that is not in it is an error.
 */
#ifndef POSTERN_RULES_ROWS_H
#define POSTERN_RULES_ROWS_H

#include "rules/yaml.h"

enum key_kind {
	KEY_TEXT,   /* struct span */
	KEY_FLAG,   /* bool */
	KEY_TEXTS,  /* struct spans: one text, or a list */
	KEY_MAP,    /* const struct node *, a map */
	KEY_LIST,   /* const struct node *, a list */
	KEY_NODE,   /* const struct node *: what it is depends on more than its name */
	KEY_NUMBER, /* uint64_t */
	KEY_DATE,   /* struct row_date */
	KEY_GLOBS,  /* struct spans: one glob, or a list of some */
	KEY_LATER   /* nothing: refused by its name, for it will have a meaning one day */
};

struct row_date {
	struct span text; /* "2027-03-31" */
	int64_t day;      /* since 1970-01-01 */
};

struct row_key {
	const char *name;
	enum key_kind kind;
	bool must;
	size_t offset; /* of the member in the row */
};

/* row: zeroed by the caller. Text is never empty and ends with a NUL behind it. */
int row_read(void *row, const struct node *map, const struct row_key *keys, size_t n, struct arena *mem, struct err *e);
/* A scalar that is text: in quotes, or not to be taken for a number, a truth value or nothing. */
int text_read(struct span *out, const struct node *n, struct err *e);
/* The values of one that may be alone or in a list: the value itself, or the list's. */
const struct node *values_first(const struct node *n);
const struct node *values_next(const struct node *n, const struct node *value);
/*
 * Place of a scalar's word among these, quoted or not, or an error that names the nearest, unless a place is given for it
 * (SIZE_MAX: none). what: "backend".
 */
int word_choose(size_t *place, const struct node *n, const char *what, const char *const *words, size_t count, size_t nearest,
                struct err *e);
/* Place of the word among these, or an error that names the nearest. what: "strength". */
int word_read(size_t *place, const struct node *map, const char *key, struct span word, const char *const *words,
              size_t n, struct err *e);

#endif
