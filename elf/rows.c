/* SPDX-License-Identifier: Apache-2.0 */
#include "elf/rows.h"

#include "elf/rdc.h"
#include "elf/sections.h"

#define TOLD_MAX      16   /* problems of one grade about one file */
#define ROW_WEIGHT    1024 /* bytes of a row without its texts, all in all */
#define TARGET_WEIGHT 128  /* of one target in a set */

static struct span where_of(const struct rows_target *t, uint64_t offset)
{
	return t->host ? section_where(t->host, offset) : t->where;
}

/* What rows and sets come to. They are copied, written and joined: some times what they hold is what they cost. */
struct kept {
	struct device_codes rows;
	struct unit_sets sets;
	bool full; /* they are more than an eighth of object-ranges */
};

static uint64_t rows_weight(const struct device_codes *l)
{
	uint64_t n = 0;

	for (size_t i = 0; i < l->n; i++) {
		const struct device_code *c = &l->v[i];

		n += ROW_WEIGHT + 4 * (c->backend.n + c->target.n + c->declared.n + c->isa.n + c->toolkit.n);
	}
	return n;
}

static uint64_t sets_weight(const struct unit_sets *l)
{
	uint64_t n = 0;

	for (size_t i = 0; i < l->n; i++)
		for (size_t k = 0; k < l->v[i].targets.n; k++)
			n += TARGET_WEIGHT + 4 * l->v[i].targets.v[k].n;
	return n;
}

/* Adds alike rows up before the list would grow: large libraries have a few kinds of rows, thousands of times. */
static bool rows_room(const struct rows_target *t, struct kept *k)
{
	if (k->rows.n && k->rows.n == k->rows.cap) {
		device_codes_merge(&k->rows);
		k->full = k->full || rows_weight(&k->rows) > t->ctx->limits->v[LIMIT_OBJECT_RANGES] / 8;
	}
	return !k->full;
}

static bool sets_room(const struct rows_target *t, struct kept *k)
{
	if (k->sets.n && k->sets.n == k->sets.cap) {
		unit_sets_merge(&k->sets);
		k->full = k->full || sets_weight(&k->sets) > t->ctx->limits->v[LIMIT_OBJECT_RANGES] / 8;
	}
	return !k->full;
}

static void unit_add(const struct rows_target *t, const struct found *f, const struct found_unit *u, struct kept *k)
{
	struct spans targets = {NULL, 0, 0};
	struct span where = where_of(t, u->offset);

	if (!sets_room(t, k))
		return;
	for (size_t i = u->first; i < u->first + u->images && rows_room(t, k); i++) {
		struct found_image image = found_image_at(f, i);
		struct device_code *row = list_add(t->scratch, &k->rows);

		*row = image.code;
		row->where = where;
		if (u->unit && image.unit_target)
			spans_add(t->scratch, &targets, row->target);
	}
	t->object->units += u->unit;
	unit_sets_add(&k->sets, t->scratch, &targets);
}

static void copy(struct arena *mem, struct span *s)
{
	if (s->n)
		*s = arena_copy(mem, *s);
}

/* Rows and sets into the job's memory; `where` and the form's names live there already. */
static void keep(const struct rows_target *t, const struct device_codes *rows, const struct unit_sets *sets)
{
	struct arena *mem = t->ctx->mem;
	struct object *o = t->object;

	for (size_t i = 0; i < rows->n; i++) {
		struct device_code *to = list_add(mem, &o->device_code);

		*to = rows->v[i];
		copy(mem, &to->backend);
		copy(mem, &to->target);
		copy(mem, &to->container);
		copy(mem, &to->codec);
		copy(mem, &to->declared);
		copy(mem, &to->isa);
		copy(mem, &to->toolkit);
	}
	for (size_t i = 0; i < sets->n; i++) {
		struct unit_set *to = list_add(mem, &o->unit_sets);

		to->count = sets->v[i].count;
		for (size_t k = 0; k < sets->v[i].targets.n; k++)
			spans_add(mem, &to->targets, arena_copy(mem, sets->v[i].targets.v[k]));
	}
}

/* One piece of evidence for each backend and form. */
static void evidence_add(const struct rows_target *t)
{
	struct object *o = t->object;
	size_t first = o->evidence.n;

	for (size_t i = 0; i < o->device_code.n; i++) {
		const struct device_code *c = &o->device_code.v[i];
		struct span form = span_of(code_form_name(c->form));
		size_t k = first;

		while (k < o->evidence.n &&
		       !(span_eq(o->evidence.v[k].backend, c->backend) && span_eq(o->evidence.v[k].value, form)))
			k++;
		if (k == o->evidence.n)
			object_evidence(o, t->ctx->mem, c->backend, EVIDENCE_DEVICE_CODE, form, STRENGTH_EMBEDDED);
	}
}

static void tell(const struct rows_target *t, const struct found_fault *f, enum problem_grade grade)
{
	struct arena *mem = t->ctx->mem;
	enum finding_id id = f->limit ? FINDING_SCAN_INCOMPLETE : FINDING_OBJECT_UNREADABLE;

	problem_add(t->problems, mem, f->limit ? PROBLEM_INCOMPLETE : grade, id, t->object->path, "%.*s",
	            (int)f->reason.n, (const char *)f->reason.p);
	t->problems->v[t->problems->n - 1].limit = f->limit;
}

/*
 * A candidate that failed counts in a loose file and in a section made for its format. Without sections that have names it
 * cannot be told from a number that looks like a magic: odd, but no more.
 */
static bool fault_counts(const struct rows_target *t, const struct found_fault *f, enum problem_grade *grade)
{
	*grade = f->grade;
	if (t->loose)
		return true;
	if (!t->host)
		return false;
	if (t->host->sections_n == 0 || t->host->names_n == 0) {
		*grade = PROBLEM_ANOMALY;
		return true;
	}
	return search_section_of(f->format, section_name_at(t->host, f->offset));
}

/* Problems of one grade, of which a file with too many has only the first ones told. */
static void problems_of(const struct rows_target *t, const struct found *found, enum problem_grade wanted)
{
	size_t told = 0;
	enum problem_grade grade;

	for (size_t i = 0; i < found->faults.n && told < TOLD_MAX; i++) {
		const struct found_fault *f = &found->faults.v[i];

		if (!fault_counts(t, f, &grade) || (f->limit ? PROBLEM_INCOMPLETE : grade) != wanted)
			continue;
		tell(t, f, grade);
		told++;
	}
	for (size_t i = 0; i < found->oddities.n && told < TOLD_MAX; i++) {
		const struct found_fault *f = &found->oddities.v[i];

		if ((f->limit ? PROBLEM_INCOMPLETE : f->grade) != wanted)
			continue;
		tell(t, f, f->grade);
		told++;
	}
}

void rows_add(const struct rows_target *t, const struct found *found)
{
	struct kept k = {.full = false};

	for (size_t i = 0; i < found->units.n; i++)
		unit_add(t, found, &found->units.v[i], &k);
	rdc_rows(t, &k.rows);
	device_codes_merge(&k.rows);
	unit_sets_merge(&k.sets);
	keep(t, &k.rows, &k.sets);
	if (k.full)
		problem_limit(t->problems, t->ctx->mem, t->ctx->limits, LIMIT_OBJECT_RANGES, t->object->path,
		              "the kinds of its device code");
	evidence_add(t);
	problems_of(t, found, PROBLEM_INCOMPLETE);
	problems_of(t, found, PROBLEM_ANOMALY);
}
