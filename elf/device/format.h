/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A device-code format: one file, one const row, one line in elf/device/list.def. A reader is a state machine that asks
 * for ranges in ascending order and is fed exactly those (design.md 5). It never sees a byte twice, holds at most
 * device-payload bytes, and reports images through reader_image. All numbers are little-endian.
 */
#ifndef POSTERN_ELF_DEVICE_FORMAT_H
#define POSTERN_ELF_DEVICE_FORMAT_H

#include "base/codec.h"
#include "base/cursor.h"
#include "elf/search/search.h"

enum reader_answer {
	READER_MORE, /* r->want is the next range: at or after the end of the last one */
	READER_DONE, /* all lengths agree; r->end is where the unit ends */
	READER_NOT,  /* not this format after all: forget it */
	READER_BAD,  /* this format, but it lies or cannot be read: r->fault says why; images so far stay listed */
};

struct search;
struct driver;
struct pending;

/* Room of a reader that the next one of its format gets. */
struct reader_bytes {
	uint8_t *p;
	size_t n, cap;
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
	/* Grows as lengths become known, exact with READER_DONE: what starts before it is inside this unit. */
	uint64_t end;
	bool unit; /* counts in `units` */
	struct err fault;
	enum problem_grade grade;  /* of the fault with READER_BAD */
	void *state;               /* format->state_bytes zeroed bytes */
	struct reader_bytes kept;  /* what reader_keep put together */
	struct reader_bytes table; /* room that reader_table gave */
	struct codec_streams *codecs;
	struct driver *driver;     /* private to the driver */
	struct pending *pending;   /* private to the driver */
};

struct device_format {
	const char *name;        /* "fatbin" */
	enum object_type type;   /* of a loose file */
	struct span magics[4];   /* bytes at the start; unused ones empty; 4 to 24 bytes */
	uint16_t machine;        /* ELF formats: e_machine; 0 else */
	const char *sections[4]; /* host sections made for it */
	bool payload;            /* inside another unit it is a payload of that one, and not looked at again */
	size_t state_bytes;
	/* start: sets the first want (usually the header). Then each feed gets exactly the bytes wanted. */
	enum reader_answer (*start)(struct reader *r);
	enum reader_answer (*feed)(struct reader *r, struct span bytes);
	/* Gives back what is not the arena's; may be NULL. Also called for a reader that is dropped. */
	void (*stop)(struct reader *r);
};

#define DEVICE_FORMAT(name) extern const struct device_format device_##name;
#include "elf/device/list.def"
#undef DEVICE_FORMAT
/* All of them, in the order of list.def, ended by NULL (elf/device/formats.c). */
extern const struct device_format *const device_formats[];
/* front starts with a magic of f, and names its machine. At the end of a file it is filled up with zeros. */
bool device_format_starts(const struct device_format *f, struct span front);

/* One image of this unit; alike ones of one unit are added up at once. code->count is 1. */
void reader_image(struct reader *r, const struct device_code *code, bool unit_target);
/* Something odd in a unit that is read all the same. Each kind (fmt) of a unit is told once. */
void reader_oddity(struct reader *r, enum problem_grade grade, const char *fmt, ...) PRINTF_LIKE(3, 4);
/* Sets the fault and gives READER_BAD. */
enum reader_answer reader_bad(struct reader *r, enum problem_grade grade, enum err_code code, const char *fmt, ...)
        PRINTF_LIKE(4, 5);
/* READER_MORE with that want; READER_BAD when it lies beyond the file. */
enum reader_answer reader_want(struct reader *r, uint64_t at, uint64_t n);
/* The file ends inside the first header: nobody can start on it, and no byte is left unseen. */
enum reader_answer reader_cut(struct reader *r);
/* Adds bytes to r->kept. */
void reader_keep(struct reader *r, struct span bytes);
static inline struct span reader_kept(const struct reader *r)
{
	return (struct span){r->kept.p, r->kept.n};
}
/* device-payload, as far as it makes sense: at least one page, at most what fits a wanted range. */
static inline uint64_t reader_payload_max(const struct reader *r)
{
	uint64_t max = r->ctx->limits->v[LIMIT_DEVICE_PAYLOAD];

	return max < 4096 ? 4096 : max > 1u << 30 ? 1u << 30 : max;
}
/* n more bytes behind r->table, not set to anything, aligned when n always is. Older ones may move. */
void *reader_table(struct reader *r, size_t n);
/* False, with the fault set: object-ranges is hit, so that a table must not grow. */
bool reader_room_left(struct reader *r);
/* n bytes came out of a stream beyond what honest ones give; false, with the fault set: too many of them in this file. */
bool reader_inflated(struct reader *r, uint64_t n);
/* Room for n bytes that come out of a payload; every reader shares it. */
uint8_t *reader_scratch(struct reader *r, size_t n);

#endif
