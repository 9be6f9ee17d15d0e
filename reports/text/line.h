/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Words and columns of the text reports (output.md): sanitised names, lists that are cut with a count, sizes in decimal
 * units. Spans that come back live in the arena of the report, and one code point is one column.
 */
#ifndef POSTERN_REPORTS_TEXT_LINE_H
#define POSTERN_REPORTS_TEXT_LINE_H

#include "base/arena.h"
#include "reports/report.h"

/* For "%.*s". */
#define TEXT_ARG(s) (int)(s).n, (const char *)(s).p

struct text {
	struct outbuf *out;
	const struct report_options *o;
	const struct catalogue *catalogue; /* for words about what a name means */
	struct arena *mem;
	size_t width;
};

/* A name of an artifact as a terminal may see it. */
struct span text_shown(struct text *t, struct span raw);
size_t text_columns(struct span s);
const char *text_dots(const struct text *t);
const char *text_dot(const struct text *t);
/* Keep the start, the end, or both ends, and say by dots that something is gone. */
struct span text_cut_end(struct text *t, struct span s, size_t columns);
struct span text_cut_start(struct text *t, struct span s, size_t columns);
struct span text_cut_middle(struct text *t, struct span s, size_t columns);
/* A path that is too long becomes ".../name". */
struct span text_cut_path(struct text *t, struct span path, size_t columns);

/* "8.33 MB", "294 MB", "17 bytes". */
struct span text_size(struct text *t, uint64_t bytes);
/* "24,454". */
struct span text_number(struct text *t, uint64_t n);
/* "1 file", "24,454 files". */
struct span text_many(struct text *t, uint64_t n, const char *what);

/* Joins with a separator; words beyond `most` (0: none are) become "and N more". */
struct span text_words(struct text *t, const struct spans *l, const char *between, size_t most);
/* sm_75 before sm_100, gfx90a before gfx942 before gfx1100; doubles taken out. */
void text_sort_targets(struct spans *l);
/* "sm_50 sm_60 ... sm_120 (12)", in so many columns. Sorted already; nothing is cut when verbose. */
struct span text_fit_targets(struct text *t, const struct spans *l, size_t columns);

void text_put(struct text *t, struct span s);
void text_word(struct text *t, const char *s);
/* Filled up with spaces on the right, or on the left. */
void text_left(struct text *t, struct span s, size_t columns);
void text_right(struct text *t, struct span s, size_t columns);

#endif
