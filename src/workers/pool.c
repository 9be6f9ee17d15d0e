/* SPDX-License-Identifier: Apache-2.0 */
/* The parent's side: jobs in a list from the oldest not taken to the newest, the waiting ones at its end. */
#include "pool.h"

#include <stdlib.h>

#include "workers.h"

#define WAITING_PER_WORKER 4
#define WAITING_FILES_MAX  256 /* descriptors that waiting jobs hold open here */

struct pool {
	unsigned jobs;
	const struct limits *limits;
	pool_work *work;
	void *context;
	struct workers *workers; /* NULL with jobs == 0 */
	struct job *oldest, *newest, *first_waiting;
	size_t outstanding, waiting, waiting_files;
	uint64_t next_ticket;
	struct outbuf lent; /* bytes of the last answer */
};

struct pool *pool_new(unsigned jobs, const struct limits *limits, pool_work *work, void *context, struct err *e)
{
	struct pool *p = calloc(1, sizeof(*p));

	if (!p)
		out_of_memory();
	p->jobs = jobs;
	p->limits = limits;
	p->work = work;
	p->context = context;
	p->lent = outbuf_limited(POOL_ANSWER_MAX);
	if (jobs == 0)
		return p;
	p->workers = workers_new(jobs, limits, work, context, e);
	if (p->workers)
		return p;
	free(p);
	return NULL;
}

static struct job *job_new(const struct pool_job *asked)
{
	struct job *j = calloc(1, sizeof(*j));

	if (!j)
		out_of_memory();
	j->request = outbuf_limited(SIZE_MAX / 2);
	j->answer = outbuf_limited(POOL_ANSWER_MAX);
	j->fds_n = asked->n;
	j->patient = asked->patient;
	for (size_t i = 0; i < asked->n; i++)
		j->fds[i] = asked->files[i].fd;
	return j;
}

static void job_free(struct job *j)
{
	job_close_files(j);
	outbuf_release(&j->request);
	outbuf_release(&j->answer);
	free(j);
}

static void job_append(struct pool *p, struct job *j)
{
	j->ticket = p->next_ticket++;
	if (p->newest)
		p->newest->next = j;
	else
		p->oldest = j;
	p->newest = j;
	p->outstanding++;
}

/* Gives waiting jobs to idle workers. -1: there are none at all. */
static int hand_out(struct pool *p, struct err *e)
{
	while (p->first_waiting) {
		struct job *j = p->first_waiting;
		size_t files = j->fds_n; /* none are left once they are sent */
		int rc = workers_start(p->workers, j, e);

		if (rc)
			return rc < 0 ? -1 : 0;
		p->first_waiting = j->next;
		p->waiting--;
		p->waiting_files -= files;
	}
	return 0;
}

/* One wait for whatever comes first; then workers that became idle get more. */
static int turn(struct pool *p, struct err *e)
{
	if (hand_out(p, e) || workers_wait(p->workers, e))
		return -1;
	return hand_out(p, e);
}

static void run_here(struct pool *p, const struct pool_job *job, struct job *j)
{
	p->work(p->context, job, &j->answer);
	if (j->answer.failed)
		job_fail_limit(j, LIMIT_JOB_MEMORY, p->limits);
	j->done = true;
	job_close_files(j);
}

int pool_submit(struct pool *p, const struct pool_job *job, struct err *e)
{
	struct job *j;

	if (job->n > POOL_FILES_MAX) {
		for (size_t i = 0; i < job->n; i++)
			close_file(job->files[i].fd);
		return err_set(e, ERR_FAULT, 0, "a job has %zu files", job->n);
	}
	j = job_new(job);
	job_append(p, j);
	if (!p->workers) {
		run_here(p, job, j);
		return 0;
	}
	pool_job_write(job, &j->request);
	if (j->request.failed)
		out_of_memory();
	if (!p->first_waiting)
		p->first_waiting = j;
	p->waiting++;
	p->waiting_files += j->fds_n;
	if (hand_out(p, e))
		return -1;
	while (p->waiting > (size_t)p->jobs * WAITING_PER_WORKER || p->waiting_files > WAITING_FILES_MAX)
		if (turn(p, e))
			return -1;
	return 0;
}

bool pool_ready(const struct pool *p)
{
	return p->oldest && p->oldest->done;
}

int pool_wait(struct pool *p, struct err *e)
{
	size_t before = pool_unanswered(p);

	if (before == 0)
		return 1;
	while (pool_unanswered(p) == before)
		if (turn(p, e))
			return -1;
	return 0;
}

int pool_take(struct pool *p, struct pool_answer *a, struct err *e)
{
	struct job *j = p->oldest;

	if (!j)
		return 1;
	while (!j->done)
		if (turn(p, e))
			return -1;
	p->oldest = j->next;
	if (!p->oldest)
		p->newest = NULL;
	p->outstanding--;
	outbuf_release(&p->lent);
	p->lent = j->answer;
	j->answer = outbuf_limited(POOL_ANSWER_MAX);
	*a = (struct pool_answer){.ticket = j->ticket, .failed = j->failed, .limit = j->limit};
	memcpy(a->why, j->why, sizeof(a->why));
	if (!j->failed)
		a->bytes = outbuf_span(&p->lent);
	job_free(j);
	return 0;
}

void pool_keep(struct pool *p, struct arena *mem)
{
	arena_own(mem, p->lent.p);
	p->lent = outbuf_limited(POOL_ANSWER_MAX);
}

size_t pool_outstanding(const struct pool *p)
{
	return p->outstanding;
}

size_t pool_unanswered(const struct pool *p)
{
	size_t n = 0;

	for (const struct job *j = p->oldest; j; j = j->next)
		n += !j->done;
	return n;
}

void pool_free(struct pool *p)
{
	if (!p)
		return;
	workers_free(p->workers);
	while (p->oldest) {
		struct job *j = p->oldest;

		p->oldest = j->next;
		job_free(j);
	}
	outbuf_release(&p->lent);
	free(p);
}
