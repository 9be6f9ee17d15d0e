/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Levels and sums of each backend (design.md 4, inventory.md "What comes when"): every file and every claim gives one
 * vote for each backend that it speaks of, and votes are added up in order of backend.
 */
#include <stdlib.h>

#include "base/checked.h"
#include "parts.h"

struct vote {
	struct span backend;
	enum level level;
	bool by_itself; /* the file is there because of the backend, and not only in need of it */
	bool object;    /* a row of `objects` stands behind it; else a store's file or a claim */
	size_t owner;
	uint32_t layer;
	uint64_t device_code, carried;
};

struct votes {
	struct vote *v;
	size_t n, cap;
};

/* A row of device code of one object, before targets are added up. */
struct image_row {
	struct span backend, target;
	enum code_form form;
	size_t object;
	uint64_t count, bytes;
};

struct images {
	struct image_row *v;
	size_t n, cap;
};

/* What a package says of itself. */
struct word {
	size_t package;
	struct span backend;
};

struct words {
	struct word *v;
	size_t n, cap;
};

static int vote_cmp(const void *x, const void *y)
{
	return span_cmp(((const struct vote *)x)->backend, ((const struct vote *)y)->backend);
}

static int word_cmp(const void *x, const void *y)
{
	const struct word *a = x, *b = y;
	int c = (a->package > b->package) - (a->package < b->package);

	return c ? c : span_cmp(a->backend, b->backend);
}

static int image_cmp(const void *x, const void *y)
{
	const struct image_row *a = x, *b = y;
	int c = span_cmp(a->backend, b->backend);

	c = c ? c : span_cmp(a->target, b->target);
	c = c ? c : (int)a->form - (int)b->form;
	return c ? c : (a->object > b->object) - (a->object < b->object);
}

static struct vote *vote_add(struct merge *m, struct votes *l, struct span backend, enum level level, size_t owner)
{
	struct vote *v = list_add(m->mem, l);

	/* Joining shortens the list, so what stands here may be old. */
	*v = (struct vote){.backend = backend, .level = level, .owner = owner};
	return v;
}

/* Votes l->v[from...] are one object's: one for each backend stays. */
static void votes_join(struct votes *l, size_t from)
{
	size_t kept = from;

	if (l->n == from)
		return;
	qsort(l->v + from, l->n - from, sizeof(*l->v), vote_cmp);
	for (size_t i = from + 1; i < l->n; i++) {
		struct vote *to = &l->v[kept], *v = &l->v[i];

		if (!span_eq(to->backend, v->backend)) {
			l->v[++kept] = *v;
			continue;
		}
		to->level = v->level > to->level ? v->level : to->level;
		to->by_itself = to->by_itself || v->by_itself;
		to->device_code = sum_capped(to->device_code, v->device_code);
	}
	l->n = kept + 1;
}

static void object_votes(struct merge *m, size_t index, struct votes *l)
{
	const struct object *o = &m->to->objects.v[index];
	bool nested = merge_archive_part(m, o->path) > 0;
	size_t from = l->n, owner = m->owners[index], carriers = 0;

	for (size_t i = 0; i < o->evidence.n; i++) {
		const struct evidence *e = &o->evidence.v[i];
		enum level level = LEVEL_MENTIONED;

		if (e->strength == STRENGTH_HARD)
			level = nested ? LEVEL_CARRIED : LEVEL_NEEDED;
		else if (evidence_carries(o, e))
			level = LEVEL_CARRIED;
		vote_add(m, l, e->backend, level, owner)->by_itself = evidence_carries(o, e);
	}
	for (size_t i = 0; i < o->device_code.n; i++) {
		struct vote *v = vote_add(m, l, o->device_code.v[i].backend, LEVEL_CARRIED, owner);

		v->by_itself = true;
		v->device_code = o->device_code.v[i].bytes;
	}
	votes_join(l, from);
	for (size_t i = from; i < l->n; i++) {
		l->v[i].object = !m->stored[index];
		l->v[i].layer = o->layer;
		carriers += l->v[i].by_itself;
	}
	/* A file of two backends is nobody's alone, so that sums hold. */
	if (carriers > 1)
		m->to->shared_bytes = sum_capped(m->to->shared_bytes, o->bytes);
	for (size_t i = from; i < l->n; i++)
		if (l->v[i].by_itself && carriers == 1)
			l->v[i].carried = o->bytes;
}

/* Claims give votes too; *words keeps who said what. A claim that an extra only offers says nothing of the package
 * itself. */
