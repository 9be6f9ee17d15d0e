/* SPDX-License-Identifier: Apache-2.0 */
/* The worker's half of reading a folder: files that the parent opened. */
#include "extractors/directory.h"
#include "extractors/item.h"
#include "extractors/packages/package_parts.h"

static unsigned bid(const struct job_context *ctx, const struct source *src, const struct glimpse *g)
{
	return 0; /* a folder is seen by the parent, and never planned */
}

static void read_slice(const struct job_context *ctx, const struct slice *s, struct facts *facts)
{
	struct package_parts parts = {0};

	for (size_t i = 0; i < s->n; i++) {
		struct source src = s->files[i];
		struct span path = arena_copy(ctx->mem, src.path);
		struct spans links = {0};
		struct span folder, text;
		enum package_file kind = package_file_of(path, &folder);

		for (size_t k = 0; k < src.links.n; k++)
			spans_add(ctx->mem, &links, arena_copy(ctx->mem, src.links.v[k]));
		src.links = links;
		item_read(ctx, facts, &src, path);
		if (kind != PACKAGE_NONE && item_text(ctx, facts, &src, path, &text))
			package_parts_add(&parts, ctx->mem, folder, kind, text);
	}
	package_parts_build(ctx, facts, &parts, SPAN_NONE, SPAN_NONE);
}

const struct extractor extractor_directory = {"directory", bid, NULL, read_slice};
