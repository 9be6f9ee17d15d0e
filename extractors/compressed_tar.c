/* SPDX-License-Identifier: Apache-2.0 */
/* A compressed tar archive: a root file system, an apk, an sdist, or an image that somebody compressed as a whole. */
#include "extractors/extractor.h"
#include "extractors/stream/tar_header.h"
#include "extractors/stream/unpack.h"

static unsigned bid(const struct job_context *ctx, const struct source *src, const struct glimpse *g)
{
	struct err e = ERR_INIT;
	struct flow_file from;
	struct unpack u;
	struct span piece;
	bool tar;

	if (unpack_codec(g->head) == CODEC_NONE)
		return 0;
	flow_file_open(&from, src->fd, 0, src->size);
	tar = unpack_open(&u, &from.flow, ctx->limits, &e) == 0 && unpack_next(&u, &piece, &e) == 0 &&
	      tar_block_is_header(piece);
	unpack_close(&u);
	flow_file_close(&from);
	return tar ? 40 : 0;
}

/* Until it has passed. */
static void plan(const struct job_context *ctx, const struct source *src, struct plan *plan)
{
	plan->kind = SPAN("rootfs-tar");
}

static void read_nothing(const struct job_context *ctx, const struct slice *s, struct facts *facts)
{
	problem_add(&facts->problems, ctx->mem, PROBLEM_INCOMPLETE, FINDING_SCAN_INCOMPLETE, s->files[0].path,
	            "a compressed tar is read front to back");
}

const struct extractor extractor_compressed_tar = {"compressed-tar", bid, plan, read_nothing, true};
