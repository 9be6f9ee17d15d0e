/* SPDX-License-Identifier: Apache-2.0 */
#include "nearest.h"

#define WORD_MAX 40 /* longer words have no near ones */

/* Insertions, deletions, replacements and swaps of neighbours that turn a into b; both at most WORD_MAX long. */
static size_t distance(struct span a, struct span b)
{
	size_t rows[3][WORD_MAX + 1];
	size_t *older = rows[0], *old = rows[1], *now = rows[2], *free_row;

	for (size_t k = 0; k <= b.n; k++)
		old[k] = k;
	memset(older, 0, sizeof(rows[0]));
	for (size_t i = 1; i <= a.n; i++) {
		now[0] = i;
		for (size_t k = 1; k <= b.n; k++) {
			size_t best = old[k - 1] + (a.p[i - 1] != b.p[k - 1]);

			best = old[k] + 1 < best ? old[k] + 1 : best;
			best = now[k - 1] + 1 < best ? now[k - 1] + 1 : best;
			if (i > 1 && k > 1 && a.p[i - 1] == b.p[k - 2] && a.p[i - 2] == b.p[k - 1] &&
			    older[k - 2] + 1 < best)
				best = older[k - 2] + 1;
			now[k] = best;
		}
		free_row = older;
		older = old;
		old = now;
		now = free_row;
	}
	return old[b.n];
}

void nearest_offer(struct nearest *n, const char *word)
{
	struct span w = span_of(word);
	size_t d;

	if (w.n == 0 || w.n > WORD_MAX || n->word.n > WORD_MAX)
		return;
	d = distance(n->word, w);
	/* A third of the word may be wrong, and something must be right. */
	if (d >= n->distance || d > (w.n + 2) / 3)
		return;
	n->best = word;
	n->distance = d;
}
