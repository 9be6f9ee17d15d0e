/* SPDX-License-Identifier: Apache-2.0 */
/* Parts of hand-made inventories. */
#ifndef POSTERN_TESTS_SAMPLE_PARTS_H
#define POSTERN_TESTS_SAMPLE_PARTS_H

#include "model/inventory.h"

static inline void sample_code(struct object *o, struct arena *mem, const char *backend, const char *target,
                               enum code_form form, uint64_t count, uint64_t bytes)
{
	struct device_code *d = list_add(mem, &o->device_code);
	bool cuda = strcmp(backend, "cuda") == 0;

	d->backend = span_of(backend);
	d->target = span_of(target);
	d->form = form;
	d->container = cuda ? SPAN("fatbin") : SPAN("bundle");
	d->where = cuda ? SPAN(".nv_fatbin") : SPAN(".hip_fatbin");
	d->codec = form == FORM_PORTABLE ? SPAN("lz4") : SPAN("none");
	d->count = count;
	d->bytes = bytes;
	d->offset = 4096;
	d->isa = form == FORM_PORTABLE ? SPAN("8.7") : SPAN_NONE;
	d->toolkit = cuda && form == FORM_NATIVE ? SPAN("12.8") : SPAN_NONE;
	d->abi = cuda && form == FORM_NATIVE ? 7 : 0;
	d->opened = cuda && form == FORM_NATIVE;
	d->kernels = d->opened ? 3 * count : 0;
}

static inline void sample_target(struct backend_sum *b, struct arena *mem, const char *target, enum code_form form,
                                 uint64_t count)
{
	*list_add(mem, &b->targets) = (struct target_sum){
	        .target = span_of(target),
	        .form = form,
	        .objects = 1,
	        .count = count,
	        .bytes = 1000 * count,
	};
}

static inline struct artifact *sample_artifact(struct inventory *inv, struct arena *mem, const char *name,
                                               const char *kind)
{
	struct artifact *a = list_add(mem, &inv->artifacts);

	inv->rules_version = SPAN("2026.12");
	a->name = span_of(name);
	a->kind = span_of(kind);
	a->complete = true;
	return a;
}

static inline struct package *sample_package(struct artifact *a, struct arena *mem, const char *name,
                                             const char *version)
{
	struct package *p = list_add(mem, &a->packages);

	p->name = span_of(name);
	p->version = span_of(version);
	p->path = arena_printf(mem, "%s-%s.dist-info", name, version);
	p->id = arena_printf(mem, "pypi:%s@%s", name, version);
	p->has_record = true;
	return p;
}

#endif
