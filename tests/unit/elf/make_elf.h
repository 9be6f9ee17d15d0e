/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A small shared library made by hand, of any class and byte order: one PT_LOAD maps the whole file at its own offsets,
 * so that an address is an offset. And a reader's run over it.
 */
#ifndef POSTERN_TESTS_MAKE_ELF_H
#define POSTERN_TESTS_MAKE_ELF_H

#include <elf.h>
#include <stdlib.h>

#include "elf/inspect.h"

enum {
	AT_STRINGS = 0x200,
	AT_SYMBOLS = 0x600,
	AT_HASH = 0x900,
	AT_TEXTS = 0xa00,
	AT_NOTES = 0xb00,
	AT_DYNAMIC = 0xc00,
	MADE_BYTES = 0x1000
};

struct made {
	bool wide, big;
	uint8_t b[MADE_BYTES];
	size_t strings, symbols, entries, texts;
};

static inline void made_put(struct made *m, size_t at, uint64_t v, size_t n)
{
	for (size_t i = 0; i < n; i++)
		m->b[at + i] = (uint8_t)(v >> 8 * (m->big ? n - 1 - i : i));
}

/* A word of the class. */
static inline void made_word(struct made *m, size_t at, uint64_t v)
{
	made_put(m, at, v, m->wide ? 8 : 4);
}

static inline uint64_t made_string(struct made *m, const char *s)
{
	size_t at = m->strings, n = strlen(s) + 1;

	memcpy(m->b + AT_STRINGS + at, s, n);
	m->strings += n;
	return at;
}

static inline void made_text(struct made *m, const char *s)
{
	memcpy(m->b + AT_TEXTS + m->texts, s, strlen(s) + 1);
	m->texts += strlen(s) + 1;
}

static inline size_t made_dynamic(struct made *m, uint64_t tag, uint64_t value)
{
	size_t word = m->wide ? 8 : 4, at = AT_DYNAMIC + m->entries * 2 * word;

	made_word(m, at, tag);
	made_word(m, at + word, value);
	m->entries++;
	return at;
}

static inline void made_symbol(struct made *m, const char *name, unsigned bind, unsigned section)
{
	size_t at = AT_SYMBOLS + m->symbols++ * (m->wide ? 24 : 16);

	made_put(m, at, made_string(m, name), 4);
	m->b[at + (m->wide ? 4 : 12)] = (uint8_t)(bind << 4 | STT_FUNC);
	made_put(m, at + (m->wide ? 6 : 14), section, 2);
}

static inline size_t made_segment(const struct made *m, size_t i)
{
	return 0x40 + i * (m->wide ? 56 : 32);
}

static inline void made_segment_put(struct made *m, size_t i, uint32_t type, uint64_t at, uint64_t bytes)
{
	size_t p = made_segment(m, i), w = m->wide ? 8 : 4, first = m->wide ? 8 : 4;

	made_put(m, p, type, 4);
	made_word(m, p + first, at);
	made_word(m, p + first + w, at);
	made_word(m, p + first + 2 * w, at);
	made_word(m, p + first + 3 * w, bytes);
	made_word(m, p + first + 4 * w, bytes);
}

static inline void made_begin(struct made *m, bool wide, bool big)
{
	memset(m, 0, sizeof(*m));
	m->wide = wide;
	m->big = big;
	m->strings = m->symbols = 1;
}

/* The headers and tables. Segments 0 and 1 are PT_LOAD and PT_DYNAMIC; 2 and 3 are free. */
static inline void made_end(struct made *m)
{
	size_t w = m->wide ? 8 : 4;

	memcpy(m->b, ELFMAG, SELFMAG);
	m->b[EI_CLASS] = m->wide ? ELFCLASS64 : ELFCLASS32;
	m->b[EI_DATA] = m->big ? ELFDATA2MSB : ELFDATA2LSB;
	m->b[EI_VERSION] = EV_CURRENT;
	made_put(m, 16, ET_DYN, 2);
	made_put(m, 18, m->wide ? EM_PPC64 : EM_PPC, 2);
	made_put(m, 20, EV_CURRENT, 4);
	made_word(m, 24 + w, 0x40);
	made_put(m, 24 + 3 * w + 4, m->wide ? 64 : 52, 2);
	made_put(m, 24 + 3 * w + 6, m->wide ? 56 : 32, 2);
	made_put(m, 24 + 3 * w + 8, 4, 2);
	made_segment_put(m, 0, PT_LOAD, 0, MADE_BYTES);
	made_dynamic(m, DT_STRTAB, AT_STRINGS);
	made_dynamic(m, DT_STRSZ, m->strings);
	made_dynamic(m, DT_SYMTAB, AT_SYMBOLS);
	made_dynamic(m, DT_SYMENT, m->wide ? 24 : 16);
	made_dynamic(m, DT_HASH, AT_HASH);
	made_dynamic(m, DT_NULL, 0);
	made_put(m, AT_HASH, 1, 4);
	made_put(m, AT_HASH + 4, m->symbols, 4);
	made_segment_put(m, 1, PT_DYNAMIC, AT_DYNAMIC, m->entries * 2 * w);
}

