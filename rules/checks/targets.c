/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Will it run there: each file, package and class, for each device of the class (rules/target.h). A package answers
 * with its best file, so that code of one package never hides that another has none. What is unknown is neither served
 * nor missing.
 */
#include <stdlib.h>

#include "rules/checks/targets_parts.h"
#include "rules/target.h"

static bool has_code(const struct tie *t)
{
	if (t->store)
		return true;
	for (size_t i = 0; i < t->object->device_code.n; i++)
		if (span_eq(t->object->device_code.v[i].backend, t->backend))
			return true;
	return false;
}

/* Groups of visible files with code of the backend. */
static void groups_of(const struct check_input *in, const struct tie_runs *runs, struct span backend,
                      struct check_groups *out)
{
	for (size_t i = 0; i < runs->n; i++)
		if (span_eq(runs->v[i].backend, backend))
			check_group_ties(in, &runs->v[i], has_code, out);
}

static bool is_kernel_file(const struct code_file *f)
{
	enum object_type t = f->object ? f->object->type : OBJECT_OTHER;

	return f->store || t == OBJECT_CUBIN || t == OBJECT_FATBIN || t == OBJECT_PTX || t == OBJECT_HIPFB ||
	       t == OBJECT_HSACO;
}

/* A file of one image is for one target by nature: that it is for no other is no news. */
static bool is_one_image(const struct code_file *f)
{
	return f->object &&
	       (f->object->type == OBJECT_CUBIN || f->object->type == OBJECT_PTX || f->object->type == OBJECT_HSACO);
}

static void mark(const struct check_input *in, struct side *s, struct code_file *f, enum mark m, struct span device)
{
	f->marks[m] = true;
	s->pairs[m]++;
	if (!spans_have(&s->devices[m], device))
		spans_add(in->mem, &s->devices[m], device);
}

static void file_answer(const struct check_input *in, struct side *s, struct code_file *f, struct span device)
{
	uint64_t served = 0, units = 0;
	const char *why = NULL;

	f->now_why = NULL;
	f->now = f->store ? target_store(f->store, s->node->backend, device, &why)
	                  : target_object(f->object, s->node->backend, device, &served, &units, &why);
	if (f->now == ANSWER_UNKNOWN)
		f->now_why = why;
	if (f->now > f->worst || (f->now == f->worst && !f->why)) {
		f->worst = f->now;
		f->why = f->now_why;
	}
	if (f->now >= ANSWER_UNKNOWN || served >= units)
		return;
	if (!f->marks[MARK_PARTIAL] || served < f->served) {
		f->served = served;
		f->units = units;
	}
	mark(in, s, f, MARK_PARTIAL, device);
}

/* Files from ... to - 1 are one package, or one file that stands for itself: the answer of the best. */
static enum answer team_device(const struct check_input *in, struct side *s, size_t from, size_t to, struct span device,
                               const char **why)
{
	enum answer best = ANSWER_NOT_NEEDED;

	for (size_t i = from; i < to; i++) {
		struct code_file *f = &s->files.v[i];

		file_answer(in, s, f, device);
		if (f->now == ANSWER_UNKNOWN && best > ANSWER_UNKNOWN)
			*why = f->now_why;
		best = f->now < best ? f->now : best;
	}
	for (size_t i = from; i < to; i++) {
		struct code_file *f = &s->files.v[i];

		if (f->now == ANSWER_NONE && best == ANSWER_NONE)
			mark(in, s, f, MARK_MISSING, device);
		else if (f->now == ANSWER_NONE && best < ANSWER_UNKNOWN && !is_one_image(f))
			mark(in, s, f, MARK_HERE, device);
		else if (f->now == ANSWER_JIT && best == ANSWER_JIT)
			mark(in, s, f, MARK_JIT, device);
	}
	return best;
}

static void team_answer(const struct check_input *in, struct side *s, size_t from, size_t to, struct class_answer *c)
{
	for (size_t i = 0; i < s->node->devices.n; i++) {
		const char *why = NULL;
		enum answer a = team_device(in, s, from, to, s->node->devices.v[i], &why);

		if (a == ANSWER_NOT_NEEDED || (c->answer != ANSWER_NOT_NEEDED && a <= c->answer))
			continue;
		c->answer = a;
		c->why = a == ANSWER_UNKNOWN ? span_of(why) : SPAN_NONE;
	}
}

/*
 * All files of a package are one team. A file that no package owns stands for itself; only loose kernels of one folder
 * are for one program, each for its target.
 */
