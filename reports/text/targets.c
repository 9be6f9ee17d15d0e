/* SPDX-License-Identifier: Apache-2.0 */
/* Device code: per file, one line a form. */
#include <inttypes.h>

#include "parts.h"

/* The order in which forms matter. */
static const enum code_form forms[] = {
        FORM_NATIVE, FORM_PORTABLE, FORM_INTERMEDIATE, FORM_RELOCATABLE, FORM_STUB, FORM_UNKNOWN,
};

/* What the rows of one backend and form add up to. */
struct form_sum {
	struct spans targets, isas, toolkits;
	uint64_t count, mismatched;
};

static void add_row(struct text *t, struct form_sum *f, const struct device_code *d)
{
	spans_add(t->mem, &f->targets, text_shown(t, d->target));
	if (d->isa.n)
		spans_add(t->mem, &f->isas, text_shown(t, d->isa));
	if (d->toolkit.n)
		spans_add(t->mem, &f->toolkits, text_shown(t, d->toolkit));
	f->count += d->count;
	f->mismatched += d->mismatch ? d->count : 0;
}

/* "PTX ISA 8.7", "PTX ISA 7.0 to 8.8". */
static void add_range(struct text *t, struct spans *notes, const char *what, struct spans *l)
{
	text_sort_targets(l);
	if (l->n == 1)
		spans_add(t->mem, notes, arena_printf(t->mem, "%s %.*s", what, TEXT_ARG(l->v[0])));
	else if (l->n)
		spans_add(t->mem, notes,
		          arena_printf(t->mem, "%s %.*s to %.*s", what, TEXT_ARG(l->v[0]), TEXT_ARG(l->v[l->n - 1])));
}

static struct span notes_of(struct text *t, enum code_form form, struct form_sum *f)
{
	static const char *const meaning[FORM_COUNT] = {
	        [FORM_STUB] = "linked, but no kernel in it",
	        [FORM_RELOCATABLE] = "for a linker, not for a GPU",
	        [FORM_INTERMEDIATE] = "not code that a GPU runs as it is",
	        [FORM_UNKNOWN] = "of a kind that is not known",
	};
	struct spans notes = {0};

	if (meaning[form])
		spans_add(t->mem, &notes, span_of(meaning[form]));
	add_range(t, &notes, "PTX ISA", &f->isas);
	if (form == FORM_NATIVE)
		add_range(t, &notes, "CUDA", &f->toolkits);
	if (f->mismatched) {
		struct span n = text_number(t, f->mismatched);

		spans_add(t->mem, &notes, arena_printf(t->mem, "%.*s not what the container says", TEXT_ARG(n)));
	}
	return text_words(t, &notes, ", ", 0);
}

struct form_line {
	struct span label, targets, images, notes;
	struct spans list;
};

struct form_lines {
	struct form_line *v;
	size_t n, cap;
};

/* All rows are of one backend; it is named where the file has several. */
static void lines_of_backend(struct text *t, const struct device_code *rows, size_t n, bool several,
                             struct form_lines *to)
{
	struct span backend = several ? text_shown(t, rows->backend) : SPAN_NONE;

	for (size_t k = 0; k < sizeof(forms) / sizeof(*forms); k++) {
		struct form_sum f = {0};
		struct form_line *line;

		for (size_t i = 0; i < n; i++)
			if (rows[i].form == forms[k])
				add_row(t, &f, &rows[i]);
		if (f.count == 0)
			continue;
		text_sort_targets(&f.targets);
		line = list_add(t->mem, to);
		line->label = arena_printf(t->mem, "%.*s%s%s", TEXT_ARG(backend), backend.n ? " " : "",
		                           code_form_name(forms[k]));
		line->list = f.targets;
		line->images = text_many(t, f.count, "image");
		line->notes = notes_of(t, forms[k], &f);
	}
}

static void collect_lines(struct text *t, const struct device_codes *l, struct form_lines *to)
{
	bool several = l->n && !span_eq(l->v[0].backend, l->v[l->n - 1].backend);

	for (size_t i = 0, k; i < l->n; i = k) {
		for (k = i; k < l->n && span_eq(l->v[k].backend, l->v[i].backend); k++)
			continue;
		lines_of_backend(t, &l->v[i], k - i, several, to);
	}
}

