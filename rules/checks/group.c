/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a finding stands for: a package with all its files, or the files of one folder that no package owns. Levels are
 * made by the rules of the summary, so that findings and summary never contradict each other.
 */
#include <stdlib.h>

#include "base/checked.h"
#include "rules/checks/parts.h"

/* A file or store with the keys that it is grouped by. */
struct member {
	struct span package, folder, path;
	uint32_t layer;
	const struct object *object;
	const struct store *store;
};

struct members {
	struct member *v;
	size_t n, cap;
};

static int group_cmp(const struct member *a, const struct member *b)
{
	int c = span_cmp(a->package, b->package);

	return c || a->package.n ? c : span_cmp(a->folder, b->folder);
}

static int member_cmp(const void *x, const void *y)
{
	const struct member *a = x, *b = y;
	int c = group_cmp(a, b);

	c = c ? c : span_cmp(a->path, b->path);
	c = c ? c : (a->layer > b->layer) - (a->layer < b->layer);
	c = c ? c : (a->store != NULL) - (b->store != NULL);
	/* Both stand in lists of one order: places decide between equal ones. */
	c = c ? c : (a->object > b->object) - (a->object < b->object);
	return c ? c : (a->store > b->store) - (a->store < b->store);
}

static struct span folder_of(struct span path)
{
	size_t n = path.n - span_base_name(path).n;

	return span_first(path, n ? n - 1 : 0);
}

static void member_add(const struct check_input *in, struct members *l, const struct object *o, const struct store *s)
{
	struct member *m = list_add(in->mem, l);

	m->object = o;
	m->store = s;
	m->package = o ? o->package : s->package;
	m->path = o ? o->path : s->path;
	m->folder = o ? folder_of(o->path) : s->path;
	m->layer = o ? o->layer : s->layer;
}

static struct span group_words(const struct check_input *in, const struct check_group *g, struct span folder,
                               uint64_t files)
{
	struct span n = check_many(in->mem, files, "file");

	if (g->package.n)
		return check_package(in->mem, g->package);
	if (g->path.n && g->stores.n == 0)
		return g->path;
	if (folder.n == 0)
		folder = SPAN("the top folder");
	return arena_printf(in->mem, "%.*s (%.*s)", SPAN_ARG(folder), SPAN_ARG(n));
}

/* n members of one group. */
static void group_add(const struct check_input *in, const struct member *m, size_t n, struct check_groups *out)
{
	struct check_group *g = list_add(in->mem, out);
	uint64_t files = 0;

	g->package = m->package;
	g->path = n == 1 ? m->path : SPAN_NONE;
	g->layer = m->layer;
	for (size_t i = 0; i < n; i++) {
		if (m[i].object)
			*list_add(in->mem, &g->objects) = m[i].object;
		else
			*list_add(in->mem, &g->stores) = m[i].store;
		files = sum_capped(files, m[i].object ? 1 : m[i].store->files);
		g->bytes = sum_capped(g->bytes, m[i].object ? m[i].object->bytes : m[i].store->bytes);
		if (m[i].layer != g->layer)
			g->layer = 0;
	}
	g->what = group_words(in, g, m->folder, files);
}

static void members_group(const struct check_input *in, struct members *l, struct check_groups *out)
{
	size_t from = 0;

	if (l->n == 0)
		return;
	qsort(l->v, l->n, sizeof(*l->v), member_cmp);
	for (size_t i = 1; i <= l->n; i++) {
		if (i < l->n && group_cmp(&l->v[i], &l->v[from]) == 0)
			continue;
		group_add(in, l->v + from, i - from, out);
		from = i;
	}
}

void check_group_objects(const struct check_input *in, bool (*wanted)(const struct object *o, const void *sink),
                         const void *sink, struct check_groups *out)
{
	struct members l = {NULL, 0, 0};

	for (size_t i = 0; i < in->artifact->objects.n; i++)
		if (wanted(&in->artifact->objects.v[i], sink))
			member_add(in, &l, &in->artifact->objects.v[i], NULL);
	members_group(in, &l, out);
}

void check_group_ties(const struct check_input *in, const struct tie_run *run, bool (*wanted)(const struct tie *t),
                      struct check_groups *out)
{
	struct members l = {NULL, 0, 0};

	for (size_t i = 0; i < run->n; i++)
		if (!wanted || wanted(&run->ties[i]))
			member_add(in, &l, run->ties[i].object, run->ties[i].store);
	members_group(in, &l, out);
}

/* What lies in an archive is not loaded. Folders that are called "x!" are rare enough to be taken for one. */
static bool is_nested(struct span path)
{
	return path.n && memmem(path.p, path.n, "!/", 2);
}

static enum level evidence_level(const struct object *o, const struct evidence *e)
{
	if (e->strength == STRENGTH_HARD)
		return is_nested(o->path) ? LEVEL_CARRIED : LEVEL_NEEDED;
	return evidence_carries(o, e) ? LEVEL_CARRIED : LEVEL_MENTIONED;
}

