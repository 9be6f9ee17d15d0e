/* SPDX-License-Identifier: Apache-2.0 */
/* A whole artifact: every extractor bids, the best one reads it: archives, members, METADATA, RECORD, images and their layers. */
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "workers/apart.h"
#include "base/scoped.h"
#include "extractors/extractor.h"
#include "extractors/layer/layer.h"
#include "extractors/pipe.h"
#include "workers/facts.h"
#include "fuzz.h"

/* Whatever was read, the parent must be able to take it. */
static void there_and_back(const struct job_context *ctx, struct facts *facts)
{
	struct facts back = fuzz_facts(ctx);
	struct outbuf bytes = outbuf_limited(FACTS_MAX);
	struct err e = ERR_INIT;

	facts_sort(facts);
	facts_write(facts, &bytes);
	if (!bytes.failed && facts_read(outbuf_span(&bytes), &back, &e) < 0)
		abort();
	outbuf_release(&bytes);
}

/* The same bytes as they come through a pipe. */
static void read_passing(const struct job_context *ctx, const uint8_t *data, size_t size)
{
	struct job_context passing = *ctx;
	struct flow_memory from;
	struct pipe_found found;

	passing.layer_apart = layer_here;
	flow_memory_open(&from, (struct span){data, size});
	pipe_read(&passing, &from.flow, true, SPAN("-"), &found);
	for (size_t i = 0; i < found.plans.n; i++)
		there_and_back(ctx, &found.plans.v[i].facts);
	there_and_back(ctx, &found.read);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct job_context *ctx = fuzz_context();
	scoped_fd int fd = memfd_create("input", MFD_CLOEXEC);
	struct source source = {.fd = fd, .size = size, .name = span_of("input-1.0-py3-none-any.whl")};
	struct facts plan = fuzz_facts(ctx);
	const struct extractor *x;
	const struct image *image = &plan.plan.image;

	if (fd < 0 || (size && write(fd, data, size) != (ssize_t)size))
		return 0;
	extract_plan(ctx, &source, &plan);
	there_and_back(ctx, &plan);
	for (size_t i = 0; image->present && i < image->layers.n && i < 64; i++) {
		const struct layer_ref *layer = &image->layers.v[i];
		struct facts facts = fuzz_facts(ctx);
		struct flow_file from;

		if (layer->missing)
			continue;
		flow_file_open(&from, fd, layer->offset, layer->bytes);
		layer_read(ctx, &from.flow, &facts);
		flow_file_close(&from);
		there_and_back(ctx, &facts);
	}
	read_passing(ctx, data, size);
	x = image->present ? NULL : extractor_by_name(plan.plan.extractor);
	for (uint32_t i = 0; x && !plan.plan.refused.n && i < plan.plan.slices && i < 64; i++) {
		struct slice slice = {.files = &source, .n = 1, .index = i, .slices = plan.plan.slices};
		struct facts facts = fuzz_facts(ctx);

		extract_read(ctx, x, &slice, &facts);
		there_and_back(ctx, &facts);
	}
	return 0;
}
