/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Bytes from the front to the end, wherever they come from: a range of a descriptor, a pipe, a file in an archive. Every
 * piece but the last has FLOW_PIECE bytes, so that nothing depends on how they came.
 */
#ifndef POSTERN_EXTRACTORS_STREAM_FLOW_H
#define POSTERN_EXTRACTORS_STREAM_FLOW_H

#include "base/err.h"

#define FLOW_PIECE   (256u << 10)
#define FLOW_UNKNOWN UINT64_MAX

struct flow {
	/*
	 * 0 and the next bytes, at least one, which live until the next call; 1 the end; -1 what follows cannot be had. After 1
	 * and -1 it gives the same again.
	 */
	int (*next)(struct flow *f, struct span *piece, struct err *e);
	uint64_t size; /* as somebody claims: FLOW_UNKNOWN where nobody does. What comes may be less, never more */
	/*
	 * Or NULL. For what is read as it is: pieces are given where they lie in `lying`, which is all of it and lives as long as
	 * the flow, if that can be.
	 */
	void (*lay)(struct flow *f);
	struct span lying;
};

/* A range of a file, or what a pipe gives. */
struct flow_file {
	struct flow flow;
	int fd; /* the caller's */
	bool pipe;
	uint64_t start, at; /* at: behind the last piece */
	uint8_t *room;
	bool ended;
	struct err fault;
	uint8_t *map; /* of whole pages, with lying in it */
	uint64_t left; /* of the map, pages before that were given back */
};

/* Bytes that lie in memory. */
struct flow_memory {
	struct flow flow;
	struct span left;
};

void flow_memory_open(struct flow_memory *f, struct span bytes);

/* size bytes at offset, fewer where the file ends before. Always followed by flow_file_close. */
void flow_file_open(struct flow_file *f, int fd, uint64_t offset, uint64_t size);
/* All that comes until the other side closes. */
void flow_pipe_open(struct flow_file *f, int fd);
void flow_file_close(struct flow_file *f);

#endif
