/* SPDX-License-Identifier: Apache-2.0 */
/* What a cubin says about itself; cubins lie in fatbins, in bundles, in zstd frames, or alone. */
#ifndef POSTERN_ELF_DEVICE_CUBIN_H
#define POSTERN_ELF_DEVICE_CUBIN_H

#include "elf/device/format.h"

#define CUBIN_MACHINE 190

struct cubin {
	unsigned sm; /* 0: unknown */
	char suffix; /* 'a', 'f', or 0 */
	bool suffix_known;
	bool relocatable;
	uint8_t abi;
	unsigned toolkit; /* 130 is 13.0; 0: unknown */
	bool opened;      /* kernels counts */
	uint64_t kernels;
	const char *odd; /* what is wrong with it, or NULL */
	bool known_layout;
};

/*
 * Reads a cubin from its first bytes, or from all of it. Notes are looked for in what is there. False: not a cubin, or
 * fewer bytes than its header has.
 */
bool cubin_read(struct span bytes, bool whole, struct cubin *c);
enum code_form cubin_form(const struct cubin *c);

/* Texts of one cubin: no arena, since there can be very many alike. */
struct cubin_texts {
	char target[40];  /* "sm_90a"; "unknown"; "sm_100 (suffix unknown)" */
	char toolkit[16]; /* "13.0", or empty */
};
void cubin_texts(const struct cubin *c, struct cubin_texts *t);
/* Fills the row and gives it to the reader: a cubin that is no fatbin's entry. */
void cubin_image(struct reader *r, const struct cubin *c, struct span codec, uint64_t offset, uint64_t bytes);

#endif
