/* SPDX-License-Identifier: Apache-2.0 */
/* Files of the host's driver. They come from the host at run time, and must fit its kernel module to the last digit. */
#include "rules/checks/parts.h"

/* The toolkit's own copies for older kernel modules: a folder "compat" of it, which the container hook knows. */
static bool is_compat(struct span path)
{
	while (path.n) {
		struct span part = span_first(path, span_find(path, '/'));

		if (part.n < path.n && (span_eq(part, SPAN("compat")) || span_starts(part, SPAN("compat_"))))
			return true;
		path = span_after(path, part.n + 1);
	}
	return false;
}

static bool is_baked(const struct tie *t)
{
	const struct object *o = t->object;

	if (!o || o->type == OBJECT_LINK || object_is_placeholder(o) || o->bytes == 0 || is_compat(o->path))
		return false;
	for (size_t i = 0; i < o->evidence.n; i++)
		if (o->evidence.v[i].kind == EVIDENCE_DRIVER_FILE && span_eq(o->evidence.v[i].backend, t->backend))
			return true;
	return false;
}

static struct span drivers_prove(const struct check_input *in, struct finding *f, const struct check_group *g)
{
	struct spans names = {0};
	size_t kept = 0;

	check_prove(in, f, g, f->backend);
	for (size_t i = 0; i < f->evidence.n; i++)
		if (span_eq(f->evidence.v[i].kind, SPAN("driver-file"))) {
			spans_add(in->mem, &names, f->evidence.v[i].value);
			f->evidence.v[kept++] = f->evidence.v[i];
		}
	f->evidence.n = kept;
	spans_sort_unique(&names);
	return check_join(in->mem, &names, 3);
}

static void run_driver(const struct check_input *in, struct judged *out)
{
	struct tie_runs runs = {NULL, 0, 0};

	check_ties(in, false, &runs);
	for (size_t i = 0; i < runs.n; i++) {
		struct check_groups groups = {NULL, 0, 0};

		check_group_ties(in, &runs.v[i], is_baked, &groups);
		for (size_t k = 0; k < groups.n; k++) {
			const struct check_group *g = &groups.v[k];
			struct finding *f = check_finding(in, out, FINDING_DRIVER_BAKED, g);
			struct span names, size = check_size(in->mem, g->bytes);

			f->backend = runs.v[i].backend;
			names = drivers_prove(in, f, g);
			f->message = arena_printf(in->mem, "%.*s of the host's %.*s driver %s in %.*s", SPAN_ARG(names),
			                          SPAN_ARG(f->backend), g->objects.n == 1 ? "lies" : "lie",
			                          SPAN_ARG(g->what));
			f->remedy =
			        arena_printf(in->mem, "leave it out, the host brings its own: %.*s", SPAN_ARG(size));
		}
	}
}

const struct check_family checks_driver = {.name = "driver", .run = run_driver};
