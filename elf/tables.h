/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ELF tables in one shape, whatever their class and byte order. libelf translates them, and sees memory whose size was
 * checked, never a file. Nothing here knows where a table lies or whether it is honest.
 */
#ifndef POSTERN_ELF_TABLES_H
#define POSTERN_ELF_TABLES_H

#include "base/span.h"

struct elf_layout {
	bool wide; /* 64-bit */
	bool big;  /* big-endian */
};

/* The first header as it stands, with nothing believed. */
struct elf_header {
	uint16_t type, machine;
	uint64_t phoff, shoff;
	uint16_t phentsize, phnum, shentsize, shnum, shstrndx;
};

struct elf_segment {
	uint32_t type, flags;
	uint64_t offset, vaddr, filesz, memsz, align;
};

struct elf_section {
	uint32_t name, type, link;
	uint64_t flags, addr, offset, size;
};

struct elf_dynamic {
	uint64_t tag, value;
};

struct elf_symbol {
	uint32_t name;
	uint16_t section;
	uint8_t info;
};

/* Bytes of one entry in the file. */
size_t header_bytes(struct elf_layout l);
size_t segment_bytes(struct elf_layout l);
size_t section_bytes(struct elf_layout l);
size_t dynamic_bytes(struct elf_layout l);
size_t symbol_bytes(struct elf_layout l);

/* False when there are too few bytes. */
bool header_read(struct elf_layout l, struct span from, struct elf_header *to);
/* Each reads as many whole entries as `from` has and `to` takes (n), and says how many. */
size_t segments_read(struct elf_layout l, struct span from, struct elf_segment *to, size_t n);
size_t sections_read(struct elf_layout l, struct span from, struct elf_section *to, size_t n);
size_t dynamics_read(struct elf_layout l, struct span from, struct elf_dynamic *to, size_t n);
size_t symbols_read(struct elf_layout l, struct span from, struct elf_symbol *to, size_t n);

/* One number of 2, 4 or 8 bytes at p, in the file's byte order. */
uint64_t elf_number(struct elf_layout l, const uint8_t *p, unsigned bytes);

#endif
