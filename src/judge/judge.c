/* SPDX-License-Identifier: Apache-2.0 */
#include "judge.h"

#include <stdlib.h>

#include "parts.h"
#include "rules/check.h"

#define ARG(s) (int)(s).n, (const char *)(s).p

/* A class that this run judges for, and whether any artifact has its backend. */
struct asked_class {
	const struct node_class *class;
	bool seen;
};

struct asked_classes {
	struct asked_class *v;
	size_t n, cap;
};

static int no_such_class(const struct policy *p, struct span name, struct arena *mem, struct err *e)
{
	struct span all = SPAN_NONE;

	for (size_t i = 0; i < p->classes.n; i++)
		all = arena_printf(mem, "%.*s%s%.*s", ARG(all), i ? ", " : "", ARG(p->classes.v[i].name));
	if (p->source.n == 0)
		return err_set(e, ERR_USAGE, 0, "no class '%.*s' without a policy", ARG(name));
	if (all.n == 0)
		return err_set(e, ERR_USAGE, 0, "no class '%.*s' in '%.*s': it has none", ARG(name), ARG(p->source));
	return err_set(e, ERR_USAGE, 0, "no class '%.*s' in '%.*s', only %.*s", ARG(name), ARG(p->source), ARG(all));
}

/* In the policy's order, each once. */
static int classes_choose(struct asked_classes *l, const struct policy *p, const struct spans *names, struct arena *mem,
                          struct err *e)
{
	for (size_t i = 0; i < names->n; i++)
		if (!policy_class(p, names->v[i]))
			return no_such_class(p, names->v[i], mem, e);
	for (size_t i = 0; i < p->classes.n; i++) {
		bool asked = names->n == 0;

		for (size_t k = 0; k < names->n; k++)
			asked = asked || span_eq(names->v[k], p->classes.v[i].name);
		if (asked)
			*list_add(mem, l) = (struct asked_class){&p->classes.v[i], false};
	}
	return 0;
}

static bool artifact_has(const struct artifact *a, struct span backend)
{
	for (size_t i = 0; i < a->backends.n; i++)
		if (a->backends.v[i].level >= LEVEL_CARRIED && span_eq(a->backends.v[i].backend, backend))
			return true;
	return false;
}

/* Worst grade first, then what is largest; the rest only makes it one order. */
static int finding_cmp(const void *x, const void *y)
{
	const struct finding *a = x, *b = y;
	int c = (int)b->grade - (int)a->grade;

	c = c ? c : (a->bytes < b->bytes) - (a->bytes > b->bytes);
	c = c ? c : (int)a->id - (int)b->id;
	c = c ? c : span_cmp(a->package, b->package);
	c = c ? c : span_cmp(a->path, b->path);
	c = c ? c : span_cmp(a->backend, b->backend);
	c = c ? c : span_cmp(a->class_name, b->class_name);
	c = c ? c : span_cmp(a->target, b->target);
	c = c ? c : span_cmp(a->message, b->message);
	return c ? c : span_cmp(a->fingerprint, b->fingerprint);
}

/* What is off is dropped. */
static void findings_grade(struct judgement *j, struct judged *to, struct arena *mem)
{
	size_t kept = 0;

	for (size_t i = 0; i < to->findings.n; i++) {
		struct finding f = to->findings.v[i];
		size_t winner;

		f.fingerprint = fingerprint_of(&f, SPAN_NONE, mem);
		f.grade = grade_of(j->policy, to->artifact, &f, &winner);
		if (winner)
			j->overridden.v[winner - 1]++;
		if (f.grade != GRADE_OFF)
			to->findings.v[kept++] = f;
	}
	to->findings.n = kept;
}

static void artifact_judge(struct judgement *j, const struct artifact *a, const struct catalogue *c,
                           struct asked_classes *classes, struct debts *debts, struct arena *mem)
{
	struct judged *to = list_add(mem, &j->artifacts);
	struct check_input in = {.artifact = a, .policy = j->policy, .catalogue = c, .mem = mem};

