/* SPDX-License-Identifier: Apache-2.0 */
/* The reader of inventories: what it takes is one, so that written and read again it gives the same bytes. */
#include "inventory/read.h"

#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "fuzz.h"
#include "reports/report.h"

static int read_bytes(struct inventory *inv, const uint8_t *data, size_t size, const struct job_context *ctx)
{
	static int fd = -1;
	struct err e = ERR_INIT;

	if (fd < 0)
		fd = memfd_create("inventory", MFD_CLOEXEC);
	if (ftruncate(fd, 0) < 0 || pwrite(fd, data, size, 0) != (ssize_t)size || lseek(fd, 0, SEEK_SET) != 0)
		abort();
	inventory_begins((struct span){data, size});
	return inventory_read(inv, fd, ctx->limits, ctx->mem, &e);
}

static struct outbuf write_again(const struct inventory *inv)
{
	struct report_options options = {.subject = REPORT_SCAN};
	struct outbuf out = outbuf_limited((size_t)1 << 30);

	report_json.write(inv, NULL, &options, &out);
	return out;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct job_context *ctx = fuzz_context();
	struct inventory first = {.rules_version = SPAN_NONE}, second = {.rules_version = SPAN_NONE};
	struct outbuf once, twice;

	if (read_bytes(&first, data, size, ctx) < 0)
		return 0;
	once = write_again(&first);
	if (once.failed || read_bytes(&second, once.p, once.n, ctx) < 0)
		abort();
	twice = write_again(&second);
	if (!span_eq(outbuf_span(&once), outbuf_span(&twice)))
		abort();
	outbuf_release(&once);
	outbuf_release(&twice);
	return 0;
}
