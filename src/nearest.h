/* SPDX-License-Identifier: Apache-2.0 */
/* "did you mean": the word of a list that is fewest typing mistakes away. */
#ifndef POSTERN_NEAREST_H
#define POSTERN_NEAREST_H

#include "base/span.h"

struct nearest {
	struct span word; /* what was typed */
	const char *best; /* NULL: nothing is near enough */
	size_t distance;
};

static inline struct nearest nearest_to(struct span word)
{
	return (struct nearest){word, NULL, SIZE_MAX};
}

/* Offers one word; the first of equally near ones stays. */
void nearest_offer(struct nearest *n, const char *word);

#endif
