/* SPDX-License-Identifier: Apache-2.0 */
/* What containers of device code say of it, against the code itself. */
#include "rules/checks/parts.h"

static bool is_mismatch(const struct device_code *d, struct span backend)
{
	return d->mismatch && span_eq(d->backend, backend);
}

static bool has_mismatch(const struct tie *t)
{
	for (size_t i = 0; t->object && i < t->object->device_code.n; i++)
		if (is_mismatch(&t->object->device_code.v[i], t->backend))
			return true;
	return false;
}

/* One proof a row: "sm_90, labelled sm_80". */
static uint64_t prove_labels(const struct check_input *in, struct finding *f, const struct check_group *g)
{
	uint64_t images = 0;

	for (size_t i = 0; i < g->objects.n; i++) {
		const struct object *o = g->objects.v[i];

		for (size_t k = 0; k < o->device_code.n; k++) {
			const struct device_code *d = &o->device_code.v[k];

			if (!is_mismatch(d, f->backend))
				continue;
			images += d->count;
			*list_add(in->mem, &f->evidence) =
			        (struct proof){o->path,
			                       o->layer,
			                       SPAN("device-code"),
			                       arena_printf(in->mem, "%.*s, labelled %.*s", SPAN_ARG(d->target),
			                                    SPAN_ARG(d->declared)),
			                       STRENGTH_EMBEDDED,
			                       &o->links};
		}
	}
	check_proofs_sort(&f->evidence);
	return images;
}

static void run_claims(const struct check_input *in, struct judged *out)
{
	struct tie_runs runs = {NULL, 0, 0};

	check_ties(in, false, &runs);
	for (size_t i = 0; i < runs.n; i++) {
		struct check_groups groups = {NULL, 0, 0};

		check_group_ties(in, &runs.v[i], has_mismatch, &groups);
		for (size_t k = 0; k < groups.n; k++) {
			const struct check_group *g = &groups.v[k];
			struct finding *f = check_finding(in, out, FINDING_LABEL_MISMATCH, g);
			struct span n, first;

			f->backend = runs.v[i].backend;
			n = check_many(in->mem, prove_labels(in, f, g), "image");
			first = f->evidence.v[0].value;
			f->message = arena_printf(in->mem, "%.*s has %.*s of %.*s under a wrong label: %.*s%s",
			                          SPAN_ARG(g->what), SPAN_ARG(n), SPAN_ARG(f->backend), SPAN_ARG(first),
			                          f->evidence.n > 1 ? " first" : "");
			f->remedy = SPAN("build it again: drivers choose code by its label, and would run or refuse "
			                 "the wrong one");
		}
	}
}

const struct check_family checks_claims = {.name = "claims", .run = run_claims};
