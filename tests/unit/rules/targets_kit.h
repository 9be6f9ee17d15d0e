/* SPDX-License-Identifier: Apache-2.0 */
/* A small artifact, a policy, and what the checks of targets say of them. */
#ifndef POSTERN_TESTS_TARGETS_KIT_H
#define POSTERN_TESTS_TARGETS_KIT_H

#include "rules/check.h"
#include "rules/code_kit.h"

#define TARGETS(...) ((const char *const[]){__VA_ARGS__, NULL})
#define ORT          "pypi:onnxruntime-rocm@1.22.2"

static struct arena mem;
static struct artifact artifact;
static struct policy policy;
static struct judged judged;

static int clear(void **state)
{
	arena_clear(&mem);
	artifact = (struct artifact){.complete = true};
	policy = (struct policy){.has_others = false};
	judged = (struct judged){.artifact = &artifact};
	return 0;
}

/* The returned object is good until the next one is added. */
static struct object *file(const char *path, const char *package)
{
	struct object *o = list_add(&mem, &artifact.objects);

	o->path = span_of(path);
	o->package = span_of(package);
	o->type = OBJECT_ELF;
	o->bytes = 5000;
	return o;
}

static void rocm_file(const char *path, const char *package, const char *const *targets)
{
	code_unit(file(path, package), &mem, "rocm", 1, targets);
}

static void cuda_file(const char *path, const char *package, const char *const *targets)
{
	code_unit(file(path, package), &mem, "cuda", 1, targets);
}

static struct store *store(const char *path, const char *package, const char *backend, const char *target)
{
	struct store *s = list_add(&mem, &artifact.stores);

	s->path = span_of(path);
	s->package = span_of(package);
	s->backend = span_of(backend);
	s->files = 40;
	*list_add(&mem, &s->targets) = (struct target_sum){.target = span_of(target), .files = 40, .bytes = 4000};
	return s;
}

static void node_class(const char *name, const char *backend, const char *const *devices)
{
	struct node_class *c = list_add(&mem, &policy.classes);

	c->name = span_of(name);
	c->backend = span_of(backend);
	while (*devices)
		spans_add(&mem, &c->devices, span_of(*devices++));
}

/* For these classes of the policy; NULL: for all. */
static void run(const char *only)
{
	struct check_input in = {.artifact = &artifact, .policy = &policy, .mem = &mem};

	for (size_t i = 0; i < policy.classes.n; i++)
		if (!only || span_eq(policy.classes.v[i].name, span_of(only)))
			*list_add(&mem, &in.classes) = &policy.classes.v[i];
	checks_targets.run(&in, &judged);
}

static const struct finding *finding(enum finding_id id)
{
	const struct finding *f = NULL;

	for (size_t i = 0; i < judged.findings.n; i++) {
		if (judged.findings.v[i].id != id)
			continue;
		if (f)
			fail_msg("two findings: %.*s", (int)judged.findings.v[i].message.n,
			         (const char *)judged.findings.v[i].message.p);
		f = &judged.findings.v[i];
	}
	return f;
}

static void no_finding_but(enum finding_id id)
{
	for (size_t i = 0; i < judged.findings.n; i++)
		if (judged.findings.v[i].id != id && judged.findings.v[i].id != FINDING_TARGET_SURPLUS)
			fail_msg("%.*s", (int)judged.findings.v[i].message.n,
			         (const char *)judged.findings.v[i].message.p);
}

static void span_is(struct span s, const char *text)
{
	if (!span_eq(s, span_of(text)))
		fail_msg("'%.*s' is not '%s'", (int)s.n, (const char *)s.p, text);
}

static void class_is(size_t i, enum answer answer)
{
	assert_true(i < judged.classes.n);
	assert_string_equal(answer_name(judged.classes.v[i].answer), answer_name(answer));
	assert_int_equal(judged.classes.v[i].why.n != 0, answer == ANSWER_UNKNOWN);
}

static void row_is(size_t class_index, size_t i, const char *path, enum answer answer)
{
	const struct object_answer *row;

	assert_true(i < judged.classes.v[class_index].objects.n);
	row = &judged.classes.v[class_index].objects.v[i];
	span_is(row->path, path);
	assert_string_equal(answer_name(row->answer), answer_name(answer));
	assert_int_equal(row->why.n != 0, answer == ANSWER_UNKNOWN);
}

#endif
