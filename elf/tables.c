/* SPDX-License-Identifier: Apache-2.0 */
#include "elf/tables.h"

#include <libelf.h>

/* libelf is to see memory only, and no table that was not checked before. */
#pragma GCC poison ELF_C_READ ELF_C_READ_MMAP elf_begin elf_memory

#define BATCH 64

size_t header_bytes(struct elf_layout l)
{
	return l.wide ? sizeof(Elf64_Ehdr) : sizeof(Elf32_Ehdr);
}

size_t segment_bytes(struct elf_layout l)
{
	return l.wide ? sizeof(Elf64_Phdr) : sizeof(Elf32_Phdr);
}

size_t section_bytes(struct elf_layout l)
{
	return l.wide ? sizeof(Elf64_Shdr) : sizeof(Elf32_Shdr);
}

size_t dynamic_bytes(struct elf_layout l)
{
	return l.wide ? sizeof(Elf64_Dyn) : sizeof(Elf32_Dyn);
}

size_t symbol_bytes(struct elf_layout l)
{
	return l.wide ? sizeof(Elf64_Sym) : sizeof(Elf32_Sym);
}

/* Whole entries of one type, from the file's form into this machine's; aligned is room for them. */
static bool translate(struct elf_layout l, Elf_Type type, struct span from, void *aligned, void *to)
{
	Elf_Data in = {.d_buf = aligned, .d_type = type, .d_version = EV_CURRENT, .d_size = from.n};
	Elf_Data out = {.d_buf = to, .d_type = type, .d_version = EV_CURRENT, .d_size = from.n};
	unsigned order = l.big ? ELFDATA2MSB : ELFDATA2LSB;

	if (elf_version(EV_CURRENT) == EV_NONE)
		return false;
	memcpy(aligned, from.p, from.n);
	return (l.wide ? elf64_xlatetom(&out, &in, order) : elf32_xlatetom(&out, &in, order)) != NULL;
}

bool header_read(struct elf_layout l, struct span from, struct elf_header *to)
{
	union {
		Elf64_Ehdr wide;
		Elf32_Ehdr narrow;
	} in, h;

	memset(to, 0, sizeof(*to));
	if (from.n < header_bytes(l) || !translate(l, ELF_T_EHDR, span_first(from, header_bytes(l)), &in, &h))
		return false;
	if (l.wide)
		*to = (struct elf_header){h.wide.e_type,      h.wide.e_machine,   h.wide.e_phoff,
		                          h.wide.e_shoff,     h.wide.e_phentsize, h.wide.e_phnum,
		                          h.wide.e_shentsize, h.wide.e_shnum,     h.wide.e_shstrndx};
	else
		*to = (struct elf_header){h.narrow.e_type,      h.narrow.e_machine,   h.narrow.e_phoff,
		                          h.narrow.e_shoff,     h.narrow.e_phentsize, h.narrow.e_phnum,
		                          h.narrow.e_shentsize, h.narrow.e_shnum,     h.narrow.e_shstrndx};
	return true;
}

/* How many entries the next batch takes: those that are wanted, that are there, and that have room. */
static size_t batch(struct span from, size_t entry, size_t wanted)
{
	size_t n = from.n / entry;

	n = n < wanted ? n : wanted;
	return n < BATCH ? n : BATCH;
}

size_t segments_read(struct elf_layout l, struct span from, struct elf_segment *to, size_t n)
{
	union {
		Elf64_Phdr wide[BATCH];
		Elf32_Phdr narrow[BATCH];
	} in, h;
	size_t done = 0, k, entry = segment_bytes(l);

	while ((k = batch(from, entry, n - done)) > 0) {
		if (!translate(l, ELF_T_PHDR, span_first(from, k * entry), &in, &h))
			break;
		for (size_t i = 0; i < k; i++, done++) {
			const Elf64_Phdr *w = &h.wide[i];
			const Elf32_Phdr *s = &h.narrow[i];

			to[done] = l.wide ? (struct elf_segment){w->p_type,   w->p_flags, w->p_offset, w->p_vaddr,
			                                         w->p_filesz, w->p_memsz, w->p_align}
			                  : (struct elf_segment){s->p_type,   s->p_flags, s->p_offset, s->p_vaddr,
			                                         s->p_filesz, s->p_memsz, s->p_align};
		}
		from = span_after(from, k * entry);
	}
	return done;
}

size_t sections_read(struct elf_layout l, struct span from, struct elf_section *to, size_t n)
{
	union {
		Elf64_Shdr wide[BATCH];
		Elf32_Shdr narrow[BATCH];
	} in, h;
	size_t done = 0, k, entry = section_bytes(l);

	while ((k = batch(from, entry, n - done)) > 0) {
		if (!translate(l, ELF_T_SHDR, span_first(from, k * entry), &in, &h))
			break;
		for (size_t i = 0; i < k; i++, done++) {
			const Elf64_Shdr *w = &h.wide[i];
			const Elf32_Shdr *s = &h.narrow[i];

			to[done] = l.wide ? (struct elf_section){w->sh_name, w->sh_type,   w->sh_link, w->sh_flags,
			                                         w->sh_addr, w->sh_offset, w->sh_size}
			                  : (struct elf_section){s->sh_name, s->sh_type,   s->sh_link, s->sh_flags,
			                                         s->sh_addr, s->sh_offset, s->sh_size};
		}
		from = span_after(from, k * entry);
	}
	return done;
}

size_t dynamics_read(struct elf_layout l, struct span from, struct elf_dynamic *to, size_t n)
{
	union {
		Elf64_Dyn wide[BATCH];
		Elf32_Dyn narrow[BATCH];
	} in, h;
	size_t done = 0, k, entry = dynamic_bytes(l);

	while ((k = batch(from, entry, n - done)) > 0) {
		if (!translate(l, ELF_T_DYN, span_first(from, k * entry), &in, &h))
			break;
		for (size_t i = 0; i < k; i++, done++) {
			if (l.wide)
				to[done] = (struct elf_dynamic){(uint64_t)h.wide[i].d_tag, h.wide[i].d_un.d_val};
			else
				to[done] = (struct elf_dynamic){(uint32_t)h.narrow[i].d_tag, h.narrow[i].d_un.d_val};
		}
		from = span_after(from, k * entry);
	}
	return done;
}

size_t symbols_read(struct elf_layout l, struct span from, struct elf_symbol *to, size_t n)
{
	union {
		Elf64_Sym wide[BATCH];
		Elf32_Sym narrow[BATCH];
	} in, h;
	size_t done = 0, k, entry = symbol_bytes(l);

	while ((k = batch(from, entry, n - done)) > 0) {
		if (!translate(l, ELF_T_SYM, span_first(from, k * entry), &in, &h))
			break;
		for (size_t i = 0; i < k; i++, done++) {
			const Elf64_Sym *w = &h.wide[i];
			const Elf32_Sym *s = &h.narrow[i];

			to[done] = l.wide ? (struct elf_symbol){w->st_name, w->st_shndx, w->st_info}
			                  : (struct elf_symbol){s->st_name, s->st_shndx, s->st_info};
		}
		from = span_after(from, k * entry);
	}
	return done;
}

uint64_t elf_number(struct elf_layout l, const uint8_t *p, unsigned bytes)
{
	uint64_t v = 0;

	for (unsigned i = 0; i < bytes; i++)
		v = v << 8 | p[l.big ? i : bytes - 1 - i];
	return v;
}
