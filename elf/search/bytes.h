/* SPDX-License-Identifier: Apache-2.0 */
/* The inner loop of the search, once over every byte: places that start like a magic, and those where a text may start.
 */
#ifndef POSTERN_ELF_SEARCH_BYTES_H
#define POSTERN_ELF_SEARCH_BYTES_H

#include "base/span.h"

#define BYTES_BLOCK  64
#define BYTES_BLOCKS 64
#define BYTES_SLICE  (BYTES_BLOCKS * BYTES_BLOCK) /* a file is looked at in slices, each at a multiple of it */
#define MAGIC_WORDS  8

/* The first four bytes of every magic, where they count: at multiples of step. */
struct magic_words {
	uint32_t v[MAGIC_WORDS];          /* the first one fills the rest */
	uint32_t filters[MAGIC_WORDS][8]; /* each again and again; for step 2 its first half */
	unsigned step;                    /* 8 or 2 */
};

struct place_set {
	uint64_t any; /* blocks that have one */
	uint64_t in[BYTES_BLOCKS];
};

/* What was found in a slice. */
struct slice_places {
	struct place_set magics, texts;
};

/*
 * Looks at blocks one after another, which are those of the slice from `first` on. Three bytes that follow the last one
 * are read, too. after: the places that follow a NUL outside of them.
 */
typedef void bytes_way(const struct magic_words *m, const uint8_t *p, size_t first, size_t blocks, uint64_t after,
                       struct slice_places *out);
/* One of the ways to do so that this machine has, the fastest first, or NULL. All give the same. */
bytes_way *bytes_way_get(size_t i);

struct byte_scan {
	struct magic_words magics;
	bytes_way *way;
};

struct byte_scan byte_scan_new(unsigned step);
/*
 * What is found in n bytes at p, which lie in one slice, at `at` of it. after_nul: the byte before p is a NUL, or there
 * is none. Three bytes that follow are read, too. Texts start with four bytes that may belong to one, of which fewer
 * are looked at near the end of a block.
 */
void byte_scan_run(const struct byte_scan *b, size_t at, const uint8_t *p, size_t n, bool after_nul,
                   struct slice_places *out);

/* The next place from `at` on, which is one that was looked at; or BYTES_SLICE. */
static inline size_t place_set_next(const struct place_set *s, size_t at)
{
	size_t block = at / BYTES_BLOCK;
	uint64_t bits = s->in[block] & ~0ull << at % BYTES_BLOCK, later = s->any & ~1ull << block;

	if (!bits) {
		if (!later)
			return BYTES_SLICE;
		block = (size_t)__builtin_ctzll(later);
		bits = s->in[block];
	}
	return block * BYTES_BLOCK + (size_t)__builtin_ctzll(bits);
}

#endif
