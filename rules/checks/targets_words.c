/* SPDX-License-Identifier: Apache-2.0 */
/* Findings about targets: which files, in which words. */
#include <inttypes.h>
#include <stdlib.h>

#include "base/checked.h"
#include "rules/checks/targets_parts.h"
#include "rules/target.h"

#define MOST_TARGETS 8 /* named in a sentence; the evidence has all */

/* What a finding is about. */
struct about {
	struct check_group group; /* only the files that are meant */
	size_t files;
	struct span subject;
	bool many;           /* the subject is several files */
	bool alike;          /* what is said of the devices holds for each file */
	struct span devices; /* "sm_90 and sm_100" */
	uint64_t served, units;
};

static struct span path_of(const struct code_file *f)
{
	return f->object ? f->object->path : f->store->path;
}

/* How many bytes stand before the first digit, and how many the number is then long. */
static size_t number_at(struct span s, size_t *length)
{
	size_t i = 0, end;
	bool hex;

	while (i < s.n && !(s.p[i] >= '0' && s.p[i] <= '9'))
		i++;
	hex = span_eq(span_first(s, i), SPAN("gfx"));
	for (end = i; end < s.n; end++)
		if (!(s.p[end] >= '0' && s.p[end] <= '9') && !(hex && s.p[end] >= 'a' && s.p[end] <= 'f'))
			break;
	*length = end - i;
	return i;
}

/* Names first, then numbers by their size: sm_90 before sm_100, gfx908 before gfx90a before gfx1030. */
static int target_cmp(const void *x, const void *y)
{
	struct span a = *(const struct span *)x, b = *(const struct span *)y;
	size_t a_digits, b_digits, a_at = number_at(a, &a_digits), b_at = number_at(b, &b_digits);
	int c = span_cmp(span_first(a, a_at), span_first(b, b_at));

	c = c ? c : (a_digits > b_digits) - (a_digits < b_digits);
	return c ? c : span_cmp(a, b);
}

static void targets_sort(struct spans *l)
{
	spans_sort_unique(l);
	if (l->n)
		qsort(l->v, l->n, sizeof(*l->v), target_cmp);
}

/* "gfx908 gfx90a", and in a sentence no more than fit. */
static struct span targets_text(struct arena *mem, const struct spans *l, size_t most)
{
	size_t size = 0, at = 0;
	uint8_t *text;

	if (most && l->n > most)
		return arena_printf(mem, "%zu targets from %.*s to %.*s", l->n, SPAN_ARG(l->v[0]),
		                    SPAN_ARG(l->v[l->n - 1]));
	for (size_t i = 0; i < l->n; i++)
		size += l->v[i].n + 1;
	text = arena_alloc(mem, size + 1);
	for (size_t i = 0; i < l->n; i++) {
		if (i)
			text[at++] = ' ';
		if (l->v[i].n)
			memcpy(text + at, l->v[i].p, l->v[i].n);
		at += l->v[i].n;
	}
	return (struct span){text, at};
}

static bool runs_at_all(enum code_form f)
{
	return f == FORM_NATIVE || f == FORM_PORTABLE || f == FORM_UNKNOWN;
}

static void file_targets(struct arena *mem, const struct object *o, const struct store *s, struct span backend,
                         struct spans *out)
{
	for (size_t i = 0; o && i < o->device_code.n; i++)
		if (span_eq(o->device_code.v[i].backend, backend) && runs_at_all(o->device_code.v[i].form))
			spans_add(mem, out, o->device_code.v[i].target);
	for (size_t i = 0; s && i < s->targets.n; i++)
		spans_add(mem, out, s->targets.v[i].target);
}

/* One piece of evidence: a file or store, and the targets in it. */
static void prove(const struct check_input *in, struct finding *f, const struct object *o, const struct store *s,
                  struct spans *targets)
{
	targets_sort(targets);
	*list_add(in->mem, &f->evidence) = (struct proof){
	        .object = o ? o->path : s->path,
	        .layer = o ? o->layer : s->layer,
	        .kind = o ? SPAN("device-code") : SPAN("kernel-store"),
	        .value = targets_text(in->mem, targets, 0),
	        .strength = STRENGTH_EMBEDDED,
	        .links = o ? &o->links : NULL,
	};
}

static struct span folder_of(struct span path)
{
	size_t n = path.n - span_base_name(path).n;

	return n > 1 ? span_first(path, n - 1) : SPAN("the top folder");
}

/* Several files that are not all of a package are called by their number. */
static void subject_set(struct arena *mem, struct about *a, const struct check_group *whole, size_t with_code)
{
	struct span n = check_many(mem, a->files, "file");
	struct span of = whole->package.n ? whole->what : folder_of(a->group.path);

	if (whole->package.n && a->files == with_code) {
		a->subject = whole->what;
	} else if (a->files > 1) {
		a->many = true;
		a->subject = arena_printf(mem, "%.*s of %.*s", SPAN_ARG(n), SPAN_ARG(of));
	} else if (a->group.stores.n) {
		a->many = true;
		a->subject = arena_printf(mem, "the kernel files of %.*s", SPAN_ARG(a->group.path));
	} else {
		a->subject = a->group.path;
	}
	if (a->files > 1)
		a->group.path = SPAN_NONE;
}

