/* SPDX-License-Identifier: Apache-2.0 */
/* An archive as it passes, from the front: headers in one piece, bytes taken and given back, ends that no header tells. */
#ifndef POSTERN_EXTRACTORS_STREAM_ZIP_FRONT_H
#define POSTERN_EXTRACTORS_STREAM_ZIP_FRONT_H

#include "extractors/stream/flow.h"
#include "extractors/stream/zip_seen.h"

#define ZIP_FRONT_MOST (132u << 10) /* a header with its name and extra fields */

struct zip_front {
	struct flow *from;
	struct zip_seen *seen;
	struct span in; /* at hand, not used yet */
	uint64_t at;    /* where that stands in the archive */
	uint8_t *room;
	bool dry;    /* the flow has no more */
	bool failed; /* since it cannot be read: fault says why */
	struct err fault;
};

/* Both live longer. zip_front_close must follow. */
void zip_front_open(struct zip_front *f, struct flow *from, struct zip_seen *seen);
void zip_front_close(struct zip_front *f);
/* At least n bytes (ZIP_FRONT_MOST at most) are at hand, fewer only at the end. */
void zip_front_fill(struct zip_front *f, size_t n);
/* n bytes at hand are used. */
void zip_front_use(struct zip_front *f, size_t n);
/* The last n bytes that were used are not. No fill may come between. */
void zip_front_back(struct zip_front *f, size_t n);
/* Passes over n bytes, fewer only at the end. */
void zip_front_pass(struct zip_front *f, uint64_t n);

/* A member whose end only what follows it can tell. */
struct zip_ending {
	uint64_t data; /* where its bytes begin */
	uint32_t crc;  /* of those that were allotted */
	bool blind;    /* the sum is of other bytes than these */
};

/*
 * How many bytes at hand are the member's for sure. True: it ends behind those, by a descriptor whose numbers agree with it,
 * with a header behind that. No bytes, and false: the archive ended first.
 */
bool zip_ending_next(struct zip_front *f, struct zip_ending *end, uint64_t *n);
/*
 * Takes the descriptor that follows a member, if its numbers agree with m->stored, and with read also with m->size and
 * m->crc. Fills m with them, and keeps its bytes.
 */
void zip_descriptor_take(struct zip_front *f, struct zip_member *m, bool read);

#endif
