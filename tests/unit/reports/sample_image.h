/* SPDX-License-Identifier: Apache-2.0 */
/* An image of three layers: the second brings a package, the third replaces it and could not be read to its end. */
#ifndef POSTERN_TESTS_SAMPLE_IMAGE_H
#define POSTERN_TESTS_SAMPLE_IMAGE_H

#include "reports/sample_parts.h"

static inline void sample_image_layer(struct artifact *a, struct arena *mem, const char *step, uint32_t place)
{
	struct layer *l = list_add(mem, &a->layers);

	l->ref.digest = SPAN("sha256:1111111111111111111111111111111111111111111111111111111111111111");
	l->ref.diff_id = SPAN("sha256:2222222222222222222222222222222222222222222222222222222222222222");
	l->ref.bytes = 1000;
	l->ref.created_by = span_of(step);
	l->ref.has_step = place > 0;
	l->ref.step = place;
	l->verified = true;
	l->compression = SPAN("gzip");
	l->unpacked = 3000;
}

static inline struct object *sample_image_object(struct artifact *a, struct arena *mem, const char *path,
                                                 uint32_t layer, struct span package)
{
	struct object *o = list_add(mem, &a->objects);

	o->path = span_of(path);
	o->layer = layer;
	o->package = package;
	o->bytes = 211000000;
	o->elf = (struct elf_facts){.present = true, .class_bits = 64, .machine = SPAN("x86_64"), .type = SPAN("dyn")};
	sample_code(o, mem, "cuda", "sm_90", FORM_NATIVE, 1, 90000);
	return o;
}

static inline void sample_image(struct inventory *inv, struct arena *mem)
{
	struct artifact *a = sample_artifact(inv, mem, "serve.tar", "docker-archive");
	struct package *old = sample_package(a, mem, "bnb", "1.0");
	struct package *new = sample_package(a, mem, "bnb", "2.0");
	struct object *o;
	struct backend_sum *b;

	a->packages.v[0].layer = 2;
	a->packages.v[0].hidden = true;
	new->layer = 3;
	a->closed = true;
	a->files = 41234;
	a->elf_files = 1;
	a->bytes = 2700000000;
	a->complete = false;
	a->image = (struct image){.present = true,
	                          .reference = SPAN("registry/app:1.4-rocm"),
	                          .image_id = SPAN("sha256:3333"),
	                          .platform = SPAN("linux/amd64")};
	spans_add(mem, &a->image.env, SPAN("LD_LIBRARY_PATH=/opt/x"));
	*list_add(mem, &a->image.labels) = (struct image_label){SPAN("a\n"), SPAN("b")};
	spans_add(mem, &a->ambiguous, SPAN("lib"));
	sample_image_layer(a, mem, "/bin/sh -c #(nop)  ADD file:1 in / ", 1);
	sample_image_layer(a, mem, "RUN /bin/sh -c pip install bnb==1.0 # buildkit", 3);
	sample_image_layer(a, mem,
	                   "RUN /bin/sh -c pip install --upgrade --no-cache-dir --extra-index-url https://x bnb", 4);
	*list_add(mem, &a->incomplete) = (struct problem){.grade = PROBLEM_INCOMPLETE,
	                                                  .id = FINDING_SCAN_INCOMPLETE,
	                                                  .reason = SPAN("the gzip stream ends early"),
	                                                  .layer = 3};
	*list_add(mem, &a->incomplete) = (struct problem){.grade = PROBLEM_INCOMPLETE,
	                                                  .id = FINDING_OBJECT_UNREADABLE,
	                                                  .path = SPAN("opt/x.so"),
	                                                  .reason = SPAN("cut"),
	                                                  .layer = 1};
	o = sample_image_object(a, mem, "opt/bnb/a.so", 2, old->id);
	o->hidden = true;
	o->hidden_by = 3;
	sample_image_object(a, mem, "opt/bnb/a.so", 3, new->id);
	b = list_add(mem, &a->backends);
	*b = (struct backend_sum){.backend = SPAN("cuda"),
	                          .level = LEVEL_CARRIED,
	                          .objects = 1,
	                          .device_code_bytes = 90000,
	                          .carried_bytes = 211000000,
	                          .hidden_bytes = 211000000};
	*list_add(mem, &b->layers) = 3;
	spans_add(mem, &b->packages, new->id);
	sample_target(b, mem, "sm_90", FORM_NATIVE, 1);
}

#endif
