/* SPDX-License-Identifier: Apache-2.0 */
#include "extractors/packages/package_parts.h"

#include <stdlib.h>

#include "extractors/path.h"

enum package_file package_file_of(struct span path, struct span *folder)
{
	struct span base = span_base_name(path);
	const struct span mark = SPAN(".dist-info");

	*folder = path_folder(path);
	if (!span_ends(*folder, mark) || span_base_name(*folder).n == mark.n)
		return PACKAGE_NONE;
	if (span_eq(base, SPAN("METADATA")))
		return PACKAGE_METADATA;
	if (span_eq(base, SPAN("WHEEL")))
		return PACKAGE_WHEEL;
	return span_eq(base, SPAN("RECORD")) ? PACKAGE_RECORD : PACKAGE_NONE;
}

void package_parts_add(struct package_parts *l, struct arena *mem, struct span folder, enum package_file kind,
                       struct span text)
{
	*list_add(mem, &l->list) = (struct package_part){folder, kind, text};
}

static int by_folder(const void *a, const void *b)
{
	const struct package_part *x = a, *y = b;
	int c = span_cmp(x->folder, y->folder);

	return c ? c : (int)x->kind - (int)y->kind;
}

/* "name-version" of a .dist-info folder: for what METADATA does not say. */
static void folder_name_use(struct arena *mem, struct package *p)
{
	struct span base = span_base_name(p->path);
	size_t at;

	base.n -= sizeof(".dist-info") - 1;
	at = base.n;
	while (at && base.p[at - 1] != '-')
		at--;
	if (p->version.n == 0)
		p->version = at ? span_after(base, at) : SPAN_NONE;
	if (p->name.n == 0)
		p->name = package_name_normalise(mem, at ? span_first(base, at - 1) : base);
}

static void package_read(const struct job_context *ctx, const struct package_part *part, struct package *p)
{
	switch (part->kind) {
	case PACKAGE_METADATA:
		metadata_parse(ctx, part->text, p);
		break;
	case PACKAGE_WHEEL:
		wheel_file_parse(ctx, part->text, p);
		break;
	case PACKAGE_RECORD:
		record_parse(ctx->mem, part->text, p);
		break;
	case PACKAGE_NONE:
		break;
	}
}

/* A folder at the top of a wheel: what its file name may speak of. */
static bool at_top(struct span folder, struct span archive)
{
	struct span inner = archive.n ? span_after(folder, archive.n + 2) : folder;

	return span_find(inner, '/') == inner.n;
}

static bool named_so(struct arena *mem, struct span folder, const struct wheel_name *name)
{
	struct span mine = span_base_name(folder);
	struct span theirs = arena_printf(mem, "%.*s-%.*s", SHOWN(name->name), SHOWN(name->version));

	mine.n -= sizeof(".dist-info") - 1;
	return span_eq(package_name_normalise(mem, mine), package_name_normalise(mem, theirs));
}

/* Several .dist-info folders at the top of a wheel: the one that the file name speaks of counts, where there is one. */
struct choice {
	struct span archive, chosen;
	struct wheel_name name;
	bool is_wheel, has_name;
};

static void choose(const struct job_context *ctx, struct facts *facts, const struct package_parts *l, struct choice *c)
{
	size_t tops = 0;

	for (size_t i = 0; c->is_wheel && i < l->list.n; i++) {
		struct span folder = l->list.v[i].folder;

		if (!at_top(folder, c->archive) || (i && span_eq(l->list.v[i - 1].folder, folder)))
			continue;
		tops++;
		if (c->has_name && c->chosen.n == 0 && named_so(ctx->mem, folder, &c->name))
			c->chosen = folder;
	}
	if (tops == 2)
		problem_add(&facts->problems, ctx->mem, PROBLEM_ANOMALY, FINDING_ARCHIVE_MALFORMED, c->archive,
		            "two dist-info folders at the top of a wheel");
	else if (tops > 2)
		problem_add(&facts->problems, ctx->mem, PROBLEM_ANOMALY, FINDING_ARCHIVE_MALFORMED, c->archive,
		            "%zu dist-info folders at the top of a wheel", tops);
}

void package_parts_build(const struct job_context *ctx, struct facts *facts, struct package_parts *l,
                         struct span archive, struct span wheel_name)
{
	struct choice c = {.archive = archive, .is_wheel = wheel_name.n > 0};
	size_t end;

	if (l->list.n == 0)
		return;
	c.has_name = wheel_name_parse(wheel_name, &c.name);
	qsort(l->list.v, l->list.n, sizeof(*l->list.v), by_folder);
	choose(ctx, facts, l, &c);
	for (size_t i = 0; i < l->list.n; i = end) {
		struct package p = {.path = l->list.v[i].folder};
		bool top = c.is_wheel && at_top(p.path, archive);

		for (end = i; end < l->list.n && span_eq(l->list.v[end].folder, p.path); end++)
			package_read(ctx, &l->list.v[end], &p);
		if (top && c.chosen.n && !span_eq(c.chosen, p.path))
			continue;
		if (top && c.has_name)
			p.variant = c.name.label;
		folder_name_use(ctx->mem, &p);
		claims_add(ctx, &p);
		*list_add(ctx->mem, &facts->packages) = p;
	}
}
