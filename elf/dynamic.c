/* SPDX-License-Identifier: Apache-2.0 */
#include "elf/dynamic.h"

#include <elf.h>

#include "base/checked.h"

#define BATCH        64
#define NEEDED_KNOWN 256 /* accelerator libraries that one file's symbols are held against */

static const struct {
	uint64_t tag;
	enum dynamic_slot slot;
	const char *once; /* loaders take the last one: what more than one says */
} slots[] = {
        {DT_SONAME, SLOT_SONAME, "two sonames"},
        {DT_RPATH, SLOT_RPATH, "two rpaths"},
        {DT_RUNPATH, SLOT_RUNPATH, "two runpaths"},
        {DT_STRTAB, SLOT_STRTAB, "two string tables"},
        {DT_STRSZ, SLOT_STRSZ, NULL},
        {DT_SYMTAB, SLOT_SYMTAB, "two symbol tables"},
        {DT_SYMENT, SLOT_SYMENT, NULL},
        {DT_HASH, SLOT_HASH, NULL},
        {DT_GNU_HASH, SLOT_GNU_HASH, NULL},
        {DT_VERSYM, SLOT_VERSYM, NULL},
        {DT_VERNEED, SLOT_VERNEED, NULL},
        {DT_VERNEEDNUM, SLOT_VERNEEDNUM, NULL},
        {DT_VERDEF, SLOT_VERDEF, NULL},
        {DT_VERDEFNUM, SLOT_VERDEFNUM, NULL},
};

/*
 * The last one, as loaders take it; glibc passes over those without bytes, others do not. One without bytes in no
 * segment is that of a file with debug data only.
 */
static const struct elf_segment *dynamic_segment(struct host_elf *m)
{
	const struct elf_segment *last = NULL, *p = NULL;
	struct host_view v;

	for (size_t i = 0; i < m->segments_n; i++) {
		if (m->segments[i].type != PT_DYNAMIC)
			continue;
		if (last)
			host_fault(m, "two dynamic segments");
		last = &m->segments[i];
		p = last->filesz ? last : p;
	}
	if (!last || last == p)
		return p;
	v = host_view(m, last->vaddr);
	if (p && last->vaddr != p->vaddr) {
		m->incomplete = true;
		host_fault(m, "loaders disagree which dynamic segment counts");
	}
	return p ? p : v.bytes.n || v.hole ? last : NULL;
}

static void take(struct host_elf *m, const struct elf_dynamic *d)
{
	struct dynamic_values *to = &m->dynamic;

	if (d->tag == DT_NEEDED) {
		*list_add(m->scratch, &to->needed) = d->value;
		return;
	}
	for (size_t i = 0; i < sizeof(slots) / sizeof(slots[0]); i++) {
		if (slots[i].tag != d->tag)
			continue;
		if (to->has[slots[i].slot] && slots[i].once)
			host_fault(m, "%s in the dynamic section", slots[i].once);
		to->has[slots[i].slot] = true;
		to->v[slots[i].slot] = d->value;
		return;
	}
}

/* One batch at v; true at DT_NULL. *count counts the entries. */
static bool walk_batch(struct host_elf *m, struct span bytes, uint64_t *count)
{
	struct elf_dynamic batch[BATCH];
	size_t n = dynamics_read(m->layout, bytes, batch, BATCH);

	for (size_t i = 0; i < n; i++) {
		++*count;
		if (batch[i].tag == DT_NULL)
			return true;
		if (*count > m->ctx->limits->v[LIMIT_ELF_DYNAMIC]) {
			host_limit(m, LIMIT_ELF_DYNAMIC, "its dynamic section");
			return true;
		}
		take(m, &batch[i]);
	}
	return false;
}

/* Entries up to DT_NULL, wherever that is. Gives the bytes walked. */
static uint64_t walk(struct host_elf *m, uint64_t address)
{
	size_t entry = dynamic_bytes(m->layout);
	uint8_t one[sizeof(Elf64_Dyn)];
	uint64_t count = 0;

	for (;;) {
		uint64_t at = host_address(m, address, count * entry);
		struct host_view v = host_view(m, at);

		if (v.bytes.n >= entry) {
			if (walk_batch(m, v.bytes, &count))
				break;
			continue;
		}
		if (v.cut) {
			host_limit(m, sieve_limit(m->sieve), "the place of its dynamic section");
			break;
		}
		/* The entry begins in one segment and ends in another, or in zeros. */
		if (host_copy(m, at, one, entry)) {
			if (walk_batch(m, (struct span){one, entry}, &count))
				break;
			continue;
		}
		count++;
		host_fault(m, "the dynamic section has no end");
		break;
	}
	return count * entry;
}

