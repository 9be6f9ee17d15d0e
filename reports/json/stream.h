/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The outer brackets of a JSON report, written as they come, so that only one value is ever built in memory. Names are
 * our own constants; NULL inside a list.
 */
#ifndef POSTERN_REPORTS_JSON_STREAM_H
#define POSTERN_REPORTS_JSON_STREAM_H

#include "base/json.h"

struct json_stream {
	struct outbuf *out;
	bool pretty;
	int depth;
	bool some; /* the open object or list has a value already */
};

/* bracket is '{' or '['. */
void stream_open(struct json_stream *s, const char *name, char bracket);
void stream_close(struct json_stream *s, char bracket);
/* Prints value and frees it. */
void stream_value(struct json_stream *s, const char *name, json *value);
void stream_text(struct json_stream *s, const char *name, struct span text);
void stream_word(struct json_stream *s, const char *name, const char *word);
void stream_uint(struct json_stream *s, const char *name, uint64_t v);
void stream_bool(struct json_stream *s, const char *name, bool v);

#endif
