/* SPDX-License-Identifier: Apache-2.0 */
/* A policy file: whatever it is, it is read, or refused with its place. */
#include "rules/policy.h"

#include <stdlib.h>

#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct job_context *ctx = fuzz_context();
	struct policy p = {.others = GRADE_INFO};
	struct err e = ERR_INIT;

	if (policy_read(&p, "p.yaml", (struct span){data, size}, ctx->catalogue, ctx->limits, ctx->mem, &e) < 0 &&
	    (e.code != ERR_USAGE || !span_starts(span_of(e.text), SPAN("p.yaml"))))
		abort();
	return 0;
}
