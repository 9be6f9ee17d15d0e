/* SPDX-License-Identifier: Apache-2.0 */
/* For people at a terminal (output.md): the first line is the answer, the last one what to do next. */
#include "reports/text/parts.h"

#define MOST_PROBLEMS 5

struct span text_title(struct text *t, const struct artifact *a)
{
	struct span name = a->name;

	if (a->packages.n == 1 && span_eq(a->kind, SPAN("wheel")) && a->packages.v[0].id.n)
		return text_package_name(t, a->packages.v[0].id);
	while (name.n > 1 && name.p[name.n - 1] == '/')
		name.n--;
	if (span_eq(a->kind, SPAN("directory")))
		return text_shown(t, name);
	return text_shown(t, span_base_name(name));
}

void text_incomplete_mark(struct text *t)
{
	text_word(t, t->o->colour ? "\033[1;31mINCOMPLETE\033[0m" : "INCOMPLETE");
}

static void put_problem(struct text *t, const struct problem *p)
{
	struct span path = text_shown(t, p->path), reason = text_shown(t, p->reason);
	struct span id = span_of(finding_name(p->id)), layer = SPAN_NONE;
	size_t room = t->width > 4 ? t->width - 4 : 1;

	if (p->layer) {
		layer = arena_printf(t->mem, "layer %u: ", p->layer - 1);
		room = room > layer.n ? room - layer.n : 1;
	}
	if (!t->o->verbose && text_columns(path) + 2 + text_columns(reason) > room)
		path = text_cut_path(t, path, room > text_columns(reason) + 26 ? room - text_columns(reason) - 2 : 24);
	text_word(t, "  ");
	text_put(t, layer);
	text_put(t, path);
	text_word(t, path.n ? ": " : "");
	text_put(t, reason);
	if (t->o->verbose) {
		text_word(t, "   ");
		text_put(t, id);
	}
	text_word(t, "\n");
}

void text_not_read(struct text *t, const struct artifact *a)
{
	size_t shown = !t->o->verbose && a->incomplete.n > MOST_PROBLEMS + 1 ? MOST_PROBLEMS : a->incomplete.n;
	struct span more = text_number(t, a->incomplete.n - shown);

	if (a->incomplete.n == 0)
		return;
	text_word(t, "\n");
	for (size_t i = 0; i < shown; i++)
		put_problem(t, &a->incomplete.v[i]);
	if (shown < a->incomplete.n)
		outbuf_printf(t->out, "  and %.*s more, -v shows all\n", TEXT_ARG(more));
}

void text_anomalies(struct text *t, const struct artifact *a)
{
	uint64_t counts[FINDING_COUNT] = {0};
	struct spans words = {0};
	struct span all;

	for (size_t i = 0; i < a->anomalies.n; i++)
		counts[a->anomalies.v[i].id < FINDING_COUNT ? a->anomalies.v[i].id : FINDING_NONE]++;
	for (size_t id = 0; id < FINDING_COUNT; id++)
		if (counts[id]) {
			struct span n = text_number(t, counts[id]);

			spans_add(t->mem, &words,
			          arena_printf(t->mem, "%s (%.*s)", finding_name((enum finding_id)id), TEXT_ARG(n)));
		}
	if (words.n == 0)
		return;
	all = text_words(t, &words, ", ", 0);
	outbuf_printf(t->out, "\nodd, but nothing is lost by it: %.*s%s\n", TEXT_ARG(all),
	              t->o->verbose ? "" : "; -v says where");
	for (size_t i = 0; i < a->anomalies.n && t->o->verbose; i++)
		put_problem(t, &a->anomalies.v[i]);
}

void text_closing(struct text *t, const struct inventory *inv, struct span next)
{
	size_t incomplete = 0, questions = 0;

	for (size_t i = 0; i < inv->artifacts.n; i++) {
		incomplete += !inv->artifacts.v[i].complete;
		questions += inv->artifacts.v[i].usage;
	}
	text_word(t, "\n");
	if (incomplete == 0) {
		text_word(t, "every file was read");
		if (next.n)
			outbuf_printf(t->out, "   %s   %.*s", text_dot(t), TEXT_ARG(next));
		text_word(t, "\n");
		return;
	}
	if (inv->artifacts.n > 1)
		outbuf_printf(t->out, "%zu of %zu not read to the end; ", incomplete, inv->artifacts.n);
	outbuf_printf(t->out, "exit status %d: this is not a pass\n", questions == incomplete ? 2 : 3);
}

static void write_text(const struct inventory *inv, const struct catalogue *c, const struct report_options *o,
                       struct outbuf *out)
{
	struct arena mem = ARENA_INIT;
	struct text t = {.out = out, .o = o, .catalogue = c, .mem = &mem, .width = o->width ? o->width : 80};

	if (o->subject == REPORT_TARGETS)
		text_targets(&t, inv);
	else
		text_scan(&t, inv);
	arena_clear(&mem);
}

static void write_judgement(const struct judgement *j, const struct catalogue *c, const struct report_options *o,
                            struct outbuf *out)
{
	struct arena mem = ARENA_INIT;
	struct text t = {.out = out, .o = o, .catalogue = c, .mem = &mem, .width = o->width ? o->width : 80};

	text_check(&t, j);
	arena_clear(&mem);
}

const struct report_format report_text = {
        .name = "text",
        .help = "for people at a terminal",
        .write = write_text,
        .write_judgement = write_judgement,
};
