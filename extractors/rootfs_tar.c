/* SPDX-License-Identifier: Apache-2.0 */
/* A tar archive that is no image, plain or compressed: a root file system, an apk, an sdist. */
#include "extractors/extractor.h"
#include "extractors/layer.h"
#include "extractors/stream/tar_header.h"
#include "extractors/stream/unpack.h"

static bool inflated_begins(const struct job_context *ctx, const struct source *src)
{
	struct err e = ERR_INIT;
	struct flow_file from;
	struct unpack u;
	struct span piece;
	bool tar;

	flow_file_open(&from, src->fd, 0, src->size);
	tar = unpack_open(&u, &from.flow, ctx->limits, &e) == 0 && unpack_next(&u, &piece, &e) == 0 &&
	      tar_block_is_header(piece);
	unpack_close(&u);
	flow_file_close(&from);
	return tar;
}

/* An image in a tar is more than a tar: its rows bid higher. */
static unsigned bid(const struct job_context *ctx, const struct source *src, const struct glimpse *g)
{
	bool tar = unpack_codec(g->head) == CODEC_NONE ? tar_block_is_header(g->head) : inflated_begins(ctx, src);

	if (!tar)
		return 0;
	return g->head.n && ctx->reader->wants(g->head) ? 20 : 40;
}

/* Images in a compressed tar cannot be read in place; nobody looked into their layers. */
static bool holds_image(const struct facts *facts)
{
	bool layout = false, index = false, manifest = false, layer = false;

	for (size_t i = 0; i < facts->entries.n; i++) {
		struct span path = facts->entries.v[i].path;

		layout |= span_eq(path, SPAN("oci-layout"));
		index |= span_eq(path, SPAN("index.json"));
		manifest |= span_eq(path, SPAN("manifest.json")) || span_eq(path, SPAN("repositories"));
		layer |= span_ends(path, SPAN(".tar")) || span_ends(path, SPAN(".tar.gz"));
	}
	return (layout && index) || (manifest && layer);
}

static void read_tar(const struct job_context *ctx, const struct slice *s, struct facts *facts)
{
	const struct source *src = &s->files[0];
	struct flow_file from;

	flow_file_open(&from, src->fd, 0, src->size);
	layer_read(ctx, &from.flow, facts);
	flow_file_close(&from);
	if (!span_eq(facts->compression, SPAN("none")) && holds_image(facts))
		problem_add(&facts->problems, ctx->mem, PROBLEM_INCOMPLETE, FINDING_SCAN_INCOMPLETE, SPAN_NONE,
		            "it holds an image, whose layers are not read in a compressed tar; decompress it first");
}

const struct extractor extractor_rootfs_tar = {"rootfs-tar", bid, NULL, read_tar};
