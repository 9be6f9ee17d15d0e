/* SPDX-License-Identifier: Apache-2.0 */
/* What the targets of a file as a whole hide: units that lack some of them. */
#include <stdlib.h>

#include "parts.h"

struct cover {
	struct span target;
	uint64_t units; /* that have it */
};

struct covers {
	struct cover *v;
	size_t n, cap;
};

static int by_target(const void *a, const void *b)
{
	return span_cmp(((const struct cover *)a)->target, ((const struct cover *)b)->target);
}

/* For each target the units that have it; the number of all units comes back. */
static uint64_t count_covers(struct text *t, const struct unit_sets *l, struct covers *to)
{
	uint64_t units = 0;
	size_t kept = 0;

	for (size_t i = 0; i < l->n; i++) {
		units += l->v[i].count;
		for (size_t k = 0; k < l->v[i].targets.n; k++) {
			struct cover *c = list_add(t->mem, to);

			*c = (struct cover){l->v[i].targets.v[k], l->v[i].count};
		}
	}
	if (to->n == 0)
		return units;
	qsort(to->v, to->n, sizeof(*to->v), by_target);
	for (size_t i = 1; i < to->n; i++) {
		if (span_eq(to->v[kept].target, to->v[i].target))
			to->v[kept].units += to->v[i].units;
		else
			to->v[++kept] = to->v[i];
	}
	to->n = kept + 1;
	return units;
}

static void put_sets(struct text *t, const struct unit_sets *l)
{
	for (size_t i = 0; i < l->n; i++) {
		struct span n = text_many(t, l->v[i].count, "unit");
		struct spans targets = {0};

		for (size_t k = 0; k < l->v[i].targets.n; k++)
			spans_add(t->mem, &targets, text_shown(t, l->v[i].targets.v[k]));
		text_sort_targets(&targets);
		outbuf_printf(t->out, "  %.*s: ", TEXT_ARG(n));
		text_put(t, text_words(t, &targets, " ", 0));
		text_word(t, "\n");
	}
}

void text_partial(struct text *t, const struct object *o)
{
	struct covers covers = {0};
	uint64_t units;
	struct spans lacking = {0};
	struct span few, all, words;
	const struct cover *least = NULL;

	if (o->unit_sets.n < 2)
		return;
	units = count_covers(t, &o->unit_sets, &covers);
	for (size_t i = 0; i < covers.n; i++) {
		if (covers.v[i].units < units)
			spans_add(t->mem, &lacking, text_shown(t, covers.v[i].target));
		if (!least || covers.v[i].units < least->units)
			least = &covers.v[i];
	}
	if (t->o->verbose) {
		put_sets(t, &o->unit_sets);
		return;
	}
	if (lacking.n == 0)
		return;
	few = text_number(t, least->units);
	all = text_many(t, units, "unit");
	words = text_shown(t, least->target);
	outbuf_printf(t->out, "  uneven: only %.*s of %.*s ha%s %.*s", TEXT_ARG(few), TEXT_ARG(all),
	              least->units == 1 ? "s" : "ve", TEXT_ARG(words));
	if (lacking.n > 1)
		outbuf_printf(t->out, "; %zu more target%s", lacking.n - 1,
		              lacking.n > 2 ? "s lack some" : " lacks some");
	text_word(t, " (-v)\n");
}
