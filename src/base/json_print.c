/* SPDX-License-Identifier: Apache-2.0 */
/* A printer of our own over cJSON's tree: the bytes are part of an interface, and no library version may change them.
 */
#include <cJSON.h>
#include <math.h>

#include "base/json.h"

#define DEPTH_MAX 128

static void print_string(struct outbuf *out, const char *text)
{
	struct span s = span_of(text);
	size_t plain;

	outbuf_char(out, '"');
	while (s.n) {
		for (plain = 0; plain < s.n && s.p[plain] >= 0x20 && s.p[plain] != '"' && s.p[plain] != '\\';)
			plain++;
		outbuf_put(out, span_first(s, plain));
		s = span_after(s, plain);
		if (s.n == 0)
			break;
		if (s.p[0] < 0x20)
			outbuf_printf(out, "\\u%04x", s.p[0]);
		else
			outbuf_printf(out, "\\%c", s.p[0]);
		s = span_after(s, 1);
	}
	outbuf_char(out, '"');
}

static void print_number(struct outbuf *out, double v)
{
	if (fabs(v) < 9007199254740992.0 && v == (double)(long long)v)
		outbuf_printf(out, "%lld", (long long)v);
	else if (isfinite(v))
		outbuf_printf(out, "%.17g", v);
	else
		outbuf_text(out, "null");
}

static void print_line(struct outbuf *out, int indent, size_t depth)
{
	if (indent < 0)
		return;
	outbuf_char(out, '\n');
	for (size_t i = 0; i < (size_t)indent + depth; i++)
		outbuf_text(out, "  ");
}

/* A value, or what opens it. */
static void print_value(struct outbuf *out, const cJSON *j)
{
	switch (j->type & 0xff) {
	case cJSON_True:
		outbuf_text(out, "true");
		break;
	case cJSON_False:
		outbuf_text(out, "false");
		break;
	case cJSON_Number:
		print_number(out, j->valuedouble);
		break;
	case cJSON_String:
		print_string(out, j->valuestring);
		break;
	case cJSON_Raw:
		outbuf_text(out, j->valuestring);
		break;
	case cJSON_Object:
		outbuf_text(out, j->child ? "{" : "{}");
		break;
	case cJSON_Array:
		outbuf_text(out, j->child ? "[" : "[]");
		break;
	default:
		outbuf_text(out, "null");
		break;
	}
}

static void print_member(struct outbuf *out, const cJSON *j, const cJSON *in, int indent)
{
	if (json_is_object(in)) {
		print_string(out, j->string);
		outbuf_text(out, indent < 0 ? ":" : ": ");
	}
	print_value(out, j);
}

void json_print(const json *j, struct outbuf *out, int indent)
{
	const cJSON *up[DEPTH_MAX];
	size_t n = 0;

	print_value(out, j);
	while (!out->failed) {
		const cJSON *next = json_first(j);

		if (next && n == DEPTH_MAX) {
			out->failed = true;
			return;
		}
		if (next)
			up[n++] = j;
		while (n && !next) {
			next = j->next;
			if (!next) {
				j = up[--n];
				print_line(out, indent, n);
				outbuf_char(out, json_is_object(j) ? '}' : ']');
			} else {
				outbuf_char(out, ',');
			}
		}
		if (n == 0)
			return;
		print_line(out, indent, n);
		print_member(out, next, up[n - 1], indent);
		j = next;
	}
}
