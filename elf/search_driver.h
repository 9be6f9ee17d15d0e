/* SPDX-License-Identifier: Apache-2.0 */
/* Between the byte search (search.c) and the readers it starts (search_driver.c). */
#ifndef POSTERN_ELF_SEARCH_DRIVER_H
#define POSTERN_ELF_SEARCH_DRIVER_H

#include "elf/device/format.h"

#define SEARCH_LOOK 24 /* bytes known at each place that is looked at: the longest magic */

/* What readers found, as small as can be: what many images have in common is kept once (search_images.c). */
struct kept_image {
	uint32_t row; /* in images.rows */
	bool opened, unit_target;
	uint64_t count, bytes, offset, kernels;
};

struct image_row {
	struct device_code code;
	uint64_t hash;
	const void *unit; /* that had it last, and where in that unit's list */
	size_t index;
};

struct images {
	struct arena *mem;
	LIST(struct image_row) rows;
	uint32_t *slots; /* hash table of rows, 0 empty, else row + 1 */
	size_t n_slots;
};

struct image_list {
	struct kept_image *v;
	size_t n, cap;
};

/* Adds one image to the list of a unit; alike ones are added up. */
void images_add(struct images *all, struct image_list *l, const void *unit, const struct device_code *code,
                bool unit_target);
/* One image in full. */
void images_expand(const struct images *all, const struct kept_image *i, struct found_image *out);

#define FORMATS_MAX    16
#define READERS_ACTIVE 32 /* containers in one another, and texts */
#define ODDITIES_MAX   8  /* kinds of them that one unit tells */
#define FAULTS_MAX     65536

struct oddity {
	const char *kind;
	struct found_fault fault;
};

/* A reader with its buffers, used again and again. */
struct box {
	struct box *next;
	struct reader r;
	uint8_t *held; /* the part of the wanted range that came with earlier pieces */
	size_t held_n, held_cap;
};

struct pending {
	struct pending *next; /* in the pool */
	const struct device_format *format;
	uint64_t start, end, listed_end;
	struct box *box; /* NULL: finished */
	enum reader_answer answer;
	bool unit, target, at_file;
	bool within;     /* starts inside a unit that was listed: counts only when images are found */
	bool lost, deep; /* something inside was not looked at; because of nested-containers */
	bool too_many;   /* images: device-entries was hit */
	uint64_t listed; /* images, each counted */
	struct image_list images;
	LIST(struct oddity) oddities;
	struct found_fault fault;
};

struct driver {
	const struct job_context *ctx;
	uint64_t size;
	bool file;                              /* a loose file: searched behind its first unit only */
	uint64_t inside;                        /* what starts before it is part of a unit that was listed */
	struct pending *active[READERS_ACTIVE]; /* by start */
	size_t n_active;
	struct {
		struct pending **v;
		size_t n, cap, head;
	} queue;
	struct pending *pool;
	struct box *boxes[FORMATS_MAX];
	struct images images;
	struct image_list list; /* of the units that were accepted */
	struct found *found;
	uint64_t listed;       /* images of units that count */
	size_t waiting_faults; /* in the queue */
	bool too_many_images, too_many_faults;
	struct {
		uint8_t *p;
		size_t n;
	} scratch;
};

/* size: of the file. */
struct driver *driver_new(const struct job_context *ctx, uint64_t size);
/* Holds images by a magic of its own: what claims to enclose one does not make it vanish. */
static inline bool driver_is_container(const struct device_format *f)
{
	return f->magics[0].n && !f->machine && !f->payload;
}

/* The next place where a reader gets its range, or UINT64_MAX. */
uint64_t driver_due(const struct driver *d);
/* How many bytes from `at` on no reader asks for; all before were seen or saved. */
uint64_t driver_idle(const struct driver *d, uint64_t at);
/* Starts the readers whose magic is at `at`; front: the bytes there, at least SEARCH_LOOK. True when there was one. */
bool driver_start(struct driver *d, uint64_t at, const uint8_t *front, bool at_file);
void driver_start_format(struct driver *d, const struct device_format *f, uint64_t at, bool at_file);
/* All bytes before `at` were seen: feeds the readers that are due. bytes: those from `from` on, up to `at` and beyond.
 */
void driver_feed(struct driver *d, uint64_t at, uint64_t from, const uint8_t *bytes);
/* The bytes [from, to) go away: readers that wait for some of them take a copy. */
void driver_save(struct driver *d, uint64_t from, uint64_t to, const uint8_t *bytes);
/* Ends every reader at the end of the file, and gives what they found. */
struct found *driver_end(struct driver *d, uint64_t size);
/* So many problems are known that no further one needs its words. */
static inline bool driver_told_enough(const struct driver *d)
{
	return d->found->faults.n >= FAULTS_MAX || d->found->oddities.n >= FAULTS_MAX;
}

/* In search_queue.c: takes what the first of the queue found, and so on, until one is still being read. */
void queue_settle(struct driver *d);
/* Gives p back to the pool, whatever it was doing. */
void driver_release(struct driver *d, struct pending *p);
/* The file ended at `size`, before p had what it wants. */
void driver_stop(struct driver *d, struct pending *p, uint64_t size);

#endif
