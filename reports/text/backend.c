/* SPDX-License-Identifier: Apache-2.0 */
/* The block of one backend: level, bytes, targets, and who brings it. */
#include "parts.h"

static void put_stores(struct text *t, const struct artifact *a, struct span backend)
{
	for (size_t i = 0; i < a->stores.n; i++) {
		const struct store *s = &a->stores.v[i];
		struct span files = text_many(t, s->files, "kernel file"), size = text_size(t, s->bytes);
		struct spans targets = {0}, parts = {0};
		struct span words;

		if (s->hidden || !span_eq(s->backend, backend))
			continue;
		for (size_t k = 0; k < s->targets.n; k++)
			spans_add(t->mem, &targets, text_shown(t, s->targets.v[k].target));
		text_sort_targets(&targets);
		words = text_fit_targets(t, &targets, 30);
		words = arena_printf(t->mem, "%.*s (%.*s) for %.*s", TEXT_ARG(files), TEXT_ARG(size), TEXT_ARG(words));
		spans_add(t->mem, &parts, words);
		text_named(t, text_shown(t, s->path), true, &parts, 1);
	}
}

static void targets_of(struct text *t, const struct backend_sum *b, enum code_form form, struct spans *to)
{
	for (size_t i = 0; i < b->targets.n; i++)
		if (b->targets.v[i].form == form)
			spans_add(t->mem, to, text_shown(t, b->targets.v[i].target));
	text_sort_targets(to);
}

/* Only code that no GPU runs as it is: by the name of its form. */
static struct span other_targets_in(struct text *t, const struct backend_sum *b, size_t columns)
{
	static const enum code_form others[] = {FORM_STUB, FORM_RELOCATABLE, FORM_INTERMEDIATE, FORM_UNKNOWN};

	for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++) {
		struct span form = span_of(code_form_name(others[i])), words;
		struct spans targets = {0};

		targets_of(t, b, others[i], &targets);
		words = text_fit_targets(t, &targets, columns > form.n + 6 ? columns - form.n - 6 : 0);
		if (targets.n)
			return arena_printf(t->mem, "only %.*s %.*s", TEXT_ARG(form), TEXT_ARG(words));
	}
	return SPAN_NONE;
}

/* "sm_75 ... sm_120 (6), compute_120". */
static struct span targets_in(struct text *t, const struct backend_sum *b, size_t columns)
{
	struct spans native = {0}, portable = {0};
	struct span first, second;

	targets_of(t, b, FORM_NATIVE, &native);
	targets_of(t, b, FORM_PORTABLE, &portable);
	if (native.n == 0 && portable.n == 0)
		return other_targets_in(t, b, columns);
	second = text_fit_targets(t, &portable, native.n ? columns / 2 : columns);
	if (portable.n && columns > text_columns(second) + 2)
		columns -= text_columns(second) + 2;
	first = text_fit_targets(t, &native, columns);
	return arena_printf(t->mem, "%.*s%s%.*s", TEXT_ARG(first), first.n && second.n ? ", " : "", TEXT_ARG(second));
}

/* A backend that is only spoken of gets one line. */
static void put_mentioned(struct text *t, const struct artifact *a, struct span backend, size_t used)
{
	struct span words = text_declares(t, a, backend), name;
	struct spans reasons = {0};
	struct brings l = {0};

	text_collect(t, a, backend, &l);
	if (words.n == 0 && l.n) {
		text_reasons(t, backend, &l.v[0], &reasons);
		words = text_words(t, &reasons, "; ", 0);
		name = span_base_name(text_bring_name(t, &l.v[0]));
		words = arena_printf(t->mem, "%.*s %.*s", TEXT_ARG(name), TEXT_ARG(words));
	}
	if (words.n) {
		text_word(t, "  ");
		text_put(t, t->o->verbose ? words : text_cut_end(t, words, t->width > used ? t->width - used : 1));
	}
	text_word(t, "\n");
	if (t->o->verbose)
		text_put_brings(t, a, backend);
}

static struct span undeclared(const struct backend_sum *b)
{
	if (!b->undeclared)
		return SPAN_NONE;
	return b->packages.n > 1 ? SPAN("some of these do not declare it") : SPAN("not declared by its metadata");
}

void text_backend(struct text *t, const struct artifact *a, const struct backend_sum *b, size_t name_columns)
{
	size_t used = 2 + name_columns + 2 + 9 + 2, room;
	struct span size = text_size(t, b->carried_bytes ? b->carried_bytes : b->device_code_bytes), targets;
	struct span claim = undeclared(b);
	bool beside;

	text_word(t, "  ");
	text_left(t, text_shown(t, b->backend), name_columns + 2);
	text_left(t, span_of(level_name(b->level)), 9);
	if (b->level == LEVEL_MENTIONED) {
		put_mentioned(t, a, b->backend, used);
		text_hidden(t, a, b->backend);
		return;
	}
	if (b->carried_bytes == 0 && b->device_code_bytes == 0)
		size = SPAN("-");
	used += 8 + 3;
	room = t->width > used ? t->width - used : 0;
	targets = targets_in(t, b, room);
	text_right(t, size, 2 + 8);
	text_word(t, targets.n ? "   " : "");
	text_put(t, targets);
	/* Said beside the targets where there is room, else below. */
	beside = text_columns(targets) + 3 + claim.n <= room;
	if (claim.n) {
		text_word(t, beside ? "   " : "\n          ");
		text_put(t, claim);
	}
	text_word(t, "\n");
	text_put_brings(t, a, b->backend);
	put_stores(t, a, b->backend);
	text_hidden(t, a, b->backend);
}
