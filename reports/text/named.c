/* SPDX-License-Identifier: Apache-2.0 */
/* Lines below a backend: a name, and in the room that is left what it has to do with the backend. */
#include "parts.h"

#define INDENT       10
#define MOST_BRINGS  3
#define LEAST_REASON 24
#define LEAST_WORDS  12

static void new_line(struct text *t, size_t indent)
{
	text_left(t, SPAN(""), indent);
}

/* Whole words that fit, and dots; the first three in any case, if only the start of the last. */
static struct span cut_words(struct text *t, struct span s, size_t columns)
{
	struct span cut = text_cut_end(t, s, columns);
	size_t end = text_columns(s) <= columns ? 0 : cut.n, spaces = 0;

	for (size_t i = 0; i < end; i++)
		spaces += cut.p[i] == ' ';
	if (spaces < 3)
		return cut;
	cut = text_cut_end(t, s, columns - 1);
	while (cut.n && cut.p[cut.n - 1] != ' ')
		cut.n--;
	while (cut.n && strchr(" ,;", cut.p[cut.n - 1]))
		cut.n--;
	return arena_printf(t->mem, "%.*s %s", TEXT_ARG(cut), text_dots(t));
}

/* The parts one after another from this column on, on so many lines; what does not fit is told by dots. */
static void put_parts(struct text *t, const struct spans *parts, size_t column, unsigned lines)
{
	bool first = true;

	for (size_t i = 0; i < parts->n; i++) {
		struct span part = parts->v[i];
		size_t left = t->width > column ? t->width - column : 0, space = first ? 0 : 2;

		if (text_columns(part) + space > left && !first && lines > 1) {
			text_word(t, ";\n");
			new_line(t, INDENT + 2);
			column = INDENT + 2;
			left = t->width > column ? t->width - column : 0;
			first = true;
			space = 0;
			lines--;
		}
		if (text_columns(part) + space > left && !first && left < LEAST_WORDS) {
			text_word(t, left > 4 ? " " : "");
			text_word(t, left > 4 ? text_dots(t) : "");
			return;
		}
		text_word(t, first ? "" : "; ");
		part = cut_words(t, part, left > space ? left - space : 0);
		text_put(t, part);
		if (text_columns(part) < text_columns(parts->v[i]) && lines <= 1)
			return;
		column += space + text_columns(part);
		first = false;
	}
}

void text_named(struct text *t, struct span name, bool path, const struct spans *parts, unsigned lines)
{
	size_t room = t->width > INDENT ? t->width - INDENT : 1, want = 0, most, least;

	for (size_t i = 0; i < parts->n; i++)
		want += text_columns(parts->v[i]) + (i ? 2 : 0);
	least = want < LEAST_REASON ? want : LEAST_REASON;
	/* The name may have what the reasons leave, or half of the line, as long as some of the reasons can be read. */
	most = room > want + 2 && room - want - 2 > room / 2 ? room - want - 2 : room / 2;
	if (most + 2 + least > room && room > least + 2)
		most = room - least - 2;
	name = path ? text_cut_path(t, name, most) : text_cut_end(t, name, most);
	new_line(t, INDENT);
	text_put(t, name);
	text_word(t, name.n && parts->n ? ": " : "");
	put_parts(t, parts, INDENT + text_columns(name) + (name.n ? 2 : 0), lines);
	text_word(t, "\n");
}

/* A name, and below it each reason whole. */
static void put_whole(struct text *t, struct span name, const struct spans *reasons)
{
	new_line(t, INDENT);
	text_put(t, name);
	text_word(t, "\n");
	for (size_t i = 0; i < reasons->n; i++) {
		new_line(t, INDENT + 2);
		text_put(t, reasons->v[i]);
		text_word(t, "\n");
	}
}

static void put_bring(struct text *t, const struct artifact *a, struct span backend, const struct bring *b,
                      unsigned lines)
{
	struct spans reasons = {0};

	text_reasons(t, backend, b, &reasons);
	if (t->o->verbose)
		put_whole(t, text_bring_name(t, b), &reasons);
	else if (!b->package && span_eq(a->kind, SPAN("file")))
		text_named(t, SPAN_NONE, false, &reasons, lines);
	else
		text_named(t, text_bring_name(t, b), !b->package, &reasons, lines);
}

/* Few of them have room for more. */
void text_put_brings(struct text *t, const struct artifact *a, struct span backend)
{
	struct brings l = {0};
	size_t shown;

	text_collect(t, a, backend, &l);
	shown = !t->o->verbose && l.n > MOST_BRINGS + 1 ? MOST_BRINGS : l.n;
	for (size_t i = 0; i < shown; i++) {
		put_bring(t, a, backend, &l.v[i], shown <= 2 ? 3 : 1);
		/* Neighbours of one layer share the line. */
		if (i + 1 == shown || l.v[i + 1].layer != l.v[i].layer)
			text_layer_step(t, a, l.v[i].layer, INDENT + 2);
	}
	if (shown < l.n) {
		struct span more = text_number(t, l.n - shown);

		new_line(t, INDENT);
		outbuf_printf(t->out, "and %.*s more, -v shows all\n", TEXT_ARG(more));
	}
}

struct span text_bring_name(struct text *t, const struct bring *b)
{
	return b->package ? text_package_name(t, b->label) : text_shown(t, b->label);
}
