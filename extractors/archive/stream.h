/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A zip archive that is read once, front to back, and not kept. Members are read as their local headers say; when the directory
 * passes it is held against them, and what it lists is told as the reader by directory (archive.h) tells it. Where the two
 * disagree about a member it counts as not read, by name.
 */
#ifndef POSTERN_EXTRACTORS_ARCHIVE_STREAM_H
#define POSTERN_EXTRACTORS_ARCHIVE_STREAM_H

#include "extractors/extractor.h"
#include "extractors/stream/flow.h"

struct archive_stream_source {
	struct flow *from;
	struct span path; /* in the artifact; empty for the artifact itself */
	struct span name; /* of the file: for wheel names */
	unsigned depth;   /* 0 for the artifact itself */
	uint64_t held;    /* bytes that those around it keep: with them it stays inside object-ranges */
	unsigned streams; /* archives around it that pass, too */
	bool *wheel;      /* may be NULL; becomes true for a wheel */
};

/*
 * Reads all of `from`. -1 and e only when that fails: what came before is told. An archive without a directory is incomplete
 * where it is the artifact or a wheel, else an anomaly; its members stand below "hidden-local!/".
 */
int archive_stream_read(const struct job_context *ctx, struct facts *facts, const struct archive_stream_source *src,
                        struct err *e);

#endif
