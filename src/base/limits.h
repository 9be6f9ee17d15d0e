/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The budgets that bound every read of an artifact. `struct limits` is plain data, filled once from the table and the command
 * line and then only read. Hitting a limit is never fatal: what was being read is incomplete, by the limit's name.
 */
#ifndef POSTERN_BASE_LIMITS_H
#define POSTERN_BASE_LIMITS_H

#include "base/span.h"

enum limit_id {
	LIMIT_NONE, /* no limit: so that zeroed records say none */
#define LIMIT(id, name, value, per, what) LIMIT_##id,
#include "base/limits.def"
#undef LIMIT
	LIMIT_COUNT
};

struct limit {
	const char *name;
	uint64_t value; /* the default */
	const char *per;
	const char *what;
};

struct limits {
	uint64_t v[LIMIT_COUNT];
};

/* The row of an id; name "" for LIMIT_NONE. */
const struct limit *limit_row(enum limit_id id);
/* LIMIT_NONE when no limit has that name. */
enum limit_id limit_by_name(struct span name);
void limits_default(struct limits *l);

#endif
