/* SPDX-License-Identifier: Apache-2.0 */
#include "elf/sections.h"

#include <elf.h>
#include <stdlib.h>

#include "base/checked.h"

#define NO_SECTION SIZE_MAX

/* [start, end) lies in this section, and in no smaller one that starts later. */
struct section_place {
	uint64_t start, end;
	size_t section;
};

/* Whether the section has bytes in the file. */
static bool has_bytes(const struct elf_section *s)
{
	return s->type != SHT_NULL && s->type != SHT_NOBITS && s->size != 0;
}

/* How many headers there are, by the first header or by section 0. */
static bool table_count(struct host_elf *m, uint64_t *count, uint64_t *names)
{
	size_t entry = section_bytes(m->layout);
	struct elf_section first = {0};
	struct span bytes;

	*count = m->header.shnum;
	*names = m->header.shstrndx;
	if (*count && *names != SHN_XINDEX)
		return true;
	if (!range_inside(m->header.shoff, entry, m->size)) {
		host_fault(m, "the section headers begin beyond the file");
		return false;
	}
	bytes = host_bytes(m, m->header.shoff, entry, "the place of its section headers");
	if (sections_read(m->layout, bytes, &first, 1) != 1)
		return false;
	if (*count == 0)
		*count = first.size;
	if (*names == SHN_XINDEX)
		*names = first.link;
	return *count != 0;
}

/*
 * Where the section names are, when they can be had. No loader reads them: where the sieve did not keep them (they lie before
 * a large symbol string table at the end), sections go by their numbers, and nothing is lost.
 */
static void names_open(struct host_elf *m, uint64_t index)
{
	const struct elf_section *s;

	if (index == SHN_UNDEF)
		return;
	if (index >= m->sections_n || m->sections[index].type != SHT_STRTAB) {
		host_fault(m, "section %llu of the section names does not exist", (unsigned long long)index);
		return;
	}
	s = &m->sections[index];
	if (!range_inside(s->offset, s->size, m->size)) {
		host_fault(m, "the section names end beyond the file");
		return;
	}
	if (!sieve_at(m->sieve, s->offset, s->size))
		return;
	m->names_at = s->offset;
	m->names_n = s->size;
}

static void check_sections(struct host_elf *m)
{
	for (size_t i = 0; i < m->sections_n; i++) {
		const struct elf_section *s = &m->sections[i];

		if (has_bytes(s) && !range_inside(s->offset, s->size, m->size))
			host_fault(m, "section %zu ends beyond the file", i);
		if (m->names_n && s->name >= m->names_n)
			host_fault(m, "the name of section %zu lies outside the section names", i);
	}
}

void sections_read_table(struct host_elf *m)
{
	size_t entry = section_bytes(m->layout);
	uint64_t count, names, bytes;
	struct span table;

	if (m->header.shoff == 0) {
		if (m->header.shnum)
			host_fault(m, "there are section headers, but no place of them");
		return;
	}
	if (m->header.shnum && m->header.shentsize != entry) {
		host_fault(m, "section headers of %u bytes", m->header.shentsize);
		return;
	}
	if (!table_count(m, &count, &names))
		return;
	if (!product_u64(count, entry, &bytes) || !range_inside(m->header.shoff, bytes, m->size)) {
		host_fault(m, "the section headers end beyond the file");
		return;
	}
	if (count > m->ctx->limits->v[LIMIT_ELF_SECTIONS]) {
		host_limit(m, LIMIT_ELF_SECTIONS, "its number of section headers");
		return;
	}
	table = host_bytes(m, m->header.shoff, bytes, "the place of its section headers");
	if (!table.n)
		return;
	m->sections = arena_alloc(m->scratch, (size_t)count * sizeof(*m->sections));
	m->section_names = arena_alloc(m->scratch, (size_t)count * sizeof(*m->section_names));
	m->sections_n = sections_read(m->layout, table, m->sections, (size_t)count);
	names_open(m, names);
	check_sections(m);
}

void sections_check_dynamic(struct host_elf *m)
{
	for (size_t i = 0; i < m->sections_n; i++) {
		const struct elf_section *s = &m->sections[i];

		if (s->type != SHT_DYNAMIC)
			continue;
		for (size_t k = 0; k < m->segments_n; k++)
			if (m->segments[k].type == PT_DYNAMIC && m->segments[k].filesz &&
			    host_view(m, m->segments[k].vaddr).offset != s->offset)
				host_fault(m, "sections and segments disagree about the dynamic section");
		return;
	}
}

