/* SPDX-License-Identifier: Apache-2.0 */
/* PTX text: in fatbins, as a string of a host file, or as a file. */
#ifndef POSTERN_ELF_DEVICE_PTX_H
#define POSTERN_ELF_DEVICE_PTX_H

#include "elf/device/format.h"

#define PTX_FRONT 4096 /* .version and .target stand in it, or it is no PTX */

struct ptx {
	bool target_good; /* else no driver knows such a target */
	char target[24];  /* "compute_90a" */
	char isa[16];     /* "8.7" */
};

/* False: no PTX text, because .version M.m or .target is missing in front. */
bool ptx_read(struct span front, struct ptx *p);
/* Kernels (.entry) in all of a text. */
uint64_t ptx_kernels(struct span text);
/* A file's first bytes are PTX text. */
bool ptx_is_text(struct span front);
/* Few bytes of a string: could it be one? */
bool ptx_may_start(struct span few);

#endif
