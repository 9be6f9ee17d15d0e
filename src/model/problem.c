/* SPDX-License-Identifier: Apache-2.0 */
#include "model/problem.h"

#include <stdarg.h>
#include <stdio.h>

static const char *const names[FINDING_COUNT] = {
	"",
#define FINDING(id, name, family, grade, what) name,
#include "model/finding.def"
#undef FINDING
};

const char *finding_name(enum finding_id id)
{
	return names[id < FINDING_COUNT ? id : FINDING_NONE];
}

enum finding_id finding_by_name(struct span name)
{
	for (int i = FINDING_NONE + 1; i < FINDING_COUNT; i++)
		if (span_eq(name, span_of(names[i])))
			return (enum finding_id)i;
	return FINDING_NONE;
}

void problem_add(struct problems *l, struct arena *mem, enum problem_grade grade, enum finding_id id, struct span path,
                 const char *fmt, ...)
{
	struct problem *p = list_add(mem, l);
	char text[512];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	p->grade = grade;
	p->id = id;
	p->path = path;
	p->reason = arena_copy(mem, span_of(text));
}

void problem_limit(struct problems *l, struct arena *mem, const struct limits *limits, enum limit_id id, struct span path,
                   const char *what)
{
	struct err e = ERR_INIT;

	err_limit(&e, id, limits, what);
	problem_err(l, mem, PROBLEM_INCOMPLETE, FINDING_SCAN_INCOMPLETE, path, &e);
}

void problem_err(struct problems *l, struct arena *mem, enum problem_grade grade, enum finding_id id, struct span path,
                 const struct err *e)
{
	if (e->code == ERR_LIMIT)
		problem_add(l, mem, PROBLEM_INCOMPLETE, FINDING_SCAN_INCOMPLETE, path, "%s", e->text);
	else
		problem_add(l, mem, grade, id, path, "%s", e->text);
	l->v[l->n - 1].limit = e->limit;
}
