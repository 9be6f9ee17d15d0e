/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What was odd or could not be read. INCOMPLETE: something that a loader would load was not read, so the scan is not a pass.
 * ANOMALY: odd, but read, or nothing that a loader would take (design.md 8, "How odd things count").
 */
#ifndef POSTERN_MODEL_PROBLEM_H
#define POSTERN_MODEL_PROBLEM_H

#include "base/arena.h"

enum finding_id {
	FINDING_NONE,
#define FINDING(id, name, family, grade, what) FINDING_##id,
#include "model/finding.def"
#undef FINDING
	FINDING_COUNT
};

enum problem_grade { PROBLEM_ANOMALY, PROBLEM_INCOMPLETE, PROBLEM_GRADE_COUNT };

struct problem {
	enum problem_grade grade;
	enum finding_id id;
	enum limit_id limit; /* with FINDING_SCAN_INCOMPLETE by a budget */
	struct span path;    /* as in the artifact; empty: the artifact itself */
	struct span reason;  /* one sentence, raw bytes */
	uint32_t layer;      /* filled by the merge: from 1; 0 where there are no layers, or the image itself is meant */
};

struct problems {
	struct problem *v;
	size_t n, cap;
};

const char *finding_name(enum finding_id id);
/* FINDING_NONE when there is none of that name. */
enum finding_id finding_by_name(struct span name);

/* path is kept as it is: it must live as long as mem. */
void problem_add(struct problems *l, struct arena *mem, enum problem_grade grade, enum finding_id id, struct span path,
                 const char *fmt, ...) PRINTF_LIKE(6, 7);
/* scan-incomplete by a budget. */
void problem_limit(struct problems *l, struct arena *mem, const struct limits *limits, enum limit_id id, struct span path,
                   const char *what);
/* What an err says: scan-incomplete when it is a limit, else (grade, id). */
void problem_err(struct problems *l, struct arena *mem, enum problem_grade grade, enum finding_id id, struct span path,
                 const struct err *e);

#endif
