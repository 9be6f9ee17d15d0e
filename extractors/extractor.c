/* SPDX-License-Identifier: Apache-2.0 */
#include "extractors/extractor.h"

#include <stdlib.h>

#include "extractors/item.h"
#include "extractors/stream/zip_directory.h"

#define TAIL_BYTES (66u << 10)

static const struct extractor *const rows[] = {
#define EXTRACTOR(name) &extractor_##name,
#include "extractors/list.def"
#undef EXTRACTOR
};

const struct extractor *extractor_by_name(struct span name)
{
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (span_eq(name, span_of(rows[i]->name)))
			return rows[i];
	return NULL;
}

static const struct extractor *best_bid(const struct job_context *ctx, const struct source *src,
                                        const struct glimpse *g)
{
	const struct extractor *best = NULL;
	unsigned most = 0;

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		unsigned bid = rows[i]->bid(ctx, src, g);

		if (bid > most) {
			most = bid;
			best = rows[i];
		}
	}
	return best;
}

void extract_plan(const struct job_context *ctx, const struct source *src, struct facts *facts)
{
	struct zip_bytes bytes = item_bytes(src);
	size_t tail = src->size < TAIL_BYTES ? (size_t)src->size : TAIL_BYTES;
	uint8_t *room = malloc(tail + 1);
	struct plan *plan = &facts->plan;
	struct err e = ERR_INIT;
	uint8_t front[READER_FRONT];
	const struct extractor *x;
	struct glimpse g;

	if (!room)
		out_of_memory();
	*plan = (struct plan){.extractor = SPAN("file"), .kind = SPAN("file"), .slices = 1};
	g.tail = (struct span){room, tail};
	if (item_front(src, front, &g.head, &e) || !zip_bytes_get(&bytes, src->size - tail, room, tail)) {
		plan->refused = arena_printf(ctx->mem, "%s", e.code ? e.text : "it cannot be read");
	} else {
		x = best_bid(ctx, src, &g);
		plan->extractor = span_of(x->name);
		plan->kind = plan->extractor;
		if (x->plan)
			x->plan(ctx, src, plan);
		facts->problems = plan->problems;
	}
	free(room);
}

void extract_read(const struct job_context *ctx, const struct extractor *x, const struct slice *s, struct facts *facts)
{
	x->read(ctx, s, facts);
}
