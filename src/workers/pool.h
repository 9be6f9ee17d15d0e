/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Workers: processes that parse, and a parent that does not (design.md 2). The pool forks `jobs` workers when it is made;
 * each is asked for one job at a time and answers with bytes. Results are taken in the order in which jobs were handed out.
 * With jobs == 0 everything runs in this process.
 *
 * A worker opens nothing and has RLIMIT_DATA (job-memory), RLIMIT_CPU and a wall clock (job-seconds), few descriptors,
 * RLIMIT_FSIZE 0, no core, no new privileges; it leaves by _exit. One that crashes, hangs, is killed or sends nonsense costs
 * its job: the result says so, and a new worker takes its place.
 */
#ifndef POSTERN_WORKERS_POOL_H
#define POSTERN_WORKERS_POOL_H

#include "base/arena.h"
#include "base/outbuf.h"

#define POOL_FILES_MAX 64                   /* descriptors of one job */
#define POOL_ANSWER_MAX ((size_t)1 << 30) /* bytes of one answer */

struct pool_file {
	struct span path, name;
	uint64_t size;
	int fd; /* the pool closes it as soon as it is not needed here */
	uint64_t offset; /* where its bytes begin in the descriptor */
};

/* What is asked: kind and text are the caller's words for the worker. */
struct pool_job {
	uint32_t kind;
	struct span text;
	uint32_t index, slices;
	const struct pool_file *files;
	size_t n;
	bool patient; /* it waits for others, so that job-seconds counts its processor time only */
};

/*
 * Runs in the worker (or here with jobs == 0): turns a job into bytes. It must not touch the descriptors' ownership. What it
 * allocates it frees, since a worker serves many jobs.
 */
typedef void pool_work(void *context, const struct pool_job *job, struct outbuf *answer);

struct pool_answer {
	uint64_t ticket;    /* of pool_submit */
	struct span bytes;  /* lives in the pool until the next take; empty when failed */
	bool failed;        /* no answer: e.text says why (killed by a signal, time, memory) */
	enum limit_id limit; /* job-seconds, job-memory, or none */
	char why[128];
};

struct pool;

/* NULL and e filled when no worker can be made. */
struct pool *pool_new(unsigned jobs, const struct limits *limits, pool_work *work, void *context, struct err *e);
/*
 * Hands a job out; everything in it is copied, descriptors become the pool's (also when it fails). Blocks while too many jobs
 * wait. Tickets count from 0. -1 only when no worker can be made any more, or for more than POOL_FILES_MAX files.
 */
int pool_submit(struct pool *p, const struct pool_job *job, struct err *e);
/* The answer to the oldest job not taken yet; waits for it. 1: none is outstanding. */
int pool_take(struct pool *p, struct pool_answer *a, struct err *e);
/* Waits until one more job is answered, whichever it is. 1: none is without an answer. */
int pool_wait(struct pool *p, struct err *e);
/* The oldest job not taken yet is answered: pool_take does not wait. */
bool pool_ready(const struct pool *p);
/* The bytes of the answer that was taken last live as long as mem instead: nothing is copied. */
void pool_keep(struct pool *p, struct arena *mem);
/* Jobs handed out and not taken yet; of those, without an answer yet. */
size_t pool_outstanding(const struct pool *p);
size_t pool_unanswered(const struct pool *p);
/* Ends all workers, frees everything. NULL is fine. */
void pool_free(struct pool *p);

#endif
