/* SPDX-License-Identifier: Apache-2.0 */
/* Every device-code reader by way of the search: as a loose file, and as something found in a host file of two alignments. */
#include "elf/search/search.h"
#include "fuzz.h"

static void ignore_text(void *sink, uint64_t offset, struct span text)
{
	(void)sink;
	(void)offset;
	(void)text;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const enum search_step steps[] = {SEARCH_FILE, SEARCH_LOOSE, SEARCH_LINKED};
	struct span file = {data, size};

	for (size_t i = 0; i < sizeof(steps) / sizeof(*steps); i++) {
		struct search *s = search_begin(fuzz_context(), steps[i], size, ignore_text, NULL);

		for (size_t at = 0; at < size; at += 509)
			search_feed(s, at, span_first(span_after(file, at), 509));
		search_end(s, size);
		search_free(s);
	}
	return 0;
}
