/* SPDX-License-Identifier: Apache-2.0 */
#include "line.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/text.h"

struct span text_shown(struct text *t, struct span raw)
{
	struct outbuf b = outbuf_limited(t->out->max);
	struct span s;

	text_for_terminal(&b, raw);
	t->out->failed = t->out->failed || b.failed;
	s = arena_copy(t->mem, outbuf_span(&b));
	outbuf_release(&b);
	return s;
}

static bool continues(uint8_t byte)
{
	return (byte & 0xc0) == 0x80;
}

size_t text_columns(struct span s)
{
	size_t n = 0;

	for (size_t i = 0; i < s.n; i++)
		n += !continues(s.p[i]);
	return n;
}

const char *text_dots(const struct text *t)
{
	return t->o->utf8 ? "\xe2\x80\xa6" : "...";
}

const char *text_dot(const struct text *t)
{
	return t->o->utf8 ? "\xc2\xb7" : "-";
}

/* The first, or the last, so many columns of s. */
static struct span columns_first(struct span s, size_t columns)
{
	size_t i = 0;

	while (i < s.n && (continues(s.p[i]) || columns-- > 0))
		i++;
	return span_first(s, i);
}

static struct span columns_last(struct span s, size_t columns)
{
	size_t i = s.n;

	while (i > 0 && columns > 0)
		columns -= !continues(s.p[--i]);
	return span_after(s, i);
}

static struct span cut(struct text *t, struct span s, size_t columns, size_t from_start)
{
	size_t dots = text_columns(span_of(text_dots(t))), keep;
	struct span first, last;

	if (text_columns(s) <= columns)
		return s;
	keep = columns > dots ? columns - dots : 0;
	first = columns_first(s, keep * from_start / 100);
	last = columns_last(s, keep - text_columns(first));
	return arena_printf(t->mem, "%.*s%s%.*s", TEXT_ARG(first), text_dots(t), TEXT_ARG(last));
}

struct span text_cut_end(struct text *t, struct span s, size_t columns)
{
	return cut(t, s, columns, 100);
}

struct span text_cut_start(struct text *t, struct span s, size_t columns)
{
	return cut(t, s, columns, 0);
}

struct span text_cut_path(struct text *t, struct span path, size_t columns)
{
	struct span name = span_base_name(path);

	if (text_columns(path) <= columns || name.n == path.n || name.n == 0)
		return text_cut_start(t, path, columns);
	return text_cut_start(t, arena_printf(t->mem, "%s/%.*s", text_dots(t), TEXT_ARG(name)), columns);
}

struct span text_cut_middle(struct text *t, struct span s, size_t columns)
{
	return cut(t, s, columns, 60);
}

struct span text_size(struct text *t, uint64_t bytes)
{
	static const char *const units[] = {"kB", "MB", "GB", "TB", "PB", "EB"};
	double v = (double)bytes;
	size_t u = 0;

	if (bytes < 1000)
		return text_many(t, bytes, "byte");
	for (v /= 1000; v >= 999.5 && u + 1 < sizeof(units) / sizeof(*units); u++)
		v /= 1000;
	return arena_printf(t->mem, "%.*f %s", v < 9.995 ? 2 : v < 99.95 ? 1 : 0, v, units[u]);
}

struct span text_number(struct text *t, uint64_t n)
{
	char digits[32], grouped[48];
	int len = snprintf(digits, sizeof(digits), "%" PRIu64, n), out = 0;

	for (int i = 0; i < len; i++) {
		if (i > 0 && (len - i) % 3 == 0)
			grouped[out++] = ',';
		grouped[out++] = digits[i];
	}
	grouped[out] = 0;
	return arena_printf(t->mem, "%s", grouped);
}

struct span text_many(struct text *t, uint64_t n, const char *what)
{
	struct span number = text_number(t, n);

	return arena_printf(t->mem, "%.*s %s%s", TEXT_ARG(number), what, n == 1 ? "" : "s");
}

void text_put(struct text *t, struct span s)
{
	outbuf_put(t->out, s);
}

void text_word(struct text *t, const char *s)
{
	outbuf_text(t->out, s);
}

static void spaces(struct text *t, size_t have, size_t columns)
{
	for (; have < columns; have++)
		outbuf_char(t->out, ' ');
}

void text_left(struct text *t, struct span s, size_t columns)
{
	text_put(t, s);
	spaces(t, text_columns(s), columns);
}

void text_right(struct text *t, struct span s, size_t columns)
{
	spaces(t, text_columns(s), columns);
	text_put(t, s);
}