static void claim_votes(struct merge *m, struct votes *l, struct words *words)
{
	for (size_t i = 0; i < m->to->packages.n; i++) {
		const struct package *p = &m->to->packages.v[i];

		for (size_t k = 0; k < p->declares.n; k++) {
			const struct declares *d = &p->declares.v[k];

			vote_add(m, l, d->backend, LEVEL_MENTIONED, i)->layer = p->layer;
			if (!d->has_applies || d->applies)
				*list_add(m->mem, words) = (struct word){i, d->backend};
		}
	}
	if (words->n)
		qsort(words->v, words->n, sizeof(*words->v), word_cmp);
}

static bool declares(const struct words *words, size_t package, struct span backend)
{
	struct word key = {package, backend};

	return words->n && bsearch(&key, words->v, words->n, sizeof(*words->v), word_cmp);
}

static int layer_cmp(const void *x, const void *y)
{
	return by_number(*(const uint32_t *)x, *(const uint32_t *)y);
}

/* The layers that bring it; those that only speak of it count where none does more. */
static void layers_sum(struct merge *m, struct backend_sum *b, const struct vote *votes, size_t n)
{
	enum level least = b->level > LEVEL_CARRIED ? LEVEL_CARRIED : b->level;
	size_t kept = 0;

	for (size_t i = 0; i < n; i++)
		if (votes[i].layer && votes[i].level >= least)
			*list_add(m->mem, &b->layers) = votes[i].layer;
	if (b->layers.n == 0)
		return;
	qsort(b->layers.v, b->layers.n, sizeof(*b->layers.v), layer_cmp);
	for (size_t i = 1; i < b->layers.n; i++)
		if (b->layers.v[i] != b->layers.v[kept])
			b->layers.v[++kept] = b->layers.v[i];
	b->layers.n = kept + 1;
}

static void backend_add(struct merge *m, const struct vote *votes, size_t n, const struct words *words)
{
	struct backend_sum *b = list_add(m->mem, &m->to->backends);

	b->backend = votes[0].backend;
	for (size_t i = 0; i < n; i++) {
		const struct vote *v = &votes[i];

		b->level = v->level > b->level ? v->level : b->level;
		b->objects += v->object;
		b->device_code_bytes = sum_capped(b->device_code_bytes, v->device_code);
		b->carried_bytes = sum_capped(b->carried_bytes, v->carried);
		if (v->owner == NO_OWNER)
			continue;
		spans_add(m->mem, &b->packages, m->to->packages.v[v->owner].id);
		if (v->level >= LEVEL_CARRIED && !declares(words, v->owner, v->backend))
			b->undeclared = true;
	}
	spans_sort_unique(&b->packages);
	layers_sum(m, b, votes, n);
}

static void images_collect(struct merge *m, struct images *l)
{
	for (size_t i = 0; i < m->to->objects.n; i++) {
		const struct object *o = &m->to->objects.v[i];

		for (size_t k = 0; k < o->device_code.n; k++) {
			const struct device_code *c = &o->device_code.v[k];

			*list_add(m->mem, l) = (struct image_row){c->backend, c->target, c->form, i, c->count, c->bytes};
		}
	}
	if (l->n)
		qsort(l->v, l->n, sizeof(*l->v), image_cmp);
}

/* Rows of one backend; *next is where they may start in the sorted list. */
static void targets_sum(struct merge *m, struct backend_sum *b, const struct images *l, size_t *next)
{
	struct target_sum *t = NULL;
	size_t object = SIZE_MAX;

	for (; *next < l->n && span_eq(l->v[*next].backend, b->backend); ++*next) {
		const struct image_row *image = &l->v[*next];

		if (!t || !span_eq(t->target, image->target) || t->form != image->form) {
			t = list_add(m->mem, &b->targets);
			t->target = image->target;
			t->form = image->form;
			object = SIZE_MAX;
		}
		t->objects += image->object != object;
		object = image->object;
		t->count = sum_capped(t->count, image->count);
		t->bytes = sum_capped(t->bytes, image->bytes);
	}
}

void merge_summary(struct merge *m)
{
	struct votes votes = {NULL, 0, 0};
	struct images images = {NULL, 0, 0};
	struct words words = {NULL, 0, 0};
	size_t from = 0, next = 0;

	for (size_t i = 0; i < m->to->objects.n; i++)
		object_votes(m, i, &votes);
	claim_votes(m, &votes, &words);
	images_collect(m, &images);
	if (votes.n == 0)
		return;
	qsort(votes.v, votes.n, sizeof(*votes.v), vote_cmp);
	for (size_t i = 1; i <= votes.n; i++) {
		if (i < votes.n && span_eq(votes.v[i].backend, votes.v[from].backend))
			continue;
		backend_add(m, votes.v + from, i - from, &words);
		/* Images vote too, so both lists have the same backends in the same order. */
		targets_sum(m, &m->to->backends.v[m->to->backends.n - 1], &images, &next);
		from = i;
	}
}
