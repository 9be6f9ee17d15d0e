/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What facts consist of, told once: writer, reader, order and version of the bytes all walk these tables, so they
 * cannot drift apart. A new field of the model is one row here. Private to facts*.c.
 */
#ifndef POSTERN_WORKERS_FACTS_LAYOUT_H
#define POSTERN_WORKERS_FACTS_LAYOUT_H

#include "model/facts.h"

enum field_kind {
	FIELD_NUMBER,       /* also enums and booleans: 0..max */
	FIELD_TEXT,         /* struct span */
	FIELD_TEXTS,        /* struct spans as they stand */
	FIELD_TEXTS_SORTED, /* struct spans, sorted and unique */
	FIELD_RECORDS,      /* a list of structs */
	FIELD_ENTRIES,      /* struct entries: model/entries.h has its bytes */
};

struct field {
	enum field_kind kind;
	size_t offset;
	size_t size;                         /* of a number: 1, 4, 8 */
	uint64_t max;                        /* of a number */
	const char *(*name)(uint64_t value); /* orders a number by its name, if any */
	const struct record *of;             /* of a list */
};

struct record {
	size_t size;
	const struct field *fields;
	size_t n;
	/* Lists of it are in strict order of this many first fields; 0: they stand as they are. */
	size_t keys;
};

/* What every LIST is. */
struct any_list {
	void *v;
	size_t n, cap;
};

/* struct facts itself, and its lists. */
extern const struct record facts_record, object_record, package_record, digest_record, problem_record;

uint64_t field_number(const struct field *f, const void *in);
void field_number_set(const struct field *f, void *in, uint64_t v);

static inline const struct span *field_text(const struct field *f, const void *in)
{
	return (const struct span *)((const uint8_t *)in + f->offset);
}

static inline const struct spans *field_texts(const struct field *f, const void *in)
{
	return (const struct spans *)((const uint8_t *)in + f->offset);
}

static inline const struct any_list *field_records(const struct field *f, const void *in)
{
	return (const struct any_list *)((const uint8_t *)in + f->offset);
}

/* Order of two structs by their first n fields. */
int record_cmp(const struct record *r, size_t n, const void *a, const void *b);
/* Tells layouts apart: it changes with every field, limit and finding id. */
uint32_t facts_layout_version(void);

#endif
