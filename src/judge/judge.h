/* SPDX-License-Identifier: Apache-2.0 */
/* Inventory and policy to a judgement: checks, grades, overrides, waivers, fingerprints, verdicts. No I/O, no clock. */
#ifndef POSTERN_JUDGE_JUDGE_H
#define POSTERN_JUDGE_JUDGE_H

#include "model/catalogue.h"
#include "model/policy.h"

struct judge_options {
	struct spans classes; /* names; empty: all classes of the policy */
	enum grade fail_on;
	struct span date; /* "2026-12-01" */
};

/* -1 (ERR_USAGE) for a class that the policy does not have, and a date that is none. inventory_digest is the caller's to fill. */
int judge_inventory(struct judgement *j, const struct inventory *inv, const struct policy *p, const struct catalogue *c,
                    const struct judge_options *o, struct arena *mem, struct err *e);

#endif
