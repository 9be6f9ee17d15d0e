/* SPDX-License-Identifier: Apache-2.0 */
/* Small artifacts and policies made by hand, and findings as lines of text. */
#ifndef POSTERN_TEST_JUDGE_KIT_H
#define POSTERN_TEST_JUDGE_KIT_H

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "model/policy.h"
#include "rules/check.h"

static struct arena mem;
static struct catalogue catalogue;

static inline int kit_setup(void **state)
{
	static const char *const vendors[] = {"cuda", "rocm", "ascend"}, *const portable[] = {"opencl", "sycl"};

	(void)state;
	memset(&catalogue, 0, sizeof(catalogue));
	for (size_t i = 0; i < 3; i++)
		*list_add(&mem, &catalogue.backends) = (struct backend){.id = span_of(vendors[i]), .title = span_of(vendors[i]), .vendor = true};
	for (size_t i = 0; i < 2; i++)
		*list_add(&mem, &catalogue.backends) =
		        (struct backend){.id = span_of(portable[i]), .title = span_of(portable[i])};
	catalogue_index_build(&catalogue, &mem);
	return 0;
}

static inline int kit_teardown(void **state)
{
	(void)state;
	arena_clear(&mem);
	return 0;
}

static inline struct artifact *an_artifact(const char *name, const char *kind)
{
	struct artifact *a = arena_alloc(&mem, sizeof(*a));

	a->name = span_of(name);
	a->kind = span_of(kind);
	a->complete = true;
	return a;
}

/* Objects come in order of their paths, as in every inventory. */
static inline struct object *an_object(struct artifact *a, const char *path, const char *package, uint64_t bytes)
{
	struct object *o = list_add(&mem, &a->objects);

	o->path = span_of(path);
	o->package = span_of(package);
	o->bytes = bytes;
	o->type = OBJECT_ELF;
	return o;
}

static inline struct package *a_package(struct artifact *a, const char *id, const char *path)
{
	struct package *p = list_add(&mem, &a->packages);

	p->id = span_of(id);
	p->path = span_of(path);
	return p;
}

static inline void says(struct package *p, const char *backend, const char *value, bool applies)
{
	*list_add(&mem, &p->declares) =
	        (struct declares){span_of(backend), SPAN("requires-dist"), span_of(value), applies, true};
}

static inline void has(struct object *o, const char *backend, enum evidence_kind kind, const char *value,
                       enum strength strength)
{
	object_evidence(o, &mem, span_of(backend), kind, span_of(value), strength);
}

static inline void needs(struct object *o, const char *backend, const char *value)
{
	has(o, backend, EVIDENCE_NEEDED, value, STRENGTH_HARD);
}

static inline void is_library(struct object *o, const char *backend, const char *value)
{
	has(o, backend, EVIDENCE_VENDOR_LIBRARY, value, STRENGTH_BUNDLED);
}

static inline struct device_code *has_code(struct object *o, const char *backend, const char *target, uint64_t count)
{
	struct device_code *d = list_add(&mem, &o->device_code);

	d->backend = span_of(backend);
	d->target = span_of(target);
	d->count = count;
	d->container = SPAN("fatbin");
	return d;
}

static inline void a_problem(struct problems *l, enum finding_id id, const char *path, uint32_t layer,
                             const char *reason)
{
	problem_add(l, &mem, PROBLEM_ANOMALY, id, span_of(path), "%s", reason);
	l->v[l->n - 1].layer = layer;
}

static inline struct policy *a_policy(const char *name)
{
	struct policy *p = arena_alloc(&mem, sizeof(*p));

	p->name = span_of(name);
	p->source = arena_printf(&mem, "%s.yaml", name);
	p->digest = SPAN("sha256:0000000000000000000000000000000000000000000000000000000000000000");
	return p;
}

static inline void add_text(struct spans *l, const char *text)
{
	spans_add(&mem, l, span_of(text));
}

/* A list of one. */
static inline struct spans only(const char *text)
{
	struct spans l = {0};

	add_text(&l, text);
	return l;
}

static inline void requires_any(struct policy *p, const char *one, const char *other)
{
	struct spans *l = list_add(&mem, &p->require);

	*l = only(one);
	if (other)
		add_text(l, other);
}

/* "GRADE ID BACKEND LEVEL PACKAGE-OR-PATH BYTES"; "-" where there is none. */
static inline const char *finding_line(const struct finding *f, bool graded)
{
	struct span who = f->package.n ? f->package : f->path, backend = f->backend;

	who = who.n ? who : SPAN("-");
	backend = backend.n ? backend : SPAN("-");
	return (const char *)arena_printf(&mem, "%s%s%s %.*s %s %.*s %" PRIu64 "%c", graded ? grade_name(f->grade) : "",
	                                  graded ? " " : "", finding_name(f->id), (int)backend.n,
	                                  (const char *)backend.p, f->has_level ? level_name(f->level) : "-",
	                                  (int)who.n, (const char *)who.p, f->bytes, 0)
	        .p;
}

/* All of `expected`, NULL at its end, in this order, and nothing else. */
static inline void expect_lines(const struct findings *l, bool graded, const char *const *expected)
{
	size_t n = 0;

	while (expected[n])
		n++;
	for (size_t i = 0; i < l->n || i < n; i++)
		assert_string_equal(i < l->n ? finding_line(&l->v[i], graded) : "no more findings",
		                    i < n ? expected[i] : "no more expected");
}

#define EXPECT(findings, graded, ...)                                                                                  \
	expect_lines(findings, graded, (const char *const[]){__VA_ARGS__ __VA_OPT__(, ) NULL})

static inline bool span_has(struct span s, const char *part)
{
	return s.n && memmem(s.p, s.n, part, strlen(part));
}

static inline struct findings run_family(const struct check_family *family, const struct artifact *a,
                                         const struct policy *p)
{
	struct check_input in = {.artifact = a, .policy = p, .catalogue = &catalogue, .mem = &mem};
	struct judged out = {.artifact = a};

	family->run(&in, &out);
	return out.findings;
}

#endif
