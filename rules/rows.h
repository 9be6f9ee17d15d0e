/* SPDX-License-Identifier: Apache-2.0 */
/* From a map of a document to a struct: which keys there are is a table, and everything that is not in it is an error.
 */
#ifndef POSTERN_RULES_ROWS_H
#define POSTERN_RULES_ROWS_H

#include "rules/yaml.h"

enum key_kind {
	KEY_TEXT,  /* struct span */
	KEY_FLAG,  /* bool */
	KEY_TEXTS, /* struct spans: one text, or a list */
	KEY_MAP,   /* const struct node *, a map */
	KEY_LIST   /* const struct node *, a list */
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
/* Place of the word among these, or an error that names the nearest. what: "strength". */
int word_read(size_t *place, const struct node *map, const char *key, struct span word, const char *const *words,
              size_t n, struct err *e);

#endif
