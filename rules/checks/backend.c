/* SPDX-License-Identifier: Apache-2.0 */
/* Which backends are there, against the lists of the policy. Visible files only: baggage.c has those that are hidden.
 */
#include <stdlib.h>

#include "rules/checks/parts.h"

/* What a package says of itself. */
struct word {
	struct span backend, package, object, value;
	uint32_t layer;
	bool holds; /* an extra only offers */
};

struct words {
	struct word *v;
	size_t n, cap;
};

static int word_cmp(const void *x, const void *y)
{
	const struct word *a = x, *b = y;
	int c = span_cmp(a->backend, b->backend);

	c = c ? c : span_cmp(a->package, b->package);
	c = c ? c : span_cmp(a->object, b->object);
	c = c ? c : span_cmp(a->value, b->value);
	c = c ? c : (a->layer > b->layer) - (a->layer < b->layer);
	return c ? c : (int)b->holds - (int)a->holds;
}

static void words_collect(const struct check_input *in, struct words *l)
{
	for (size_t i = 0; i < in->artifact->packages.n; i++) {
		const struct package *p = &in->artifact->packages.v[i];

		for (size_t k = 0; k < p->declares.n && !p->hidden; k++) {
			const struct declares *d = &p->declares.v[k];

			*list_add(in->mem, l) = (struct word){d->backend, p->id,    p->path,
			                                      d->value,   p->layer, !d->has_applies || d->applies};
		}
	}
	if (l->n)
		qsort(l->v, l->n, sizeof(*l->v), word_cmp);
}

