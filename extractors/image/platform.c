/* SPDX-License-Identifier: Apache-2.0 */
/* Platforms as Go names them: os/architecture[/variant]. */
#include "parts.h"

bool platform_parse(struct span text, struct platform *p)
{
	size_t os = span_find(text, '/');
	struct span rest = span_after(text, os + 1);
	size_t architecture = span_find(rest, '/');

	p->os = span_first(text, os);
	p->architecture = span_first(rest, architecture);
	p->variant = span_after(rest, architecture + 1);
	return p->os.n && p->architecture.n && (p->variant.n || architecture == rest.n) &&
	       span_find(p->variant, '/') == p->variant.n;
}

void platform_read(struct arena *mem, const json *j, struct platform *p)
{
	p->os = member_text(mem, j, "os");
	p->architecture = member_text(mem, j, "architecture");
	p->variant = member_text(mem, j, "variant");
}

static struct span variant_of(const struct platform *p)
{
	if (p->variant.n)
		return p->variant;
	if (span_eq(p->architecture, SPAN("arm64")))
		return SPAN("v8");
	return span_eq(p->architecture, SPAN("arm")) ? SPAN("v7") : SPAN_NONE;
}

bool platform_fits(const struct platform *asked, const struct platform *have)
{
	return span_eq(asked->os, have->os) && span_eq(asked->architecture, have->architecture) &&
	       (!asked->variant.n || span_eq(asked->variant, variant_of(have)));
}

bool platform_is_default(const struct platform *p)
{
	return span_eq(p->os, SPAN("linux")) && span_eq(p->architecture, SPAN("amd64"));
}

static struct span text_of(struct arena *mem, const struct platform *p, bool whole)
{
	bool usual = span_eq(p->architecture, SPAN("amd64")) ||
	             (span_eq(p->architecture, SPAN("arm64")) && span_eq(p->variant, SPAN("v8")));
	struct span variant = usual && !whole ? SPAN_NONE : p->variant;

	if (!p->os.n && !p->architecture.n)
		return SPAN_NONE;
	return arena_printf(mem, "%.*s/%.*s%s%.*s", (int)p->os.n, (const char *)p->os.p, (int)p->architecture.n,
	                    (const char *)p->architecture.p, variant.n ? "/" : "", (int)variant.n,
	                    (const char *)variant.p);
}

struct span platform_text(struct arena *mem, const struct platform *p)
{
	return text_of(mem, p, false);
}

struct span platform_choice(struct arena *mem, const struct platform *p)
{
	struct span name = text_of(mem, p, true);

	return name.n ? name : SPAN("(none said)");
}

static bool has_lost(const struct problems *l)
{
	for (size_t i = 0; i < l->n; i++)
		if (l->v[i].grade == PROBLEM_INCOMPLETE)
			return true;
	return false;
}

void platform_demand(struct image_store *s, const struct platform *have)
{
	struct platform asked;
	struct spans names = {0};

	if (!s->ctx->platform.n || !platform_parse(s->ctx->platform, &asked) || platform_fits(&asked, have))
		return;
	/* What could not be read may have said it, and the rest is worth reading: that is no pass anyway. */
	if (!have->os.n && has_lost(&s->plan->problems))
		return;
	spans_add(s->ctx->mem, &names, platform_choice(s->ctx->mem, have));
	platform_refuse(s, &names);
}

void platform_refuse(struct image_store *s, const struct spans *names)
{
	choice_refuse(s, "it has no image for the platform that '--platform' names", "--platform", names);
}
