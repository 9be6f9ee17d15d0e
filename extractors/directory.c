/* SPDX-License-Identifier: Apache-2.0 */
/* The worker's half of reading a folder: files that the parent opened. */
#include <errno.h>

#include "extractors/directory.h"
#include "extractors/item.h"
#include "extractors/packages/package_parts.h"

static unsigned bid(const struct job_context *ctx, const struct source *src, const struct glimpse *g)
{
	return 0; /* a folder is seen by the parent, and never planned */
}

static void hash(const struct job_context *ctx, struct facts *facts, const struct source *src, struct span path)
{
	uint8_t sum[DIGEST_BYTES];
	struct err e = ERR_INIT;
	uint64_t bytes;

	if (digest_descriptor(src->fd, sum, &bytes) < 0) {
		err_set(&e, ERR_IO, 0, "it cannot be read: %s", strerror(errno));
		item_unreadable(ctx, facts, path, &e);
	} else if (bytes != src->size) {
		err_set(&e, ERR_TRUNCATED, 0, "it changed while it was read");
		item_unreadable(ctx, facts, path, &e);
	} else {
		item_digest(ctx, facts, path, sum);
	}
}

static void read_slice(const struct job_context *ctx, const struct slice *s, struct facts *facts)
{
	struct package_parts parts = {0};

	for (size_t i = 0; i < s->n; i++) {
		const struct source *src = &s->files[i];
		struct span path = arena_copy(ctx->mem, src->path);
		struct span folder, text;
		enum package_file kind = package_file_of(path, &folder);

		item_read(ctx, facts, src, path);
		if (ctx->verify)
			hash(ctx, facts, src, path);
		if (kind != PACKAGE_NONE && item_text(ctx, facts, src, path, &text))
			package_parts_add(&parts, ctx->mem, folder, kind, text);
	}
	package_parts_build(ctx, facts, &parts, SPAN_NONE, SPAN_NONE);
}

const struct extractor extractor_directory = {"directory", bid, NULL, read_slice, false};
