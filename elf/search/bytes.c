/* SPDX-License-Identifier: Apache-2.0 */
#include "bytes.h"

#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include "elf/device/format.h"

#define BLOCK 64
#define NEAR  64 /* looked at closely at once */
/* What texts are made of: printable bytes, and white space (some control bytes more do no harm). */
#define TEXT_LOW  0x09
#define TEXT_HIGH 0x7e

static uint32_t word_at(const uint8_t *p)
{
	uint32_t w;

	memcpy(&w, p, sizeof(w));
	return w;
}

static bool words_have(const struct magic_words *m, uint32_t w)
{
	bool found = false;

	for (size_t i = 0; i < MAGIC_WORDS; i++)
		found = found || m->v[i] == w;
	return found;
}

void magic_words_set(struct magic_words *m)
{
	m->n = 0;
	for (size_t i = 0; device_formats[i]; i++) {
		const struct device_format *f = device_formats[i];

		for (size_t k = 0; k < 4 && f->magics[k].n; k++) {
			uint32_t w = word_at(f->magics[k].p);
			bool known = false;

			for (size_t j = 0; j < m->n; j++)
				known = known || m->v[j] == w;
			if (!known && m->n < MAGIC_WORDS)
				m->v[m->n++] = w;
		}
	}
	for (size_t i = m->n; i < MAGIC_WORDS; i++)
		m->v[i] = m->v[0];
}

#ifdef __SSE2__
static __m128i even_words(const uint8_t *p)
{
	__m128 a = _mm_castsi128_ps(_mm_loadu_si128((const __m128i *)(const void *)p));
	__m128 b = _mm_castsi128_ps(_mm_loadu_si128((const __m128i *)(const void *)(p + 16)));

	return _mm_castps_si128(_mm_shuffle_ps(a, b, _MM_SHUFFLE(2, 0, 2, 0)));
}

/* Blocks of 64 bytes without any magic at a multiple of 8 are passed over; gives where to look closely. */
static size_t skip_by_8(const struct magic_words *m, const uint8_t *p, size_t at, size_t end)
{
	__m128i words[MAGIC_WORDS], hit;

	for (size_t i = 0; i < MAGIC_WORDS; i++)
		words[i] = _mm_set1_epi32((int)m->v[i]);
	for (; end - at >= 64; at += 64) {
		__m128i x = even_words(p + at), y = even_words(p + at + 32);

		hit = _mm_setzero_si128();
		for (size_t i = 0; i < m->n; i++) {
			hit = _mm_or_si128(hit, _mm_cmpeq_epi32(x, words[i]));
			hit = _mm_or_si128(hit, _mm_cmpeq_epi32(y, words[i]));
		}
		if (_mm_movemask_epi8(hit))
			break;
	}
	return at;
}

/* The same for multiples of 2: the first two bytes decide. */
static size_t skip_by_2(const struct magic_words *m, const uint8_t *p, size_t at, size_t end)
{
	__m128i halves[MAGIC_WORDS];

	for (size_t i = 0; i < m->n; i++)
		halves[i] = _mm_set1_epi16((short)m->v[i]);
	for (; end - at >= 16; at += 16) {
		__m128i x = _mm_loadu_si128((const __m128i *)(const void *)(p + at));
		__m128i hit = _mm_cmpeq_epi16(x, halves[0]);

		for (size_t i = 1; i < m->n; i++)
			hit = _mm_or_si128(hit, _mm_cmpeq_epi16(x, halves[i]));
		if (_mm_movemask_epi8(hit))
			break;
	}
	return at;
}
#else
/* Without vectors every place is looked at closely. */
static size_t skip_by_8(const struct magic_words *m, const uint8_t *p, size_t at, size_t end)
{
	(void)m, (void)p, (void)end;
	return at;
}

static size_t skip_by_2(const struct magic_words *m, const uint8_t *p, size_t at, size_t end)
{
	return skip_by_8(m, p, at, end);
}
#endif

