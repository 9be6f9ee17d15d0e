/* SPDX-License-Identifier: Apache-2.0 */
/* What the families of checks share among themselves. Private to rules/checks. */
#ifndef POSTERN_RULES_CHECKS_PARTS_H
#define POSTERN_RULES_CHECKS_PARTS_H

#include "rules/check.h"

/* For "%.*s". */
#define SPAN_ARG(s) (int)(s).n, (const char *)(s).p

/* What one file or store has to do with one backend. */
struct tie {
	struct span backend;
	enum level level;
	bool carries;                /* it is there because of the backend, and not only in need of it */
	const struct object *object; /* one of both */
	const struct store *store;
};

struct ties {
	struct tie *v;
	size_t n, cap;
};

/* All ties of one backend. */
struct tie_run {
	struct span backend;
	enum level level; /* the highest */
	const struct tie *ties;
	size_t n;
};

struct tie_runs {
	struct tie_run *v;
	size_t n, cap;
};

/* Of visible files, or of those that a later layer hides. The same rules as those of the summary (src/merge/summary.c).
 */
void check_ties(const struct check_input *in, bool hidden, struct tie_runs *out);
/* Those of one backend for which `wanted` is true (NULL: all), grouped. */
void check_group_ties(const struct check_input *in, const struct tie_run *run, bool (*wanted)(const struct tie *t),
                      struct check_groups *out);
/* The highest level of the group's files and stores. */
enum level check_group_level(const struct check_group *g, struct span backend);
void check_proofs_sort(struct proofs *l);

/* words.c: "8.33 MB", "17 bytes"; "1 file", "12 files"; "a, b and 3 more" (most 0: all). */
struct span check_size(struct arena *mem, uint64_t bytes);
struct span check_many(struct arena *mem, uint64_t n, const char *what);
struct span check_join(struct arena *mem, const struct spans *l, size_t most);
/* "pypi:torch@2.9.0" as "torch 2.9.0", and as "torch". */
struct span check_package(struct arena *mem, struct span id);
struct span check_package_name(struct span id);
/* "needs libcudart.so.12 and carries 31 images for sm_80 and sm_90": why the group counts for a backend. */
struct span check_reasons(struct arena *mem, const struct check_group *g, struct span backend);

static inline bool spans_have(const struct spans *l, struct span s)
{
	for (size_t i = 0; i < l->n; i++)
		if (span_eq(l->v[i], s))
			return true;
	return false;
}

#endif
