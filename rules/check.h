/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A family of checks: one file, one const row, one line in rules/checks/list.def. A check is a pure function of one artifact's
 * inventory and the policy: no I/O, no clock, no order of hashing.
 */
#ifndef POSTERN_RULES_CHECK_H
#define POSTERN_RULES_CHECK_H

#include "model/catalogue.h"
#include "model/policy.h"

struct check_input {
	const struct artifact *artifact;
	const struct policy *policy;
	const struct catalogue *catalogue;
	LIST(const struct node_class *) classes; /* that this run judges for */
	struct arena *mem;
};

struct check_family {
	const char *name;
	/*
	 * Adds what it finds, one finding per (id, backend, class, and package or file). Fills everything but grade, waiver and
	 * fingerprint; findings that are off by default are added all the same, since a policy may turn them on.
	 */
	void (*run)(const struct check_input *in, struct judged *out);
};

#define CHECK(name) extern const struct check_family checks_##name;
#include "rules/checks/list.def"
#undef CHECK

/* All families in order. */
void checks_run(const struct check_input *in, struct judged *out);

/*
 * For the families. What a finding stands for: the package, or where a file has none the files of its folder. `what` is the sentence's
 * subject for people: "xformers 0.0.30", "opt/lib (3 files)".
 */
struct check_group {
	struct span package;          /* id, or empty */
	struct span path;             /* of the only object; empty where there are several */
	struct span what;
	LIST(const struct object *) objects;
	LIST(const struct store *) stores; /* where the family asks for them */
	uint64_t bytes;
	uint32_t layer;               /* of all objects; 0: of several, or none */
};

struct check_groups {
	struct check_group *v;
	size_t n, cap;
};

/* Objects for which `wanted` is true, grouped, in order of package id and path. Links and hidden objects are the caller's to leave out. */
void check_group_objects(const struct check_input *in, bool (*wanted)(const struct object *o, const void *sink), const void *sink, struct check_groups *out);
/* A finding of this group: package, path, layer, bytes are filled. */
struct finding *check_finding(const struct check_input *in, struct judged *out, enum finding_id id, const struct check_group *g);
/* The group's evidence of this backend (empty: of any) goes to the finding, sorted. */
void check_prove(const struct check_input *in, struct finding *f, const struct check_group *g, struct span backend);

#endif
