/* SPDX-License-Identifier: Apache-2.0 */
/* RECORD: lines of path, hash and size as Python's csv module reads them; quoted fields may hold commas and line ends.
 */
#include "extractors/packages/package_parts.h"

struct csv {
	struct span rest;
	bool line_ended;
};

/* Bytes of a quoted field up to its closing quote. */
static size_t quoted_bytes(struct span s)
{
	size_t i = 0;

	while (i < s.n && (s.p[i] != '"' || (i + 1 < s.n && s.p[i + 1] == '"')))
		i += s.p[i] == '"' ? 2 : 1;
	return i < s.n ? i : s.n;
}

/* What stands between quotes; doubled ones become one. */
static struct span quoted_field(struct csv *c, struct arena *mem)
{
	struct span s = span_after(c->rest, 1);
	size_t bytes = quoted_bytes(s), n = 0;
	uint8_t *out = arena_alloc(mem, bytes + 1);

	for (size_t i = 0; i < bytes; i++) {
		out[n++] = s.p[i];
		i += s.p[i] == '"';
	}
	c->rest = span_after(s, bytes + 1);
	return (struct span){out, n};
}

static struct span next_field(struct csv *c, struct arena *mem)
{
	struct span field = SPAN_NONE;
	bool quoted = c->rest.n && c->rest.p[0] == '"';
	size_t n = 0;

	if (quoted)
		field = quoted_field(c, mem);
	while (n < c->rest.n && c->rest.p[n] != ',' && c->rest.p[n] != '\n' && c->rest.p[n] != '\r')
		n++;
	if (!quoted)
		field = span_first(c->rest, n);
	c->line_ended = n >= c->rest.n || c->rest.p[n] != ',';
	c->rest = span_after(c->rest, n + 1);
	return field;
}

/* False when it is no number. */
static bool number_read(struct span s, uint64_t *out)
{
	uint64_t v = 0;

	for (size_t i = 0; i < s.n; i++) {
		if (s.p[i] < '0' || s.p[i] > '9' || __builtin_mul_overflow(v, 10, &v) ||
		    __builtin_add_overflow(v, (uint64_t)(s.p[i] - '0'), &v))
			return false;
	}
	*out = v;
	return s.n > 0;
}

void record_parse(struct arena *mem, struct span text, struct package *p)
{
	struct csv c = {text, false};

	p->has_record = true;
	while (c.rest.n) {
		struct record_line line = {.path = next_field(&c, mem)};

		if (!c.line_ended)
			line.hash = next_field(&c, mem);
		if (!c.line_ended)
			line.has_size = number_read(next_field(&c, mem), &line.size);
		while (!c.line_ended)
			next_field(&c, mem);
		if (line.path.n || line.hash.n)
			*list_add(mem, &p->record) = line;
	}
}
