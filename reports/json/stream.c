/* SPDX-License-Identifier: Apache-2.0 */
#include "stream.h"

#include <inttypes.h>

static void new_line(struct json_stream *s)
{
	if (!s->pretty)
		return;
	outbuf_char(s->out, '\n');
	for (int i = 0; i < s->depth; i++)
		outbuf_text(s->out, "  ");
}

static void before_value(struct json_stream *s, const char *name)
{
	if (s->some)
		outbuf_char(s->out, ',');
	if (s->depth > 0)
		new_line(s);
	s->some = true;
	if (!name)
		return;
	outbuf_char(s->out, '"');
	outbuf_text(s->out, name);
	outbuf_text(s->out, s->pretty ? "\": " : "\":");
}

void stream_open(struct json_stream *s, const char *name, char bracket)
{
	before_value(s, name);
	outbuf_char(s->out, bracket);
	s->depth++;
	s->some = false;
}

void stream_close(struct json_stream *s, char bracket)
{
	s->depth--;
	if (s->some)
		new_line(s);
	outbuf_char(s->out, bracket);
	s->some = true;
}

void stream_value(struct json_stream *s, const char *name, json *value)
{
	before_value(s, name);
	json_print(value, s->out, s->pretty ? s->depth : -1);
	json_free(value);
}

/* The sanitiser of base/json.c works on members, so a lone text passes through a list of one. */
void stream_text(struct json_stream *s, const char *name, struct span text)
{
	json *list = json_list();
	struct outbuf one = outbuf_limited(s->out->max);

	json_push_text(list, text);
	json_print(list, &one, -1);
	json_free(list);
	before_value(s, name);
	outbuf_put(s->out, (struct span){one.p + 1, one.n > 2 ? one.n - 2 : 0});
	s->out->failed = s->out->failed || one.failed;
	outbuf_release(&one);
}

void stream_word(struct json_stream *s, const char *name, const char *word)
{
	stream_text(s, name, span_of(word));
}

void stream_uint(struct json_stream *s, const char *name, uint64_t v)
{
	const uint64_t most = ((uint64_t)1 << 53) - 1;

	before_value(s, name);
	outbuf_printf(s->out, "%" PRIu64, v < most ? v : most);
}

void stream_bool(struct json_stream *s, const char *name, bool v)
{
	before_value(s, name);
	outbuf_text(s->out, v ? "true" : "false");
}
