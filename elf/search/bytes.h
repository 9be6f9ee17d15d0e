/* SPDX-License-Identifier: Apache-2.0 */
/* The two inner loops of the search: places that start like a magic, and places where a text may start. */
#ifndef POSTERN_ELF_SEARCH_BYTES_H
#define POSTERN_ELF_SEARCH_BYTES_H

#include "base/span.h"

#define MAGIC_WORDS 8

/* The first four bytes of every magic. */
struct magic_words {
	uint32_t v[MAGIC_WORDS]; /* the last one fills the rest */
	size_t n;
};

void magic_words_set(struct magic_words *m);
/*
 * First place in [at, end) of p that is a multiple of step in the file and starts like a magic, or end. offset: of p in
 * the file; three more bytes follow p[end - 1].
 */
size_t magic_words_find(const struct magic_words *m, unsigned step, uint64_t offset, const uint8_t *p, size_t at,
                        size_t end);

struct text_scan {
	const uint8_t *p;
	size_t n, block;
	uint64_t bits; /* starts in the block that were not given yet */
	bool after_nul;
};

/* Four bytes that a text can start with: printable, or white space. */
bool text_starts(const uint8_t *p);
struct text_scan text_scan_begin(const uint8_t *p, size_t n, bool after_nul);
/*
 * The next place that follows a NUL and starts like a text. Near the end of a block less is checked: look again. False:
 * no more of them.
 */
bool text_scan_next(struct text_scan *t, size_t *at);

#endif
