/* SPDX-License-Identifier: Apache-2.0 */
#include "base/json.h"
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct err e = ERR_INIT;

	json_free(json_read((struct span){data, size}, fuzz_context()->limits, &e));
	return 0;
}