static size_t most_columns(size_t have, struct span s)
{
	return text_columns(s) > have ? text_columns(s) : have;
}

/* A note that does not fit beside its line goes below it. */
static void put_line(struct text *t, const struct form_line *l, size_t label, size_t targets, size_t images)
{
	size_t used = 2 + label + 2 + targets + 3 + images;

	text_word(t, "  ");
	text_left(t, l->label, label + 2);
	text_left(t, l->targets, targets + 3);
	text_right(t, l->images, images);
	if (l->notes.n && used + 3 + text_columns(l->notes) > t->width) {
		text_word(t, "\n  ");
		text_left(t, SPAN(""), label + 2);
		text_put(t, text_cut_end(t, l->notes, t->width > label + 4 ? t->width - label - 4 : 1));
	} else if (l->notes.n) {
		text_word(t, "   ");
		text_put(t, l->notes);
	}
	text_word(t, "\n");
}

/* Columns: what it is, targets, images, notes. */
static void put_lines(struct text *t, struct form_lines *l)
{
	size_t label = 0, targets = 0, images = 0, used, room;

	for (size_t i = 0; i < l->n; i++) {
		label = most_columns(label, l->v[i].label);
		images = most_columns(images, l->v[i].images);
	}
	used = 2 + label + 2 + 3 + images;
	room = t->width > used ? t->width - used : 0;
	for (size_t i = 0; i < l->n; i++) {
		size_t notes = text_columns(l->v[i].notes) + 3;

		/* The notes keep their place beside the targets where both can be read. */
		l->v[i].targets = text_fit_targets(t, &l->v[i].list, room > notes + 28 ? room - notes : room);
		targets = most_columns(targets, l->v[i].targets);
	}
	for (size_t i = 0; i < l->n; i++)
		put_line(t, &l->v[i], label, targets, images);
}

/* Every row as it is, with its place: for -v. */
static void put_rows(struct text *t, const struct device_codes *l)
{
	for (size_t i = 0; i < l->n; i++) {
		const struct device_code *d = &l->v[i];
		struct span n = text_many(t, d->count, "image"), size = text_size(t, d->bytes);

		outbuf_printf(t->out, "  %-15.*s ", TEXT_ARG(text_shown(t, d->target)));
		outbuf_printf(t->out, "%-12s ", code_form_name(d->form));
		text_right(t, n, 14);
		text_right(t, size, 10);
		outbuf_printf(t->out, "   %.*s", TEXT_ARG(text_shown(t, d->container)));
		outbuf_printf(t->out, " in %.*s", TEXT_ARG(text_shown(t, d->where)));
		outbuf_printf(t->out, " from 0x%" PRIx64, d->offset);
		if (d->codec.n && !span_eq(d->codec, SPAN("none")))
			outbuf_printf(t->out, ", %.*s", TEXT_ARG(text_shown(t, d->codec)));
		if (d->opened)
			outbuf_printf(t->out, ", %.*s", TEXT_ARG(text_many(t, d->kernels, "kernel")));
		if (d->isa.n)
			outbuf_printf(t->out, ", PTX ISA %.*s", TEXT_ARG(text_shown(t, d->isa)));
		if (d->toolkit.n)
			outbuf_printf(t->out, ", CUDA %.*s", TEXT_ARG(text_shown(t, d->toolkit)));
		if (d->mismatch)
			outbuf_printf(t->out, ", declared as %.*s", TEXT_ARG(text_shown(t, d->declared)));
		text_word(t, "\n");
	}
}

/* "libcufft.so.11   294 MB, 24,454 units in .ldata, .nv_fatbin"; the places go first where there is no room. */
static void put_head(struct text *t, struct span name, const struct object *o)
{
	struct span size = text_size(t, o->bytes), units = text_many(t, o->units, "unit"), facts = size, words;
	struct spans places = {0};

	for (size_t i = 0; i < o->device_code.n; i++)
		if (!span_eq(o->device_code.v[i].where, SPAN("@file")))
			spans_add(t->mem, &places, text_shown(t, o->device_code.v[i].where));
	spans_sort_unique(&places);
	words = text_words(t, &places, ", ", 3);
	if (o->units)
		facts = arena_printf(t->mem, "%.*s, %.*s", TEXT_ARG(size), TEXT_ARG(units));
	words = arena_printf(t->mem, "%.*s in %.*s", TEXT_ARG(facts), TEXT_ARG(words));
	if (places.n && (t->o->verbose || text_columns(name) + 3 + text_columns(words) <= t->width))
		facts = words;
	if (!t->o->verbose && text_columns(name) + 3 + text_columns(facts) > t->width)
		name = text_cut_path(t, name,
		                     t->width > text_columns(facts) + 27 ? t->width - text_columns(facts) - 3 : 24);
	text_put(t, name);
	text_word(t, "   ");
	text_put(t, facts);
	text_word(t, "\n");
}

