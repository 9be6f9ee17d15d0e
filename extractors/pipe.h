/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An artifact that passes once, front to back: what comes through a pipe, and a tar that is compressed as a whole. Nothing is
 * spooled. A tar is read as a root file system, and each file in it that looks like a layer or a document of an image as that,
 * too; its end tells which of both it is. The facts are those of the same bytes in a file that can be read in place.
 */
#ifndef POSTERN_EXTRACTORS_PIPE_H
#define POSTERN_EXTRACTORS_PIPE_H

#include "extractors/extractor.h"
#include "extractors/stream/flow.h"

struct pipe_layer {
	struct span facts;  /* as bytes; empty: it did not come to its end, and why says more */
	struct span digest; /* of the blob; empty: nobody asked for it */
	struct err why;
};

struct pipe_plan {
	struct facts facts;                     /* as extract_plan makes them */
	LIST(const struct pipe_layer *) layers; /* of an image; NULL: there is no such blob, as the plan says */
};

struct pipe_found {
	LIST(struct pipe_plan) plans; /* one; of an image with all platforms one for each */
	struct facts read;            /* of everything but an image, unless the plan refuses it */
	struct span digest;           /* of all bytes, when it was asked for; empty for what begins like an image */
};

/*
 * Reads all of `from`, and to its end whatever it is. hash: digests of all and of layers are wanted. name: as on the command
 * line. What is no tar and no zip archive is kept in memory, of at most object-ranges. All of out lives in ctx->mem.
 */
void pipe_read(const struct job_context *ctx, struct flow *from, bool hash, struct span name, struct pipe_found *out);

#endif
