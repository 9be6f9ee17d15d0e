/* SPDX-License-Identifier: Apache-2.0 */
/* Words of the findings' sentences. */
#include <inttypes.h>

#include "base/checked.h"
#include "rules/checks/parts.h"

#define MOST_NAMES 3

struct span check_size(struct arena *mem, uint64_t bytes)
{
	static const char *const units[] = {"kB", "MB", "GB", "TB", "PB", "EB"};
	double v = (double)bytes / 1000;
	size_t u = 0;

	if (bytes < 1000)
		return check_many(mem, bytes, "byte");
	for (; v >= 999.5 && u + 1 < sizeof(units) / sizeof(*units); u++)
		v /= 1000;
	return arena_printf(mem, "%.*f %s", v < 9.995 ? 2 : v < 99.95 ? 1 : 0, v, units[u]);
}

struct span check_many(struct arena *mem, uint64_t n, const char *what)
{
	return arena_printf(mem, "%" PRIu64 " %s%s", n, what, n == 1 ? "" : "s");
}

struct span check_join(struct arena *mem, const struct spans *l, size_t most)
{
	size_t shown = most && l->n > most + 1 ? most : l->n;
	struct span all = SPAN_NONE;

	for (size_t i = 0; i < shown; i++) {
		const char *between = i == 0 ? "" : i + 1 == l->n ? " and " : ", ";

		all = arena_printf(mem, "%.*s%s%.*s", SPAN_ARG(all), between, SPAN_ARG(l->v[i]));
	}
	return shown < l->n ? arena_printf(mem, "%.*s and %zu more", SPAN_ARG(all), l->n - shown) : all;
}

struct span check_package_name(struct span id)
{
	struct span name = span_after(id, span_find(id, ':') + 1);

	return name.n ? span_first(name, span_find(name, '@')) : id;
}

struct span check_package(struct arena *mem, struct span id)
{
	struct span name = check_package_name(id);
	struct span version = span_after(id, (size_t)(name.p - id.p) + name.n + 1);

	return version.n && name.p != id.p ? arena_printf(mem, "%.*s %.*s", SPAN_ARG(name), SPAN_ARG(version)) : name;
}

/* What the evidence of a group says of one backend. */
struct said {
	struct spans needs, is, driver, tools, runtimes, targets;
	uint64_t images, other_images, functions, kernel_files;
};

static void said_evidence(struct arena *mem, struct said *s, const struct evidence *e)
{
	struct spans *to = NULL;

	if (e->kind == EVIDENCE_NEEDED && e->strength == STRENGTH_HARD)
		to = &s->needs;
	else if (e->kind == EVIDENCE_VENDOR_LIBRARY)
		to = &s->is;
	else if (e->kind == EVIDENCE_DRIVER_FILE)
		to = &s->driver;
	else if (e->kind == EVIDENCE_TOOLCHAIN)
		to = &s->tools;
	else if (e->kind == EVIDENCE_STATIC_RUNTIME)
		to = &s->runtimes;
	else if (e->kind == EVIDENCE_SYMBOL && e->strength == STRENGTH_HARD)
		s->functions = sum_capped(s->functions, e->names.n);
	if (to)
		spans_add(mem, to, e->value);
}

static void said_code(struct arena *mem, struct said *s, const struct device_code *d)
{
	bool runs = d->form == FORM_NATIVE || d->form == FORM_PORTABLE;
	uint64_t *n = runs ? &s->images : &s->other_images;

	*n = sum_capped(*n, d->count);
	if (runs)
		spans_add(mem, &s->targets, d->target);
}

static void said_collect(struct arena *mem, struct said *s, const struct check_group *g, struct span backend)
{
	struct spans *lists[] = {&s->needs, &s->is, &s->driver, &s->tools, &s->runtimes, &s->targets};

	for (size_t i = 0; i < g->objects.n; i++) {
		const struct object *o = g->objects.v[i];

		for (size_t k = 0; k < o->evidence.n; k++)
			if (span_eq(o->evidence.v[k].backend, backend))
				said_evidence(mem, s, &o->evidence.v[k]);
		for (size_t k = 0; k < o->device_code.n; k++)
			if (span_eq(o->device_code.v[k].backend, backend))
				said_code(mem, s, &o->device_code.v[k]);
	}
	for (size_t i = 0; i < g->stores.n; i++) {
		s->kernel_files = sum_capped(s->kernel_files, g->stores.v[i]->files);
		for (size_t k = 0; k < g->stores.v[i]->targets.n; k++)
			spans_add(mem, &s->targets, g->stores.v[i]->targets.v[k].target);
	}
	for (size_t i = 0; i < sizeof(lists) / sizeof(*lists); i++)
		spans_sort_unique(lists[i]);
}

static void say(struct arena *mem, struct spans *parts, const char *before, const struct spans *names,
                const char *after)
{
	struct span words = check_join(mem, names, MOST_NAMES);

	if (names->n)
		spans_add(mem, parts, arena_printf(mem, "%s%.*s%s", before, SPAN_ARG(words), after));
}

struct span check_reasons(struct arena *mem, const struct check_group *g, struct span backend)
{
	struct said s = {0};
	struct spans parts = {0};
	struct span n, targets;

	said_collect(mem, &s, g, backend);
	say(mem, &parts, "needs ", &s.needs, "");
	n = check_many(mem, s.functions, "function");
	if (s.needs.n == 0 && s.functions)
		spans_add(mem, &parts, arena_printf(mem, "calls %.*s of %.*s", SPAN_ARG(n), SPAN_ARG(backend)));
	targets = check_join(mem, &s.targets, MOST_NAMES);
	n = check_many(mem, s.images ? s.images : s.kernel_files, s.images ? "image" : "kernel file");
	if (s.images || s.kernel_files)
		spans_add(mem, &parts, arena_printf(mem, "carries %.*s for %.*s", SPAN_ARG(n), SPAN_ARG(targets)));
	n = check_many(mem, s.other_images, "image");
	if (s.other_images && s.images == 0)
		spans_add(mem, &parts, arena_printf(mem, "carries %.*s that no GPU runs as it is", SPAN_ARG(n)));
	say(mem, &parts, g->path.n ? "is " : "brings ", &s.is, "");
	say(mem, &parts, "has ", &s.runtimes, " linked in");
	say(mem, &parts, "brings the host driver's ", &s.driver, "");
	say(mem, &parts, "brings ", &s.tools, "");
	if (parts.n == 0)
		return arena_printf(mem, "has to do with %.*s", SPAN_ARG(backend));
	return check_join(mem, &parts, 0);
}