/* What one reading needs and gives. */
struct reading {
	struct arena mem;
	struct limits limits;
	struct catalogue catalogue;
	struct facts facts;
};

static inline struct library_rule *reading_library(struct reading *r, const char *pattern, const char *backend)
{
	struct library_rule *l = list_add(&r->mem, &r->catalogue.libraries);

	l->pattern = span_of(pattern);
	l->backend = span_of(backend);
	return l;
}

static inline struct family_rule *reading_family(struct reading *r, const char *name, const char *prefix,
                                                 const char *regex, const char *backend, const char *library)
{
	struct family_rule *f = list_add(&r->mem, &r->catalogue.families);

	f->name = span_of(name);
	f->prefix = span_of(prefix);
	f->backend = span_of(backend);
	if (regcomp(&f->regex, regex, REG_EXTENDED | REG_NOSUB))
		abort();
	spans_add(&r->mem, &f->libraries, span_of(library));
	return f;
}

/* A small catalogue of its own: what it says does not matter here, that it is asked does. */
static inline void reading_begin(struct reading *r)
{
	*r = (struct reading){.mem = ARENA_INIT};
	limits_default(&r->limits);
	reading_library(r, "libcudart.so*", "cuda");
	reading_library(r, "libcuda.so*", "cuda")->home = HOME_HOST;
	reading_library(r, "libnccl.so*", "cuda");
	reading_library(r, "librccl.so*", "rocm");
	reading_family(r, "cuda-runtime", "cuda", "^cuda[A-Z][A-Za-z]*$", "cuda", "libcudart.so*");
	reading_family(r, "cuda-driver", "cu", "^cu[A-Z][A-Za-z]*$", "cuda", "libcuda.so*")->driver = true;
	spans_add(&r->mem, &reading_family(r, "nccl", "nccl", "^nccl[A-Z][A-Za-z]*$", "cuda", "libnccl.so*")->others,
	          SPAN("rocm"));
	catalogue_index_build(&r->catalogue, &r->mem);
	r->facts.mem = &r->mem;
}

static inline void reading_end(struct reading *r)
{
	catalogue_release(&r->catalogue);
	arena_clear(&r->mem);
}

/* Reads n bytes at p as a file of that name and claimed size; piece 0: as a mapping. Bytes go through fresh memory. */
static inline void reading_run(struct reading *r, const char *name, const uint8_t *p, size_t n, uint64_t claimed,
                               size_t piece)
{
	struct job_context ctx = {.mem = &r->mem, .limits = &r->limits, .catalogue = &r->catalogue};
	uint8_t *copy = malloc(n ? n : 1);
	void *h;

	if (!copy)
		abort();
	memcpy(copy, p, n);
	h = elf_reader.begin(&ctx, span_of(name), claimed, piece ? NULL : copy);
	for (size_t at = 0; piece && at < n; at += piece) {
		size_t k = n - at < piece ? n - at : piece;
		uint8_t *part = malloc(k);

		if (!part)
			abort();
		memcpy(part, p + at, k);
		elf_reader.feed(h, (struct span){part, k});
		free(part);
	}
	elf_reader.end(h, &r->facts, true);
	free(copy);
}

/*
 * Runs of at least `shortest` zeros are holes, bytes come in pieces of up to `piece`; as a stream, or beside a mapping.
 */
static inline void reading_holes(struct reading *r, const char *name, const uint8_t *p, size_t size, size_t shortest,
                                 size_t piece, bool mapped)
{
	struct job_context ctx = {.mem = &r->mem, .limits = &r->limits, .catalogue = &r->catalogue};
	void *h = elf_reader.begin(&ctx, span_of(name), size, mapped ? p : NULL);
	size_t at = 0, n;

	for (; at < size; at += n) {
		for (n = 0; at + n < size && p[at + n] == 0; n++)
			;
		if (n >= shortest) {
			elf_reader.feed_zeros(h, n / 3);
			elf_reader.feed_zeros(h, n - n / 3);
			continue;
		}
		for (; at + n < size && p[at + n] && n < piece; n++)
			;
		elf_reader.feed(h, (struct span){p + at, n});
	}
	elf_reader.end(h, &r->facts, true);
}

static inline void reading_made(struct reading *r, const struct made *m)
{
	reading_run(r, "lib/a.so", m->b, MADE_BYTES, MADE_BYTES, 0);
}

/* The evidence of that kind and value, or NULL. */
static inline const struct evidence *reading_evidence(const struct reading *r, enum evidence_kind kind,
                                                      const char *value)
{
	const struct evidences *l = &r->facts.objects.v[0].evidence;

	for (size_t i = 0; i < l->n; i++)
		if (l->v[i].kind == kind && span_eq(l->v[i].value, span_of(value)))
			return &l->v[i];
	return NULL;
}

#endif
