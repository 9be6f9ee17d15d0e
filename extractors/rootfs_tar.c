/* SPDX-License-Identifier: Apache-2.0 */
/* A tar archive that is no image, plain or compressed: a root file system, an apk, an sdist. */
#include "extractors/extractor.h"
#include "extractors/layer.h"
#include "extractors/stream/tar_header.h"
#include "extractors/stream/unpack.h"

static bool inflated_begins(const struct job_context *ctx, const struct source *src)
{
	struct err e = ERR_INIT;
	struct unpack u;
	struct span piece;
	bool tar = unpack_open(&u, src->fd, 0, src->size, ctx->limits, &e) == 0 && unpack_next(&u, &piece, &e) == 0 &&
	           tar_block_is_header(piece);

	unpack_close(&u);
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
	struct entry_cursor c = {0};
	bool layout = false, index = false, manifest = false, layer = false;

	while (entries_next(&facts->entries, &c)) {
		struct span name = c.row.name;
		bool top = c.folder == ENTRIES_ROOT;

		layout |= top && span_eq(name, SPAN("oci-layout"));
		index |= top && span_eq(name, SPAN("index.json"));
		manifest |= top && (span_eq(name, SPAN("manifest.json")) || span_eq(name, SPAN("repositories")));
		layer |= span_ends(name, SPAN(".tar")) || span_ends(name, SPAN(".tar.gz"));
	}
	return (layout && index) || (manifest && layer);
}

static void read_tar(const struct job_context *ctx, const struct slice *s, struct facts *facts)
{
	const struct source *src = &s->files[0];

	layer_read(ctx, src->fd, 0, src->size, src->name, facts);
	if (!span_eq(facts->compression, SPAN("none")) && holds_image(facts))
		problem_add(&facts->problems, ctx->mem, PROBLEM_INCOMPLETE, FINDING_SCAN_INCOMPLETE, SPAN_NONE,
		            "it holds an image, whose layers are not read in a compressed tar; decompress it first");
}

const struct extractor extractor_rootfs_tar = {"rootfs-tar", bid, NULL, read_tar};
