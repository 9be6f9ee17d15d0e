/* SPDX-License-Identifier: Apache-2.0 */
/* Rule data to model/catalogue: the compiled-in YAML of rules/data, plus the files of --rules DIR. */
#ifndef POSTERN_RULES_CATALOGUE_H
#define POSTERN_RULES_CATALOGUE_H

#include "model/catalogue.h"

/*
 * Fills c from the compiled-in files and then from every *.yaml in dir (NULL: none), sorted by name; a file of the same name
 * as a compiled-in one replaces it, another adds. Everything lives in mem. -1 (ERR_USAGE) with file, line and column when a
 * file has an unknown key (the nearest known one is named), a duplicate, an alias, a wrong type, a bad regular expression,
 * or is above yaml-bytes or yaml-depth.
 */
int catalogue_load(struct catalogue *c, const char *dir, const struct limits *limits, struct arena *mem, struct err *e);

#endif
