/* SPDX-License-Identifier: Apache-2.0 */
/* Version needs and definitions: chains of records that only go forward; their counts are not believed. */
#include <elf.h>

#include "elf/dynamic.h"

/* Elf32_Verneed and Elf64_Verneed are the same bytes; so are the other three. */
enum { NEED_BYTES = 16, NEED_AUX_BYTES = 16, DEF_BYTES = 20, DEF_AUX_BYTES = 8 };

struct chain {
	struct host_elf *m;
	const char *what;
	uint64_t left; /* records of all kinds that may still be looked at */
};

static uint64_t number(const struct chain *c, const uint8_t *p, unsigned bytes)
{
	return elf_number(c->m->layout, p, bytes);
}

/* The record at an address; NULL when the chain is broken there. */
static const uint8_t *record(struct chain *c, uint64_t address, uint64_t bytes)
{
	const uint8_t *p;

	if (c->left == 0) {
		host_limit(c->m, LIMIT_ELF_STRINGS, c->what);
		return NULL;
	}
	c->left--;
	p = host_at(c->m, address, bytes);
	if (!p)
		host_fault(c->m, "%s leave the file", c->what);
	return p;
}

/* Goes on to the next record; false at the end of the chain and where it would overlap. */
static bool next(struct chain *c, uint64_t step, uint64_t bytes, uint64_t *address)
{
	if (step == 0)
		return false;
	if (step < bytes) {
		host_fault(c->m, "%s overlap", c->what);
		return false;
	}
	*address = host_address(c->m, *address, step);
	return true;
}

static bool name(struct chain *c, struct arena *mem, uint64_t offset, struct span *out)
{
	if (host_string(c->m, mem, host_address(c->m, c->m->dynamic.v[SLOT_STRTAB], offset), out))
		return true;
	host_fault(c->m, "a name of %s lies in no segment", c->what);
	return false;
}

static bool is_needed(const struct host_elf *m, struct span library)
{
	const struct spans *l = &m->needed_sorted;
	size_t lo = 0, hi = l->n;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;
		int c = span_cmp(l->v[mid], library);

		if (c == 0)
			return true;
		if (c < 0)
			lo = mid + 1;
		else
			hi = mid;
	}
	return false;
}

/* The versions that are needed of one library; gives how many there are. */
static uint64_t need_parts(struct chain *c, uint64_t address, struct span library)
{
	struct arena *mem = c->m->ctx->mem;
	uint64_t count = 0, step;

	do {
		const uint8_t *p = record(c, address, NEED_AUX_BYTES);
		struct span version;

		if (!p)
			break;
		count++;
		step = number(c, p + 12, 4);
		if (!host_name_budget(c->m, library.n))
			break;
		if (name(c, c->m->scratch, number(c, p + 8, 4), &version)) {
			spans_add(mem, &c->m->object->elf.verneed,
			          arena_printf(mem, "%.*s:%.*s", (int)library.n, (const char *)library.p,
			                       (int)version.n, (const char *)version.p));
			*list_add(c->m->scratch, &c->m->versions) =
			        (struct version_need){(uint16_t)(number(c, p + 6, 2) & 0x7fff), library};
		}
	} while (next(c, step, NEED_AUX_BYTES, &address));
	return count;
}

static void needs_read(struct host_elf *m)
{
	struct chain c = {m, "the version needs", m->ctx->limits->v[LIMIT_ELF_STRINGS]};
	uint64_t address = m->dynamic.v[SLOT_VERNEED], count = 0, step;
	const uint8_t *p;

	do {
		struct span library;

		p = record(&c, address, NEED_BYTES);
		if (!p)
			return;
		if (number(&c, p, 2) != VER_NEED_CURRENT) {
			host_fault(m, "a version need is of version %u", (unsigned)number(&c, p, 2));
			return;
		}
		count++;
		step = number(&c, p + 12, 4);
		if (!name(&c, m->scratch, number(&c, p + 4, 4), &library))
			continue;
		if (!is_needed(m, library))
			host_fault(m, "the version need of '%.*s' names no needed library",
			           (int)(library.n < 100 ? library.n : 100), (const char *)library.p);
		if (need_parts(&c, host_address(m, address, number(&c, p + 8, 4)), library) != number(&c, p + 2, 2))
			host_fault(m, "the version needs of a library are not as many as it says");
	} while (next(&c, step, NEED_BYTES, &address));
	if (m->dynamic.has[SLOT_VERNEEDNUM] && m->dynamic.v[SLOT_VERNEEDNUM] != count)
		host_fault(m, "the version needs are not as many as the dynamic section says");
}

/* The name of a definition and how many parts it has. */
static uint64_t definition_parts(struct chain *c, uint64_t address, struct span *out)
{
	uint64_t count = 0, step;

	do {
		const uint8_t *p = record(c, address, DEF_AUX_BYTES);

		if (!p)
			break;
		step = number(c, p + 4, 4);
		if (count++ == 0 && !name(c, c->m->ctx->mem, number(c, p, 4), out))
			break;
	} while (next(c, step, DEF_AUX_BYTES, &address));
	return count;
}

static void definitions_read(struct host_elf *m)
{
	struct chain c = {m, "the version definitions", m->ctx->limits->v[LIMIT_ELF_STRINGS]};
	uint64_t address = m->dynamic.v[SLOT_VERDEF], count = 0, step;
	const uint8_t *p;

	do {
		struct span version = SPAN_NONE;

		p = record(&c, address, DEF_BYTES);
		if (!p)
			return;
		if (number(&c, p, 2) != VER_DEF_CURRENT) {
			host_fault(m, "a version definition is of version %u", (unsigned)number(&c, p, 2));
			return;
		}
		count++;
		step = number(&c, p + 16, 4);
		if (definition_parts(&c, host_address(m, address, number(&c, p + 12, 4)), &version) !=
		    number(&c, p + 6, 2))
			host_fault(m, "the parts of a version definition are not as many as it says");
		if (!version.p)
			continue;
		if (number(&c, p + 2, 2) & VER_FLG_BASE)
			m->object->elf.verdef_base = version;
		else
			spans_add(m->ctx->mem, &m->object->elf.verdef, version);
	} while (next(&c, step, DEF_BYTES, &address));
	if (m->dynamic.has[SLOT_VERDEFNUM] && m->dynamic.v[SLOT_VERDEFNUM] != count)
		host_fault(m, "the version definitions are not as many as the dynamic section says");
}

void versions_read(struct host_elf *m)
{
	if (!m->dynamic.has[SLOT_STRTAB])
		return;
	if (m->dynamic.has[SLOT_VERNEED])
		needs_read(m);
	if (m->dynamic.has[SLOT_VERDEF])
		definitions_read(m);
}
