/* SPDX-License-Identifier: Apache-2.0 */
/* Grades of findings, by id or by family. */
#include "parts.h"

#define IDS      (FINDING_COUNT - 1)
#define FAMILIES (FINDING_FAMILY_COUNT - 1)

int policy_grade(const struct policy_reading *r, enum grade *out, const struct node *n)
{
	const char *words[GRADE_COUNT];
	size_t place;

	for (int i = 0; i < GRADE_COUNT; i++)
		words[i] = grade_name((enum grade)i);
	if (word_choose(&place, n, "grade", words, GRADE_COUNT, SIZE_MAX, r->e) < 0)
		return -1;
	*out = (enum grade)place;
	return 0;
}

int policy_checks(const struct policy_reading *r, struct grade_list *out, const struct node *map)
{
	const char *words[IDS + FAMILIES];
	size_t place;

	for (int i = 0; i < IDS; i++)
		words[i] = finding_name((enum finding_id)(i + 1));
	for (int i = 0; i < FAMILIES; i++)
		words[IDS + i] = finding_family_name((enum finding_family)(i + 1));
	for (const struct node *v = map->first; v; v = v->next) {
		struct check_grade *g = list_add(r->mem, out);

		if (word_choose(&place, v->key, "finding or family", words, IDS + FAMILIES, SIZE_MAX, r->e) < 0 ||
		    policy_grade(r, &g->grade, v) < 0)
			return -1;
		if (place < IDS)
			g->id = (enum finding_id)(place + 1);
		else
			g->family = (enum finding_family)(place - IDS + 1);
	}
	return 0;
}
