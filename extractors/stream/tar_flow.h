/* SPDX-License-Identifier: Apache-2.0 */
/* The file that a tar stands at, as a flow: holes come as zeros, up to skipped-run of them. */
#ifndef POSTERN_EXTRACTORS_STREAM_TAR_FLOW_H
#define POSTERN_EXTRACTORS_STREAM_TAR_FLOW_H

#include "extractors/stream/tar.h"

struct tar_flow {
	struct flow flow;
	struct tar *tar;
	struct span front;      /* read before, and given first */
	struct tar_piece rest;  /* read before, and given then */
	struct tar_piece piece; /* taken, not given yet */
	uint8_t *room;
	int rc; /* of the last read: the caller's own before */
	struct err fault;
	uint64_t zeros; /* of holes so far */
	bool refused;   /* they are above skipped-run, which why says */
	struct err why;
	/* Each piece of the file, as the tar has it, when it is taken; may be NULL. */
	void (*taken)(void *sink, const struct tar_piece *piece);
	void *sink;
};

/* front and then rest were read already, and live until tar_flow_close. */
void tar_flow_open(struct tar_flow *f, struct tar *t, uint64_t size, struct span front, struct tar_piece rest);
void tar_flow_close(struct tar_flow *f);

#endif
