/* SPDX-License-Identifier: Apache-2.0 */
/* What the steps of a scan share. Private to scan*.c. */
#ifndef POSTERN_SCAN_PARTS_H
#define POSTERN_SCAN_PARTS_H

#include "pool.h"
#include "scan.h"
#include "worker.h"

/* One job handed out; answers come back in the same order. */
struct scan_job {
	size_t artifact;
	enum work_kind kind;
	uint32_t index, slices;
	struct spans files; /* of a folder's slice: what is lost with it */
};

/* One artifact on its way through the pool. */
struct reading {
	struct artifact *to;
	int fd; /* of a file, until its last slice is handed out; -1 else */
	uint64_t size;
	bool planned; /* nothing more is to be learned about how to read it */
	struct span extractor;
	uint32_t next, slices; /* the next one to hand out */
	LIST(struct facts) facts;
	uint64_t done, total; /* read jobs */
};

struct scan {
	const struct scan_options *o;
	const struct catalogue *catalogue;
	struct arena *mem;
	struct pool *pool;
	const char *const *names;
	struct reading *readings;
	size_t n, opened, handed_out; /* artifacts; those before handed_out have no slice left to hand out */
	LIST(struct scan_job) jobs;
	size_t taken; /* answers */
	size_t window; /* jobs outstanding before answers are taken */
};

/* scan_open.c: the file or folder of that name; -1, and a sentence with the name in e, when it cannot be scanned. */
int artifact_open(const char *name, int *fd, bool *folder, uint64_t *size, struct err *e);
/* scan_answer.c: takes the oldest answer and keeps what it says. -1 only for faults of our own. */
int answer_take(struct scan *s, struct err *e);
/* An artifact that gives nothing to scan: refused, incomplete, with this sentence. */
void artifact_refuse(struct scan *s, struct artifact *a, const char *why);

#endif
