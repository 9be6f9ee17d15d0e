/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An artifact format: one file, one const row, one line in extractors/list.def. Everything here runs in a worker and gets
 * descriptors, never paths to open; only directory_walk (extractors/directory.h) runs in the parent, which opens files.
 *
 * Life of an artifact: the parent opens it. A folder is cut into slices by directory_walk. Anything else gets one plan job
 * (extract_plan: every row bids on content, the best one plans) and then plan.slices read jobs (extract_read). Descriptors
 * belong to the caller. Facts go into `facts`, whose arena is ctx->mem; they are sorted by facts_sort afterwards.
 */
#ifndef POSTERN_EXTRACTORS_EXTRACTOR_H
#define POSTERN_EXTRACTORS_EXTRACTOR_H

#include "model/job.h"

/* A regular file that the parent opened. */
struct source {
	int fd; /* -1: mem has all of it */
	uint64_t size;
	struct span path; /* in the artifact; empty for the artifact itself */
	struct span name; /* last part of the name on the command line or in the folder: for wheel file names only */
	const uint8_t *mem; /* NULL: it is read from fd */
};

/* One job's share of an artifact. */
struct slice {
	const struct source *files; /* one for everything but a folder */
	size_t n;
	uint32_t index, slices;
};

/* First and last bytes of a source, for bids. */
struct glimpse {
	struct span head; /* READER_FRONT bytes, or the whole file */
	struct span tail; /* the last 66 KiB, or the whole file: room for a zip end record and its comment */
};

struct extractor {
	const char *name;
	/* Bits of evidence that this format is meant, 0: not mine. Content decides, never the name. */
	unsigned (*bid)(const struct job_context *ctx, const struct source *src, const struct glimpse *g);
	/* Fills plan->kind and plan->slices, or plan->refused. NULL: one slice, kind is the name. */
	void (*plan)(const struct job_context *ctx, const struct source *src, struct plan *plan);
	void (*read)(const struct job_context *ctx, const struct slice *s, struct facts *facts);
	bool passes; /* it can be read once only, front to back: pipe_read (extractors/pipe.h) instead of read */
};

#define EXTRACTOR(name) extern const struct extractor extractor_##name;
#include "extractors/list.def"
#undef EXTRACTOR

/* NULL when no row has that name. */
const struct extractor *extractor_by_name(struct span name);
/* Lets every row bid; fills facts->plan. A source that cannot be read is refused. */
void extract_plan(const struct job_context *ctx, const struct source *src, struct facts *facts);
/*
 * Plans a folder from files at its top, named by path: an image, when it is one; else plan.extractor stays empty. absent:
 * paths that a former plan needs, one a line, and that are not there.
 */
void extract_plan_folder(const struct job_context *ctx, const struct slice *s, struct span absent, struct facts *facts);
/* Reads one slice as the named row says. */
void extract_read(const struct job_context *ctx, const struct extractor *x, const struct slice *s, struct facts *facts);

#endif
