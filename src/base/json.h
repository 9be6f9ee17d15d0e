/* SPDX-License-Identifier: Apache-2.0 */
/*
 * JSON over cJSON, the only place that sees it. Reading is strict: exact-case keys, no duplicate keys, no text after the
 * document, json-bytes, json-depth (checked before parsing) and json-nodes. Writing builds one value, prints it, frees it;
 * integers are written whole up to 2^53 - 1. Artifact text is sanitised here (base/text.h), once for every JSON we write.
 */
#ifndef POSTERN_BASE_JSON_H
#define POSTERN_BASE_JSON_H

#include "base/arena.h"
#include "base/outbuf.h"
#include "base/text.h"

typedef struct cJSON json; /* one value; an object or list owns what was added to it */

/* NULL and e filled when text is not one strict JSON document. Free with json_free. */
json *json_read(struct span text, const struct limits *l, struct err *e);
/* The same of a value inside a document, the first byte of which is that document's byte `at`. */
json *json_read_at(struct span text, uint64_t at, const struct limits *l, struct err *e);
void json_free(json *j);
/* Member of an object by exact name, or NULL. */
const json *json_member(const json *object, const char *name);
/* First element of a list or object, and the next one; NULL at the end. */
const json *json_first(const json *j);
const json *json_next(const json *j);
bool json_is_object(const json *j);
bool json_is_list(const json *j);
/* Text of a string value; false when j is no string. Lives as long as j. */
bool json_string(const json *j, struct span *out);
/* A whole number up to 2^53 - 1; false when j is anything else. */
bool json_uint(const json *j, uint64_t *out);
bool json_is_true(const json *j);
/* False when j is neither true nor false. */
bool json_bool(const json *j, bool *out);
/* Under which name an object holds it; NULL in lists. */
const char *json_name(const json *member);

json *json_object(void);
json *json_list(void);
/* Adders write text through the sanitiser (json_add_text) or as it is (json_add_word, for our own constants). */
void json_add_text(json *object, const char *name, struct span s);
/* The same, with a name that is an artifact's too. */
void json_add_named(json *object, struct span name, struct span s);
void json_add_word(json *object, const char *name, const char *s);
void json_add_uint(json *object, const char *name, uint64_t v);
void json_add_bool(json *object, const char *name, bool v);
/* Take ownership of value. */
void json_add(json *object, const char *name, json *value);
void json_push(json *list, json *value);
void json_push_uint(json *list, uint64_t v);
void json_push_text(json *list, struct span s);
/* {"name": ["text", ...]}: the list as it stands. */
void json_add_texts(json *object, const char *name, const struct spans *l);
/* Prints compact, or indented by two when indent >= 0, then starting at that level; no newline at the end. */
void json_print(const json *j, struct outbuf *out, int indent);

#endif
