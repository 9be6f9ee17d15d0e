/* SPDX-License-Identifier: Apache-2.0 */
#include "elf/symbols.h"

#include <elf.h>
#include <stdlib.h>

#define BATCH      64
#define STUB_NAMES 3 /* fewer driver functions are chance */

/* Symbols of one family, backend and strength, or driver functions that the file defines. */
struct group {
	const struct family_rule *family;
	struct span backend;
	bool weak, sure, defined;
	struct spans names;
};

/* What the needs say about a family: asked once. */
struct told {
	bool known, sure;
	struct span backend;
};

struct symbol_pass {
	struct host_elf *m;
	struct span strings;  /* kept bytes of the string table */
	uint64_t versions_at; /* address of DT_VERSYM */
	bool has_versions;
	LIST(struct group) groups;
	size_t last;       /* group of the symbol before */
	struct told *told; /* by place of the family, for symbols whose version names no library */
	uint64_t kept, looked;
	bool full;
};

static int by_number(const void *x, const void *y)
{
	const struct version_need *a = x, *b = y;

	return (int)a->number - (int)b->number;
}

/* The library that a symbol's version is needed of; empty when there is none. */
static struct span version_library(struct symbol_pass *s, uint64_t index)
{
	struct host_elf *m = s->m;
	size_t lo = 0, hi = m->versions.n;
	const uint8_t *p;
	uint16_t number;

	if (!s->has_versions || m->versions.n == 0)
		return SPAN_NONE;
	p = host_at(m, host_address(m, s->versions_at, 2 * index), 2);
	if (!p)
		return SPAN_NONE;
	number = (uint16_t)(elf_number(m->layout, p, 2) & 0x7fff);
	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (m->versions.v[mid].number < number)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo < m->versions.n && m->versions.v[lo].number == number ? m->versions.v[lo].library : SPAN_NONE;
}

static struct group *group_of(struct symbol_pass *s, const struct group *like)
{
	for (size_t k = 0; k < s->groups.n; k++) {
		size_t i = (s->last + k) % s->groups.n;
		struct group *g = &s->groups.v[i];

		if (g->family == like->family && g->weak == like->weak && g->sure == like->sure &&
		    g->defined == like->defined && span_eq(g->backend, like->backend)) {
			s->last = i;
			return g;
		}
	}
	s->last = s->groups.n;
	*list_add(s->m->scratch, &s->groups) = *like;
	return &s->groups.v[s->last];
}

/* Keeps a name in its group; false when there are too many. */
static bool keep(struct symbol_pass *s, const struct group *like, struct span name)
{
	struct host_elf *m = s->m;

	if (++s->kept > m->ctx->limits->v[LIMIT_ELF_NAMES]) {
		host_limit(m, LIMIT_ELF_NAMES, "its accelerator symbols");
		return false;
	}
	if (!host_name_budget(m, name.n))
		return false;
	spans_add(m->ctx->mem, &group_of(s, like)->names, arena_copy(m->ctx->mem, name));
	return true;
}

/* Whose function it is; empty when the family does not count here. */
static struct span backend_of(struct symbol_pass *s, const struct family_rule *f, uint64_t index, bool *sure)
{
	const struct catalogue *c = s->m->ctx->catalogue;
	struct span library = version_library(s, index);
	struct told *t = &s->told[f - c->families.v];

	if (catalogue_library(c, library))
		return catalogue_family_backend(c, f, library, &s->m->needed_known, sure);
	if (!t->known)
		t->backend = catalogue_family_backend(c, f, SPAN_NONE, &s->m->needed_known, &t->sure);
	t->known = true;
	*sure = t->sure;
	return t->backend;
}

