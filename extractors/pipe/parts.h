/* SPDX-License-Identifier: Apache-2.0 */
/* Private to pipe*.c. */
#ifndef POSTERN_EXTRACTORS_PIPE_PARTS_H
#define POSTERN_EXTRACTORS_PIPE_PARTS_H

#include "base/digest.h"
#include "extractors/pipe.h"

/* Passes another flow on: first a piece that was taken from it before, and all of it to a digest. */
struct tee {
	struct flow flow;
	struct flow *from;
	struct span first;
	struct digest *digest; /* or NULL */
};

void tee_open(struct tee *t, struct flow *from, struct span first, struct digest *digest);
/* Nobody wants its digest any more. */
void tee_unhash(struct tee *t, struct arena *mem);
/* Takes all that is left. -1 when it cannot be had. */
int flow_drain(struct flow *f, struct err *e);

/*
 * image.c: a tar, plain or compressed. Of an image layers are hashed, and not the tar: that ends with the first file that is
 * named like an image's.
 */
void pipe_tar(const struct job_context *ctx, struct tee *from, bool hash, struct pipe_found *out);

#endif
