/* SPDX-License-Identifier: Apache-2.0 */
/* A wheel, or any other zip archive (artifacts.md B1 to B3). */
#include "extractors/archive/archive.h"
#include "extractors/item.h"

/* zipfile finds an archive by its end record, whatever stands before it. */
static unsigned bid(const struct job_context *ctx, const struct source *src, const struct glimpse *g)
{
	static const struct span marks[] = {SPAN_INIT("PK\3\4"), SPAN_INIT("PK\5\6"), SPAN_INIT("PK\6\6")};
	struct zip_bytes bytes = item_bytes(src);
	struct zip_end end;

	for (size_t i = 0; i < sizeof(marks) / sizeof(marks[0]); i++)
		if (span_starts(g->head, marks[i]))
			return 32;
	return zip_end_find(&bytes, &end) == 0 && end.directory_bytes ? 24 : 0;
}

static void plan(const struct job_context *ctx, const struct source *src, struct plan *out)
{
	struct zip_bytes bytes = item_bytes(src);
	struct zip_directory z;

	if (zip_directory_open(&z, &bytes, ctx->limits)) {
		out->refused = SPAN("it begins like a zip archive, and has no usable end record");
		return;
	}
	out->kind = archive_is_wheel(&z) ? SPAN("wheel") : SPAN("zip");
	out->slices = archive_slices(&z);
	zip_directory_close(&z);
}

static void read_slice(const struct job_context *ctx, const struct slice *s, struct facts *facts)
{
	const struct source *src = &s->files[0];

	archive_read(ctx, facts,
	             &(struct archive_source){.bytes = item_bytes(src),
	                                      .path = src->path,
	                                      .name = src->name,
	                                      .index = s->index,
	                                      .slices = s->slices});
}

const struct extractor extractor_wheel = {"wheel", bid, plan, read_slice, false};
