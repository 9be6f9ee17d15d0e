/* SPDX-License-Identifier: Apache-2.0 */
/* Private to rules/target*.c: what a vendor's file says about its targets. */
#ifndef POSTERN_RULES_TARGET_PARTS_H
#define POSTERN_RULES_TARGET_PARTS_H

#include "rules/target.h"

struct target_vendor {
	struct span backend;
	bool (*is_device)(struct span device);
	/* Does the vendor's own way of naming code make this name? */
	bool (*is_code)(struct span target);
	/* The form that a name of code implies. */
	enum code_form (*form)(struct span target);
	/* In how many ways a device may be set up that its name leaves open: 1 or more. */
	unsigned (*settings)(struct span device);
	/* Of native and portable code, on a device (is_device) in one of those ways. */
	enum answer (*answer)(struct span target, enum code_form form, struct span device, unsigned setting,
	                      const char **why);
};

extern const struct target_vendor target_cuda, target_rocm;

/* *why is set with ANSWER_UNKNOWN only. */
static inline enum answer target_unknown(const char **why, const char *clause)
{
	*why = clause;
	return ANSWER_UNKNOWN;
}

#endif
