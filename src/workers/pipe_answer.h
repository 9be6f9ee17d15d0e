/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The answer of a job that reads an artifact that passes once: what else many jobs would have answered, one after the other.
 * A part is its kind, a layer, 8 bytes of length, and so many bytes; of
 * the last one the length may be PIPE_REST.
 */
#ifndef POSTERN_WORKERS_PIPE_ANSWER_H
#define POSTERN_WORKERS_PIPE_ANSWER_H

#include "base/cursor.h"
#include "base/outbuf.h"
#include "extractors/pipe.h"

#define PIPE_REST UINT64_MAX /* it goes to the end: facts of millions of files are written once, and kept nowhere */

enum pipe_part_kind {
	PIPE_PLAN,   /* facts of a plan: the first part; and another one begins the next image */
	PIPE_READ,   /* facts of all, or of a layer */
	PIPE_DIGEST, /* facts with the digest of all, or of a layer */
	PIPE_LOST,   /* a layer's facts are not there: the limit's name, a NUL, and why */
	PIPE_PART_COUNT
};

struct pipe_part {
	enum pipe_part_kind kind;
	uint32_t layer; /* from 1; 0 for all of it */
	struct span bytes;
};

void pipe_answer_write(const struct pipe_found *found, struct outbuf *out);
/* The next part. False at the end, and when the rest is none: c->bad then. */
bool pipe_part_next(struct cursor *c, struct pipe_part *p);

#endif
