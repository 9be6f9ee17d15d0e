/* SPDX-License-Identifier: Apache-2.0 */
#include "images.h"

#include "base/checked.h"

#define FIRST_SLOTS 64
#define ROWS_MAX    ((1u << 30) - 1)

static uint64_t hash_bytes(uint64_t h, struct span s)
{
	for (size_t i = 0; i < s.n; i++)
		h = (h ^ s.p[i]) * 0x100000001b3u;
	return (h ^ s.n) * 0x100000001b3u;
}

static uint64_t row_hash(const struct device_code *c)
{
	uint64_t h = 0xcbf29ce484222325u;

	h = hash_bytes(h, c->backend);
	h = hash_bytes(h, c->target);
	h = hash_bytes(h, c->container);
	h = hash_bytes(h, c->codec);
	h = hash_bytes(h, c->declared);
	h = hash_bytes(h, c->isa);
	h = hash_bytes(h, c->toolkit);
	h = (h ^ c->abi) * 0x100000001b3u;
	h = (h ^ (uint64_t)c->form << 1 ^ c->mismatch) * 0x100000001b3u;
	return h ^ h >> 32;
}

static bool row_eq(const struct device_code *a, const struct device_code *b)
{
	return a->form == b->form && a->abi == b->abi && a->mismatch == b->mismatch && span_eq(a->target, b->target) &&
	       span_eq(a->declared, b->declared) && span_eq(a->backend, b->backend) &&
	       span_eq(a->container, b->container) && span_eq(a->codec, b->codec) && span_eq(a->isa, b->isa) &&
	       span_eq(a->toolkit, b->toolkit);
}

static void slots_grow(struct images *all)
{
	all->n_slots = all->n_slots ? all->n_slots * 2 : FIRST_SLOTS;
	all->slots = arena_alloc(all->mem, all->n_slots * sizeof(*all->slots));
	for (size_t i = 0; i < all->rows.n; i++) {
		size_t at = all->rows.v[i].hash & (all->n_slots - 1);

		while (all->slots[at])
			at = (at + 1) & (all->n_slots - 1);
		all->slots[at] = (uint32_t)i + 1;
	}
}

/* Most rows have some empty ones. */
static struct span copy(struct arena *mem, struct span s)
{
	return s.n ? arena_copy(mem, s) : SPAN_NONE;
}

static struct image_row *row_new(struct images *all, const struct device_code *c, uint64_t hash)
{
	struct image_row *row = list_add(all->mem, &all->rows);

	row->hash = hash;
	row->code = (struct device_code){
	        .backend = copy(all->mem, c->backend),
	        .target = copy(all->mem, c->target),
	        .form = c->form,
	        .container = copy(all->mem, c->container),
	        .codec = copy(all->mem, c->codec),
	        .declared = copy(all->mem, c->declared),
	        .mismatch = c->mismatch,
	        .isa = copy(all->mem, c->isa),
	        .toolkit = copy(all->mem, c->toolkit),
	        .abi = c->abi,
	};
	return row;
}

static struct image_row *row_of(struct images *all, const struct device_code *c)
{
	uint64_t hash = row_hash(c);
	size_t at;

	if (all->rows.n * 2 >= all->n_slots)
		slots_grow(all);
	for (at = hash & (all->n_slots - 1); all->slots[at]; at = (at + 1) & (all->n_slots - 1)) {
		struct image_row *row = &all->rows.v[all->slots[at] - 1];

		if (row->hash == hash && row_eq(&row->code, c))
			return row;
	}
	all->slots[at] = (uint32_t)all->rows.n + 1;
	return row_new(all, c, hash);
}

void images_add(struct images *all, struct image_list *l, const void *unit, const struct device_code *code,
                bool unit_target)
{
	struct image_row *row = row_of(all, code);
	uint32_t index = (uint32_t)(row - all->rows.v);
	struct kept_image *i;

	if (row->unit == unit && row->index < l->n && l->v[row->index].row == index) {
		i = &l->v[row->index];
		i->opened = i->opened && code->opened;
		i->unit_target = i->unit_target || unit_target;
		i->count += code->count;
		i->bytes = sum_capped(i->bytes, code->bytes);
		i->kernels = sum_capped(i->kernels, code->kernels);
		return;
	}
	row->unit = unit;
	row->index = l->n;
	i = list_add(all->mem, l);
	*i = (struct kept_image){.row = index & ROWS_MAX,
	                    .opened = code->opened,
	                    .unit_target = unit_target,
	                    .count = code->count,
	                    .bytes = code->bytes,
	                    .offset = code->offset,
	                    .kernels = code->kernels};
}

struct found_image images_expand(const struct images *all, const struct kept_image *i)
{
	struct found_image full = {all->rows.v[i->row].code, i->unit_target};

	full.code.count = i->count;
	full.code.bytes = i->bytes;
	full.code.offset = i->offset;
	full.code.opened = i->opened;
	full.code.kernels = i->kernels;
	return full;
}
