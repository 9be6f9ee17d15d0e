/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a place allows, as plain data: rules/policy.c fills it from one YAML file, the checks judge by it. Everything lives in
 * one arena; text ends with a NUL behind it.
 */
#ifndef POSTERN_MODEL_POLICY_H
#define POSTERN_MODEL_POLICY_H

#include "model/finding.h"

/* A node class: devices that artifacts go to. */
struct node_class {
	struct span name;
	struct span backend;
	struct spans devices; /* targets, as the vendor spells them: "sm_90", "gfx942:sramecc+:xnack-"; all must be served */
};

/* Which findings are meant: every key that is there must fit, of a key's list one entry must. Globs are anchored, '*' stops at
 * '/', "**" does not. An empty list: the key is not there. */
struct match {
	struct spans paths, packages, images, classes, backends, targets, levels, layers, fingerprints;
};

/* A grade for one finding id or for one family. */
struct check_grade {
	enum finding_id id;         /* FINDING_NONE: the family */
	enum finding_family family;
	enum grade grade;
};

struct grade_list {
	struct check_grade *v;
	size_t n, cap;
};

struct policy_override {
	struct match match;
	struct grade_list checks;
	struct span reason;
};

/* A date as days since 1970-01-01. */
struct waiver {
	enum finding_id finding;
	struct match match;
	struct span reason, owner, ticket;
	struct span expires; /* as written: "2027-03-31" */
	int64_t last_day;
};

struct policy {
	struct span name;   /* shown; the file's name without its ending where the policy says none */
	struct span source; /* as given to --policy; empty: there is none */
	struct span digest; /* "sha256:..." of its bytes */
	LIST(struct spans) require; /* of each list one backend must be carried or needed */
	struct spans allow, forbid;
	bool has_others;
	enum grade others;
	LIST(struct node_class) classes; /* in the file's order */
	struct grade_list checks;        /* in the file's order: ids beat families */
	LIST(struct policy_override) overrides; /* later wins */
	LIST(struct waiver) waivers;
};

/* The row of that name, or NULL. */
const struct node_class *policy_class(const struct policy *p, struct span name);
/* "2027-03-31" to days since 1970-01-01; false when it is no date of the calendar. */
bool date_parse(struct span text, int64_t *day);

#define GLOB_BYTES 4096 /* of the longest glob; a longer one fits nothing */

/*
 * Does text fit the glob, from its first byte to its last? '*' and '?' stop at '/', "**" does not, and a folder "**" is any number of
 * folders, also none. A backslash takes the next byte's meaning away. Time grows with the product of their lengths at most.
 */
bool glob_matches(struct span glob, struct span text);

#endif
