/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One ELF file as its loaders see it, over the bytes that the sieve kept. Program headers decide; section headers only
 * help (elf/sections.h). Nothing fails: a contradiction becomes a fault of the object, a table out of reach a problem
 * by the limit's name. Facts live in the job's arena, all else in the file's own; spans into the sieve die with it.
 */
#ifndef POSTERN_ELF_HOST_H
#define POSTERN_ELF_HOST_H

#include "elf/sieve.h"
#include "elf/tables.h"
#include "model/job.h"

struct section_place;

enum dynamic_slot {
	SLOT_SONAME,
	SLOT_RPATH,
	SLOT_RUNPATH,
	SLOT_STRTAB,
	SLOT_STRSZ,
	SLOT_SYMTAB,
	SLOT_SYMENT,
	SLOT_HASH,
	SLOT_GNU_HASH,
	SLOT_VERSYM,
	SLOT_VERNEED,
	SLOT_VERNEEDNUM,
	SLOT_VERDEF,
	SLOT_VERDEFNUM,
	SLOT_COUNT
};

/* What the dynamic section says, as numbers; of an entry that is there twice the last one, as loaders do. */
struct dynamic_values {
	bool has[SLOT_COUNT];
	uint64_t v[SLOT_COUNT];
	LIST(uint64_t) needed; /* offsets into the string table */
};

/* A version need by its number: which library is to define it. */
struct version_need {
	uint16_t number;
	struct span library;
};

struct host_elf {
	const struct job_context *ctx;
	struct arena *scratch; /* of this file only; what stays is in ctx->mem */
	const struct sieve *sieve;
	struct object *object;
	struct problems *problems;
	uint64_t size;
	struct elf_layout layout;
	struct elf_header header;
	bool header_known;
	struct elf_segment *segments;
	size_t segments_n;
	struct elf_segment *loads; /* PT_LOAD only, in their order */
	size_t loads_n;
	struct elf_section *sections;
	size_t sections_n;                 /* 0 when there is no usable table */
	uint64_t names_at, names_n;        /* section names in the file */
	struct span *section_names;        /* those that were asked for */
	LIST(struct section_place) places; /* which section an offset lies in */
	bool places_built;
	size_t where_last; /* what section_where said last, and of which place */
	struct span where_text;
	struct dynamic_values dynamic;
	struct spans needed_sorted; /* without doubles */
	struct spans needed_known;  /* accelerator libraries among them, only so many */
	LIST(struct version_need) versions;
	uint64_t dynstr_at, dynstr_n; /* in the file */
	bool imports_dlopen, imports_dlsym;
	/* What the faults mean in the end. */
	bool unreadable;       /* the needs cannot be told */
	bool incomplete;       /* a loader would take it, and we did not read it */
	bool blind;            /* a table was out of reach or over a limit: no contradiction counts from there on */
	uint64_t limits_told;  /* bit by limit_id */
	uint64_t name_bytes;   /* looked at so far */
	uint64_t dlopen_names; /* in notes */
};

/* A contradiction, as a sentence. Told once each, and not more than a few of one file. */
void host_fault(struct host_elf *m, const char *fmt, ...) PRINTF_LIKE(2, 3);
/* The same, and the needs cannot be told. */
void host_unreadable(struct host_elf *m, const char *fmt, ...) PRINTF_LIKE(2, 3);
/* A budget was hit; told once each. */
void host_limit(struct host_elf *m, enum limit_id id, const char *what);
/* [offset, offset + n) lies in the file: the kept bytes, or SPAN_NONE and host_limit when they were not kept. */
struct span host_bytes(struct host_elf *m, uint64_t offset, uint64_t n, const char *what);

/* First header and program headers. False: nothing more can be read of it as ELF. */
bool host_open(struct host_elf *m);
/* The faults become problems. */
void host_close(struct host_elf *m);

/* What lies at an address: bytes of the file, then zeros. Both 0: no segment has it, or it lies beyond the file. */
struct host_view {
	struct span bytes;
	uint64_t offset; /* of the bytes in the file */
	uint64_t zeros;
	bool hole;    /* none of the bytes were kept */
	bool cut;     /* not all of them were */
	bool outside; /* only in the rest of a segment's last or first page */
};
struct host_view host_view(const struct host_elf *m, uint64_t address);
/* a + b as the file's class counts. */
uint64_t host_address(const struct host_elf *m, uint64_t a, uint64_t b);
/* n bytes in one piece at an address (zeros do not count), or NULL. */
const uint8_t *host_at(struct host_elf *m, uint64_t address, uint64_t n);
/* The same into `to`, from as many segments as it takes; zeros count. False when some bytes are nowhere. */
bool host_copy(const struct host_elf *m, uint64_t address, uint8_t *to, size_t n);
/* A copy, in mem, of the NUL-ended string at an address. False when it has no end, or a budget is hit. */
bool host_string(struct host_elf *m, struct arena *mem, uint64_t address, struct span *out);
/* Counts n more bytes of names; false when one file has too many of them. */
bool host_name_budget(struct host_elf *m, uint64_t n);

/* "x86_64", "em_9999"; "dyn", "0xfe00". */
struct span machine_name(struct arena *mem, uint16_t machine);
struct span elf_type_name(struct arena *mem, uint16_t type);

#endif
