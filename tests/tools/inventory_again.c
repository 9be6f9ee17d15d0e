/* SPDX-License-Identifier: Apache-2.0 */
/* Reads an inventory from a file, or from standard input, and writes it again: inventory_again [FILE]. */
#include <fcntl.h>
#include <stdio.h>

#include "base/scoped.h"
#include "inventory/read.h"
#include "reports/report.h"

int main(int argc, char **argv)
{
	scoped_fd int fd = argc > 1 ? open(argv[1], O_RDONLY | O_CLOEXEC) : 0;
	struct outbuf out = outbuf_limited(SIZE_MAX / 2);
	struct report_options options = {.subject = REPORT_SCAN};
	struct arena mem = ARENA_INIT;
	struct inventory inv = {.rules_version = SPAN_NONE};
	struct limits limits;
	struct err e = ERR_INIT;
	int rc = 1;

	limits_default(&limits);
	if (inventory_read(&inv, fd, &limits, &mem, &e) < 0) {
		fprintf(stderr, "%s\n", e.text);
	} else {
		report_json.write(&inv, NULL, &options, &out);
		rc = out.failed || fwrite(out.p, 1, out.n, stdout) != out.n || fflush(stdout) ? 2 : 0;
	}
	outbuf_release(&out);
	arena_clear(&mem);
	return rc;
}
