/* SPDX-License-Identifier: Apache-2.0 */
/* A folder of two packages and a store, one file of which could not be read. */
#ifndef POSTERN_TESTS_SAMPLE_FOLDER_H
#define POSTERN_TESTS_SAMPLE_FOLDER_H

#include "reports/sample_parts.h"

static const char *const sample_gfx[] = {"gfx1030", "gfx1100", "gfx1101", "gfx1200", "gfx900",
                                         "gfx906",  "gfx908",  "gfx90a",  "gfx942"};

static inline void sample_folder_objects(struct artifact *a, struct arena *mem, struct span one, struct span two)
{
	struct object *o = list_add(mem, &a->objects);

	o->path = SPAN("kernels/libk.so");
	o->bytes = 900000;
	o->package = one;
	o->elf = (struct elf_facts){.present = true, .class_bits = 64, .machine = SPAN("x86_64"), .type = SPAN("dyn")};
	for (size_t i = 0; i < sizeof(sample_gfx) / sizeof(*sample_gfx); i++)
		sample_code(o, mem, "rocm", sample_gfx[i], FORM_NATIVE, 1, 90000);
	o = list_add(mem, &a->objects);
	o->path = SPAN("tools/ptxas");
	o->bytes = 35000000;
	o->package = two;
	o->type = OBJECT_OTHER;
	object_evidence(o, mem, SPAN("cuda"), EVIDENCE_TOOLCHAIN, SPAN("ptxas"), STRENGTH_TOOL);
}

static inline void sample_folder_backends(struct artifact *a, struct arena *mem, struct span one, struct span two)
{
	struct backend_sum *b;
	struct store *store;

	b = list_add(mem, &a->backends);
	*b = (struct backend_sum){
	        .backend = SPAN("cuda"), .level = LEVEL_CARRIED, .objects = 1, .carried_bytes = 35000000};
	spans_add(mem, &b->packages, two);
	b = list_add(mem, &a->backends);
	*b = (struct backend_sum){.backend = SPAN("opencl"), .level = LEVEL_MENTIONED};
	b = list_add(mem, &a->backends);
	*b = (struct backend_sum){.backend = SPAN("rocm"),
	                          .level = LEVEL_CARRIED,
	                          .undeclared = true,
	                          .objects = 1,
	                          .device_code_bytes = 810000,
	                          .carried_bytes = 75900000};
	spans_add(mem, &b->packages, one);
	for (size_t i = 0; i < sizeof(sample_gfx) / sizeof(*sample_gfx); i++)
		sample_target(b, mem, sample_gfx[i], FORM_NATIVE, 1);

	store = list_add(mem, &a->stores);
	*store = (struct store){.path = SPAN("kernels/data"),
	                        .kind = SPAN("kernel-files"),
	                        .backend = SPAN("rocm"),
	                        .package = one,
	                        .files = 812,
	                        .bytes = 75000000};
	*list_add(mem, &store->targets) =
	        (struct target_sum){.target = SPAN("gfx942"), .files = 812, .bytes = 75000000};
}

/* Two packages and a store; one file could not be read. */
static inline void sample_folder(struct inventory *inv, struct arena *mem)
{
	struct artifact *a = sample_artifact(inv, mem, "site-packages", "directory");
	struct span one = sample_package(a, mem, "kernels", "1.0")->id, two = sample_package(a, mem, "tools", "2.0")->id;

	a->files = 1234;
	a->elf_files = 2;
	a->bytes = 1234567890;
	a->complete = false;
	*list_add(mem, &a->incomplete) = (struct problem){
	        .grade = PROBLEM_INCOMPLETE,
	        .id = FINDING_OBJECT_UNREADABLE,
	        .path = SPAN("kernels/broken.so"),
	        .reason = SPAN("section header table ends at 71234, file at 4096"),
	};
	*list_add(mem, &a->anomalies) = (struct problem){
	        .id = FINDING_ELF_INCONSISTENT,
	        .path = SPAN("tools/\033[2Jodd.so"),
	        .reason = SPAN("two SONAME entries"),
	};
	sample_folder_objects(a, mem, one, two);
	sample_folder_backends(a, mem, one, two);
}

#endif
