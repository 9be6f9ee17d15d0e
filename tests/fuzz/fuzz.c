/* SPDX-License-Identifier: Apache-2.0 */
#include "fuzz.h"

#include <stdio.h>
#include <stdlib.h>

#include "rules/catalogue.h"

static struct arena rules_mem, job_mem;
static struct limits limits;
static struct catalogue catalogue;
static struct job_context context;

const struct job_context *fuzz_context(void)
{
	struct err e = ERR_INIT;

	if (!context.mem) {
		limits_default(&limits);
		if (catalogue_load(&catalogue, NULL, &limits, &rules_mem, &e) < 0) {
			fprintf(stderr, "the compiled-in rule data is wrong: %s\n", e.text);
			exit(1);
		}
		context = (struct job_context){.mem = &job_mem, .limits = &limits, .catalogue = &catalogue, .reader = &elf_reader};
	}
	arena_clear(&job_mem);
	return &context;
}

struct facts fuzz_facts(const struct job_context *ctx)
{
	return (struct facts){.mem = ctx->mem};
}

bool fuzz_has_problem(const struct facts *f, const struct problem *p)
{
	for (size_t i = 0; i < f->problems.n; i++) {
		const struct problem *q = &f->problems.v[i];

		if (p->grade == q->grade && p->id == q->id && span_eq(p->path, q->path) && span_eq(p->reason, q->reason))
			return true;
	}
	return false;
}
