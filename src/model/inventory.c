/* SPDX-License-Identifier: Apache-2.0 */
#include "model/inventory.h"

static const char *const levels[LEVEL_COUNT] = {"mentioned", "carried", "needed"};

const char *level_name(enum level l)
{
	return l < LEVEL_COUNT ? levels[l] : "";
}

static struct span after_space(struct span s)
{
	while (s.n && memchr(" \t\r\n", s.p[0], 4))
		s = span_after(s, 1);
	return s;
}

/* The schema's name tells, wherever it stands; where it comes late, our own first members do. */
bool inventory_begins(struct span front)
{
	static const struct span schema = SPAN_INIT("\"postern-inventory/");
	struct span s = after_space(front);

	if (!span_starts(s, SPAN("{")))
		return false;
	s = after_space(span_after(s, 1));
	if (span_starts(s, SPAN("\"tool\"")) || span_starts(s, SPAN("\"artifacts\"")))
		return true;
	return s.n && memmem(s.p, s.n, schema.p, schema.n);
}