static void check_segment(struct host_elf *m, const struct elf_segment *p, uint64_t walked)
{
	struct host_view v = host_view(m, p->vaddr);

	if (v.bytes.n && v.offset != p->offset)
		host_fault(m, "offset and address of the dynamic segment disagree");
	if (!range_inside(p->offset, p->filesz, m->size))
		host_fault(m, "the dynamic segment ends beyond the file");
	if (walked > p->filesz)
		host_fault(m, "the dynamic section goes on behind the size of its segment");
	if (v.outside)
		host_fault(m, "the dynamic section lies outside the segments");
}

/* Where the names are; false when loaders cannot tell either. */
static bool strings_open(struct host_elf *m)
{
	const struct dynamic_values *d = &m->dynamic;
	uint64_t at = d->v[SLOT_STRTAB], size = d->v[SLOT_STRSZ];
	struct host_view v = host_view(m, at), last;

	if (!d->has[SLOT_STRTAB]) {
		host_unreadable(m, "the dynamic section names no string table");
		return false;
	}
	if (v.hole)
		host_limit(m, sieve_limit(m->sieve), "the place of its string table");
	else if (v.bytes.n == 0 && v.zeros == 0)
		host_unreadable(m, "the string table lies in no segment");
	if (v.bytes.n == 0 && v.zeros == 0)
		return false;
	if (d->has[SLOT_STRSZ] && size) {
		last = host_view(m, host_address(m, at, size - 1));
		if (size > m->size || (last.bytes.n == 0 && last.zeros == 0 && !last.hole))
			host_fault(m, "the string table ends beyond its segment");
	}
	m->dynstr_at = v.offset;
	m->dynstr_n = v.bytes.n < size ? v.bytes.n : size;
	return true;
}

/* The name at an offset of the string table. */
static bool name_at(struct host_elf *m, uint64_t offset, struct span *out)
{
	const struct dynamic_values *d = &m->dynamic;
	uint64_t size = d->v[SLOT_STRSZ];

	if (!host_string(m, m->ctx->mem, host_address(m, d->v[SLOT_STRTAB], offset), out))
		return false;
	if (offset >= size || out->n >= size - offset)
		host_fault(m, "a name lies outside the size of the string table");
	return true;
}

static bool name_slot(struct host_elf *m, enum dynamic_slot slot, const char *what, struct span *out)
{
	if (!m->dynamic.has[slot])
		return false;
	if (name_at(m, m->dynamic.v[slot], out))
		return true;
	host_fault(m, "its %s cannot be told", what);
	return false;
}

static void needed_evidence(struct host_elf *m)
{
	struct elf_facts *f = &m->object->elf;
	struct arena *mem = m->ctx->mem;
	struct spans *l = &m->needed_sorted;

	for (size_t i = 0; i < f->needed.n; i++)
		spans_add(m->scratch, l, f->needed.v[i]);
	spans_sort_unique(l);
	for (size_t i = 0; i < l->n; i++) {
		const struct library_rule *r = catalogue_library(m->ctx->catalogue, l->v[i]);

		if (!r)
			continue;
		object_evidence(m->object, mem, r->backend, EVIDENCE_NEEDED, l->v[i], STRENGTH_HARD);
		if (m->needed_known.n < NEEDED_KNOWN)
			spans_add(m->scratch, &m->needed_known, l->v[i]);
	}
}

static void names_read(struct host_elf *m)
{
	struct elf_facts *f = &m->object->elf;
	uint64_t before = m->limits_told;

	for (size_t i = 0; i < m->dynamic.needed.n; i++) {
		struct span name;

		if (!name_at(m, m->dynamic.needed.v[i], &name)) {
			if (m->limits_told != before)
				break;
			host_unreadable(m, "the name of a needed library lies in no segment");
			continue;
		}
		if (name.n == 0)
			host_fault(m, "the name of a needed library is empty");
		spans_add(m->ctx->mem, &f->needed, name);
	}
	f->has_soname = name_slot(m, SLOT_SONAME, "soname", &f->soname);
	f->has_rpath = name_slot(m, SLOT_RPATH, "rpath", &f->rpath);
	f->has_runpath = name_slot(m, SLOT_RUNPATH, "runpath", &f->runpath);
}

void dynamic_read(struct host_elf *m)
{
	const struct elf_segment *p = dynamic_segment(m);
	struct host_view v;
	uint64_t walked;

	if (!p)
		return;
	v = host_view(m, p->vaddr);
	if (v.bytes.n == 0 && v.zeros == 0 && !v.hole) {
		host_unreadable(m, "the dynamic section lies in no segment");
		return;
	}
	walked = walk(m, p->vaddr);
	check_segment(m, p, walked);
	if (strings_open(m))
		names_read(m);
	needed_evidence(m);
}