static void about_set(const struct check_input *in, const struct side *s, enum mark mark, struct about *a)
{
	size_t with_code = 0;

	*a = (struct about){.group = {.package = s->group->package, .what = s->group->what}};
	for (size_t i = 0; i < s->files.n; i++) {
		const struct code_file *f = &s->files.v[i];
		uint32_t layer = f->object ? f->object->layer : f->store->layer;

		with_code += f->worst != ANSWER_NOT_NEEDED;
		if (!f->marks[mark])
			continue;
		if (a->files++ == 0) {
			a->group.path = path_of(f);
			a->group.layer = layer;
		} else if (a->group.layer != layer) {
			a->group.layer = 0;
		}
		if (f->object)
			*list_add(in->mem, &a->group.objects) = f->object;
		else
			*list_add(in->mem, &a->group.stores) = f->store;
		a->group.bytes = sum_capped(a->group.bytes, f->object ? f->object->bytes : f->store->bytes);
		a->served = f->served;
		a->units = f->units;
	}
	if (a->files == 0)
		return;
	subject_set(in->mem, a, s->group, with_code);
	a->alike = s->pairs[mark] >= (uint64_t)a->files * s->devices[mark].n;
	a->devices = check_join(in->mem, &s->devices[mark], MOST_TARGETS);
}

/* The devices in a sentence about all files. */
static struct span devices_text(struct arena *mem, const struct about *a)
{
	return a->alike ? a->devices : arena_printf(mem, "one or more of %.*s", SPAN_ARG(a->devices));
}

static struct span build_of(struct arena *mem, const struct check_group *g)
{
	struct span name = check_package_name(g->package);

	return g->package.n ? arena_printf(mem, "a build of %.*s", SPAN_ARG(name)) : SPAN("a build");
}

static void say_missing(struct arena *mem, struct finding *f, const struct about *a, const struct side *s)
{
	struct spans has = {NULL, 0, 0};
	struct span build = build_of(mem, &a->group), devices = devices_text(mem, a), targets;

	for (size_t i = 0; i < a->group.objects.n; i++)
		file_targets(mem, a->group.objects.v[i], NULL, f->backend, &has);
	for (size_t i = 0; i < a->group.stores.n; i++)
		file_targets(mem, NULL, a->group.stores.v[i], f->backend, &has);
	targets_sort(&has);
	targets = targets_text(mem, &has, MOST_TARGETS);
	if (a->alike)
		f->message = arena_printf(mem, "nothing in %.*s runs on %.*s, the code is for %.*s",
		                          SPAN_ARG(a->subject), SPAN_ARG(devices), SPAN_ARG(targets));
	else
		f->message = arena_printf(mem, "%.*s have no code for %.*s, only for %.*s", SPAN_ARG(a->subject),
		                          SPAN_ARG(devices), SPAN_ARG(targets));
	f->remedy = arena_printf(
	        mem, "take %.*s for %.*s, or take %s out of class %.*s", SPAN_ARG(build), SPAN_ARG(a->devices),
	        s->devices[MARK_MISSING].n == 1 ? "that device" : "those devices", SPAN_ARG(s->node->name));
}

static void say_here(struct arena *mem, struct finding *f, const struct about *a)
{
	struct span devices = devices_text(mem, a);

	if (a->many)
		f->message = arena_printf(mem, "%.*s have no code for %.*s, another file has", SPAN_ARG(a->subject),
		                          SPAN_ARG(devices));
	else
		f->message = arena_printf(mem, "%.*s has no code for %.*s, another file of %.*s has",
		                          SPAN_ARG(a->subject), SPAN_ARG(devices), SPAN_ARG(a->group.what));
	f->remedy = arena_printf(mem, "build %s for %.*s, too, unless nothing calls %s there",
	                         a->many ? "these files" : "this file", SPAN_ARG(a->devices), a->many ? "them" : "it");
}

static void say_partial(struct arena *mem, struct finding *f, const struct about *a)
{
	struct span devices = devices_text(mem, a);

	if (a->files == 1 && f->target.n)
		f->message = arena_printf(mem, "only %" PRIu64 " of %" PRIu64 " units of %.*s have code for %.*s",
		                          a->served, a->units, SPAN_ARG(a->group.path), SPAN_ARG(devices));
	else
		f->message = arena_printf(mem, "%.*s %s code for %.*s in some units only", SPAN_ARG(a->subject),
		                          a->many ? "have" : "has", SPAN_ARG(devices));
	f->remedy = arena_printf(mem, "build all units for %.*s, unless the others are never called there",
	                         SPAN_ARG(a->devices));
}