static int tie_cmp(const void *x, const void *y)
{
	const struct tie *a = x, *b = y;
	int c = span_cmp(a->backend, b->backend);

	c = c ? c : (a->store != NULL) - (b->store != NULL);
	c = c ? c : (a->object > b->object) - (a->object < b->object);
	return c ? c : (a->store > b->store) - (a->store < b->store);
}

static void tie_add(const struct check_input *in, struct ties *l, struct span backend, enum level level, bool carries,
                    const struct object *o)
{
	*list_add(in->mem, l) = (struct tie){.backend = backend, .level = level, .carries = carries, .object = o};
}

static void object_ties(const struct check_input *in, const struct object *o, struct ties *l)
{
	for (size_t i = 0; i < o->evidence.n; i++)
		tie_add(in, l, o->evidence.v[i].backend, evidence_level(o, &o->evidence.v[i]),
		        evidence_carries(o, &o->evidence.v[i]), o);
	for (size_t i = 0; i < o->device_code.n; i++)
		tie_add(in, l, o->device_code.v[i].backend, LEVEL_CARRIED, true, o);
}

/* One tie for each file or store and backend stays. */
static void ties_join(struct ties *l)
{
	size_t kept = 0;

	for (size_t i = 1; i < l->n; i++) {
		struct tie *to = &l->v[kept], *t = &l->v[i];

		if (tie_cmp(to, t) != 0) {
			l->v[++kept] = *t;
			continue;
		}
		to->level = t->level > to->level ? t->level : to->level;
		to->carries = to->carries || t->carries;
	}
	l->n = l->n ? kept + 1 : 0;
}

void check_ties(const struct check_input *in, bool hidden, struct tie_runs *out)
{
	const struct artifact *a = in->artifact;
	struct ties l = {NULL, 0, 0};
	struct tie_run *run = NULL;

	for (size_t i = 0; i < a->objects.n; i++)
		if (a->objects.v[i].hidden == hidden)
			object_ties(in, &a->objects.v[i], &l);
	for (size_t i = 0; i < a->stores.n; i++) {
		const struct store *s = &a->stores.v[i];

		if (s->hidden == hidden)
			*list_add(in->mem, &l) = (struct tie){s->backend, LEVEL_CARRIED, true, NULL, s};
	}
	if (l.n)
		qsort(l.v, l.n, sizeof(*l.v), tie_cmp);
	ties_join(&l);
	for (size_t i = 0; i < l.n; i++) {
		if (!run || !span_eq(run->backend, l.v[i].backend)) {
			run = list_add(in->mem, out);
			run->backend = l.v[i].backend;
			run->ties = &l.v[i];
		}
		run->n++;
		run->level = l.v[i].level > run->level ? l.v[i].level : run->level;
	}
}

enum level check_group_level(const struct check_group *g, struct span backend)
{
	enum level level = g->stores.n ? LEVEL_CARRIED : LEVEL_MENTIONED;

	for (size_t i = 0; i < g->objects.n; i++) {
		const struct object *o = g->objects.v[i];

		for (size_t k = 0; k < o->evidence.n; k++) {
			enum level l = evidence_level(o, &o->evidence.v[k]);

			if (l > level && span_eq(o->evidence.v[k].backend, backend))
				level = l;
		}
		for (size_t k = 0; k < o->device_code.n && level < LEVEL_CARRIED; k++)
			if (span_eq(o->device_code.v[k].backend, backend))
				level = LEVEL_CARRIED;
	}
	return level;
}

struct finding *check_finding(const struct check_input *in, struct judged *out, enum finding_id id,
                              const struct check_group *g)
{
	struct finding *f = list_add(in->mem, &out->findings);

	f->id = id;
	f->package = g->package;
	f->path = g->path;
	f->layer = g->layer;
	f->bytes = g->bytes;
	return f;
}

static int proof_cmp(const void *x, const void *y)
{
	const struct proof *a = x, *b = y;
	int c = span_cmp(a->object, b->object);

	c = c ? c : span_cmp(a->kind, b->kind);
	c = c ? c : span_cmp(a->value, b->value);
	c = c ? c : (a->layer > b->layer) - (a->layer < b->layer);
	return c ? c : (int)a->strength - (int)b->strength;
}

void check_proofs_sort(struct proofs *l)
{
	if (l->n)
		qsort(l->v, l->n, sizeof(*l->v), proof_cmp);
}

void check_prove(const struct check_input *in, struct finding *f, const struct check_group *g, struct span backend)
{
	for (size_t i = 0; i < g->objects.n; i++) {
		const struct object *o = g->objects.v[i];

		for (size_t k = 0; k < o->evidence.n; k++) {
			const struct evidence *e = &o->evidence.v[k];

			if (backend.n == 0 || span_eq(e->backend, backend))
				*list_add(in->mem, &f->evidence) =
				        (struct proof){o->path,  o->layer,    span_of(evidence_kind_name(e->kind)),
				                       e->value, e->strength, &o->links};
		}
	}
	for (size_t i = 0; i < g->stores.n; i++) {
		const struct store *s = g->stores.v[i];

		*list_add(in->mem, &f->evidence) =
		        (struct proof){s->path, s->layer, SPAN("kernel-store"), s->kind, STRENGTH_EMBEDDED, NULL};
	}
	check_proofs_sort(&f->evidence);
}
