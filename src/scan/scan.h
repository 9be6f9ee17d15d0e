/* SPDX-License-Identifier: Apache-2.0 */
/* Artifacts in, inventory out: opens, plans, hands out jobs, reads facts, merges. The only file that sees all families.
 */
#ifndef POSTERN_SCAN_SCAN_H
#define POSTERN_SCAN_SCAN_H

#include "model/catalogue.h"
#include "model/inventory.h"

struct scan_options {
	unsigned jobs; /* workers; 0: all in one process */
	struct limits limits;
	bool no_digests;
	bool verify;                  /* RECORD hashes too */
	const char *platform, *image; /* of several in an artifact; NULL: nothing was chosen */
	bool all_platforms;           /* of each image: an artifact for each */
	bool all_config;              /* nothing that an image says of itself is masked or left out */
	void (*progress)(void *sink, const char *name, uint64_t done, uint64_t total); /* may be NULL */
	void *progress_sink;
};

/*
 * Adds an artifact per name to inv, or one for each of its platforms, in order. An artifact that cannot be opened or is refused is in the inventory as
 * refused and not complete. -1 only for faults of our own. Everything lives in mem.
 */
int scan_artifacts(struct inventory *inv, const char *const *names, size_t n, const struct scan_options *o,
                   const struct catalogue *catalogue, struct arena *mem, struct err *e);

#endif
