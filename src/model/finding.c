/* SPDX-License-Identifier: Apache-2.0 */
#include "model/finding.h"

static const struct {
	enum finding_family family;
	enum grade grade;
	const char *what;
} rows[FINDING_COUNT] = {
	{FINDINGS_NONE, GRADE_OFF, ""},
#define FINDING(id, name, family, grade, what) {FINDINGS_##family, GRADE_##grade, what},
#include "model/finding.def"
#undef FINDING
};

static const char *const grades[] = {"off", "info", "warn", "fail"};
static const char *const families[] = {"", "backend", "claims", "targets", "driver", "loading", "baggage", "trust"};
static const char *const verdicts[] = {"pass", "fail", "incomplete"};
static const char *const answers[] = {"native", "native-family", "jit", "elsewhere", "unknown", "none", "not-needed"};

const char *grade_name(enum grade g)
{
	return g < GRADE_COUNT ? grades[g] : "";
}

enum grade grade_by_name(struct span name)
{
	int i = 0;

	while (i < GRADE_COUNT && !span_eq(name, span_of(grades[i])))
		i++;
	return (enum grade)i;
}

const char *finding_family_name(enum finding_family f)
{
	return f < FINDING_FAMILY_COUNT ? families[f] : "";
}

enum finding_family finding_family_by_name(struct span name)
{
	for (int i = FINDINGS_NONE + 1; i < FINDING_FAMILY_COUNT; i++)
		if (span_eq(name, span_of(families[i])))
			return (enum finding_family)i;
	return FINDINGS_NONE;
}

enum finding_family finding_family_of(enum finding_id id)
{
	return rows[id < FINDING_COUNT ? id : FINDING_NONE].family;
}

enum grade finding_default(enum finding_id id)
{
	return rows[id < FINDING_COUNT ? id : FINDING_NONE].grade;
}

const char *finding_what(enum finding_id id)
{
	return rows[id < FINDING_COUNT ? id : FINDING_NONE].what;
}

const char *verdict_name(enum verdict v)
{
	return v < VERDICT_COUNT ? verdicts[v] : "";
}

const char *answer_name(enum answer a)
{
	return a < ANSWER_COUNT ? answers[a] : "";
}
