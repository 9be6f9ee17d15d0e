/* SPDX-License-Identifier: Apache-2.0 */
/* Device code of hand-made objects. */
#ifndef POSTERN_TESTS_CODE_KIT_H
#define POSTERN_TESTS_CODE_KIT_H

#include "model/object.h"

/* A row that is part of no unit. */
static inline struct device_code *code_row(struct object *o, struct arena *mem, const char *backend, const char *target,
                                           enum code_form form)
{
	struct device_code *c = list_add(mem, &o->device_code);

	*c = (struct device_code){
	        .backend = span_of(backend),
	        .target = span_of(target),
	        .form = form,
	        .container = strcmp(backend, "cuda") == 0 ? SPAN("fatbin") : SPAN("bundle"),
	        .where = SPAN(".nv_fatbin"),
	        .codec = SPAN("none"),
	        .count = 1,
	        .bytes = 1000,
	};
	return c;
}

/* Text of PTX that lies open, with so many entries. */
static inline void code_text(struct object *o, struct arena *mem, const char *target, uint64_t kernels)
{
	struct device_code *c = code_row(o, mem, "cuda", target, FORM_PORTABLE);

	c->container = SPAN("ptx");
	c->opened = true;
	c->kernels = kernels;
}

/* count units that hold these targets (NULL ends them), with rows of native or portable code. */
static inline void code_unit(struct object *o, struct arena *mem, const char *backend, uint64_t count,
                             const char *const *targets)
{
	struct unit_set *set = list_add(mem, &o->unit_sets);

	set->count = count;
	o->units += count;
	for (; *targets; targets++) {
		bool portable = span_starts(span_of(*targets), SPAN("compute_"));

		spans_add(mem, &set->targets, span_of(*targets));
		code_row(o, mem, backend, *targets, portable ? FORM_PORTABLE : FORM_NATIVE);
	}
	spans_sort_unique(&set->targets);
}

#endif
