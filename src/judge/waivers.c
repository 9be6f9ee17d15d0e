/* SPDX-License-Identifier: Apache-2.0 */
/* Waivers: what they cover stays visible; one that is over, or covers nothing, is a finding itself. */
#include "parts.h"

#define ARG(s) (int)(s).n, (const char *)(s).p

void debts_init(struct debts *d, const struct policy *p, int64_t today, struct arena *mem)
{
	size_t n = p->waivers.n + 1;

	*d = (struct debts){.policy = p, .mem = mem, .today = today};
	d->used = arena_alloc(mem, n * sizeof(bool));
	d->expired = arena_alloc(mem, n * sizeof(bool));
	d->helpless = arena_alloc(mem, n * sizeof(bool));
}

/* "the waiver for toolchain-shipped (package 'triton') of ml-platform". */
static struct span waiver_words(struct debts *d, const struct waiver *w)
{
	struct span match = match_words(&w->match, d->mem);

	return arena_printf(d->mem, "the waiver for %s (%.*s) of %.*s", finding_name(w->finding), ARG(match),
	                    ARG(w->owner));
}

static void waiver_finding(struct debts *d, struct judged *to, enum finding_id id, const struct waiver *w)
{
	struct finding *f = list_add(d->mem, &to->findings);
	struct span words = waiver_words(d, w), match = match_words(&w->match, d->mem);
	size_t winner;

	/* What was dropped from the list may have stood there. */
	*f = (struct finding){.id = id, .not_waivable = true};
	if (id == FINDING_WAIVER_EXPIRED) {
		f->message = arena_printf(d->mem, "%.*s was good until %.*s", ARG(words), ARG(w->expires));
		f->remedy = SPAN("mend what it waived, or agree on a new date with its owner");
	} else {
		f->message = arena_printf(d->mem, "%.*s fits nothing that was found", ARG(words));
		f->remedy = SPAN("delete it from the policy, or correct its match");
	}
	f->fingerprint =
	        fingerprint_of(f, arena_printf(d->mem, "%s %.*s", finding_name(w->finding), ARG(match)), d->mem);
	f->grade = grade_of(d->policy, to->artifact, f, &winner);
	if (f->grade == GRADE_OFF)
		to->findings.n--;
}

/* The first waiver that is still good. */
static void finding_waive(struct debts *d, const struct artifact *a, struct finding *f)
{
	for (size_t i = 0; i < d->policy->waivers.n; i++) {
		const struct waiver *w = &d->policy->waivers.v[i];

		if (w->finding != f->id || !match_fits(&w->match, a, f))
			continue;
		d->used[i] = true;
		if (f->not_waivable)
			d->helpless[i] = true;
		else if (d->today > w->last_day)
			d->expired[i] = true;
		else if (!f->waiver)
			f->waiver = w;
	}
}

void waivers_apply(struct debts *d, struct judged *to)
{
	size_t n = to->findings.n;

	for (size_t i = 0; i < n; i++)
		finding_waive(d, to->artifact, &to->findings.v[i]);
	for (size_t i = 0; i < d->policy->waivers.n; i++) {
		if (d->expired[i])
			waiver_finding(d, to, FINDING_WAIVER_EXPIRED, &d->policy->waivers.v[i]);
		d->expired[i] = false;
	}
}

void waivers_close(struct debts *d, struct judgement *j)
{
	for (size_t i = 0; i < d->policy->waivers.n; i++) {
		const struct waiver *w = &d->policy->waivers.v[i];

		if (d->helpless[i])
			spans_add(d->mem, &j->notes,
			          arena_printf(d->mem, "%s cannot be waived: the waiver of %.*s has no effect on it",
			                       finding_name(w->finding), ARG(w->owner)));
		if (d->used[i])
			continue;
		*list_add(d->mem, &j->unused) = w;
		/* Once in a run: what one artifact lacks, another may have. */
		if (j->artifacts.n)
			waiver_finding(d, &j->artifacts.v[0], FINDING_WAIVER_UNUSED, w);
	}
}
