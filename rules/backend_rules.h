/* SPDX-License-Identifier: Apache-2.0 */
/* One file of rule data, read into the lists of the catalogue. */
#ifndef POSTERN_RULES_BACKEND_RULES_H
#define POSTERN_RULES_BACKEND_RULES_H

#include "model/catalogue.h"
#include "rules/yaml.h"

/* Rows keep text of the document's tree. What was added stays after an error: release the catalogue then. */
int backend_rules_read(struct catalogue *c, const struct node *root, struct arena *mem, struct err *e);

#endif