/* By start, the larger first, so that what lies inside comes later. */
static int by_start(const void *x, const void *y)
{
	const struct section_place *a = x, *b = y;

	if (a->start != b->start)
		return a->start < b->start ? -1 : 1;
	if (a->end != b->end)
		return a->end > b->end ? -1 : 1;
	return (a->section > b->section) - (a->section < b->section);
}

static void place_add(struct host_elf *m, uint64_t start, uint64_t end, size_t section)
{
	if (start < end)
		*list_add(m->scratch, &m->places) = (struct section_place){start, end, section};
}

/* Sections may overlap: cuts the file into pieces, each of the section that started last. */
static void places_build(struct host_elf *m)
{
	struct section_place *all = arena_alloc(m->scratch, (m->sections_n + 1) * sizeof(*all));
	struct section_place *open = arena_alloc(m->scratch, (m->sections_n + 1) * sizeof(*open));
	size_t n = 0, depth = 0;
	uint64_t at = 0;

	m->places_built = true;
	for (size_t i = 0; i < m->sections_n; i++) {
		const struct elf_section *s = &m->sections[i];

		if (has_bytes(s) && range_inside(s->offset, s->size, m->size))
			all[n++] = (struct section_place){s->offset, s->offset + s->size, i};
	}
	if (n)
		qsort(all, n, sizeof(*all), by_start);
	for (size_t i = 0; i <= n; i++) {
		uint64_t start = i < n ? all[i].start : UINT64_MAX;

		while (depth && at < start) {
			uint64_t end = open[depth - 1].end < start ? open[depth - 1].end : start;

			place_add(m, at, end, open[depth - 1].section);
			at = end > at ? end : at;
			if (open[depth - 1].end <= at)
				depth--;
		}
		if (i < n) {
			at = start;
			open[depth++] = all[i];
		}
	}
}

static size_t section_at(struct host_elf *m, uint64_t offset)
{
	size_t lo = 0, hi;

	if (!m->places_built)
		places_build(m);
	hi = m->places.n;
	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (m->places.v[mid].end <= offset)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo < m->places.n && m->places.v[lo].start <= offset ? m->places.v[lo].section : NO_SECTION;
}

bool section_name_starts(struct host_elf *m, size_t i, struct span with)
{
	uint64_t name = m->sections[i].name;
	const uint8_t *p = name < m->names_n && with.n <= m->names_n - name ? sieve_at(m->sieve, m->names_at + name, with.n)
	                                                                   : NULL;

	return p && memcmp(p, with.p, with.n) == 0;
}

struct span section_name(struct host_elf *m, size_t i)
{
	uint64_t name = m->sections[i].name, most = m->ctx->limits->v[LIMIT_PATH_BYTES];
	const uint8_t *p;
	struct span all;
	size_t n;

	if (m->section_names[i].p || name >= m->names_n)
		return m->section_names[i];
	p = sieve_at(m->sieve, m->names_at + name, m->names_n - name);
	all = span_first((struct span){p, p ? (size_t)(m->names_n - name) : 0}, (size_t)most);
	n = span_find(all, 0);
	if (n < all.n)
		m->section_names[i] = arena_copy(m->ctx->mem, span_first(all, n));
	return m->section_names[i];
}

struct span section_name_at(struct host_elf *m, uint64_t offset)
{
	size_t i = section_at(m, offset);

	return i == NO_SECTION ? SPAN_NONE : section_name(m, i);
}

/* "section[3]", "load[0]": made once for a run of the same place. */
static struct span numbered(struct host_elf *m, const char *what, size_t number, size_t place)
{
	if (!m->where_text.n || m->where_last != place)
		m->where_text = arena_printf(m->ctx->mem, "%s[%zu]", what, number);
	m->where_last = place;
	return m->where_text;
}

struct span section_where(struct host_elf *m, uint64_t offset)
{
	size_t i = section_at(m, offset);
	struct span name = i == NO_SECTION ? SPAN_NONE : section_name(m, i);

	if (name.n)
		return name;
	if (i != NO_SECTION)
		return numbered(m, "section", i, i);
	for (size_t k = 0; k < m->loads_n; k++)
		if (offset >= m->loads[k].offset && offset - m->loads[k].offset < m->loads[k].filesz)
			return numbered(m, "load", k, m->sections_n + k);
	return SPAN("@file");
}

bool section_may_hold_text(struct host_elf *m, uint64_t offset)
{
	size_t i = section_at(m, offset);

	if (i == NO_SECTION)
		return true;
	return (m->sections[i].flags & SHF_ALLOC) && !(m->sections[i].flags & (SHF_EXECINSTR | SHF_COMPRESSED)) &&
	       m->sections[i].type != SHT_STRTAB;
}