static void teams_answer(const struct check_input *in, struct side *s, struct class_answer *c)
{
	size_t from = 0;

	for (size_t i = 1; i <= s->files.n; i++) {
		bool together =
		        i < s->files.n &&
		        (s->group->package.n || (is_kernel_file(&s->files.v[from]) && is_kernel_file(&s->files.v[i])));

		if (together)
			continue;
		team_answer(in, s, from, i, c);
		from = i;
	}
}

/* Teams add devices as they come; sentences have them as the policy does. */
static void devices_order(const struct check_input *in, struct side *s)
{
	for (int m = 0; m < MARKS; m++) {
		struct spans ordered = {NULL, 0, 0};

		for (size_t i = 0; i < s->node->devices.n; i++) {
			struct span d = s->node->devices.v[i];

			if (spans_have(&s->devices[m], d) && !spans_have(&ordered, d))
				spans_add(in->mem, &ordered, d);
		}
		s->devices[m] = ordered;
	}
}

/* Loose kernels first, so that a team stands side by side. */
static void side_fill(const struct check_input *in, struct side *s)
{
	const struct check_group *g = s->group;

	for (int kernels = 1; kernels >= 0; kernels--) {
		for (size_t i = 0; i < g->objects.n; i++) {
			struct code_file f = {.object = g->objects.v[i]};

			if (is_kernel_file(&f) == kernels)
				*list_add(in->mem, &s->files) = f;
		}
		for (size_t i = 0; kernels && i < g->stores.n; i++)
			*list_add(in->mem, &s->files) = (struct code_file){.store = g->stores.v[i]};
	}
}

static void rows_add(const struct check_input *in, const struct side *s, struct class_answer *c)
{
	for (size_t i = 0; i < s->files.n; i++) {
		const struct code_file *f = &s->files.v[i];
		struct object_answer *row = list_add(in->mem, &c->objects);

		row->path = f->object ? f->object->path : f->store->path;
		row->store = f->store != NULL;
		row->answer = f->worst;
		row->why = span_of(f->why);
		row->partial = f->marks[MARK_PARTIAL];
		row->served = f->served;
		row->units = f->units;
	}
}

static int row_cmp(const void *x, const void *y)
{
	const struct object_answer *a = x, *b = y;
	int c = span_cmp(a->path, b->path);

	return c ? c : (int)a->store - (int)b->store;
}

static void class_run(const struct check_input *in, const struct node_class *node, const struct tie_runs *runs,
                      struct judged *out)
{
	struct class_answer *c = list_add(in->mem, &out->classes);
	struct check_groups groups = {NULL, 0, 0};

	c->class_name = node->name;
	c->answer = ANSWER_NOT_NEEDED;
	if (node->devices.n == 0) {
		c->answer = ANSWER_UNKNOWN;
		c->why = SPAN("the class has no devices");
		return;
	}
	groups_of(in, runs, node->backend, &groups);
	for (size_t i = 0; i < groups.n; i++) {
		struct side s = {.node = node, .group = &groups.v[i]};

		side_fill(in, &s);
		teams_answer(in, &s, c);
		devices_order(in, &s);
		rows_add(in, &s, c);
		for (int m = 0; m < MARKS; m++)
			targets_tell(in, out, &s, (enum mark)m);
	}
	if (c->objects.n)
		qsort(c->objects.v, c->objects.n, sizeof(*c->objects.v), row_cmp);
}

/* Once for each backend that a class of the policy has, be the class judged for in this run or not. */
static void surplus_run(const struct check_input *in, const struct tie_runs *runs, struct judged *out)
{
	const struct policy *p = in->policy;
	struct spans done = {NULL, 0, 0};

	for (size_t i = 0; i < p->classes.n; i++) {
		struct check_groups groups = {NULL, 0, 0};

		if (spans_have(&done, p->classes.v[i].backend))
			continue;
		spans_add(in->mem, &done, p->classes.v[i].backend);
		groups_of(in, runs, p->classes.v[i].backend, &groups);
		for (size_t k = 0; k < groups.n; k++)
			targets_tell_surplus(in, out, &groups.v[k], p->classes.v[i].backend);
	}
}

static void targets_run(const struct check_input *in, struct judged *out)
{
	struct tie_runs runs = {NULL, 0, 0};

	if (in->classes.n == 0 && in->policy->classes.n == 0)
		return;
	check_ties(in, false, &runs);
	for (size_t i = 0; i < in->classes.n; i++)
		class_run(in, in->classes.v[i], &runs, out);
	surplus_run(in, &runs, out);
}

const struct check_family checks_targets = {
        .name = "targets",
        .run = targets_run,
};
