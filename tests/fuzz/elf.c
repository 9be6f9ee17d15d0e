/* SPDX-License-Identifier: Apache-2.0 */
/* One file through the ELF reader, mapped and as a stream in pieces: both must say the same. */
#include <stdlib.h>

#include "workers/facts.h"
#include "fuzz.h"

static void as_stream(const struct job_context *ctx, struct span file, size_t piece, struct facts *facts)
{
	void *handle = ctx->reader->begin(ctx, span_of("f"), file.n, NULL);
	bool more = true;

	for (size_t at = 0; more && at < file.n; at += piece)
		more = ctx->reader->feed(handle, span_first(span_after(file, at), piece));
	ctx->reader->end(handle, facts, true);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct job_context *ctx = fuzz_context();
	struct facts mapped = fuzz_facts(ctx), stream = fuzz_facts(ctx);
	struct outbuf a = outbuf_limited(FACTS_MAX), b = outbuf_limited(FACTS_MAX);
	struct span file = {data, size};

	if (!ctx->reader->wants(span_first(file, READER_FRONT)))
		return 0;
	ctx->reader->end(ctx->reader->begin(ctx, span_of("f"), size, data), &mapped, true);
	as_stream(ctx, file, 1021, &stream);
	facts_sort(&mapped);
	facts_sort(&stream);
	facts_write(&mapped, &a);
	facts_write(&stream, &b);
	if (!a.failed && !b.failed && !span_eq(outbuf_span(&a), outbuf_span(&b)))
		abort();
	outbuf_release(&a);
	outbuf_release(&b);
	return 0;
}
