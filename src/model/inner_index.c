/* SPDX-License-Identifier: Apache-2.0 */
#include "model/inner_index.h"

void inner_add(struct inner_index *x, struct arena *mem, struct span literal, unsigned set)
{
	unsigned pair = (unsigned)literal.p[0] << 8 | literal.p[1];

	x->starts[pair / 8] |= (uint8_t)(1u << (pair & 7));
	*list_add(mem, &x->literals) = (struct inner_literal){literal, set};
}

uint64_t inner_find(const struct inner_index *x, struct span text)
{
	uint64_t found = 0;

	for (size_t i = 0; i + 1 < text.n; i++) {
		unsigned pair = (unsigned)text.p[i] << 8 | text.p[i + 1];

		if (!(x->starts[pair / 8] >> (pair & 7) & 1))
			continue;
		for (size_t k = 0; k < x->literals.n; k++) {
			const struct inner_literal *l = &x->literals.v[k];

			if (l->text.p[0] == text.p[i] && l->text.p[1] == text.p[i + 1] &&
			    span_starts(span_after(text, i), l->text))
				found |= UINT64_C(1) << l->set;
		}
	}
	return found;
}