static void say_jit(struct arena *mem, struct finding *f, const struct about *a)
{
	struct span build = build_of(mem, &a->group), devices = devices_text(mem, a);

	f->message = arena_printf(mem, "%.*s %s on %.*s only once the driver has compiled %s", SPAN_ARG(a->subject),
	                          a->many ? "run" : "runs", SPAN_ARG(devices), a->many ? "them" : "it");
	f->remedy = arena_printf(mem, "take %.*s with final code for %.*s, or expect a slow first start",
	                         SPAN_ARG(build), SPAN_ARG(a->devices));
}

void targets_tell(const struct check_input *in, struct judged *out, const struct side *s, enum mark mark)
{
	static const enum finding_id ids[MARKS] = {
	        [MARK_MISSING] = FINDING_TARGET_MISSING,
	        [MARK_HERE] = FINDING_TARGET_MISSING_HERE,
	        [MARK_PARTIAL] = FINDING_TARGET_PARTIAL,
	        [MARK_JIT] = FINDING_TARGET_JIT_ONLY,
	};
	struct finding *f;
	struct about a;

	about_set(in, s, mark, &a);
	if (a.files == 0)
		return;
	f = check_finding(in, out, ids[mark], &a.group);
	f->backend = s->node->backend;
	f->class_name = s->node->name;
	if (s->devices[mark].n == 1)
		f->target = s->devices[mark].v[0];
	for (size_t i = 0; i < s->files.n; i++) {
		struct spans targets = {NULL, 0, 0};

		if (!s->files.v[i].marks[mark])
			continue;
		file_targets(in->mem, s->files.v[i].object, s->files.v[i].store, f->backend, &targets);
		prove(in, f, s->files.v[i].object, s->files.v[i].store, &targets);
	}
	check_proofs_sort(&f->evidence);
	if (mark == MARK_MISSING)
		say_missing(in->mem, f, &a, s);
	else if (mark == MARK_HERE)
		say_here(in->mem, f, &a);
	else if (mark == MARK_PARTIAL)
		say_partial(in->mem, f, &a);
	else
		say_jit(in->mem, f, &a);
}

/* Is there no device of any class that final code for this target could serve? */
static bool is_surplus(const struct policy *p, struct span backend, struct span target)
{
	const char *why;

	for (size_t i = 0; i < p->classes.n; i++) {
		const struct node_class *c = &p->classes.v[i];

		for (size_t k = 0; span_eq(c->backend, backend) && k < c->devices.n; k++)
			if (target_image(backend, target, FORM_NATIVE, c->devices.v[k], &why) != ANSWER_NONE)
				return false;
	}
	return true;
}

/* Targets of one file or store that are surplus; their bytes are added up. */
static void surplus_of(const struct check_input *in, const struct object *o, const struct store *s, struct span backend,
                       struct spans *targets, uint64_t *bytes)
{
	for (size_t i = 0; o && i < o->device_code.n; i++) {
		const struct device_code *c = &o->device_code.v[i];

		if (c->form != FORM_NATIVE || !span_eq(c->backend, backend) ||
		    !is_surplus(in->policy, backend, c->target))
			continue;
		spans_add(in->mem, targets, c->target);
		*bytes = sum_capped(*bytes, c->bytes);
	}
	for (size_t i = 0; s && i < s->targets.n; i++) {
		if (!is_surplus(in->policy, backend, s->targets.v[i].target))
			continue;
		spans_add(in->mem, targets, s->targets.v[i].target);
		*bytes = sum_capped(*bytes, s->targets.v[i].bytes);
	}
}

void targets_tell_surplus(const struct check_input *in, struct judged *out, const struct check_group *g,
                          struct span backend)
{
	struct spans all = {NULL, 0, 0};
	struct finding *f = NULL;
	uint64_t bytes = 0;
	struct span text;

	for (size_t i = 0; i < g->objects.n + g->stores.n; i++) {
		const struct object *o = i < g->objects.n ? g->objects.v[i] : NULL;
		const struct store *s = o ? NULL : g->stores.v[i - g->objects.n];
		struct spans targets = {NULL, 0, 0};

		surplus_of(in, o, s, backend, &targets, &bytes);
		if (targets.n == 0)
			continue;
		if (!f)
			f = check_finding(in, out, FINDING_TARGET_SURPLUS, g);
		prove(in, f, o, s, &targets);
		for (size_t k = 0; k < targets.n; k++)
			spans_add(in->mem, &all, targets.v[k]);
	}
	if (!f)
		return;
	check_proofs_sort(&f->evidence);
	targets_sort(&all);
	text = targets_text(in->mem, &all, MOST_TARGETS);
	f->backend = backend;
	f->bytes = bytes;
	if (all.n == 1)
		f->target = all.v[0];
	f->message = arena_printf(in->mem, "%.*s has final code for %.*s, which no class of the policy can use",
	                          SPAN_ARG(g->what), SPAN_ARG(text));
	text = check_size(in->mem, bytes);
	f->remedy = arena_printf(in->mem, "a build for the devices of the policy alone saves %.*s", SPAN_ARG(text));
}
