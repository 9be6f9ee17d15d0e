/* SPDX-License-Identifier: Apache-2.0 */
/* A policy file to model/policy: YAML read strictly, every error with file, line and column. */
#ifndef POSTERN_RULES_POLICY_H
#define POSTERN_RULES_POLICY_H

#include "model/catalogue.h"
#include "model/policy.h"

/*
 * source: the file as it was named, for messages and policy->source; it must live as long as the policy. -1 and ERR_USAGE
 * "SOURCE:LINE:COLUMN: what is wrong" for an unknown key or word (the nearest known one is named), a doubled key, an alias, a wrong type, an
 * unknown backend, finding or family, a date or glob that is none, a device that is none, a key of version 1 that is not supported yet, or a limit
 * (yaml-bytes, yaml-depth).
 */
int policy_read(struct policy *p, const char *source, struct span bytes, const struct catalogue *c, const struct limits *limits,
                struct arena *mem, struct err *e);

#endif