static bool undefined(struct symbol_pass *s, const struct elf_symbol *y, uint64_t index, struct span name)
{
	const struct catalogue *c = s->m->ctx->catalogue;
	struct group like = {.family = catalogue_family(c, name), .weak = y->info >> 4 == STB_WEAK};

	if (span_eq(name, SPAN("dlopen")) || span_eq(name, SPAN("dlmopen")))
		s->m->imports_dlopen = true;
	if (span_eq(name, SPAN("dlsym")) || span_eq(name, SPAN("dlvsym")))
		s->m->imports_dlsym = true;
	if (!like.family)
		return true;
	like.backend = backend_of(s, like.family, index, &like.sure);
	return like.backend.n == 0 || keep(s, &like, name);
}

static bool defined(struct symbol_pass *s, struct span name)
{
	struct group like = {.defined = true};

	if (span_starts(name, SPAN("PyInit_")))
		s->m->object->elf.exports_python = true;
	/* Drivers' functions are C: no C++ name needs a look. */
	if (name.p[0] == '_')
		return true;
	like.family = catalogue_family(s->m->ctx->catalogue, name);
	if (!like.family || !like.family->driver)
		return true;
	like.backend = like.family->backend;
	return keep(s, &like, name);
}

/* A name that does not lie in the segment where the string table begins, or not all of it; with its NUL. */
static struct span name_far(struct symbol_pass *s, uint32_t offset)
{
	struct host_elf *m = s->m;
	struct span name;

	if (!host_string(m, m->scratch, host_address(m, m->dynamic.v[SLOT_STRTAB], offset), &name))
		return SPAN_NONE;
	return (struct span){name.p, name.n + 1};
}

/* A symbol's name, when its first bytes make it worth a look. */
static struct span name_of(struct symbol_pass *s, uint32_t offset)
{
	size_t most = (size_t)s->m->ctx->limits->v[LIMIT_PATH_BYTES], n;
	struct span all = span_first(span_after(s->strings, offset), most);

	if (all.n < 3 && span_find(all, 0) == all.n)
		all = name_far(s, offset);
	if (all.n < 3 || (!catalogue_may_start(s->m->ctx->catalogue, all.p[0], all.p[1]) &&
	                  !(all.p[0] == 'd' && all.p[1] == 'l') && !(all.p[0] == 'P' && all.p[1] == 'y')))
		return SPAN_NONE;
	n = span_find(all, 0);
	if (n == all.n && n < most) {
		all = name_far(s, offset);
		n = span_find(all, 0);
	}
	return n < all.n ? span_first(all, n) : SPAN_NONE;
}

static void look_at(struct symbol_pass *s, const struct elf_symbol *y, uint64_t index)
{
	unsigned bind = y->info >> 4;
	struct span name;

	if (bind != STB_GLOBAL && bind != STB_WEAK && bind != STB_GNU_UNIQUE)
		return;
	name = name_of(s, y->name);
	if (name.n < 2)
		return;
	/* A long name is as much work as several. */
	s->looked += 1 + name.n / 64;
	if (s->looked > s->m->ctx->limits->v[LIMIT_ELF_SYMBOLS]) {
		host_limit(s->m, LIMIT_ELF_SYMBOLS, "the length of its symbols' names");
		s->full = true;
		return;
	}
	s->full = !(y->section == SHN_UNDEF ? undefined(s, y, index, name) : defined(s, name));
}

/* The file is the driver of this family itself. */
static bool is_driver(const struct host_elf *m, const struct family_rule *f)
{
	struct span own = m->object->elf.has_soname ? m->object->elf.soname : span_base_name(m->object->path);
	const struct library_rule *rule = catalogue_library(m->ctx->catalogue, own);

	if (rule && rule->home == HOME_HOST)
		return true;
	for (size_t i = 0; i < f->libraries.n; i++)
		if (pattern_matches(f->libraries.v[i], own) ||
		    (rule && pattern_matches(f->libraries.v[i], rule->pattern)))
			return true;
	return false;
}

