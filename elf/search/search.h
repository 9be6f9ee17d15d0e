/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The one magic search over every byte of a file, and the driver of the device-code readers it starts.
 *
 * search_feed gets the file in ascending, gapless pieces (windows of a mapping or pieces of a stream: the result is the
 * same for any cutting). At each aligned place whose bytes are the magic of a row of elf/device/list.def a reader
 * starts; the driver feeds it the ranges that it asks for. A reader that starts inside the range of an older one waits
 * for that one: it is dropped when the older one's lengths agree, and stands for itself when they do not.
 *
 * Text marks: NUL-ended strings of 4 and more bytes whose first two bytes catalogue_may_start allows, plus open PTX
 * text, are handed to the sink with their offset.
 *
 * search_end gives everything that was found; `where` is joined afterwards by offset (elf/sections.c).
 */
#ifndef POSTERN_ELF_SEARCH_SEARCH_H
#define POSTERN_ELF_SEARCH_SEARCH_H

#include "model/job.h"

enum search_step {
	SEARCH_LINKED = 8, /* linked ELF files: magics are 8-aligned */
	SEARCH_LOOSE = 2,  /* relocatable files and ar archives */
	SEARCH_FILE = 0,   /* a loose device file: one reader at offset 0, no search */
};

/* A string that may name a library or an API function: offset of its first byte, text without NUL. */
typedef void search_text(void *sink, uint64_t offset, struct span text);

/* One image, before `where` is known. */
struct found_image {
	struct device_code code; /* count 1; where empty */
	bool unit_target; /* native with kernels, or portable in a container: its target counts for the unit's set */
};

/* One container that was read, as far as it could be. One that holds no image is not listed. */
struct found_unit {
	uint64_t offset, end; /* in the file */
	struct span format;   /* row of elf/device/list.def */
	bool unit; /* a fatbin, bundle, CCOB or bare image with a target: counts in `units`; an open text does not */
	size_t first, images; /* its images, alike ones already added up */
};

/*
 * In `faults`: a candidate that failed before any image was listed. It is a problem when it lies at @file or in a
 * section made for that format (search_section_of), else it was only a number that looks like a magic, and is
 * forgotten. In `oddities`: what was odd about units that are listed. Always a problem.
 */
struct found_fault {
	uint64_t offset;
	struct span format;
	enum problem_grade grade;
	enum limit_id limit;
	struct span reason;
};

struct driver;

struct found {
	LIST(struct found_unit) units;
	size_t images;               /* of all units: found_image_at */
	const struct driver *driver; /* private */
	LIST(struct found_fault) faults;
	LIST(struct found_fault) oddities;
};

struct search;

/*
 * size: of the file; what a reader claims must lie inside it. The search lives in ctx->mem, but for what search_free frees.
 * A quarter of object-ranges is what it may keep.
 */
struct search *search_begin(const struct job_context *ctx, enum search_step step, uint64_t size, search_text *text,
                            void *sink);
void search_feed(struct search *s, uint64_t offset, struct span bytes);
/* The same for n zeros: only those that a reader asks for are looked at. */
void search_skip(struct search *s, uint64_t offset, uint64_t n);
/* Ends every reader, sorts by offset. size: where the bytes really ended. */
struct found *search_end(struct search *s, uint64_t size);
struct found_image found_image_at(const struct found *f, size_t i);
/* What was found dies, too. NULL is fine. */
void search_free(struct search *s);

/* True when these first bytes are those of a loose device file; *type says which. */
bool search_is_device_file(struct span front, enum object_type *type);
/* True when a section of this name is made for that format: a fault in it is a problem. */
bool search_section_of(struct span format, struct span section);

#endif
