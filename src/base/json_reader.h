/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A large JSON document from a descriptor, front to back: the outer objects and lists are walked, and only one value in
 * them is ever in memory. As strict as json_read: the same grammar, no doubled keys, json-bytes, json-depth and
 * json-nodes for each value (and for the names of each object that is walked), and a limit for the document as a whole.
 */
#ifndef POSTERN_BASE_JSON_READER_H
#define POSTERN_BASE_JSON_READER_H

#include "base/json.h"

#define JSON_READER_DEPTH 8
#define JSON_READER_BYTES 65536

/* An object or list that is being walked. */
struct json_walk {
	char closer; /* '}' or ']' */
	bool some;   /* a value of it was read */
	struct arena mem;
	struct spans names; /* of its members so far */
	uint64_t name_bytes;
};

struct json_reader {
	int fd;
	const struct limits *limits;
	enum limit_id most; /* bytes of the document */
	uint64_t base;      /* bytes before `ahead` */
	size_t at, n;       /* what is left of `ahead` */
	bool ended;
	struct outbuf value; /* text of the value that is being read */
	struct json_walk walks[JSON_READER_DEPTH];
	size_t depth;
	uint8_t ahead[JSON_READER_BYTES];
};

/* Release it in any case. Every error names the byte, and after one nothing more can be read. */
void json_reader_init(struct json_reader *r, int fd, enum limit_id most, const struct limits *l);
void json_reader_release(struct json_reader *r);
/* Place of the next byte in the document. */
uint64_t json_reader_at(const struct json_reader *r);
/* The next value has to begin with bracket ('{' or '['): it is walked now. */
int json_reader_enter(struct json_reader *r, char bracket, struct err *e);
/* One more value in the list: 0. At its end 1, and the walk is back where it was. */
int json_reader_element(struct json_reader *r, struct err *e);
/* The same of an object; the name lives until its end. The value has to be read, entered or skipped next. */
int json_reader_member(struct json_reader *r, struct span *name, struct err *e);
/* The next value as a whole; free with json_free. NULL and e filled when it is none. */
json *json_reader_value(struct json_reader *r, struct err *e);
/* The next value, read and dropped: a list element by element. */
int json_reader_skip(struct json_reader *r, struct err *e);
/* Nothing but white space is left. */
int json_reader_end(struct json_reader *r, struct err *e);

#endif
