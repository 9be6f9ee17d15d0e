/* SPDX-License-Identifier: Apache-2.0 */
/* METADATA and WHEEL of a dist-info folder (artifacts.md B1). */
#include "extractors/packages/headers.h"
#include "extractors/packages/package_parts.h"

static bool name_byte(uint8_t c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '_' ||
	       c == '.';
}

struct span package_name_normalise(struct arena *mem, struct span name)
{
	uint8_t *out = arena_alloc(mem, name.n + 1);
	size_t n = 0;

	for (size_t i = 0; i < name.n; i++) {
		uint8_t c = name.p[i];

		if (c == '-' || c == '_' || c == '.') {
			if (i == 0 || out[n - 1] != '-')
				out[n++] = '-';
		} else {
			out[n++] = c >= 'A' && c <= 'Z' ? (uint8_t)(c - 'A' + 'a') : c;
		}
	}
	return (struct span){out, n};
}

/* Behind the semicolon; of a requirement by URL, which may hold one, behind a semicolon after a blank. */
static struct span marker_of(struct span spec)
{
	bool url = spec.n && spec.p[0] == '@';

	for (size_t i = 0; i < spec.n; i++)
		if (spec.p[i] == ';' && (!url || (i && (spec.p[i - 1] == ' ' || spec.p[i - 1] == '\t'))))
			return span_after(spec, i + 1);
	return SPAN_NONE;
}

static void requires_add(struct arena *mem, struct span value, struct package *p)
{
	struct requires *r;
	size_t n = 0;
	enum marker_answer answer;

	while (n < value.n && name_byte(value.p[n]))
		n++;
	if (n == 0)
		return;
	r = list_add(mem, &p->requires);
	r->name = package_name_normalise(mem, span_first(value, n));
	r->spec = span_trim(span_after(value, n));
	answer = marker_answer(marker_of(r->spec));
	r->has_applies = answer != MARKER_UNKNOWN;
	r->applies = answer == MARKER_YES;
}

static void classifier_add(const struct job_context *ctx, struct span value, struct package *p)
{
	uint8_t *lower = arena_alloc(ctx->mem, value.n + 1);
	const struct claim_rule *rule;
	struct declares *d;

	for (size_t i = 0; i < value.n; i++)
		lower[i] = value.p[i] >= 'A' && value.p[i] <= 'Z' ? (uint8_t)(value.p[i] - 'A' + 'a') : value.p[i];
	rule = catalogue_claim(ctx->catalogue, SPAN("classifier"), (struct span){lower, value.n});
	if (!rule)
		return;
	d = list_add(ctx->mem, &p->declares);
	*d = (struct declares){rule->backend, SPAN("classifier"), value, true, true};
}

void metadata_parse(const struct job_context *ctx, struct span text, struct package *p)
{
	struct headers h = {text};
	struct span name, value;

	while (headers_next(&h, ctx->mem, &name, &value)) {
		if (header_is(name, "Name") && p->name.n == 0)
			p->name = package_name_normalise(ctx->mem, value);
		else if (header_is(name, "Version") && p->version.n == 0)
			p->version = value;
		else if (header_is(name, "Requires-Dist"))
			requires_add(ctx->mem, value, p);
		else if (header_is(name, "Classifier"))
			classifier_add(ctx, value, p);
	}
}

void wheel_file_parse(const struct job_context *ctx, struct span text, struct package *p)
{
	struct headers h = {text};
	struct span name, value;

	while (headers_next(&h, ctx->mem, &name, &value)) {
		if (header_is(name, "Root-Is-Purelib")) {
			p->has_purelib = true;
			p->purelib = header_is(value, "true");
		} else if (header_is(name, "Tag")) {
			size_t one = span_find(value, '-');
			struct span rest = span_after(value, one + 1);
			size_t two = span_find(rest, '-');

			tags_spread(ctx->mem, &p->tags, span_first(value, one), span_first(rest, two),
			            span_after(rest, two + 1));
		}
	}
	spans_sort_unique(&p->tags);
}
