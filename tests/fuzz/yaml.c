/* SPDX-License-Identifier: Apache-2.0 */
#include "rules/yaml.h"

#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct job_context *ctx = fuzz_context();
	struct node *root = NULL;
	struct err e = ERR_INIT;

	document_read(&root, "input.yaml", (struct span){data, size}, ctx->limits, ctx->mem, &e);
	return 0;
}
