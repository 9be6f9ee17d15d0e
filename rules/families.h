/* SPDX-License-Identifier: Apache-2.0 */
/* The families of API functions of a rule file. */
#ifndef POSTERN_RULES_FAMILIES_H
#define POSTERN_RULES_FAMILIES_H

#include "model/catalogue.h"
#include "rules/yaml.h"

/* list: NULL for none. A family with several expressions becomes as many rows of one name. */
int families_read(struct catalogue *c, const struct node *list, struct span backend, struct arena *mem, struct err *e);

#endif
