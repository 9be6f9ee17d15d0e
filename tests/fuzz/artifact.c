/* SPDX-License-Identifier: Apache-2.0 */
/* A whole artifact: every extractor bids, the best one reads it (zip walker, members, nested archives, METADATA, RECORD). */
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/scoped.h"
#include "extractors/extractor.h"
#include "facts.h"
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct job_context *ctx = fuzz_context();
	scoped_fd int fd = memfd_create("input", MFD_CLOEXEC);
	struct source source = {.fd = fd, .size = size, .name = span_of("input-1.0-py3-none-any.whl")};
	struct facts plan = fuzz_facts(ctx);
	const struct extractor *x;
	struct err e = ERR_INIT;

	if (fd < 0 || (size && write(fd, data, size) != (ssize_t)size))
		return 0;
	extract_plan(ctx, &source, &plan);
	x = extractor_by_name(plan.plan.extractor);
	for (uint32_t i = 0; x && !plan.plan.refused.n && i < plan.plan.slices && i < 64; i++) {
		struct slice slice = {.files = &source, .n = 1, .index = i, .slices = plan.plan.slices};
		struct facts facts = fuzz_facts(ctx), back = fuzz_facts(ctx);
		struct outbuf bytes = outbuf_limited(FACTS_MAX);

		extract_read(ctx, x, &slice, &facts);
		facts_sort(&facts);
		facts_write(&facts, &bytes);
		/* Whatever was read, the parent must be able to take it. */
		if (!bytes.failed && facts_read(outbuf_span(&bytes), &back, &e) < 0)
			abort();
		outbuf_release(&bytes);
	}
	return 0;
}
