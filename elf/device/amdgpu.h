/* SPDX-License-Identifier: Apache-2.0 */
/* What an AMDGPU code object says about itself; they lie in bundles, or alone. */
#ifndef POSTERN_ELF_DEVICE_AMDGPU_H
#define POSTERN_ELF_DEVICE_AMDGPU_H

#include "elf/device/format.h"

#define AMDGPU_MACHINE 224

struct amdgpu {
	char target[64]; /* "gfx90a:sramecc+:xnack-"; "amdgcn mach 0xfe" */
	bool relocatable;
	bool opened; /* kernels counts */
	uint64_t kernels;
	const char *odd; /* what is wrong with it, or NULL */
};

/* Reads a code object from its first bytes, or from all of it. False: none, or fewer bytes than its header has. */
bool amdgpu_read(struct span bytes, bool whole, const struct limits *limits, struct amdgpu *a);
enum code_form amdgpu_form(const struct amdgpu *a);

/* The name of an EF_AMDGPU_MACH number, or NULL (gfx.c). */
const char *gfx_name(unsigned mach);
/* All of m is one msgpack map with at most `depth` levels (msgpack.c). */
bool msgpack_sound(struct span m, unsigned depth);

#endif