static struct span shown_name(struct text *t, struct span path, uint32_t layer, bool hidden)
{
	struct span name = text_shown(t, path);

	if (!hidden)
		return name;
	if (layer == 0)
		return arena_printf(t->mem, "%.*s (hidden)", TEXT_ARG(name));
	return arena_printf(t->mem, "%.*s (layer %u, hidden)", TEXT_ARG(name), layer - 1);
}

static void put_object(struct text *t, struct span name, const struct object *o)
{
	struct form_lines lines = {0};

	put_head(t, name, o);
	if (t->o->verbose)
		put_rows(t, &o->device_code);
	else {
		collect_lines(t, &o->device_code, &lines);
		put_lines(t, &lines);
	}
	text_partial(t, o);
}

static void put_store(struct text *t, const struct store *s)
{
	struct span files = text_many(t, s->files, "kernel file"), size = text_size(t, s->bytes);
	struct span name = shown_name(t, s->path, s->layer, s->hidden);
	size_t columns = 0;

	outbuf_printf(t->out, "%.*s   %.*s, %.*s\n", TEXT_ARG(name), TEXT_ARG(size), TEXT_ARG(files));
	for (size_t i = 0; i < s->targets.n; i++)
		columns = most_columns(columns, text_shown(t, s->targets.v[i].target));
	for (size_t i = 0; i < s->targets.n; i++) {
		text_word(t, "  ");
		text_left(t, text_shown(t, s->targets.v[i].target), columns);
		text_right(t, text_many(t, s->targets.v[i].files, "file"), 14);
		text_right(t, text_size(t, s->targets.v[i].bytes), 12);
		text_word(t, "\n");
	}
}

/* Files and stores of one artifact; its name above them where several were asked for. */
static void put_artifact(struct text *t, const struct artifact *a, bool several)
{
	bool file = span_eq(a->kind, SPAN("file"));
	size_t n = 0;

	if (several && !file) {
		text_put(t, text_title(t, a));
		text_word(t, "\n\n");
	}
	for (size_t i = 0; i < a->objects.n; i++) {
		const struct object *o = &a->objects.v[i];

		if (o->device_code.n == 0)
			continue;
		text_word(t, n++ ? "\n" : "");
		put_object(t, shown_name(t, file ? a->name : o->path, o->layer, o->hidden), o);
	}
	for (size_t i = 0; i < a->stores.n; i++) {
		text_word(t, n++ ? "\n" : "");
		put_store(t, &a->stores.v[i]);
	}
}

static bool has_code(const struct artifact *a)
{
	bool found = a->stores.n > 0;

	for (size_t i = 0; i < a->objects.n; i++)
		found = found || a->objects.v[i].device_code.n;
	return found;
}

void text_targets(struct text *t, const struct inventory *inv)
{
	bool any = false;

	for (size_t i = 0; i < inv->artifacts.n; i++) {
		const struct artifact *a = &inv->artifacts.v[i];
		bool found = has_code(a);

		any = any || found;
		text_word(t, i ? "\n" : "");
		if (!a->complete) {
			text_incomplete_mark(t);
			outbuf_printf(t->out, "  %.*s was not read to its end", TEXT_ARG(text_title(t, a)));
			text_word(t, found ? "\n" : "; nothing found so far\n");
			text_not_read(t, a);
			text_word(t, found ? "\n" : "");
		}
		if (found)
			put_artifact(t, a, inv->artifacts.n > 1 && a->complete);
		else if (a->complete)
			outbuf_printf(t->out, "%.*s: no device code\n", TEXT_ARG(text_title(t, a)));
	}
	text_closing(t, inv,
	             !any            ? SPAN("'postern scan' says what else is in it")
	             : t->o->verbose ? SPAN("-f json has it all")
	                             : SPAN("-v shows every row and its place"));
}
