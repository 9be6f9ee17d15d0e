/* SPDX-License-Identifier: Apache-2.0 */
/* What is shipped and of no use. */
#include "base/checked.h"
#include "rules/checks/parts.h"

static bool has_kind(const struct object *o, struct span backend, enum evidence_kind kind)
{
	for (size_t i = 0; i < o->evidence.n; i++)
		if (o->evidence.v[i].kind == kind && span_eq(o->evidence.v[i].backend, backend))
			return true;
	return false;
}

/* A link to a tool is none, and a placeholder neither. */
static bool is_tool(const struct tie *t)
{
	return t->object && t->object->type != OBJECT_LINK && !object_is_placeholder(t->object) &&
	       has_kind(t->object, t->backend, EVIDENCE_TOOLCHAIN);
}

static bool is_placeholder(const struct tie *t)
{
	return t->object && object_is_placeholder(t->object);
}

static bool carries(const struct tie *t)
{
	return t->carries;
}

/* Keeps the evidence of one kind: what a tool needs is another finding's. */
static void prove_kind(struct finding *f, const char *kind)
{
	size_t kept = 0;

	for (size_t i = 0; i < f->evidence.n; i++)
		if (span_eq(f->evidence.v[i].kind, span_of(kind)))
			f->evidence.v[kept++] = f->evidence.v[i];
	f->evidence.n = kept;
}

static struct span names_of(const struct check_input *in, const struct finding *f)
{
	struct spans names = {0};

	for (size_t i = 0; i < f->evidence.n; i++)
		spans_add(in->mem, &names, span_base_name(f->evidence.v[i].object));
	spans_sort_unique(&names);
	return check_join(in->mem, &names, 3);
}

static void tools(const struct check_input *in, struct judged *out, const struct tie_run *run)
{
	struct check_groups groups = {NULL, 0, 0};

	check_group_ties(in, run, is_tool, &groups);
	for (size_t i = 0; i < groups.n; i++) {
		const struct check_group *g = &groups.v[i];
		struct finding *f = check_finding(in, out, FINDING_TOOLCHAIN_SHIPPED, g);
		struct span size = check_size(in->mem, g->bytes), names;

		f->backend = run->backend;
		check_prove(in, f, g, run->backend);
		prove_kind(f, "toolchain");
		names = names_of(in, f);
		f->message = g->package.n ? arena_printf(in->mem, "%.*s brings tools of %.*s: %.*s", SPAN_ARG(g->what),
		                                         SPAN_ARG(run->backend), SPAN_ARG(names))
		                          : arena_printf(in->mem, "tools of %.*s are shipped: %.*s",
		                                         SPAN_ARG(run->backend), SPAN_ARG(g->what));
		f->remedy = arena_printf(in->mem, "leave them out where nothing is compiled at run time: %.*s",
		                         SPAN_ARG(size));
	}
}

/* "Git LFS pointer to 123 MB", "3 damaged Git LFS pointers". */
static struct span pointer_words(struct arena *mem, size_t n, size_t damaged, uint64_t bytes)
{
	struct span size = check_size(mem, bytes), words = check_many(mem, n, "Git LFS pointer");

	words = n == 1 ? SPAN("Git LFS pointer") : words;
	if (damaged == n)
		return arena_printf(mem, "damaged %.*s", SPAN_ARG(words));
	return arena_printf(mem, "%.*s to %.*s%s", SPAN_ARG(words), SPAN_ARG(size), damaged ? " and more" : "");
}

/* "empty files and Git LFS pointer to 123 MB". */
static struct span placeholder_words(struct arena *mem, const struct check_group *g, size_t *pointers)
{
	struct spans parts = {0};
	size_t empty = 0, damaged = 0;
	uint64_t bytes = 0;

	*pointers = 0;
	for (size_t i = 0; i < g->objects.n; i++) {
		const struct object *o = g->objects.v[i];

		if (o->type == OBJECT_EMPTY) {
			empty++;
			continue;
		}
		++*pointers;
		damaged += o->content_bytes == 0;
		bytes = sum_capped(bytes, o->content_bytes);
	}
	if (empty)
		spans_add(mem, &parts, empty == 1 ? SPAN("empty file") : SPAN("empty files"));
	if (*pointers)
		spans_add(mem, &parts, pointer_words(mem, *pointers, damaged, bytes));
	return check_join(mem, &parts, 0);
}

static void placeholders(const struct check_input *in, struct judged *out, const struct tie_run *run)
{
	struct check_groups groups = {NULL, 0, 0};

	check_group_ties(in, run, is_placeholder, &groups);
	for (size_t i = 0; i < groups.n; i++) {
		const struct check_group *g = &groups.v[i];
		struct finding *f = check_finding(in, out, FINDING_PLACEHOLDER_FILE, g);
		size_t pointers;
		struct span words = placeholder_words(in->mem, g, &pointers), names;

		f->backend = run->backend;
		check_prove(in, f, g, run->backend);
		names = names_of(in, f);
		f->message = arena_printf(in->mem, "%.*s: %.*s in the place of %.*s%s", SPAN_ARG(g->what),
		                          SPAN_ARG(words), SPAN_ARG(names),
		                          pointers ? "; the content was never fetched" : "");
		f->remedy = pointers ? SPAN("fetch it ('git lfs pull') before the build that copies it, or leave it out")
		                     : SPAN("delete it, or put the library there: a loader that finds an empty file stops");
	}
}

static void lower_layers(const struct check_input *in, struct judged *out, const struct tie_run *run)
{
	struct check_groups groups = {NULL, 0, 0};

	check_group_ties(in, run, carries, &groups);
	for (size_t i = 0; i < groups.n; i++) {
		const struct check_group *g = &groups.v[i];
		struct finding *f = check_finding(in, out, FINDING_HIDDEN_IN_LOWER_LAYER, g);
		struct span size = check_size(in->mem, g->bytes), layer = SPAN("lower layers");

		if (g->layer)
			layer = arena_printf(in->mem, "layer %u", g->layer - 1);
		f->backend = run->backend;
		check_prove(in, f, g, run->backend);
		f->message = arena_printf(
		        in->mem, "%.*s of %.*s in %.*s can no longer be seen, and is shipped all the same: %.*s",
		        SPAN_ARG(size), SPAN_ARG(run->backend), SPAN_ARG(layer), SPAN_ARG(g->what));
		f->remedy = SPAN("delete it in the step that brings it, or build in a stage of its own");
	}
}

static void run_baggage(const struct check_input *in, struct judged *out)
{
	struct tie_runs visible = {NULL, 0, 0}, hidden = {NULL, 0, 0};

	check_ties(in, false, &visible);
	for (size_t i = 0; i < visible.n; i++) {
		tools(in, out, &visible.v[i]);
		placeholders(in, out, &visible.v[i]);
	}
	check_ties(in, true, &hidden);
	for (size_t i = 0; i < hidden.n; i++)
		lower_layers(in, out, &hidden.v[i]);
}

const struct check_family checks_baggage = {.name = "baggage", .run = run_baggage};
