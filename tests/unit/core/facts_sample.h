/* SPDX-License-Identifier: Apache-2.0 */
/* Facts in which every field of the model has a value of its own. */
#ifndef TESTS_FACTS_SAMPLE_H
#define TESTS_FACTS_SAMPLE_H

#include "workers/facts.h"

static const struct {
	const char *backend, *value;
	enum evidence_kind kind;
	enum strength strength;
} proofs[] = {
	{"cuda", "libcudart.so.12", EVIDENCE_NEEDED, STRENGTH_HARD},
	{"cuda", "cuda-runtime", EVIDENCE_SYMBOL, STRENGTH_WEAK},
	{"cuda", "native", EVIDENCE_DEVICE_CODE, STRENGTH_EMBEDDED},
	{"rocm", "libamdhip64.so.6", EVIDENCE_DLOPEN, STRENGTH_SOFT},
};

static void add_evidence(struct object *o, struct arena *mem)
{
	for (size_t i = 4; i-- > 0;) {
		struct evidence *e = object_evidence(o, mem, span_of(proofs[i].backend), proofs[i].kind,
						     span_of(proofs[i].value), proofs[i].strength);

		e->confidence = i == 3 ? CONFIDENCE_LOW : CONFIDENCE_NONE;
		e->has_offset = i == 2;
		e->offset = i == 2 ? 0x123456789 : 0;
		if (i != 1)
			continue;
		spans_add(mem, &e->names, SPAN("cudaMalloc"));
		spans_add(mem, &e->names, SPAN("cudaFree"));
	}
}

static void add_device_code(struct object *o, struct arena *mem)
{
	struct spans targets = {NULL, 0, 0};

	*(struct device_code *)list_add(mem, &o->device_code) = (struct device_code){SPAN("cuda"),
										     SPAN("sm_90a"),
										     FORM_STUB,
										     SPAN("fatbin"),
										     SPAN(".nv_fatbin"),
										     SPAN("zstd"),
										     SPAN("sm_90"),
										     true,
										     SPAN("8.7"),
										     SPAN("13.0"),
										     8,
										     3,
										     1ull << 40,
										     4096,
										     true,
										     17};
	*(struct device_code *)list_add(mem, &o->device_code) = (struct device_code){
		.backend = SPAN("cuda"), .target = SPAN("compute_90"), .form = FORM_PORTABLE, .count = 1};
	spans_add(mem, &targets, SPAN("sm_90a"));
	spans_add(mem, &targets, SPAN("compute_90"));
	unit_sets_add(&o->unit_sets, mem, &targets);
	o->units = 300;
}

static void add_object(struct facts *f, const char *path)
{
	struct object *o = list_add(f->mem, &f->objects);
	struct elf_facts *elf = &o->elf;

	o->path = span_of(path);
	o->bytes = UINT64_MAX;
	o->type = OBJECT_LINK;
	o->build_id = SPAN("00ff");
	*elf = (struct elf_facts){
		.present = true,
		.class_bits = 64,
		.big_endian = true,
		.machine = SPAN("x86_64"),
		.type = SPAN("dyn"),
		.has_soname = true,
		.has_interpreter = true,
		.has_rpath = true,
		.has_runpath = true,
		.soname = SPAN("libx.so.1"),
		.interpreter = SPAN("/lib64/ld"),
		.rpath = SPAN("$ORIGIN"),
		.runpath = SPAN("$ORIGIN/../lib"),
		.verdef_base = SPAN("libx-old.so.1"),
		.exports_python = true,
	};
	spans_add(f->mem, &elf->needed, SPAN("libz.so.1"));
	spans_add(f->mem, &elf->needed, SPAN("libc.so.6"));
	spans_add(f->mem, &elf->verneed, SPAN("libc.so.6:GLIBC_2.17"));
	spans_add(f->mem, &elf->verdef, SPAN("X_1.0"));
	spans_add(f->mem, &o->faults, SPAN("the dynamic section ends at 5, the file at 4"));
	add_evidence(o, f->mem);
	add_device_code(o, f->mem);
	o->link_target = SPAN("x.so");
	o->content_bytes = 1ull << 40;
}

static void add_package(struct facts *f)
{
	struct package *p = list_add(f->mem, &f->packages);

	p->name = SPAN("torch");
	p->version = SPAN("2.9.0+rocm6.4");
	p->path = SPAN("torch-2.9.0.dist-info");
	spans_add(f->mem, &p->tags, SPAN("cp312-cp312-manylinux_2_28_x86_64"));
	p->has_purelib = p->purelib = p->has_record = true;
	p->variant = SPAN("rocm6");
	*(struct declares *)list_add(f->mem, &p->declares) =
		(struct declares){SPAN("rocm"), SPAN("local-version"), SPAN("+rocm6.4"), true, true};
	*(struct requires *)list_add(f->mem, &p->requires) =
		(struct requires){SPAN("triton"), SPAN("==3.5.0"), true, true};
	*(struct record_line *)list_add(f->mem, &p->record) =
		(struct record_line){SPAN("z"), SPAN("sha256=x"), true, 127};
	*(struct record_line *)list_add(f->mem, &p->record) = (struct record_line){SPAN("a"), SPAN_NONE, false, 0};
}

static void make_facts(struct facts *f, struct arena *mem)
{
	*f = (struct facts){.mem = mem};
	f->plan = (struct plan){.extractor = SPAN("wheel"), .kind = SPAN("zip"), .slices = 128, .refused = SPAN("nothing")};
	f->digest = SPAN("sha256:ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
	entries_add(&f->entries, mem,
		    &(struct entry){.path = SPAN("lib/x.so"),
				    .kind = ENTRY_SYMLINK,
				    .bytes = 16384,
				    .target = SPAN("x.so.1"),
				    .order = 7});
	entries_add(&f->entries, mem, &(struct entry){.path = SPAN("lib"), .kind = ENTRY_FOLDER});
	entries_add(&f->entries, mem, &(struct entry){.path = SPAN("lib"), .kind = ENTRY_FOLDER});
	entries_add(&f->entries, mem, &(struct entry){.path = SPAN("a/b!/c"), .bytes = 1});
	entries_add(&f->entries, mem, &(struct entry){.path = SPAN("lib/a"), .order = 300});
	add_object(f, "lib/y.so");
	add_object(f, "lib/x.so");
	add_package(f);
	*(struct file_digest *)list_add(mem, &f->digests) =
		(struct file_digest){SPAN("lib/y.so"), SPAN("\1\2 32 bytes of any value are due")};
	*(struct file_digest *)list_add(mem, &f->digests) = (struct file_digest){SPAN("lib/x.so"), SPAN("\xff")};
	*(struct problem *)list_add(mem, &f->problems) = (struct problem){
		.grade = PROBLEM_INCOMPLETE, .id = FINDING_SCAN_INCOMPLETE, .limit = LIMIT_JOB_SECONDS, .path = SPAN("p"),
		.reason = SPAN("job-seconds is 600")};
	*(struct problem *)list_add(mem, &f->problems) =
		(struct problem){.grade = PROBLEM_ANOMALY, .id = FINDING_ELF_INCONSISTENT, .path = SPAN("p"), .reason = SPAN("odd")};
	facts_sort(f);
}

#endif
