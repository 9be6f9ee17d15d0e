/* SPDX-License-Identifier: Apache-2.0 */
/* The strict reader of what a worker sends: what it takes, it writes again, byte for byte. */
#include "workers/facts.h"

#include <stdlib.h>

#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct job_context *ctx = fuzz_context();
	struct facts facts = fuzz_facts(ctx);
	struct outbuf again = outbuf_limited(FACTS_MAX);
	struct err e = ERR_INIT;
	struct span bytes = {data, size};

	if (facts_read(bytes, &facts, &e) == 0) {
		facts_write(&facts, &again);
		if (!again.failed && !span_eq(outbuf_span(&again), bytes))
			abort();
	}
	outbuf_release(&again);
	return 0;
}
