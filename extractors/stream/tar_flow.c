/* SPDX-License-Identifier: Apache-2.0 */
#include "extractors/stream/tar_flow.h"

#include <stdlib.h>

/* The next piece of the file; none is left when f->rc is not 0. */
static void piece_take(struct tar_flow *f)
{
	if (f->front.n) {
		f->piece = (struct tar_piece){0, f->front};
		f->front = SPAN_NONE;
	} else if (f->rest.zeros || f->rest.bytes.n) {
		f->piece = f->rest;
		f->rest = (struct tar_piece){0};
	} else {
		f->rc = tar_read(f->tar, &f->piece, &f->fault);
	}
	if (f->taken && (f->piece.zeros || f->piece.bytes.n))
		f->taken(f->sink, &f->piece);
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

	while (n < FLOW_PIECE) {
		n += piece_give(f, f->room + n, FLOW_PIECE - n);
		if (f->piece.zeros || f->piece.bytes.n)
			break;
		if (f->rc)
			break;
		piece_take(f);
	}
	*piece = (struct span){f->room, n};
	if (n)
		return 0;
	if (f->rc < 0)
		*e = f->fault;
	return f->rc;
}

void tar_flow_open(struct tar_flow *f, struct tar *t, uint64_t size, struct span front, struct tar_piece rest)
{
	*f = (struct tar_flow){.flow = {next, size}, .tar = t, .front = front, .rest = rest, .fault = ERR_INIT};
	f->room = malloc(FLOW_PIECE);
	if (!f->room)
		out_of_memory();
}

void tar_flow_close(struct tar_flow *f)
{
	free(f->room);
	f->room = NULL;
}