	to->artifact = a;
	to->verdict = VERDICT_INCOMPLETE;
	for (size_t i = 0; i < classes->n; i++) {
		*list_add(mem, &in.classes) = classes->v[i].class;
		classes->v[i].seen = classes->v[i].seen || artifact_has(a, classes->v[i].class->backend);
	}
	checks_run(&in, to);
	findings_grade(j, to, mem);
	waivers_apply(debts, to);
}

/* The verdict starts as incomplete; a pass is earned. */
static void artifact_close(struct judgement *j, struct judged *to)
{
	bool incomplete = !to->artifact->complete, fails = false;

	for (size_t i = 0; i < to->findings.n; i++) {
		const struct finding *f = &to->findings.v[i];

		incomplete = incomplete || f->incomplete;
		if (f->waiver) {
			j->waived++;
			continue;
		}
		j->fails += f->grade == GRADE_FAIL;
		j->warns += f->grade == GRADE_WARN;
		j->infos += f->grade == GRADE_INFO;
		fails = fails || (j->fail_on != GRADE_OFF && f->grade >= j->fail_on);
	}
	/* Without a policy nothing fails. */
	fails = fails && j->policy->source.n;
	j->fails_any = j->fails_any || fails;
	if (!incomplete)
		to->verdict = fails ? VERDICT_FAIL : VERDICT_PASS;
	if (to->findings.n)
		qsort(to->findings.v, to->findings.n, sizeof(*to->findings.v), finding_cmp);
}

static void notes_add(struct judgement *j, const struct asked_classes *classes, struct arena *mem)
{
	for (size_t i = 0; i < classes->n; i++) {
		const struct node_class *c = classes->v[i].class;

		if (!classes->v[i].seen)
			spans_add(mem, &j->notes,
			          arena_printf(mem, "class '%.*s' is of %.*s, which nothing here needs or carries",
			                       ARG(c->name), ARG(c->backend)));
	}
	for (size_t i = 0; i < j->policy->overrides.n; i++) {
		struct span words = match_words(&j->policy->overrides.v[i].match, mem);

		if (j->overridden.v[i] == 0)
			spans_add(mem, &j->notes,
			          arena_printf(mem, "the override of %.*s changes nothing here", ARG(words)));
	}
}

static enum verdict verdict_of(const struct judgement *j)
{
	enum verdict worst = VERDICT_PASS;

	for (size_t i = 0; i < j->artifacts.n; i++)
		worst = j->artifacts.v[i].verdict > worst ? j->artifacts.v[i].verdict : worst;
	return j->artifacts.n ? worst : VERDICT_INCOMPLETE;
}

int judge_inventory(struct judgement *j, const struct inventory *inv, const struct policy *p, const struct catalogue *c,
                    const struct judge_options *o, struct arena *mem, struct err *e)
{
	struct asked_classes classes = {NULL, 0, 0};
	struct debts debts;
	int64_t today;

	j->inventory = inv;
	j->policy = p;
	j->date = o->date;
	j->fail_on = o->fail_on;
	j->verdict = VERDICT_INCOMPLETE;
	if (!date_parse(o->date, &today))
		return err_set(e, ERR_USAGE, 0, "no date of the calendar: '%.*s' (2026-12-31 is one)", ARG(o->date));
	if (classes_choose(&classes, p, &o->classes, mem, e))
		return -1;
	debts_init(&debts, p, today, mem);
	for (size_t i = 0; i < p->overrides.n; i++)
		*list_add(mem, &j->overridden) = 0;
	for (size_t i = 0; i < inv->artifacts.n; i++)
		artifact_judge(j, &inv->artifacts.v[i], c, &classes, &debts, mem);
	waivers_close(&debts, j);
	for (size_t i = 0; i < j->artifacts.n; i++)
		artifact_close(j, &j->artifacts.v[i]);
	notes_add(j, &classes, mem);
	j->verdict = verdict_of(j);
	return 0;
}
