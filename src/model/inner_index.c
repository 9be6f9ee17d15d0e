/* SPDX-License-Identifier: Apache-2.0 */
#include "model/inner_index.h"

static bool starts_like(struct span literal, const uint8_t *p)
{
	return literal.p[0] == p[0] && literal.p[1] == p[1];
}

void inner_add(struct inner_index *x, struct arena *mem, struct span literal, unsigned set)
{
	struct inner_pair *pair;
	bool known = false;

	for (size_t i = 0; i < x->literals.n && !known; i++)
		known = starts_like(x->literals.v[i].text, literal.p);
	*list_add(mem, &x->literals) = (struct inner_literal){literal, set};
	if (known)
		return;
	pair = list_add(mem, &x->pairs);
	memset(&pair->first, literal.p[0], sizeof(pair->first));
	memset(&pair->second, literal.p[1], sizeof(pair->second));
}

static uint64_t sets_at(const struct inner_index *x, struct span text)
{
	uint64_t found = 0;

	for (size_t i = 0; i < x->literals.n; i++) {
		const struct inner_literal *l = &x->literals.v[i];

		if (starts_like(l->text, text.p) && span_starts(text, l->text))
			found |= UINT64_C(1) << l->set;
	}
	return found;
}

/* Sets of the literals that start at one of the marked places. */
static uint64_t sets_at_marks(const struct inner_index *x, struct span text, inner_block marks)
{
	uint64_t found = 0;

	for (size_t i = 0; i < INNER_BLOCK; i++)
		if (marks[i])
			found |= sets_at(x, span_after(text, i));
	return found;
}

/* The same for the first INNER_BLOCK places of a text that has one byte more. */
static inline uint64_t sets_in_block(const struct inner_index *x, struct span text)
{
	inner_block a, b, marks = {0};
	uint64_t any[2];

	memcpy(&a, text.p, sizeof(a));
	memcpy(&b, text.p + 1, sizeof(b));
	for (size_t i = 0; i < x->pairs.n; i++)
		marks |= (inner_block)(a == x->pairs.v[i].first) & (inner_block)(b == x->pairs.v[i].second);
	memcpy(any, &marks, sizeof(any));
	return any[0] | any[1] ? sets_at_marks(x, text, marks) : 0;
}

uint64_t inner_find(const struct inner_index *x, struct span text)
{
	uint64_t found = 0;

	for (; text.n > 2 * INNER_BLOCK; text = span_after(text, INNER_BLOCK))
		found |= sets_in_block(x, text);
	/* What is left, as the end of a whole block where there is one. */
	if (text.n > INNER_BLOCK)
		found |= sets_in_block(x, text) | sets_in_block(x, span_after(text, text.n - INNER_BLOCK - 1));
	else
		for (; text.n > 1; text = span_after(text, 1))
			found |= sets_at(x, text);
	return found;
}
