/* SPDX-License-Identifier: Apache-2.0 */
/* Private to pool*.c: the parent's view of its worker processes, and of one job. */
#ifndef POSTERN_WORKERS_WORKERS_H
#define POSTERN_WORKERS_WORKERS_H

#include "parts.h"

struct job {
	struct job *next;
	uint64_t ticket;
	struct outbuf request, answer;
	int fds[POOL_FILES_MAX]; /* open until they are sent */
	size_t fds_n;
	bool done, failed;
	bool patient;
	enum limit_id limit;
	char why[sizeof(((struct pool_answer *)0)->why)];
};

void close_file(int fd);
void job_close_files(struct job *j);
/* Done, without an answer. */
void job_fail(struct job *j, const char *fmt, ...) PRINTF_LIKE(2, 3);
void job_fail_limit(struct job *j, enum limit_id id, const struct limits *limits);

struct workers;

/* NULL and e filled when not even one can be made. */
struct workers *workers_new(unsigned n, const struct limits *limits, pool_work *work, void *context, struct err *e);
/* Gives j to an idle worker: 0. 1: all are busy. -1: there is none, and none can be made. */
int workers_start(struct workers *w, struct job *j, struct err *e);
/* Waits until something moves: bytes, an end, a deadline. Jobs become done by it. */
int workers_wait(struct workers *w, struct err *e);
/* Ends them all. NULL is fine. */
void workers_free(struct workers *w);

#endif