static void give_evidence(struct symbol_pass *s, const struct group *g)
{
	struct host_elf *m = s->m;
	enum strength strength = g->weak ? STRENGTH_WEAK : g->sure ? STRENGTH_HARD : STRENGTH_SOFT;
	struct evidence *e;

	if (g->defined) {
		if (g->names.n < STUB_NAMES || is_driver(m, g->family))
			return;
		e = object_evidence(m->object, m->ctx->mem, g->backend, EVIDENCE_DRIVER_STUB, g->family->name,
		                    STRENGTH_SOFT);
		e->confidence = CONFIDENCE_MEDIUM;
	} else {
		e = object_evidence(m->object, m->ctx->mem, g->backend, EVIDENCE_SYMBOL, g->family->name, strength);
		e->confidence = g->sure ? CONFIDENCE_NONE : CONFIDENCE_LOW;
	}
	e->names = g->names;
}

/* How many symbols are looked at. */
static uint64_t table_count(struct host_elf *m)
{
	uint64_t count = symbols_count(m), most = m->ctx->limits->v[LIMIT_ELF_SYMBOLS];

	if (count && m->dynamic.has[SLOT_SYMENT] && m->dynamic.v[SLOT_SYMENT] != symbol_bytes(m->layout))
		host_fault(m, "its symbols have an unusual size");
	if (count > most) {
		host_limit(m, LIMIT_ELF_SYMBOLS, "its number of dynamic symbols");
		count = most;
	}
	return count;
}

/* The entries from number *index on that lie in one piece, or the one (room for it) that lies in two. *index moves over zeros. */
static struct span table_run(struct host_elf *m, uint64_t *index, uint64_t count, uint8_t *room)
{
	size_t entry = symbol_bytes(m->layout);

	while (*index < count) {
		uint64_t at = host_address(m, m->dynamic.v[SLOT_SYMTAB], *index * entry), left = count - *index;
		struct host_view v = host_view(m, at);

		if (v.bytes.n >= entry)
			return span_first(v.bytes, (size_t)(v.bytes.n / entry < left ? v.bytes.n / entry : left) * entry);
		if (v.bytes.n == 0 && v.zeros >= entry) {
			*index += v.zeros / entry;
			continue;
		}
		if (!v.cut && host_copy(m, at, room, entry))
			return (struct span){room, entry};
		if (v.cut)
			host_limit(m, sieve_limit(m->sieve), "the place of its symbol table");
		else
			host_fault(m, "the symbol table ends beyond its segment");
		break;
	}
	return SPAN_NONE;
}

static void look_at_run(struct symbol_pass *s, struct span run, uint64_t *index)
{
	struct elf_symbol batch[BATCH];
	size_t n;

	while (!s->full && (n = symbols_read(s->m->layout, run, batch, BATCH)) > 0) {
		for (size_t i = 0; i < n && !s->full; i++, ++*index)
			if (*index)
				look_at(s, &batch[i], *index);
		run = span_after(run, n * symbol_bytes(s->m->layout));
	}
}

void symbols_inspect(struct host_elf *m)
{
	struct symbol_pass s = {
	        .m = m, .has_versions = m->dynamic.has[SLOT_VERSYM], .versions_at = m->dynamic.v[SLOT_VERSYM]};
	uint8_t room[sizeof(Elf64_Sym)];
	uint64_t index = 0, count;
	struct span run;

	if (!m->dynamic.has[SLOT_SYMTAB] || !m->dynamic.has[SLOT_STRTAB])
		return;
	count = table_count(m);
	s.told = arena_alloc(m->scratch, (m->ctx->catalogue->families.n + 1) * sizeof(*s.told));
	s.strings = host_view(m, m->dynamic.v[SLOT_STRTAB]).bytes;
	if (m->versions.n)
		qsort(m->versions.v, m->versions.n, sizeof(*m->versions.v), by_number);
	while (!s.full && (run = table_run(m, &index, count, room)).n)
		look_at_run(&s, run, &index);
	for (size_t i = 0; i < s.groups.n; i++)
		give_evidence(&s, &s.groups.v[i]);
}
