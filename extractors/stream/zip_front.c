/* SPDX-License-Identifier: Apache-2.0 */
#include "extractors/stream/zip_front.h"

#include <stdlib.h>

void zip_front_open(struct zip_front *f, struct flow *from, struct zip_seen *seen)
{
	*f = (struct zip_front){.from = from, .seen = seen, .fault = ERR_INIT};
	f->room = malloc(ZIP_FRONT_MOST + FLOW_PIECE);
	if (!f->room)
		out_of_memory();
}

void zip_front_close(struct zip_front *f)
{
	free(f->room);
	f->room = NULL;
}

/* The next piece behind what is at hand. */
static void fill_once(struct zip_front *f)
{
	struct span piece;
	int rc;

	if (f->in.n) { /* the piece dies now */
		memmove(f->room, f->in.p, f->in.n);
		f->in.p = f->room;
	}
	rc = f->from->next(f->from, &piece, &f->fault);
	f->dry = rc != 0;
	f->failed = rc < 0;
	if (rc)
		return;
	zip_seen_note(f->seen, piece);
	if (f->in.n == 0) {
		f->in = piece;
		return;
	}
	memcpy(f->room + f->in.n, piece.p, piece.n);
	f->in = (struct span){f->room, f->in.n + piece.n};
}

void zip_front_fill(struct zip_front *f, size_t n)
{
	while (f->in.n < n && !f->dry)
		fill_once(f);
}

void zip_front_use(struct zip_front *f, size_t n)
{
	f->in = span_after(f->in, n);
	f->at += n;
}

void zip_front_back(struct zip_front *f, size_t n)
{
	f->in.p -= n;
	f->in.n += n;
	f->at -= n;
}

void zip_front_pass(struct zip_front *f, uint64_t n)
{
	while (n) {
		size_t some;

		zip_front_fill(f, 1);
		if (f->in.n == 0)
			return;
		some = n < f->in.n ? (size_t)n : f->in.n;
		zip_front_use(f, some);
		n -= some;
	}
}
