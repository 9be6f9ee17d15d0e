/* SPDX-License-Identifier: Apache-2.0 */
/* Device code as an ELF file (64 bits, little-endian): its tables, and a reader for one that lies open in another file.
 */
#ifndef POSTERN_ELF_DEVICE_CODE_H
#define POSTERN_ELF_DEVICE_CODE_H

#include "elf/device/format.h"

#define CODE_HEADER  64
#define CODE_SECTION 64
#define CODE_SEGMENT 56
#define CODE_SYMBOL  24
#define CODE_FRONT   32768 /* of a large one: notes are looked for in it */

#define CODE_RELOCATABLE 1

enum code_section_type {
	SECTION_SYMTAB = 2,
	SECTION_STRTAB = 3,
	SECTION_NOTE = 7,
	SECTION_NOBITS = 8,
	SECTION_DYNSYM = 11,
};

struct code_header {
	uint8_t osabi, abi;
	uint16_t type, machine;
	uint32_t version, flags;
	uint64_t segments_at, sections_at;
	uint16_t segment_size, segments, section_size, sections, names;
};

struct code_section {
	uint32_t name, type, link;
	uint64_t offset, size;
};

/* True when front starts with the whole header of such a file. */
bool code_header(struct span front, struct code_header *h);
/* True when section i of the whole image can be read. */
bool code_section(struct span image, const struct code_header *h, unsigned i, struct code_section *s);
/* What the section holds; empty when that is not inside the image. */
struct span code_bytes(struct span image, const struct code_section *s);
/* The text at `at` of a string table, without NUL; empty when it does not end inside. */
struct span code_string(struct span table, uint64_t at);

struct code_symbol {
	struct span name;
	uint8_t type, other;
	uint16_t section;
	uint64_t size;
};
/* Calls each for every symbol of the first section of that type. False: there is none, or it lies outside. */
bool code_symbols(struct span image, const struct code_header *h, uint32_t type,
                  void (*each)(void *sink, const struct code_symbol *s), void *sink);

struct code_note {
	struct span name; /* without NUL */
	uint32_t type;
	struct span desc;
};
/* The next note of c; false at the end, and c->bad when the sizes lie. */
bool code_note(struct cursor *c, struct code_note *n);

/* State of a reader of one image in a file. */
struct code_state {
	struct code_header header;
	uint64_t length;              /* as far as it is known, from the start */
	uint64_t table_at, table_end; /* what is read of the table in turn, from the start */
	uint8_t phase, second;
	bool begun; /* the table in turn */
	bool whole;
};
enum reader_answer code_start(struct reader *r);
/*
 * Feeds the reader. READER_DONE: r->end is known, and reader_kept has the whole image (st->whole), or its front. The
 * machine must be the right one.
 */
enum reader_answer code_feed(struct reader *r, struct code_state *st, struct span bytes, uint16_t machine);

#endif
