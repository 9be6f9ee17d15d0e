/* SPDX-License-Identifier: Apache-2.0 */
#include "extractors/stream/tar_flow.h"

#include <stdlib.h>

static bool has_bytes(const struct tar_piece *p)
{
	return p->zeros || p->bytes.n;
}

/* What the tar gives next, unless holes have taken too much of it. */
static void tar_take(struct tar_flow *f)
{
	const struct limits *limits = f->tar->from->limits;

	f->rc = tar_read(f->tar, &f->piece, &f->fault);
	if (f->piece.zeros <= limits->v[LIMIT_SKIPPED_RUN] - f->zeros) {
		f->zeros += f->piece.zeros;
		return;
	}
	err_limit(&f->why, LIMIT_SKIPPED_RUN, limits, "what is no byte of this file");
	f->refused = true;
}

/* The next piece of the file. False: there is none. */
static bool piece_take(struct tar_flow *f)
{
	f->piece = (struct tar_piece){0};
	if (f->front.n) {
		f->piece.bytes = f->front;
		f->front = SPAN_NONE;
	} else if (has_bytes(&f->rest)) {
		f->piece = f->rest;
		f->rest = (struct tar_piece){0};
	} else if (f->rc == 0 && !f->refused) {
		tar_take(f);
	} else {
		return false;
	}
	if (f->taken && has_bytes(&f->piece))
		f->taken(f->sink, &f->piece);
	if (f->refused)
		f->piece = (struct tar_piece){0};
	return !f->refused;
}

/* As much of the piece as there is room for; how much. */
static size_t piece_give(struct tar_flow *f, uint8_t *to, size_t room)
{
	size_t zeros = f->piece.zeros < room ? (size_t)f->piece.zeros : room, n = room - zeros;

	memset(to, 0, zeros);
	f->piece.zeros -= zeros;
	n = f->piece.bytes.n < n ? f->piece.bytes.n : n;
	if (n)
		memcpy(to + zeros, f->piece.bytes.p, n);
	f->piece.bytes = span_after(f->piece.bytes, n);
	return zeros + n;
}

static int next(struct flow *flow, struct span *piece, struct err *e)
{
	struct tar_flow *f = (struct tar_flow *)flow;
	size_t n = 0;

	while (n < FLOW_PIECE && (has_bytes(&f->piece) || piece_take(f)))
		n += piece_give(f, f->room + n, FLOW_PIECE - n);
	*piece = (struct span){f->room, n};
	if (n)
		return 0;
	if (f->refused)
		*e = f->why;
	else if (f->rc < 0)
		*e = f->fault;
	return f->refused || f->rc < 0 ? -1 : 1;
}

void tar_flow_open(struct tar_flow *f, struct tar *t, uint64_t size, struct span front, struct tar_piece rest)
{
	*f = (struct tar_flow){.flow = {.next = next, .size = size},
	                       .tar = t,
	                       .front = front,
	                       .rest = rest,
	                       .fault = ERR_INIT,
	                       .why = ERR_INIT};
	f->room = malloc(FLOW_PIECE);
	if (!f->room)
		out_of_memory();
}

void tar_flow_close(struct tar_flow *f)
{
	free(f->room);
	f->room = NULL;
}
