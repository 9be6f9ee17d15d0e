/* SPDX-License-Identifier: Apache-2.0 */
/* Images that readers found, as small as can be: what many have in common is kept once. */
#ifndef POSTERN_ELF_SEARCH_IMAGES_H
#define POSTERN_ELF_SEARCH_IMAGES_H

#include "search.h"

struct kept_image {
	unsigned row : 30; /* in images.rows */
	bool opened : 1, unit_target : 1;
	uint64_t count, bytes, offset, kernels;
};

struct image_row {
	struct device_code code;
	uint64_t hash;
	const void *unit; /* that had it last, and where in that unit's list */
	size_t index;
};

struct images {
	struct arena *mem;
	LIST(struct image_row) rows;
	uint32_t *slots; /* hash table of rows, 0 empty, else row + 1 */
	size_t n_slots;
};

struct image_list {
	struct kept_image *v;
	size_t n, cap;
};

/* Adds one image to the list of a unit; alike ones are added up. */
void images_add(struct images *all, struct image_list *l, const void *unit, const struct device_code *code,
                bool unit_target);
/* One image in full. */
struct found_image images_expand(const struct images *all, const struct kept_image *i);

#endif
