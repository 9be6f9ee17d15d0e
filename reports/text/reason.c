/* SPDX-License-Identifier: Apache-2.0 */
/* Why a file or a package counts for a backend, in a few words. */
#include "base/checked.h"
#include "parts.h"

#define MOST_NAMES 2

/* Everything that the evidence of a group says, by kind. */
struct facts_of_group {
	struct spans needs, monitors, is, driver, tools, opens, calls, asks, runtimes;
	uint64_t called, asked, stubbed;
	uint64_t empty, pointers, content_bytes; /* placeholders: what their names say they are not */
};

/* What a tool is, for the file that is that tool. */
static struct span tool_words(struct text *t, struct span value)
{
	const struct tool_rule *tool = catalogue_tool(t->catalogue, value);

	return tool && tool->what.n ? tool->what : text_shown(t, value);
}

static void add_evidence(struct text *t, struct facts_of_group *f, const struct evidence *e, struct span file)
{
	struct span value = text_shown(t, e->value);

	switch (e->kind) {
	case EVIDENCE_NEEDED:
		spans_add(t->mem, e->strength == STRENGTH_HARD ? &f->needs : &f->monitors, value);
		break;
	case EVIDENCE_SYMBOL:
		spans_add(t->mem, &f->calls, value);
		f->called += e->names.n;
		break;
	case EVIDENCE_STATIC_RUNTIME:
		spans_add(t->mem, &f->runtimes, value);
		break;
	case EVIDENCE_DLOPEN:
		spans_add(t->mem, &f->opens, value);
		break;
	case EVIDENCE_API_NAME:
		spans_add(t->mem, &f->asks, value);
		f->asked += e->names.n;
		break;
	case EVIDENCE_VENDOR_LIBRARY:
		/* A file that is called what it is needs no second word for it. */
		if (!span_eq(e->value, file))
			spans_add(t->mem, &f->is, value);
		break;
	case EVIDENCE_DRIVER_FILE:
		spans_add(t->mem, &f->driver, value);
		break;
	case EVIDENCE_DRIVER_STUB:
		f->stubbed += e->names.n ? e->names.n : 1;
		break;
	case EVIDENCE_TOOLCHAIN:
		spans_add(t->mem, &f->tools, file.n ? tool_words(t, e->value) : value);
		break;
	default:
		break;
	}
}

/* What the evidence of the group says, with every list sorted. */
static void collect(struct text *t, struct span backend, const struct bring *b, struct facts_of_group *f)
{
	struct spans *lists[] = {&f->needs, &f->monitors, &f->is,   &f->driver,  &f->tools,
	                         &f->opens, &f->calls,    &f->asks, &f->runtimes};

	for (size_t i = 0; i < b->n; i++) {
		const struct object *o = b->objects[i];
		struct span file = b->package ? SPAN_NONE : span_base_name(o->path);

		f->empty += o->type == OBJECT_EMPTY;
		f->pointers += o->type == OBJECT_LFS_POINTER;
		f->content_bytes = sum_capped(f->content_bytes, o->content_bytes);
		for (size_t k = 0; k < o->evidence.n && !object_is_placeholder(o); k++)
			if (span_eq(o->evidence.v[k].backend, backend))
				add_evidence(t, f, &o->evidence.v[k], file);
	}
	for (size_t i = 0; i < sizeof(lists) / sizeof(*lists); i++)
		spans_sort_unique(lists[i]);
}

/* Libraries with a version in their names tell most: they go first. */
static void versioned_first(struct text *t, struct spans *l)
{
	struct spans sorted = {0};

	for (int versioned = 1; versioned >= 0; versioned--)
		for (size_t i = 0; i < l->n; i++)
			if ((memmem(l->v[i].p, l->v[i].n, ".so.", 4) != NULL) == versioned)
				spans_add(t->mem, &sorted, l->v[i]);
	*l = sorted;
}

static void say(struct text *t, struct spans *parts, const char *before, const struct spans *names, const char *after)
{
	struct span words = text_words(t, names, ", ", MOST_NAMES);

	if (names->n)
		spans_add(t->mem, parts, arena_printf(t->mem, "%s%.*s%s", before, TEXT_ARG(words), after));
}

