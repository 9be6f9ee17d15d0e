/* SPDX-License-Identifier: Apache-2.0 */
/* A zip archive and those inside it, read in place: entries, objects, packages, and what is odd. Nothing is unpacked to
 * disk. */
#ifndef POSTERN_EXTRACTORS_ARCHIVE_ARCHIVE_H
#define POSTERN_EXTRACTORS_ARCHIVE_ARCHIVE_H

#include "extractors/extractor.h"
#include "extractors/stream/zip_directory.h"

struct archive_source {
	struct zip_bytes bytes;
	struct span path; /* in the artifact; empty for the artifact itself */
	struct span name; /* of the file: for wheel names */
	unsigned depth;   /* 0 for the artifact itself */
	uint32_t index, slices;
	struct staging *staged; /* stream.c only: it passed */
};

/*
 * Reads one slice. Slice 0 also tells what is odd about the archive as a whole and reads its packages. What begins like
 * an archive inside the artifact and is none is told as an anomaly.
 */
void archive_read(const struct job_context *ctx, struct facts *facts, const struct archive_source *src);
/* How many slices such an archive is worth. */
uint32_t archive_slices(const struct zip_directory *z);
/* True for a conda package: a few members, compressed tars among them. */
bool archive_is_conda(const struct zip_directory *z);
/* True when the archive has NAME.dist-info/WHEEL at its top. */
bool archive_is_wheel(const struct zip_directory *z);

#endif
