/* SPDX-License-Identifier: Apache-2.0 */
#include "bytes.h"

#ifdef __x86_64__
#include <immintrin.h>
#endif

#include "elf/device/format.h"

#define AHEAD 3 /* of a word that starts at the last byte */
/* What may belong to texts: printable bytes, and white space (some control bytes more do no harm). */
#define TEXT_LOW  0x09
#define TEXT_MOST 0x7f

static uint32_t word_at(const uint8_t *p)
{
	uint32_t w;

	memcpy(&w, p, sizeof(w));
	return w;
}

static void magic_words_set(struct magic_words *m, unsigned step)
{
	size_t n = 0;

	m->step = step;
	for (size_t i = 0; device_formats[i]; i++) {
		const struct device_format *f = device_formats[i];

		for (size_t k = 0; k < 4 && f->magics[k].n; k++) {
			uint32_t w = word_at(f->magics[k].p);
			bool known = false;

			for (size_t j = 0; j < n; j++)
				known = known || m->v[j] == w;
			if (!known && n < MAGIC_WORDS)
				m->v[n++] = w;
		}
	}
	for (size_t i = 0; i < MAGIC_WORDS; i++) {
		m->v[i] = m->v[i < n ? i : 0];
		for (size_t k = 0; k < sizeof(m->filters[i]); k++)
			memcpy((uint8_t *)m->filters[i] + k, (const uint8_t *)&m->v[i] + k % (step == 8 ? 4 : 2), 1);
	}
}

/* Where a block has magics. */
static uint64_t block_magics(const struct magic_words *m, const uint8_t *p)
{
	uint64_t bits = 0;

	for (size_t at = 0; at < BYTES_BLOCK; at += m->step) {
		uint32_t w = word_at(p + at);
		bool found = false;

		for (size_t i = 0; i < MAGIC_WORDS; i++)
			found |= m->v[i] == w;
		bits |= (uint64_t)found << at;
	}
	return bits;
}

/* A bit for a byte of a block: NULs, and what may belong to a text. */
struct block {
	bool magic; /* perhaps */
	uint64_t nuls, texts;
};

typedef struct block block_look(const struct magic_words *m, unsigned step, const uint8_t *p);
#define INLINE inline __attribute__((always_inline))

/* The loop of every way. The compiler knows `look` and `step` wherever it puts this. */
static INLINE void blocks_look(block_look *look, unsigned step, const struct magic_words *m, const uint8_t *p,
                               size_t first, size_t blocks, uint64_t after, struct slice_places *out)
{
	uint64_t magics = out->magics.any, texts = out->texts.any;

	for (size_t i = first; i < first + blocks; i++, p += BYTES_BLOCK) {
		struct block b = look(m, step, p);
		uint64_t found = b.magic ? block_magics(m, p) : 0, t = b.texts;

		/* What follows the block may go on with a text. */
		t &= (b.nuls << 1 | after) & (t >> 1 | 1ull << 63) & (t >> 2 | 3ull << 62) & (t >> 3 | 7ull << 61);
		after = b.nuls >> 63;
		out->magics.in[i] = found;
		magics |= (uint64_t)(found != 0) << i;
		out->texts.in[i] = t;
		texts |= (uint64_t)(t != 0) << i;
	}
	out->magics.any = magics;
	out->texts.any = texts;
}

/* For every machine. */
static struct block plain_look(const struct magic_words *m, unsigned step, const uint8_t *p)
{
	struct block b = {.magic = true};

	(void)m, (void)step;
	for (size_t i = 0; i < BYTES_BLOCK; i++) {
		b.nuls |= (uint64_t)(p[i] == 0) << i;
		b.texts |= (uint64_t)(p[i] >= TEXT_LOW && p[i] <= TEXT_MOST) << i;
	}
	return b;
}

static void plain_way(const struct magic_words *m, const uint8_t *p, size_t first, size_t blocks, uint64_t after,
                      struct slice_places *out)
{
	blocks_look(plain_look, m->step, m, p, first, blocks, after, out);
}

#ifdef __x86_64__
static INLINE uint64_t mask_4(__m128i a, __m128i b, __m128i c, __m128i d)
{
	return (uint64_t)(uint32_t)_mm_movemask_epi8(a) | (uint64_t)(uint32_t)_mm_movemask_epi8(b) << 16 |
	       (uint64_t)(uint32_t)_mm_movemask_epi8(c) << 32 | (uint64_t)(uint32_t)_mm_movemask_epi8(d) << 48;
}

static INLINE __m128i even_words(__m128i a, __m128i b)
{
	return _mm_castps_si128(_mm_shuffle_ps(_mm_castsi128_ps(a), _mm_castsi128_ps(b), _MM_SHUFFLE(2, 0, 2, 0)));
}

