/* SPDX-License-Identifier: Apache-2.0 */
/* What a package says about backends: claims of its own metadata, never facts. */
#include <stdlib.h>

#include "extractors/packages/package_parts.h"

static struct declares *claim_add(const struct job_context *ctx, struct package *p, struct span by, struct span text)
{
	const struct claim_rule *rule = text.n ? catalogue_claim(ctx->catalogue, by, text) : NULL;
	struct declares *d;

	if (!rule)
		return NULL;
	d = list_add(ctx->mem, &p->declares);
	*d = (struct declares){rule->backend, by, text, true, true};
	return d;
}

/* What surely applies goes before what may, and that before what does not. */
static int weight(const struct declares *d)
{
	return !d->has_applies ? 1 : d->applies ? 0 : 2;
}

static int by_claim(const void *a, const void *b)
{
	const struct declares *x = a, *y = b;
	int c = span_cmp(x->backend, y->backend);

	c = c ? c : span_cmp(x->by, y->by);
	c = c ? c : span_cmp(x->value, y->value);
	return c ? c : weight(x) - weight(y);
}

static bool same_claim(const struct declares *a, const struct declares *b)
{
	return span_eq(a->backend, b->backend) && span_eq(a->by, b->by) && span_eq(a->value, b->value);
}

static void claims_sort(struct package *p)
{
	size_t kept = 0;

	if (p->declares.n == 0)
		return;
	qsort(p->declares.v, p->declares.n, sizeof(*p->declares.v), by_claim);
	for (size_t i = 1; i < p->declares.n; i++)
		if (!same_claim(&p->declares.v[kept], &p->declares.v[i]))
			p->declares.v[++kept] = p->declares.v[i];
	p->declares.n = kept + 1;
}

void claims_add(const struct job_context *ctx, struct package *p)
{
	claim_add(ctx, p, SPAN("name"), p->name);
	claim_add(ctx, p, SPAN("local-version"), span_after(p->version, span_find(p->version, '+')));
	claim_add(ctx, p, SPAN("variant"), p->variant);
	for (size_t i = 0; i < p->requires.n; i++) {
		struct declares *d = claim_add(ctx, p, SPAN("requires-dist"), p->requires.v[i].name);

		if (!d)
			continue;
		d->has_applies = p->requires.v[i].has_applies;
		d->applies = p->requires.v[i].applies;
	}
	claims_sort(p);
}
