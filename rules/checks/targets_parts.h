/* SPDX-License-Identifier: Apache-2.0 */
/* Private to rules/checks/targets*.c: which files of a group serve which devices of a class, and the sentences about
 * it. */
#ifndef POSTERN_RULES_CHECKS_TARGETS_PARTS_H
#define POSTERN_RULES_CHECKS_TARGETS_PARTS_H

#include "rules/checks/parts.h"

enum mark { MARK_MISSING, MARK_HERE, MARK_PARTIAL, MARK_JIT, MARKS };

/* A file or store with code of the class's backend. */
struct code_file {
	const struct object *object; /* one of both */
	const struct store *store;
	enum answer now;           /* on the device that is looked at */
	enum answer worst;         /* of all devices */
	const char *now_why, *why; /* of both, when they are unknown */
	uint64_t served, units;    /* on the device where the fewest are served, with MARK_PARTIAL */
	bool marks[MARKS];
};

/* A group before one class. */
struct side {
	const struct node_class *node;
	const struct check_group *group;
	LIST(struct code_file) files;
	struct spans devices[MARKS]; /* in the policy's order */
	uint64_t pairs[MARKS];       /* of a file and a device */
};

/* A finding about the files with this mark, when there are any. */
void targets_tell(const struct check_input *in, struct judged *out, const struct side *s, enum mark mark);
/* Final code in this group that no device of any class of the policy can use. */
void targets_tell_surplus(const struct check_input *in, struct judged *out, const struct check_group *g,
                          struct span backend);

#endif
