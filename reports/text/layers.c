/* SPDX-License-Identifier: Apache-2.0 */
/* Layers as people know them: by number, from 0 as everywhere outside, and by the build step that made them. */
#include <inttypes.h>
#include <stdlib.h>

#include "base/checked.h"
#include "parts.h"

#define MOST_NAMES 3

/* "/bin/sh -c #(nop) COPY ..." and "RUN /bin/sh -c pip ... # buildkit" as they stood in the file. */
struct span text_step_words(struct text *t, struct span step)
{
	struct span plain = SPAN("/bin/sh -c #(nop) "), shell = SPAN("/bin/sh -c "), run = SPAN("RUN /bin/sh -c ");
	struct span end = SPAN(" # buildkit");

	if (span_ends(step, end))
		step.n -= end.n;
	if (span_starts(step, plain)) {
		step = span_after(step, plain.n);
		while (step.n && step.p[0] == ' ')
			step = span_after(step, 1);
		return text_shown(t, step);
	}
	if (!span_starts(step, run) && !span_starts(step, shell))
		return text_shown(t, step);
	step = text_shown(t, span_after(step, span_starts(step, run) ? run.n : shell.n));
	return arena_printf(t->mem, "RUN %.*s", TEXT_ARG(step));
}

void text_layer_step(struct text *t, const struct artifact *a, uint32_t layer, size_t indent)
{
	struct span words;

	if (layer == 0 || layer > a->layers.n)
		return;
	words = text_step_words(t, a->layers.v[layer - 1].ref.created_by);
	words = arena_printf(t->mem, "layer %u%s%.*s", layer - 1, words.n ? ": " : "", TEXT_ARG(words));
	text_left(t, SPAN(""), indent);
	text_put(t, t->o->verbose ? words : text_cut_end(t, words, t->width > indent ? t->width - indent : 1));
	text_word(t, "\n");
}

static bool layer_has_lost(const struct artifact *a, size_t layer)
{
	for (size_t i = 0; i < a->incomplete.n; i++)
		if (a->incomplete.v[i].layer == layer)
			return true;
	return false;
}

void text_unverified(struct text *t, const struct artifact *a)
{
	size_t n = 0;

	for (size_t i = 0; i < a->layers.n; i++)
		n += !a->layers.v[i].verified && !layer_has_lost(a, i + 1);
	if (n)
		outbuf_printf(t->out, "\ndigests not checked: %.*s\n", TEXT_ARG(text_many(t, n, "layer")));
}

/* A file or store that is hidden. */
struct hidden_row {
	uint32_t layer, by;
	uint64_t bytes;
	struct span name;
};

struct hidden_rows {
	struct hidden_row *v;
	size_t n, cap;
};

/* Is the file there because of the backend, and not only in need of it? */
static bool carries(const struct object *o, struct span backend)
{
	for (size_t i = 0; i < o->device_code.n; i++)
		if (span_eq(o->device_code.v[i].backend, backend))
			return true;
	for (size_t i = 0; i < o->evidence.n; i++)
		if (span_eq(o->evidence.v[i].backend, backend) && evidence_carries(o, &o->evidence.v[i]))
			return true;
	return false;
}

static int row_cmp(const void *x, const void *y)
{
	const struct hidden_row *a = x, *b = y;
	int c = (a->layer > b->layer) - (a->layer < b->layer);

	return c ? c : (a->by > b->by) - (a->by < b->by);
}

/* n rows of one pair of layers: "211 MB more in layer 3, hidden by layer 4: NAME". */
static void put_rows(struct text *t, const struct hidden_row *rows, size_t n)
{
	struct spans names = {0}, parts = {0};
	uint64_t bytes = 0;
	struct span size, words;

	for (size_t i = 0; i < n; i++) {
		bytes = sum_capped(bytes, rows[i].bytes);
		spans_add(t->mem, &names, rows[i].name);
	}
	spans_sort_unique(&names);
	spans_add(t->mem, &parts, text_words(t, &names, ", ", t->o->verbose ? 0 : MOST_NAMES));
	size = text_size(t, bytes);
	if (rows->layer == 0)
		words = arena_printf(t->mem, "%.*s more, hidden", TEXT_ARG(size));
	else if (rows->by > rows->layer)
		words = arena_printf(t->mem, "%.*s more in layer %u, hidden by layer %u", TEXT_ARG(size),
		                     rows->layer - 1, rows->by - 1);
	else
		words = arena_printf(t->mem, "%.*s more in layer %u, hidden", TEXT_ARG(size), rows->layer - 1);
	text_named(t, words, false, &parts, 1);
}

static void row_add(struct text *t, struct hidden_rows *l, struct hidden_row row, struct span package, struct span path)
{
	row.name = package.n ? text_package_name(t, package) : text_shown(t, path);
	*list_add(t->mem, l) = row;
}

void text_hidden(struct text *t, const struct artifact *a, struct span backend)
{
	struct hidden_rows l = {0};
	size_t from = 0;

	for (size_t i = 0; i < a->objects.n; i++) {
		const struct object *o = &a->objects.v[i];

		if (o->hidden && carries(o, backend))
			row_add(t, &l, (struct hidden_row){o->layer, o->hidden_by, o->bytes, SPAN_NONE}, o->package,
			        span_base_name(o->path));
	}
	for (size_t i = 0; i < a->stores.n; i++) {
		const struct store *s = &a->stores.v[i];

		if (s->hidden && span_eq(s->backend, backend))
			row_add(t, &l, (struct hidden_row){s->layer, s->hidden_by, s->bytes, SPAN_NONE}, s->package, s->path);
	}
	if (l.n)
		qsort(l.v, l.n, sizeof(*l.v), row_cmp);
	for (size_t i = 1; i <= l.n; i++) {
		if (i < l.n && row_cmp(&l.v[i], &l.v[from]) == 0)
			continue;
		put_rows(t, l.v + from, i - from);
		from = i;
	}
}