size_t magic_words_find(const struct magic_words *m, unsigned step, uint64_t offset, const uint8_t *p, size_t at,
                        size_t end)
{
	size_t odd = (size_t)((offset + at) % step);

	if (odd)
		at += step - odd;
	while (at < end) {
		size_t near;

		at = step == 8 ? skip_by_8(m, p, at, end) : skip_by_2(m, p, at, end);
		near = end - at > NEAR ? at + NEAR : end;
		for (; at < near; at += step)
			if (words_have(m, word_at(p + at)))
				return at;
	}
	return end;
}

#ifdef __SSE2__
static uint64_t mask_of(__m128i a, __m128i b, __m128i c, __m128i d)
{
	return (uint64_t)(uint32_t)_mm_movemask_epi8(a) | (uint64_t)(uint32_t)_mm_movemask_epi8(b) << 16 |
	       (uint64_t)(uint32_t)_mm_movemask_epi8(c) << 32 | (uint64_t)(uint32_t)_mm_movemask_epi8(d) << 48;
}

static __m128i is_text(__m128i x)
{
	return _mm_and_si128(_mm_cmpgt_epi8(x, _mm_set1_epi8(TEXT_LOW - 1)),
	                     _mm_cmplt_epi8(x, _mm_set1_epi8(TEXT_HIGH + 1)));
}

/* Which of 64 bytes are NUL, and which belong to texts: only asked for when one follows a NUL. */
static uint64_t block_nuls(const uint8_t *p, bool after_nul, uint64_t *texts)
{
	const __m128i *v = (const __m128i *)(const void *)p, zero = _mm_setzero_si128();
	__m128i a = _mm_loadu_si128(v), b = _mm_loadu_si128(v + 1), c = _mm_loadu_si128(v + 2),
	        d = _mm_loadu_si128(v + 3);
	uint64_t nuls = mask_of(_mm_cmpeq_epi8(a, zero), _mm_cmpeq_epi8(b, zero), _mm_cmpeq_epi8(c, zero),
	                        _mm_cmpeq_epi8(d, zero));

	*texts = nuls == 0 && !after_nul ? 0 : mask_of(is_text(a), is_text(b), is_text(c), is_text(d));
	return nuls;
}
#else
static uint64_t block_nuls(const uint8_t *p, bool after_nul, uint64_t *texts)
{
	uint64_t nuls = 0;

	(void)after_nul;
	*texts = 0;
	for (size_t i = 0; i < BLOCK; i++) {
		nuls |= (uint64_t)(p[i] == 0) << i;
		*texts |= (uint64_t)(p[i] >= TEXT_LOW && p[i] <= TEXT_HIGH) << i;
	}
	return nuls;
}
#endif

/* Starts in the block at t->block; ones are put where the next block would have to be known. */
static uint64_t block_starts(struct text_scan *t)
{
	uint8_t last[BLOCK] = {0};
	size_t left = t->n - t->block;
	const uint8_t *p = t->p + t->block;
	uint64_t nuls, texts, runs, starts;

	if (left < BLOCK) {
		memcpy(last, p, left);
		p = last;
	}
	nuls = block_nuls(p, t->after_nul, &texts);
	starts = (nuls << 1 | t->after_nul) & texts;
	runs = (texts >> 1 | 1ull << 63) & (texts >> 2 | 3ull << 62) & (texts >> 3 | 7ull << 61);
	/* The end of p is no end of a text. */
	if (left < BLOCK)
		runs |= ~0ull << (left > 3 ? left - 3 : 0);
	t->after_nul = nuls >> 63;
	return starts & runs;
}

bool text_starts(const uint8_t *p)
{
	bool good = true;

	for (size_t i = 0; i < 4; i++)
		good = good && p[i] >= TEXT_LOW && p[i] <= TEXT_HIGH;
	return good;
}

struct text_scan text_scan_begin(const uint8_t *p, size_t n, bool after_nul)
{
	struct text_scan t = {p, n, 0, 0, after_nul};

	if (n)
		t.bits = block_starts(&t);
	return t;
}

bool text_scan_next(struct text_scan *t, size_t *at)
{
	while (!t->bits) {
		if (t->n - t->block <= BLOCK)
			return false;
		t->block += BLOCK;
		t->bits = block_starts(t);
	}
	*at = t->block + (size_t)__builtin_ctzll(t->bits);
	t->bits &= t->bits - 1;
	return true;
}
