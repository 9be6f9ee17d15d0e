/* SPDX-License-Identifier: Apache-2.0 */
/* METADATA, WHEEL and RECORD, each read from the same bytes, then as one package with its claims. */
#include "extractors/packages/package_parts.h"
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct job_context *ctx = fuzz_context();
	struct facts facts = fuzz_facts(ctx);
	struct package_parts parts = {0};
	struct span text = {data, size}, folder = span_of("input-1.0.dist-info");

	for (int kind = PACKAGE_METADATA; kind <= PACKAGE_RECORD; kind++)
		package_parts_add(&parts, ctx->mem, folder, (enum package_file)kind, text);
	package_parts_build(ctx, &facts, &parts, (struct span){0}, span_of("input-1.0-py3-none-any.whl"));
	marker_answer(text);
	return 0;
}