/* Index of the first word of the package about the backend; where it would be when there is none. */
static size_t words_place(const struct words *l, struct span backend, struct span package)
{
	size_t low = 0, high = l->n;

	while (low < high) {
		size_t mid = low + (high - low) / 2;
		int c = span_cmp(l->v[mid].backend, backend);

		if (c < 0 || (c == 0 && span_cmp(l->v[mid].package, package) < 0))
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

static bool is_word_of(const struct words *l, size_t i, struct span backend, struct span package)
{
	return i < l->n && span_eq(l->v[i].backend, backend) && span_eq(l->v[i].package, package);
}

static bool declares(const struct words *l, struct span backend, struct span package)
{
	for (size_t i = words_place(l, backend, package); is_word_of(l, i, backend, package); i++)
		if (l->v[i].holds)
			return true;
	return false;
}

static bool is_required(const struct policy *p, struct span backend)
{
	for (size_t i = 0; i < p->require.n; i++)
		if (spans_have(&p->require.v[i], backend))
			return true;
	return false;
}

static bool is_listed(const struct policy *p, struct span backend)
{
	return is_required(p, backend) || spans_have(&p->allow, backend) || spans_have(&p->forbid, backend);
}

/* A vendor's stack, or a backend that this version does not know: never rounded to the harmless side. */
static bool is_vendor(const struct check_input *in, struct span backend)
{
	const struct backend *b = catalogue_backend(in->catalogue, backend);

	return !b || b->vendor;
}

/* The backend that files should be of, where the policy leaves no choice; else empty. */
static struct span wanted_backend(const struct policy *p)
{
	return p->require.n == 1 && p->require.v[0].n == 1 ? p->require.v[0].v[0] : SPAN_NONE;
}

static bool is_more_than_words(const struct tie *t)
{
	return t->level >= LEVEL_CARRIED;
}

/* From the package to the library that it needs, or to the file that carries most. */
static void chain_fill(const struct check_input *in, struct finding *f, const struct check_group *g)
{
	const struct proof *best = NULL;

	for (size_t i = 0; i < f->evidence.n; i++) {
		const struct proof *p = &f->evidence.v[i];
		bool needed = p->strength == STRENGTH_HARD && span_eq(p->kind, SPAN("needed"));

		if (needed) {
			best = p;
			break;
		}
		if (!best && p->strength != STRENGTH_SOFT && p->strength != STRENGTH_WEAK)
			best = p;
	}
	if (!best)
		return;
	if (g->package.n)
		spans_add(in->mem, &f->chain, g->package);
	spans_add(in->mem, &f->chain, best->object);
	if (span_eq(best->kind, SPAN("needed")))
		spans_add(in->mem, &f->chain, best->value);
}

static struct finding *backend_finding(const struct check_input *in, struct judged *out, enum finding_id id,
                                       const struct tie_run *run, const struct check_group *g)
{
	struct finding *f = check_finding(in, out, id, g);

	f->backend = run->backend;
	f->has_level = true;
	f->level = check_group_level(g, run->backend);
	check_prove(in, f, g, run->backend);
	chain_fill(in, f, g);
	return f;
}

static struct span leave_out(const struct check_input *in, const struct check_group *g, struct span backend)
{
	struct span size = check_size(in->mem, g->bytes), name = check_package_name(g->package);
	struct span other = wanted_backend(in->policy);

	if (g->package.n == 0)
		return arena_printf(in->mem, "leave out %.*s: %.*s", SPAN_ARG(g->what), SPAN_ARG(size));
	if (other.n && !span_eq(other, backend))
		return arena_printf(in->mem, "install the %.*s build of %.*s, or leave it out: %.*s", SPAN_ARG(other),
		                    SPAN_ARG(name), SPAN_ARG(size));
	return arena_printf(in->mem, "install a build of %.*s without %.*s, or leave it out: %.*s", SPAN_ARG(name),
	                    SPAN_ARG(backend), SPAN_ARG(size));
}

static void forbidden(const struct check_input *in, struct judged *out, const struct tie_run *run)
{
	struct check_groups groups = {NULL, 0, 0};

	check_group_ties(in, run, is_more_than_words, &groups);
	for (size_t i = 0; i < groups.n; i++) {
		const struct check_group *g = &groups.v[i];
		struct finding *f = backend_finding(in, out, FINDING_BACKEND_FORBIDDEN, run, g);
		struct span why = check_reasons(in->mem, g, run->backend);

		f->message = arena_printf(in->mem, "%.*s is forbidden here: %.*s %.*s", SPAN_ARG(run->backend),
		                          SPAN_ARG(g->what), SPAN_ARG(why));
		f->remedy = leave_out(in, g, run->backend);
	}
}

static void others(const struct check_input *in, struct judged *out, const struct tie_run *run)
{
	const char *where =
	        in->policy->source.n ? "in no list of the policy" : "here, and no policy says whether it may be";
	struct check_groups groups = {NULL, 0, 0};

	check_group_ties(in, run, is_more_than_words, &groups);
	for (size_t i = 0; i < groups.n; i++) {
		const struct check_group *g = &groups.v[i];
		struct finding *f = backend_finding(in, out, FINDING_BACKEND_OTHER, run, g);
		struct span why = check_reasons(in->mem, g, run->backend);

		f->message = arena_printf(in->mem, "%.*s is %s: %.*s %.*s", SPAN_ARG(run->backend), where,
		                          SPAN_ARG(g->what), SPAN_ARG(why));
		f->remedy = arena_printf(in->mem, "allow or forbid %.*s in %s", SPAN_ARG(run->backend),
		                         in->policy->source.n ? "the policy" : "a policy");
	}
}

/* Bytes against the package's own claims. */
static void hidden(const struct check_input *in, struct judged *out, const struct tie_run *run,
                   const struct words *words)
{
	struct check_groups groups = {NULL, 0, 0};

	check_group_ties(in, run, is_more_than_words, &groups);
	for (size_t i = 0; i < groups.n; i++) {
		const struct check_group *g = &groups.v[i];
		struct span why = check_reasons(in->mem, g, run->backend);
		struct finding *f;

		if (g->package.n == 0 || declares(words, run->backend, g->package))
			continue;
		f = backend_finding(in, out, FINDING_BACKEND_HIDDEN, run, g);
		f->message = arena_printf(in->mem, "%.*s is not named by its package's metadata: %.*s %.*s",
		                          SPAN_ARG(run->backend), SPAN_ARG(g->what), SPAN_ARG(why));
		f->remedy = SPAN("find out who asked for it, and take a build that says what it brings");
	}
}

static void mention_claims(const struct check_input *in, struct finding *f, const struct words *words, size_t from)
{
	for (size_t i = from; is_word_of(words, i, f->backend, words->v[from].package); i++)
		*list_add(in->mem, &f->evidence) = (struct proof){words->v[i].object, words->v[i].layer, SPAN("claim"),
		                                                  words->v[i].value,  STRENGTH_DECLARED, NULL};
	check_proofs_sort(&f->evidence);
}

static void mention(const struct check_input *in, struct judged *out, struct span backend, const struct check_group *g,
                    const struct words *words)
{
	struct finding *f = check_finding(in, out, FINDING_BACKEND_MENTIONED, g);
	size_t word = g->package.n ? words_place(words, backend, g->package) : words->n;

	f->backend = backend;
	f->has_level = true;
	f->level = LEVEL_MENTIONED;
	check_prove(in, f, g, backend);
	if (is_word_of(words, word, backend, g->package))
		mention_claims(in, f, words, word);
	f->message = arena_printf(in->mem, "%.*s is only mentioned: %.*s names it, and nothing in it would use it",
	                          SPAN_ARG(backend), SPAN_ARG(g->what));
	f->remedy = SPAN("nothing has to be done: it is neither carried nor needed");
}

static int group_package_cmp(const void *x, const void *y)
{
	return span_cmp(((const struct check_group *)x)->package, ((const struct check_group *)y)->package);
}

/* Groups that speak of a forbidden backend, and packages that do so in their metadata only. run: may be NULL. */
static void mentioned(const struct check_input *in, struct judged *out, struct span backend, const struct tie_run *run,
                      const struct words *words)
{
	struct check_groups groups = {NULL, 0, 0};

	if (run)
		check_group_ties(in, run, NULL, &groups);
	for (size_t i = 0; i < groups.n; i++)
		if (check_group_level(&groups.v[i], backend) == LEVEL_MENTIONED)
			mention(in, out, backend, &groups.v[i], words);
	for (size_t i = words_place(words, backend, SPAN_NONE); i < words->n && span_eq(words->v[i].backend, backend);
	     i++) {
		struct check_group g = {.package = words->v[i].package, .layer = words->v[i].layer};

		if (i && is_word_of(words, i - 1, backend, g.package))
			continue;
		/* Groups come in order of their packages. */
		if (groups.n && bsearch(&g, groups.v, groups.n, sizeof(*groups.v), group_package_cmp))
			continue;
		g.what = check_package(in->mem, g.package);
		mention(in, out, backend, &g, words);
	}
}

static bool some_run_has(const struct tie_runs *runs, const struct spans *any)
{
	for (size_t i = 0; i < runs->n; i++)
		if (runs->v[i].level >= LEVEL_CARRIED && spans_have(any, runs->v[i].backend))
			return true;
	return false;
}

/* Of each list of the policy one backend must be carried or needed by what is visible. Metadata never counts. */
static void required(const struct check_input *in, struct judged *out, const struct tie_runs *runs)
{
	const struct check_group none = {0};

	for (size_t i = 0; i < in->policy->require.n; i++) {
		const struct spans *any = &in->policy->require.v[i];
		struct finding *f;
		struct span names;

		if (any->n == 0 || some_run_has(runs, any))
			continue;
		f = check_finding(in, out, FINDING_BACKEND_REQUIRED_MISSING, &none);
		f->backend = any->v[0];
		names = check_join(in->mem, any, 0);
		f->message = arena_printf(in->mem, "%.*s %s required, and no file%s needs or carries %s",
		                          SPAN_ARG(names), any->n == 1 ? "is" : "are wanted: one of them is",
		                          in->artifact->complete ? "" : " that was read", any->n == 1 ? "it" : "any");
		f->remedy = arena_printf(in->mem, "install what brings %.*s, or judge by another policy",
		                         SPAN_ARG(any->v[0]));
	}
}

static const struct tie_run *run_of(const struct tie_runs *runs, struct span backend)
{
	for (size_t i = 0; i < runs->n; i++)
		if (span_eq(runs->v[i].backend, backend))
			return &runs->v[i];
	return NULL;
}

static void run_backend(const struct check_input *in, struct judged *out)
{
	const struct policy *p = in->policy;
	struct tie_runs runs = {NULL, 0, 0};
	struct words words = {NULL, 0, 0};

	check_ties(in, false, &runs);
	words_collect(in, &words);
	for (size_t i = 0; i < runs.n; i++) {
		const struct tie_run *run = &runs.v[i];
		bool listed = is_listed(p, run->backend), counts = listed || is_vendor(in, run->backend);

		if (run->level < LEVEL_CARRIED || !counts)
			continue;
		if (spans_have(&p->forbid, run->backend))
			forbidden(in, out, run);
		else if (!listed)
			others(in, out, run);
		hidden(in, out, run, &words);
	}
	for (size_t i = 0; i < p->forbid.n; i++)
		mentioned(in, out, p->forbid.v[i], run_of(&runs, p->forbid.v[i]), &words);
	required(in, out, &runs);
}

const struct check_family checks_backend = {.name = "backend", .run = run_backend};
