/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What every reader inside a worker is given. The four families do not know one another: extractors find files, and hand
 * their bytes to whatever file_reader the job was given (elf/inspect.c is the only one; src/workers/worker.c joins the two).
 */
#ifndef POSTERN_MODEL_JOB_H
#define POSTERN_MODEL_JOB_H

#include "model/catalogue.h"
#include "model/facts.h"

struct file_reader;
struct flow;
struct room;

struct job_context {
	struct arena *mem; /* of this job */
	const struct limits *limits;
	const struct catalogue *catalogue;
	const struct file_reader *reader;
	struct room *room; /* for the file in hand (base/room.h); NULL: readers make their own */
	bool verify; /* hash every file: facts.digests */
	/*
	 * Reads all that a flow gives as one layer, in a process of its own where there are any, so that what kills it costs
	 * that layer only. Its facts as bytes in mem, at most so many; empty and e when it did not come to its end.
	 */
	struct span (*layer_apart)(const struct job_context *ctx, struct flow *from, size_t most, struct err *e);
	bool all_platforms; /* the nth image that there is, from 0, instead of the one for a platform */
	uint32_t nth;
	bool all_config; /* ENV, labels and steps of an image as they stand, with what may be secret */
	struct span platform, image; /* what the caller chose; empty: nothing */
};

/* Bytes from the front of a file that `wants` needs to decide; fewer only when the file is shorter. */
#define READER_FRONT 4096

/*
 * Reads one file from front to back. `begin` gives a handle that lives in ctx->mem; `end` must follow. Nothing fails: what
 * cannot be read becomes a problem in the facts.
 */
struct file_reader {
	/* Do these first bytes say that the file is to be read? Never by name. */
	bool (*wants)(struct span front);
	/*
	 * path: as in the artifact, kept. size: of the whole file, as the archive or file system says. map: the whole file when
	 * it lies in memory until `end`, so that nothing has to be kept, else NULL. It is fed all the same.
	 */
	void *(*begin)(const struct job_context *ctx, struct span path, uint64_t size, const uint8_t *map);
	/* The next bytes of a stream, in order, without gaps. False: nothing more is wanted, the rest may be skipped. */
	bool (*feed)(void *handle, struct span bytes);
	/* The same for n zeros, a hole of a sparse file: the facts are those of feed, the time is not. */
	bool (*feed_zeros)(void *handle, uint64_t n);
	/*
	 * Adds at most one object (sorted) to facts->objects, and its problems. whole: false when the caller could not give all
	 * bytes; the caller reports that itself.
	 */
	void (*end)(void *handle, struct facts *facts, bool whole);
};

#endif
