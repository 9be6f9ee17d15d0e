/* SPDX-License-Identifier: Apache-2.0 */
/* Private to rules/policy*.c: the parts of a policy, one file a subject. Each returns -1 with file, line and column. */
#ifndef POSTERN_RULES_POLICY_PARTS_H
#define POSTERN_RULES_POLICY_PARTS_H

#include "rules/policy.h"
#include "rules/rows.h"

struct policy_reading {
	struct policy *policy;
	const struct catalogue *catalogue;
	const char **backends; /* ids of the catalogue, in its order */
	struct arena *mem;
	struct err *e;
};

/* The word, or the id of the backend that has this alias. */
struct span policy_backend_id(const struct policy_reading *r, struct span word);
int policy_backend(const struct policy_reading *r, struct span *out, const struct node *n);
/* backends.c */
int policy_backends(const struct policy_reading *r, const struct node *map);
/* classes.c */
int policy_classes(const struct policy_reading *r, const struct node *map);
/* grades.c */
int policy_grade(const struct policy_reading *r, enum grade *out, const struct node *n);
int policy_checks(const struct policy_reading *r, struct grade_list *out, const struct node *map);
/* exceptions.c */
int policy_overrides(const struct policy_reading *r, const struct node *list);
int policy_waivers(const struct policy_reading *r, const struct node *list);

#define KEYS(table) (table), sizeof(table) / sizeof((table)[0])

#endif
