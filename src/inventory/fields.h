/* SPDX-License-Identifier: Apache-2.0 */
/* What an inventory's JSON consists of, told once, as rows that the reader walks. Private to inventory_*.c. */
#ifndef POSTERN_INVENTORY_FIELDS_H
#define POSTERN_INVENTORY_FIELDS_H

#include "base/json_reader.h"
#include "model/inventory.h"

enum inventory_kind {
	IS_TEXT,  /* struct span */
	IS_TEXTS, /* struct spans */
	IS_NUMBER,
	IS_BOOL,
	IS_VISIBLE, /* a bool that says the contrary: hidden */
	IS_WORD,    /* one of few words; their number is stored, or nothing where size is 0 */
	IS_LAYER,   /* counts from 0 in JSON, from 1 in memory */
	IS_LAYERS,  /* a list of uint32_t */
	IS_LENGTH,  /* says how long the list is that an earlier row read */
	IS_PLACE,   /* says where in its list this object stands */
	IS_LABELS,  /* an object with any names, and texts */
	IS_ROW,     /* an object */
	IS_ROWS,    /* a list of objects */
};

struct inventory_field {
	const char *name;
	enum inventory_kind kind;
	bool required;
	size_t offset;
	size_t size;                    /* of a number or word: 1, 4, 8 */
	uint64_t max;                   /* of a number; of a word the last one */
	const char *(*word)(uint64_t);  /* "" for one that cannot be written */
	const struct inventory_row *of; /* of objects */
	bool tells;                     /* its being there is kept: */
	bool told;                      /* as this, */
	size_t flag;                    /* here */
};

struct inventory_row {
	size_t size;
	const struct inventory_field *fields;
	size_t n;
	bool walked;                            /* one member at a time: it may be larger than a document */
	void (*begin)(void *row);               /* what an empty one says */
	int (*check)(void *row, struct err *e); /* when all members are there */
};

#define COUNT(v) (sizeof(v) / sizeof(*(v)))
#define ROW(type, table, ...)                                                                                          \
	{                                                                                                              \
		.size = sizeof(type), .fields = (table), .n = COUNT(table), __VA_ARGS__                                \
	}
/* More about a field stands behind these, as .required = true. */
#define FIELD(json_name, k, type, member, ...)                                                                         \
	{                                                                                                              \
		.name = (json_name), .kind = (k), .offset = offsetof(type, member),                                    \
		.size = sizeof(((type *)0)->member), __VA_ARGS__                                                       \
	}
#define TEXT(json_name, type, member, ...)       FIELD(json_name, IS_TEXT, type, member, __VA_ARGS__)
#define TEXTS(json_name, type, member, ...)      FIELD(json_name, IS_TEXTS, type, member, __VA_ARGS__)
#define NUMBER(json_name, type, member, ...)     FIELD(json_name, IS_NUMBER, type, member, .max = UINT64_MAX, __VA_ARGS__)
#define SMALL(json_name, type, member, top, ...) FIELD(json_name, IS_NUMBER, type, member, .max = (top), __VA_ARGS__)
#define WORD(json_name, type, member, names, count, ...)                                                               \
	FIELD(json_name, IS_WORD, type, member, .word = (names), .max = (count)-1, __VA_ARGS__)
#define ROWS(json_name, type, member, row, ...) FIELD(json_name, IS_ROWS, type, member, .of = &(row), __VA_ARGS__)
/* An object whose members are this struct's own. */
#define PART(json_name, row, ...)                                                                                      \
	{                                                                                                              \
		.name = (json_name), .kind = IS_ROW, .of = &(row), __VA_ARGS__                                         \
	}
/* A word that is always the same. */
#define CONSTANT(json_name, names, ...)                                                                                \
	{                                                                                                              \
		.name = (json_name), .kind = IS_WORD, .word = (names), __VA_ARGS__                                     \
	}
#define TELLS(type, member, value) .tells = true, .flag = offsetof(type, member), .told = (value)
#define REQUIRED                   .required = true

struct inventory_reading {
	struct json_reader *in;
	struct arena *mem;
	struct err *e;
	uint64_t at;  /* of the value that is being read */
	size_t place; /* in its list of the object that is being read */
};

/* The next value of c->in has to be such an object; `to`, which is zeroed, is filled by it. A row has 64 fields at
 * most. */
int inventory_walk(struct inventory_reading *c, const struct inventory_row *row, void *to);
extern const struct inventory_row inventory_object_row, inventory_package_row, inventory_store_row,
        inventory_summary_row, inventory_artifact_row;

/* Words that two files read. */
const char *inventory_form_word(uint64_t v);

#endif
