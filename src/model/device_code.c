/* SPDX-License-Identifier: Apache-2.0 */
#include "model/device_code.h"

#include <stdlib.h>

static const char *const form_names[FORM_COUNT] = {
	"native", "stub", "relocatable", "portable", "intermediate", "unknown",
};

const char *code_form_name(enum code_form f)
{
	return f < FORM_COUNT ? form_names[f] : "";
}

static int by_number(uint64_t a, uint64_t b)
{
	return (a > b) - (a < b);
}

/* Order of everything that tells rows apart. */
static int row_cmp(const struct device_code *a, const struct device_code *b)
{
	int c = span_cmp(a->backend, b->backend);

	c = c ? c : span_cmp(a->target, b->target);
	c = c ? c : span_cmp(span_of(code_form_name(a->form)), span_of(code_form_name(b->form)));
	c = c ? c : span_cmp(a->container, b->container);
	c = c ? c : span_cmp(a->where, b->where);
	c = c ? c : span_cmp(a->codec, b->codec);
	c = c ? c : span_cmp(a->declared, b->declared);
	c = c ? c : by_number(a->mismatch, b->mismatch);
	c = c ? c : span_cmp(a->isa, b->isa);
	c = c ? c : span_cmp(a->toolkit, b->toolkit);
	return c ? c : by_number(a->abi, b->abi);
}

static int by_row(const void *x, const void *y)
{
	const struct device_code *a = x, *b = y;
	int c = row_cmp(a, b);

	return c ? c : by_number(a->offset, b->offset);
}

void device_codes_merge(struct device_codes *l)
{
	size_t kept = 0;

	if (l->n == 0)
		return;
	qsort(l->v, l->n, sizeof(*l->v), by_row);
	for (size_t i = 1; i < l->n; i++) {
		struct device_code *to = &l->v[kept], *from = &l->v[i];

		if (row_cmp(to, from) != 0) {
			l->v[++kept] = *from;
			continue;
		}
		to->count += from->count;
		to->bytes += from->bytes;
		to->kernels += from->kernels;
		to->opened = to->opened && from->opened;
	}
	l->n = kept + 1;
}

static int targets_cmp(const struct spans *a, const struct spans *b)
{
	for (size_t i = 0; i < a->n && i < b->n; i++) {
		int c = span_cmp(a->v[i], b->v[i]);

		if (c)
			return c;
	}
	return by_number(a->n, b->n);
}

static int by_targets(const void *a, const void *b)
{
	return targets_cmp(&((const struct unit_set *)a)->targets, &((const struct unit_set *)b)->targets);
}

void unit_sets_merge(struct unit_sets *l)
{
	size_t kept = 0;

	if (l->n == 0)
		return;
	qsort(l->v, l->n, sizeof(*l->v), by_targets);
	for (size_t i = 1; i < l->n; i++) {
		if (targets_cmp(&l->v[kept].targets, &l->v[i].targets) == 0)
			l->v[kept].count += l->v[i].count;
		else
			l->v[++kept] = l->v[i];
	}
	l->n = kept + 1;
}

void unit_sets_add(struct unit_sets *l, struct arena *mem, struct spans *targets)
{
	struct unit_set *set;

	spans_sort_unique(targets);
	if (targets->n == 0)
		return;
	/* Before the list would grow: most units have the same few sets. */
	if (l->n == l->cap)
		unit_sets_merge(l);
	set = list_add(mem, l);
	set->count = 1;
	set->targets = *targets;
}
