/* SPDX-License-Identifier: Apache-2.0 */
/* A plain tar archive that is no image: a root file system. */
#include "extractors/extractor.h"
#include "extractors/layer/layer.h"
#include "extractors/stream/tar_header.h"

/* An image in a tar is more than a tar: its rows bid higher. */
static unsigned bid(const struct job_context *ctx, const struct source *src, const struct glimpse *g)
{
	if (unpack_codec(g->head) != CODEC_NONE || !tar_block_is_header(g->head))
		return 0;
	return g->head.n && ctx->reader->wants(g->head) ? 20 : 40;
}

static void read_tar(const struct job_context *ctx, const struct slice *s, struct facts *facts)
{
	const struct source *src = &s->files[0];
	struct flow_file from;

	flow_file_open(&from, src->fd, 0, src->size);
	layer_read(ctx, &from.flow, facts);
	flow_file_close(&from);
}

const struct extractor extractor_rootfs_tar = {"rootfs-tar", bid, NULL, read_tar, false};
