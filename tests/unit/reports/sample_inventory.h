/* SPDX-License-Identifier: Apache-2.0 */
/* Hand-made inventories: what a wheel, a folder and a broken file look like after the merge. */
#ifndef POSTERN_TESTS_SAMPLE_INVENTORY_H
#define POSTERN_TESTS_SAMPLE_INVENTORY_H

#include "reports/sample_folder.h"

/* Its one library: three native targets, one portable, and units that lack one. */
static inline void sample_library(struct object *o, struct arena *mem, struct span package)
{
	struct evidence *e;
	struct unit_set *set;

	o->path = SPAN("xformers/_C.so");
	o->bytes = 8900000;
	o->package = package;
	o->build_id = SPAN("00ff");
	o->elf = (struct elf_facts){.present = true,
	                            .class_bits = 64,
	                            .machine = SPAN("x86_64"),
	                            .type = SPAN("dyn"),
	                            .has_runpath = true,
	                            .runpath = SPAN("")};
	spans_add(mem, &o->elf.needed, SPAN("libcudart.so.12"));
	spans_add(mem, &o->elf.needed, SPAN("libc.so.6"));
	object_evidence(o, mem, SPAN("cuda"), EVIDENCE_NEEDED, SPAN("libcudart.so.12"), STRENGTH_HARD);
	e = object_evidence(o, mem, SPAN("cuda"), EVIDENCE_SYMBOL, SPAN("cuda-runtime"), STRENGTH_HARD);
	spans_add(mem, &e->names, SPAN("cudaFree"));
	spans_add(mem, &e->names, SPAN("cudaMalloc"));
	sample_code(o, mem, "cuda", "compute_80", FORM_PORTABLE, 11, 300000);
	sample_code(o, mem, "cuda", "sm_100", FORM_NATIVE, 11, 4000000);
	sample_code(o, mem, "cuda", "sm_75", FORM_NATIVE, 8, 2000000);
	sample_code(o, mem, "cuda", "sm_75", FORM_STUB, 3, 3000);
	sample_code(o, mem, "cuda", "sm_80", FORM_NATIVE, 11, 2000000);
	o->units = 11;
	set = list_add(mem, &o->unit_sets);
	set->count = 3;
	spans_add(mem, &set->targets, SPAN("compute_80"));
	spans_add(mem, &set->targets, SPAN("sm_100"));
	spans_add(mem, &set->targets, SPAN("sm_80"));
	set = list_add(mem, &o->unit_sets);
	set->count = 8;
	spans_add(mem, &set->targets, SPAN("compute_80"));
	spans_add(mem, &set->targets, SPAN("sm_100"));
	spans_add(mem, &set->targets, SPAN("sm_75"));
	spans_add(mem, &set->targets, SPAN("sm_80"));
}

/* One library of CUDA 12.8 with three native targets and one portable. */
static inline void sample_wheel(struct inventory *inv, struct arena *mem)
{
	struct artifact *a =
	        sample_artifact(inv, mem, "wheels/xformers-0.0.35-py39-none-manylinux_2_28_x86_64.whl", "wheel");
	struct package *p = sample_package(a, mem, "xformers", "0.0.35+cu128");
	struct object *o = list_add(mem, &a->objects);
	struct backend_sum *b = list_add(mem, &a->backends);

	a->digest = SPAN("sha256:ccc73c7db9890224ab05f5fb60e2034f9e6c8672a10be0cf00e95cbbae3eda7c");
	a->files = 77;
	a->elf_files = 1;
	a->bytes = 10123456;
	spans_add(mem, &p->tags, SPAN("py39-none-manylinux_2_28_x86_64"));
	p->has_purelib = true;
	p->bytes = 10123456;
	*list_add(mem, &p->declares) =
	        (struct declares){SPAN("cuda"), SPAN("local-version"), SPAN("+cu128"), true, true};
	*list_add(mem, &p->requires) = (struct requires){SPAN("torch"), SPAN(">=2.10"), true, true};
	*list_add(mem, &p->requires) =
	        (struct requires){SPAN("numpy"), SPAN("; python_version < \"3.9\""), false, false};
	spans_add(mem, &p->record_unlisted, SPAN("xformers/extra.py"));
	sample_library(o, mem, p->id);

	*b = (struct backend_sum){.backend = SPAN("cuda"),
	                          .level = LEVEL_NEEDED,
	                          .objects = 1,
	                          .device_code_bytes = 8303000,
	                          .carried_bytes = 8900000};
	spans_add(mem, &b->packages, p->id);
	sample_target(b, mem, "compute_80", FORM_PORTABLE, 11);
	sample_target(b, mem, "sm_100", FORM_NATIVE, 11);
	sample_target(b, mem, "sm_75", FORM_NATIVE, 8);
	sample_target(b, mem, "sm_75", FORM_STUB, 3);
	sample_target(b, mem, "sm_80", FORM_NATIVE, 11);
}

static inline void sample_pure(struct inventory *inv, struct arena *mem)
{
	struct artifact *a = sample_artifact(inv, mem, "nvidia_ml_py-13.615.71-py3-none-any.whl", "wheel");

	sample_package(a, mem, "nvidia-ml-py", "13.615.71");
	a->files = 6;
	a->bytes = 230000;
}

static inline void sample_refused(struct inventory *inv, struct arena *mem)
{
	struct artifact *a = sample_artifact(inv, mem, "photo.jpg", "");

	a->complete = false;
	a->refused = true;
	*list_add(mem, &a->incomplete) = (struct problem){
	        .grade = PROBLEM_INCOMPLETE,
	        .id = FINDING_OBJECT_UNREADABLE,
	        .reason = SPAN("neither ELF, nor a wheel, nor a folder"),
	};
}

#endif
