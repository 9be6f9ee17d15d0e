/* SPDX-License-Identifier: Apache-2.0 */
/* What a worker does with a job: the pool's bytes become a plan, a read or a hash, and facts become bytes again. */
#ifndef POSTERN_WORKERS_WORKER_H
#define POSTERN_WORKERS_WORKER_H

#include "base/room.h"
#include "model/catalogue.h"
#include "pool.h"

enum work_kind {
	WORK_PLAN, /* files[0] is the artifact: facts.plan. With all platforms: of its image number `index` */
	WORK_PLAN_FOLDER, /* the same; files: of a folder's top and of what the plan needed; text: what it needed and is not there */
	WORK_READ, /* text: the extractor's name, or "layer": the range of files[0]; index of slices */
	WORK_PIPE, /* all of files[0], once and front to back, a pipe where its size is FLOW_UNKNOWN; text: "hash", or empty.
	              The answer is that of pipe_answer.h */
	WORK_HASH, /* the range of files[0]: facts.digest. text: "sha256", "sha512"; empty: the whole file */
};

struct worker {
	const struct limits *limits;
	const struct catalogue *catalogue;
	bool verify;
	bool alone; /* no processes: everything here */
	bool all_platforms, all_config;
	struct span platform, image;
	struct room room; /* of this process: job_context.room */
};

/* A pool_work; context is a struct worker. */
void worker_run(void *context, const struct pool_job *job, struct outbuf *answer);

#endif
