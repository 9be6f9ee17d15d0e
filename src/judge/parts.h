/* SPDX-License-Identifier: Apache-2.0 */
/* The steps of one judgement. Private to judge*.c. */
#ifndef POSTERN_JUDGE_PARTS_H
#define POSTERN_JUDGE_PARTS_H

#include "judge.h"

/* match.c: does everything that the match names fit? A finding without a key's value does not fit that key. */
bool match_fits(const struct match *m, const struct artifact *a, const struct finding *f);
/* "package 'torch', path '**'": what it names, for people. */
struct span match_words(const struct match *m, struct arena *mem);

/*
 * fingerprint.c: 32 hex digits that outlive a rebuild. extra: what tells findings apart that stand for no file or
 * package; else empty.
 */
struct span fingerprint_of(const struct finding *f, struct span extra, struct arena *mem);

/* grade.c: by default, the policy's checks, then its overrides; *winner: the override that decided, from 1, or 0.
 */
enum grade grade_of(const struct policy *p, const struct artifact *a, const struct finding *f, size_t *winner);

/* What became of the policy's waivers and overrides in this run. */
struct debts {
	const struct policy *policy;
	struct arena *mem;
	int64_t today;
	bool *used;     /* waivers that fitted something */
	bool *expired;  /* of the artifact at hand */
	bool *helpless; /* waivers that fitted what no waiver applies to */
};

/* waivers.c */
void debts_init(struct debts *d, const struct policy *p, int64_t today, struct arena *mem);
/* Waives what is waived, and adds what is to be said about waivers of this artifact. */
void waivers_apply(struct debts *d, struct judged *to);
/* What fitted nothing anywhere: to j->unused, and to its first artifact. */
void waivers_close(struct debts *d, struct judgement *j);

#endif