static void say_code(struct text *t, struct spans *parts, const struct bring *b)
{
	struct span n = text_many(t, b->images ? b->images : b->other_images, "image"), size = text_size(t, b->bytes);

	if (b->images)
		spans_add(t->mem, parts, arena_printf(t->mem, "%.*s (%.*s)", TEXT_ARG(n), TEXT_ARG(size)));
	else if (b->other_images)
		spans_add(t->mem, parts, arena_printf(t->mem, "%.*s, none that a GPU runs as it is", TEXT_ARG(n)));
}

/* "calls 41 functions of hip-runtime". */
static void say_functions(struct text *t, struct spans *parts, const char *verb, uint64_t count,
                          const struct spans *families)
{
	struct span n = text_many(t, count, "function"), words = text_words(t, families, ", ", MOST_NAMES);

	if (count)
		spans_add(t->mem, parts, arena_printf(t->mem, "%s %.*s of %.*s", verb, TEXT_ARG(n), TEXT_ARG(words)));
}

/* "is a Git LFS pointer to 123 MB", "3 empty files". */
static void say_placeholders(struct text *t, struct spans *parts, const struct facts_of_group *f, bool package)
{
	struct span n = text_many(t, f->empty, "empty file"), size = text_size(t, f->content_bytes);

	if (f->empty)
		spans_add(t->mem, parts, package ? n : SPAN("is empty"));
	n = package ? text_many(t, f->pointers, "Git LFS pointer") : SPAN("is a Git LFS pointer");
	if (f->content_bytes)
		n = arena_printf(t->mem, "%.*s to %.*s", TEXT_ARG(n), TEXT_ARG(size));
	if (f->pointers)
		spans_add(t->mem, parts, n);
}

void text_reasons(struct text *t, struct span backend, const struct bring *b, struct spans *to)
{
	struct facts_of_group f = {0};
	struct span n;

	collect(t, backend, b, &f);
	versioned_first(t, &f.needs);
	say(t, to, b->package ? "ships " : "is ", &f.is, "");
	say_code(t, to, b);
	say(t, to, "needs ", &f.needs, "");
	say(t, to, "", &f.runtimes, " linked in");
	if (f.needs.n == 0)
		say_functions(t, to, "calls", f.called, &f.calls);
	say(t, to, "ships the host driver's ", &f.driver, "");
	n = text_many(t, f.stubbed, "driver function");
	if (f.stubbed)
		spans_add(t->mem, to, arena_printf(t->mem, "poses as the driver (%.*s)", TEXT_ARG(n)));
	say(t, to, b->package ? "ships " : "is a tool: ", &f.tools, "");
	say(t, to, "may open ", &f.opens, "");
	say_functions(t, to, "may look up", f.asked, &f.asks);
	say(t, to, "watches by ", &f.monitors, "");
	say_placeholders(t, to, &f, b->package);
}

/* Values of one kind of claim, or of all other kinds. */
static void claims_of(struct text *t, const struct artifact *a, struct span backend, bool classifiers, struct spans *to)
{
	struct spans values = {0};

	for (size_t i = 0; i < a->packages.n; i++)
		for (size_t k = 0; k < a->packages.v[i].declares.n && !a->packages.v[i].hidden; k++) {
			const struct declares *d = &a->packages.v[i].declares.v[k];

			if (span_eq(d->backend, backend) && span_eq(d->by, SPAN("classifier")) == classifiers)
				spans_add(t->mem, &values, text_shown(t, d->value));
		}
	spans_sort_unique(&values);
	for (size_t i = 0; i < values.n; i++)
		spans_add(t->mem, to, values.v[i]);
}

struct span text_declares(struct text *t, const struct artifact *a, struct span backend)
{
	struct spans values = {0}, parts = {0};

	claims_of(t, a, backend, false, &values);
	claims_of(t, a, backend, true, &values);
	say(t, &parts, "its metadata names ", &values, "");
	return text_words(t, &parts, "", 0);
}

struct span text_package_name(struct text *t, struct span id)
{
	struct span name = span_after(id, span_find(id, ':') + 1);
	size_t at = span_find(name, '@');
	struct span first = text_shown(t, span_first(name, at)), version = text_shown(t, span_after(name, at + 1));

	if (name.n == 0)
		return text_shown(t, id);
	return arena_printf(t->mem, "%.*s%s%.*s", TEXT_ARG(first), version.n ? " " : "", TEXT_ARG(version));
}
