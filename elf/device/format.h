/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A device-code format: one file, one const row, one line in elf/device/list.def. A reader is a state machine that asks for
 * ranges in ascending order and is fed exactly those (design.md 5). It never sees a byte twice, holds at most
 * device-payload bytes, and reports images through reader_image.
 *
 * Facts of each format: ../shared formats.md as cited at the top of each file. All numbers little-endian.
 */
#ifndef POSTERN_ELF_DEVICE_FORMAT_H
#define POSTERN_ELF_DEVICE_FORMAT_H

#include "base/cursor.h"
#include "elf/search.h"

enum reader_answer {
	READER_MORE, /* r->want is the next range: at or after the end of the last one */
	READER_DONE, /* all lengths agree; r->end is where the unit ends */
	READER_NOT,  /* not this format after all: forget it */
	READER_BAD,  /* this format, but it lies or cannot be read: r->fault says why; images so far stay listed */
};

struct reader {
	const struct device_format *format;
	const struct job_context *ctx;
	uint64_t start;     /* of the magic, in the file */
	uint64_t file_size; /* nothing may claim to go beyond it */
	bool at_file;       /* a loose file: the magic is its first byte */
	struct {
		uint64_t at;
		uint32_t n; /* at most device-payload, at least 1 */
	} want;
	uint64_t end;  /* grows as lengths become known: what starts before it is inside this unit */
	bool unit;     /* counts in `units` */
	struct err fault;
	enum problem_grade grade; /* of the fault with READER_BAD */
	void *state;   /* format->state_bytes zeroed bytes */
	struct found *found; /* images go here through reader_image */
	size_t first, images; /* private to search.c */
};

struct device_format {
	const char *name;        /* "fatbin" */
	enum object_type type;   /* of a loose file */
	struct span magics[4];   /* bytes at the start; unused ones empty; 2 to 8 bytes count in the search */
	const char *sections[4]; /* host sections made for it */
	bool searched;           /* found by the magic search in host files */
	size_t state_bytes;
	/* start: sets the first want (usually the header). Then each feed gets exactly the bytes wanted. */
	enum reader_answer (*start)(struct reader *r);
	enum reader_answer (*feed)(struct reader *r, struct span bytes);
};

#define DEVICE_FORMAT(name) extern const struct device_format device_##name;
#include "elf/device/list.def"
#undef DEVICE_FORMAT

/* One image of this unit; alike ones of one unit are added up at once. code->count is 1. */
void reader_image(struct reader *r, const struct device_code *code, bool unit_target);
/* Something odd in a unit that is read all the same: an anomaly. */
void reader_oddity(struct reader *r, const char *fmt, ...) PRINTF_LIKE(2, 3);
/* Sets the fault and gives READER_BAD. */
enum reader_answer reader_bad(struct reader *r, enum problem_grade grade, enum err_code code, const char *fmt, ...) PRINTF_LIKE(4, 5);
enum reader_answer reader_want(struct reader *r, uint64_t at, uint64_t n);

#endif
