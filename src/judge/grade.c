/* SPDX-License-Identifier: Apache-2.0 */
/* The grade of a finding: its default, the policy's checks (an id beats its family), then the last override that fits.
 */
#include "parts.h"

/* GRADE_COUNT when the list says nothing. family: also by the family's name. */
static enum grade grade_in(const struct grade_list *l, enum finding_id id, bool family)
{
	enum grade found = GRADE_COUNT;

	for (size_t i = 0; i < l->n; i++) {
		if (l->v[i].id == id)
			return l->v[i].grade;
		if (family && l->v[i].id == FINDING_NONE && l->v[i].family == finding_family_of(id))
			found = l->v[i].grade;
	}
	return found;
}

/* Read, or nothing that a loader takes: healthy images are full of it (design.md 8). */
static bool is_harmless(const struct finding *f)
{
	return !f->incomplete && (f->id == FINDING_OBJECT_UNREADABLE || f->id == FINDING_SCAN_INCOMPLETE);
}

/* `others` is a word about one id: it beats the family, not the id. */
static enum grade grade_by_checks(const struct policy *p, const struct finding *f)
{
	bool others = f->id == FINDING_BACKEND_OTHER && p->has_others;
	enum grade grade = grade_in(&p->checks, f->id, !others);

	if (is_harmless(f))
		return grade == GRADE_OFF ? GRADE_OFF : GRADE_INFO;
	if (grade != GRADE_COUNT)
		return grade;
	return others ? p->others : finding_default(f->id);
}

enum grade grade_of(const struct policy *p, const struct artifact *a, const struct finding *f, size_t *winner)
{
	enum grade grade = grade_by_checks(p, f);

	*winner = 0;
	for (size_t i = p->overrides.n; i-- > 0 && *winner == 0;) {
		enum grade here = grade_in(&p->overrides.v[i].checks, f->id, true);

		if (here == GRADE_COUNT || !match_fits(&p->overrides.v[i].match, a, f))
			continue;
		grade = here;
		*winner = i + 1;
	}
	/* What makes the verdict incomplete is always said. */
	if (f->incomplete && grade == GRADE_OFF)
		grade = GRADE_INFO;
	/* Nothing can fail where nothing is asked for. */
	if (p->source.n == 0 && grade > GRADE_WARN)
		grade = GRADE_WARN;
	return grade;
}
