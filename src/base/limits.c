/* SPDX-License-Identifier: Apache-2.0 */
#include "base/limits.h"

static const struct limit rows[LIMIT_COUNT] = {
	{"", 0, "", ""},
#define LIMIT(id, name, value, per, what) {name, value, per, what},
#include "base/limits.def"
#undef LIMIT
};

const struct limit *limit_row(enum limit_id id)
{
	return &rows[id < LIMIT_COUNT ? id : LIMIT_NONE];
}

enum limit_id limit_by_name(struct span name)
{
	for (int i = LIMIT_NONE + 1; i < LIMIT_COUNT; i++)
		if (span_eq(name, span_of(rows[i].name)))
			return (enum limit_id)i;
	return LIMIT_NONE;
}

void limits_default(struct limits *l)
{
	for (int i = 0; i < LIMIT_COUNT; i++)
		l->v[i] = rows[i].value;
}
