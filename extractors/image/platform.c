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

struct span platform_text(struct arena *mem, const struct platform *p, bool whole)
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
