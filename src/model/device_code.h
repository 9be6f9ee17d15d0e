/* SPDX-License-Identifier: Apache-2.0 */
/* Device code in a file: rows that count images alike, and the units (fatbins, bundles) that hold them. Plain data. */
#ifndef POSTERN_MODEL_DEVICE_CODE_H
#define POSTERN_MODEL_DEVICE_CODE_H

#include "base/arena.h"

enum code_form {
	FORM_NATIVE,       /* linked, with kernels (or not opened as a whole) */
	FORM_STUB,         /* linked, no kernel in it */
	FORM_RELOCATABLE,  /* e_type 1 */
	FORM_PORTABLE,     /* PTX, SPIR-V: the driver compiles it */
	FORM_INTERMEDIATE, /* LTO IR, bitcode */
	FORM_UNKNOWN,      /* of a kind that we do not know; `target` says which */
	FORM_COUNT
};

/*
 * One row of an object. In memory of the worker it is also one image; rows that are alike in everything but count, bytes,
 * offset and kernels are added up (device_code_merge). Spans live in the job's arena.
 */
struct device_code {
	struct span backend;   /* "cuda", "rocm" */
	struct span target;    /* "sm_90a", "compute_90", "lto_75", "gfx90a:xnack+"; "unknown..." when it cannot be told */
	enum code_form form;
	struct span container; /* "fatbin", "cubin", "ptx", "bundle", "ccob", "amdgpu" */
	struct span where;     /* ".nv_fatbin", "section[3]", "load[0]", "@file" */
	struct span codec;     /* "none", "zstd", "lz4", "zlib", "obfuscated" */
	struct span declared;  /* the container's word, when the payload's own header was read; empty else */
	bool mismatch;         /* declared and found differ */
	struct span isa;       /* PTX: "8.7" */
	struct span toolkit;   /* "13.0"; empty when unknown */
	uint32_t abi;          /* cubin: EI_ABIVERSION; 0 else */
	uint64_t count, bytes; /* images; their stored size */
	uint64_t offset;       /* of the first one, in the file */
	bool opened;           /* every image of the row was opened as a whole: `kernels` counts */
	uint64_t kernels;
};

struct device_codes {
	struct device_code *v;
	size_t n, cap;
};

/* So many units hold exactly this set of targets (native with kernels, and portable code). */
struct unit_set {
	uint64_t count;
	struct spans targets; /* sorted, unique */
};

struct unit_sets {
	struct unit_set *v;
	size_t n, cap;
};

/* "native", "stub", ...; "" beyond the list. */
const char *code_form_name(enum code_form f);

/* Sorts by (backend, target, form, container, where, codec, declared, isa, toolkit, abi) and adds equal rows up. */
void device_codes_merge(struct device_codes *l);
/* One more unit with these targets, which are sorted here. An empty set is not counted. */
void unit_sets_add(struct unit_sets *l, struct arena *mem, struct spans *targets);
/* Sorts sets by their targets and adds equal ones up. unit_sets_add calls it now and then, to stay small. */
void unit_sets_merge(struct unit_sets *l);

#endif
