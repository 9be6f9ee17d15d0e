/* SPDX-License-Identifier: Apache-2.0 */
#include "model/object.h"

#include <stdlib.h>

static const char *const strengths[STRENGTH_COUNT] = {
	"hard", "weak", "embedded", "bundled", "host", "tool", "soft", "declared",
};

static const char *const kinds[EVIDENCE_COUNT] = {
	"needed",         "symbol",      "device-code", "static-runtime", "dlopen",   "api-name",
	"vendor-library", "driver-file", "driver-stub", "toolchain",      "metadata",
};

static const char *const confidences[CONFIDENCE_COUNT] = {"", "low", "medium", "high"};

static const char *const types[OBJECT_TYPE_COUNT] = {
	"elf",    "archive", "link",  "empty", "lfs-pointer", "cubin",
	"fatbin", "ptx",     "hipfb", "hsaco", "source",      "other",
};

const char *strength_name(enum strength s)
{
	return s < STRENGTH_COUNT ? strengths[s] : "";
}

const char *evidence_kind_name(enum evidence_kind k)
{
	return k < EVIDENCE_COUNT ? kinds[k] : "";
}

const char *confidence_name(enum confidence c)
{
	return c < CONFIDENCE_COUNT ? confidences[c] : "";
}

const char *object_type_name(enum object_type t)
{
	return t < OBJECT_TYPE_COUNT ? types[t] : "";
}

bool evidence_carries(const struct object *o, const struct evidence *e)
{
	return !object_is_placeholder(o) && (e->strength == STRENGTH_EMBEDDED || e->strength == STRENGTH_BUNDLED ||
	                                     e->strength == STRENGTH_HOST || e->strength == STRENGTH_TOOL);
}

struct evidence *object_evidence(struct object *o, struct arena *mem, struct span backend, enum evidence_kind kind,
                                 struct span value, enum strength strength)
{
	struct evidence *e = list_add(mem, &o->evidence);

	e->backend = backend;
	e->kind = kind;
	e->value = value;
	e->strength = strength;
	return e;
}

static int same_row(const struct evidence *a, const struct evidence *b)
{
	int c = span_cmp(a->backend, b->backend);

	c = c ? c : span_cmp(span_of(evidence_kind_name(a->kind)), span_of(evidence_kind_name(b->kind)));
	c = c ? c : span_cmp(a->value, b->value);
	return c ? c : (int)a->strength - (int)b->strength;
}

static int by_evidence(const void *x, const void *y)
{
	const struct evidence *a = x, *b = y;
	int c = same_row(a, b);

	/* A row with a place comes before one without, the first place before later ones. */
	c = c ? c : (int)b->has_offset - (int)a->has_offset;
	return c ? c : (a->offset > b->offset) - (a->offset < b->offset);
}

static void evidence_sort(struct evidences *l, struct arena *mem)
{
	size_t kept = 0;

	if (l->n == 0)
		return;
	qsort(l->v, l->n, sizeof(*l->v), by_evidence);
	for (size_t i = 1; i < l->n; i++) {
		struct evidence *to = &l->v[kept], *from = &l->v[i];

		if (same_row(to, from) != 0) {
			l->v[++kept] = *from;
			continue;
		}
		if (from->confidence > to->confidence)
			to->confidence = from->confidence;
		for (size_t k = 0; k < from->names.n; k++)
			spans_add(mem, &to->names, from->names.v[k]);
	}
	l->n = kept + 1;
	for (size_t i = 0; i < l->n; i++)
		spans_sort_unique(&l->v[i].names);
}

void object_sort(struct object *o, struct arena *mem)
{
	spans_sort_unique(&o->faults);
	evidence_sort(&o->evidence, mem);
	device_codes_merge(&o->device_code);
	unit_sets_merge(&o->unit_sets);
}