static INLINE struct block sse2_look(const struct magic_words *m, unsigned step, const uint8_t *p)
{
	const __m128i zero = _mm_setzero_si128(), low = _mm_set1_epi8(TEXT_LOW - 1);
	__m128i a = _mm_loadu_si128((const void *)p), b = _mm_loadu_si128((const void *)(p + 16)),
	        c = _mm_loadu_si128((const void *)(p + 32)), d = _mm_loadu_si128((const void *)(p + 48)),
	        x = even_words(a, b), y = even_words(c, d), hit = zero;

#pragma GCC unroll 8
	for (size_t i = 0; i < MAGIC_WORDS; i++) {
		__m128i w = _mm_loadu_si128((const void *)m->filters[i]), any;

		if (step == 8)
			any = _mm_or_si128(_mm_cmpeq_epi32(x, w), _mm_cmpeq_epi32(y, w));
		else
			any = _mm_or_si128(_mm_or_si128(_mm_cmpeq_epi16(a, w), _mm_cmpeq_epi16(b, w)),
			                   _mm_or_si128(_mm_cmpeq_epi16(c, w), _mm_cmpeq_epi16(d, w)));
		hit = _mm_or_si128(hit, any);
	}
	return (struct block){
	        _mm_movemask_epi8(hit) != 0,
	        mask_4(_mm_cmpeq_epi8(a, zero), _mm_cmpeq_epi8(b, zero), _mm_cmpeq_epi8(c, zero),
	               _mm_cmpeq_epi8(d, zero)),
	        mask_4(_mm_cmpgt_epi8(a, low), _mm_cmpgt_epi8(b, low), _mm_cmpgt_epi8(c, low), _mm_cmpgt_epi8(d, low))};
}

static void sse2_way(const struct magic_words *m, const uint8_t *p, size_t first, size_t blocks, uint64_t after,
                     struct slice_places *out)
{
	if (m->step == 8)
		blocks_look(sse2_look, 8, m, p, first, blocks, after, out);
	else
		blocks_look(sse2_look, 2, m, p, first, blocks, after, out);
}

#define AVX2 __attribute__((target("avx2")))

AVX2 static INLINE uint64_t mask_2(__m256i a, __m256i b)
{
	return (uint64_t)(uint32_t)_mm256_movemask_epi8(a) | (uint64_t)(uint32_t)_mm256_movemask_epi8(b) << 32;
}

AVX2 static INLINE struct block avx2_look(const struct magic_words *m, unsigned step, const uint8_t *p)
{
	const __m256i zero = _mm256_setzero_si256(), low = _mm256_set1_epi8(TEXT_LOW - 1);
	__m256i a = _mm256_loadu_si256((const void *)p), b = _mm256_loadu_si256((const void *)(p + 32)), hit = zero;
	__m256i even = _mm256_castps_si256(
	        _mm256_shuffle_ps(_mm256_castsi256_ps(a), _mm256_castsi256_ps(b), _MM_SHUFFLE(2, 0, 2, 0)));

#pragma GCC unroll 8
	for (size_t i = 0; i < MAGIC_WORDS; i++) {
		__m256i w = _mm256_loadu_si256((const void *)m->filters[i]), any;

		if (step == 8)
			any = _mm256_cmpeq_epi32(even, w);
		else
			any = _mm256_or_si256(_mm256_cmpeq_epi16(a, w), _mm256_cmpeq_epi16(b, w));
		hit = _mm256_or_si256(hit, any);
	}
	return (struct block){!_mm256_testz_si256(hit, hit),
	                      mask_2(_mm256_cmpeq_epi8(a, zero), _mm256_cmpeq_epi8(b, zero)),
	                      mask_2(_mm256_cmpgt_epi8(a, low), _mm256_cmpgt_epi8(b, low))};
}

AVX2 static void avx2_way(const struct magic_words *m, const uint8_t *p, size_t first, size_t blocks, uint64_t after,
                          struct slice_places *out)
{
	if (m->step == 8)
		blocks_look(avx2_look, 8, m, p, first, blocks, after, out);
	else
		blocks_look(avx2_look, 2, m, p, first, blocks, after, out);
}
#endif

bytes_way *bytes_way_get(size_t i)
{
	bytes_way *ways[4] = {NULL};
	size_t n = 0;

#ifdef __x86_64__
	if (__builtin_cpu_supports("avx2"))
		ways[n++] = avx2_way;
	ways[n++] = sse2_way;
#endif
	ways[n++] = plain_way;
	return i < n ? ways[i] : NULL;
}

struct byte_scan byte_scan_new(unsigned step)
{
	struct byte_scan b = {.way = bytes_way_get(0)};

	magic_words_set(&b.magics, step);
	return b;
}

static void keep(struct place_set *s, size_t block, uint64_t which)
{
	s->in[block] &= which;
	if (!s->in[block])
		s->any &= ~(1ull << block);
}

/* A part of a block: n bytes at p, which is `at` of the slice. */
static void look_at_part(const struct byte_scan *b, size_t at, const uint8_t *p, size_t n, bool after_nul,
                         struct slice_places *out)
{
	uint8_t block[BYTES_BLOCK + AHEAD];
	size_t from = at % BYTES_BLOCK;
	uint64_t which = ~0ull >> (BYTES_BLOCK - n) << from;

	memset(block, 0xff, sizeof(block));
	memcpy(block + from, p, n + AHEAD);
	b->way(&b->magics, block, at / BYTES_BLOCK, 1, (uint64_t)after_nul << from, out);
	keep(&out->magics, at / BYTES_BLOCK, which);
	keep(&out->texts, at / BYTES_BLOCK, which);
}

void byte_scan_run(const struct byte_scan *b, size_t at, const uint8_t *p, size_t n, bool after_nul,
                   struct slice_places *out)
{
	size_t step;

	out->magics.any = out->texts.any = 0;
	for (; n; at += step, p += step, n -= step) {
		size_t room = BYTES_BLOCK - at % BYTES_BLOCK;

		if (room == BYTES_BLOCK && n >= BYTES_BLOCK) {
			step = n - n % BYTES_BLOCK;
			b->way(&b->magics, p, at / BYTES_BLOCK, step / BYTES_BLOCK, after_nul, out);
		} else {
			step = n < room ? n : room;
			look_at_part(b, at, p, step, after_nul, out);
		}
		after_nul = p[step - 1] == 0;
	}
}
