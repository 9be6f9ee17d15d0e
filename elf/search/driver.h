/* SPDX-License-Identifier: Apache-2.0 */
/* Between the byte search (search.c) and the readers it starts (driver.c). */
#ifndef POSTERN_ELF_SEARCH_DRIVER_H
#define POSTERN_ELF_SEARCH_DRIVER_H

#include "elf/device/format.h"
#include "images.h"

#define SEARCH_LOOK 24 /* bytes known at each place that is looked at: the longest magic */

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
	bool too_much;   /* of its images, or of what lies inside: object-ranges was hit */
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
	bool too_many_images, too_many_faults, too_much;
	uint64_t kept;     /* bytes, that grow with what is found */
	uint64_t inflated; /* bytes, far more than were stored */
	struct codec_streams codecs;
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
void driver_free(struct driver *d);
/* Between pieces: gives back what is large and not in use. */
void driver_rest(struct driver *d);
/* Nothing more is kept: object-ranges is hit. */
static inline bool driver_full(const struct driver *d)
{
	return d->kept > d->ctx->limits->v[LIMIT_OBJECT_RANGES] / 4;
}
/* Counts what the arena gave out since it held `before`. */
static inline void driver_count(struct driver *d, uint64_t before)
{
	d->kept += d->ctx->mem->held - before;
}
/* Room for one more element, from the heap and without a copy left behind; counted. */
void *driver_room(struct driver *d, void *v, size_t n, size_t *cap, size_t size);
#define driver_add(d, l) ((l)->v = driver_room((d), (l)->v, (l)->n, &(l)->cap, sizeof(*(l)->v)), &(l)->v[(l)->n++])
/* So many problems are known that no further one needs its words. */
static inline bool driver_told_enough(const struct driver *d)
{
	return d->found->faults.n >= FAULTS_MAX || d->found->oddities.n >= FAULTS_MAX || driver_full(d);
}

/* In queue.c: takes what the first of the queue found, and so on, until one is still being read. */
void queue_settle(struct driver *d);
/* Gives p back to the pool, whatever it was doing. */
void driver_release(struct driver *d, struct pending *p);
/* The file ended at `size`, before p had what it wants. */
void driver_stop(struct driver *d, struct pending *p, uint64_t size);

#endif
