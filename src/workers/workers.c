/* SPDX-License-Identifier: Apache-2.0 */
#include "workers.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <stdarg.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define READ_BYTES  65536
#define SECONDS_MAX 1000000000 /* a job-seconds above it is for ever */

struct worker_process {
	pid_t pid; /* 0: none */
	int sock;
	struct job *job;  /* NULL: idle */
	size_t sent;      /* bytes of the request */
	int64_t deadline; /* milliseconds of the monotonic clock */
	uint8_t length[POOL_LENGTH_BYTES]; /* of a piece of the answer */
	size_t length_n; /* bytes of it that came */
	uint64_t piece;  /* bytes of the piece that are still to come */
};

struct workers {
	size_t n;
	const struct limits *limits;
	pool_work *work;
	void *context;
	struct pollfd *polled;
	struct worker_process v[];
};

void close_file(int fd)
{
	if (fd >= 0)
		close(fd);
}

void job_close_files(struct job *j)
{
	for (size_t i = 0; i < j->fds_n; i++)
		close_file(j->fds[i]);
	j->fds_n = 0;
}

void job_fail(struct job *j, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(j->why, sizeof(j->why), fmt, ap);
	va_end(ap);
	j->done = j->failed = true;
}

void job_fail_limit(struct job *j, enum limit_id id, const struct limits *limits)
{
	struct err e = ERR_INIT;

	err_limit(&e, id, limits, "a job");
	job_fail(j, "%.*s", (int)sizeof(j->why) - 1, e.text);
	j->limit = id;
}

static int64_t now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

static int worker_spawn(struct workers *w, struct worker_process *p, struct err *e)
{
	pid_t parent = getpid();
	int pair[2];

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair))
		return err_set(e, ERR_IO, 0, "cannot make a socket for a worker: %s", strerror(errno));
	tzset(); /* libzip asks for the time zone, and a worker opens no file */
	p->pid = fork();
	if (p->pid == 0)
		pool_child(pair[1], parent, w->limits, w->work, w->context);
	close(pair[1]);
	if (p->pid > 0) {
		p->sock = pair[0];
		return 0;
	}
	close(pair[0]);
	p->pid = 0;
	return err_set(e, ERR_IO, 0, "cannot make a worker: %s", strerror(errno));
}

/* Ends it for sure; how it ended, which is its own way when it was on it already. */
static int worker_end(struct worker_process *p)
{
	int status = 0;

	kill(p->pid, SIGKILL);
	while (waitpid(p->pid, &status, 0) < 0 && errno == EINTR)
		;
	close(p->sock);
	*p = (struct worker_process){.sock = -1};
	return status;
}

/* Its job is lost, by the name of what happened. A new one is made when there is work for it. */
static void worker_lost(struct workers *w, struct worker_process *p)
{
	struct job *j = p->job;
	int status = worker_end(p);

	if (WIFEXITED(status) && WEXITSTATUS(status) == EXIT_NO_MEMORY)
		job_fail_limit(j, LIMIT_JOB_MEMORY, w->limits);
	else if (WIFSIGNALED(status) && WTERMSIG(status) == SIGXCPU)
		job_fail_limit(j, LIMIT_JOB_SECONDS, w->limits);
	else if (WIFSIGNALED(status))
		job_fail(j, "worker was ended by signal %d", WTERMSIG(status));
	else
		job_fail(j, "worker left with status %d and without an answer", WEXITSTATUS(status));
}

struct workers *workers_new(unsigned n, const struct limits *limits, pool_work *work, void *context, struct err *e)
{
	struct workers *w = calloc(1, sizeof(*w) + n * sizeof(*w->v));
	size_t made = 0;

	if (!w || !(w->polled = calloc(n, sizeof(*w->polled))))
		out_of_memory();
	w->n = n;
	w->limits = limits;
	w->work = work;
	w->context = context;
	for (size_t i = 0; i < n; i++) {
		w->v[i].sock = -1;
		made += worker_spawn(w, &w->v[i], e) == 0;
	}
	if (made)
		return w;
	workers_free(w);
	return NULL;
}

/* Idle workers have nothing to say: one that does, or is gone, is not asked again. */
static bool worker_is_well(const struct worker_process *p)
{
	uint8_t byte;

	return recv(p->sock, &byte, 1, MSG_PEEK | MSG_DONTWAIT) < 0 && (errno == EAGAIN || errno == EWOULDBLOCK);
}

/* Sends what the socket takes. False: the worker is gone. */
static bool worker_send(struct worker_process *p)
{
	struct job *j = p->job;

	while (p->sent < j->request.n) {
		ssize_t n = pool_send(p->sock, span_after(outbuf_span(&j->request), p->sent), j->fds, j->fds_n,
				      MSG_DONTWAIT);

		if (n < 0 && errno == EINTR)
			continue;
		/* Too many descriptors on their way: they wait for their turn as bytes do. */
		if (n < 0)
			return errno == EAGAIN || errno == EWOULDBLOCK || errno == ETOOMANYREFS;
		p->sent += (size_t)n;
		job_close_files(j);
	}
	return true;
}

int workers_start(struct workers *w, struct job *j, struct err *e)
{
	uint64_t seconds = w->limits->v[LIMIT_JOB_SECONDS];
	size_t busy = 0;

	for (size_t i = 0; i < w->n; i++) {
		struct worker_process *p = &w->v[i];

		if (p->job) {
			busy++;
			continue;
		}
		if (p->pid && !worker_is_well(p))
			worker_end(p);
		if (!p->pid && worker_spawn(w, p, e))
			continue;
		p->job = j;
		p->sent = p->length_n = 0;
		p->deadline = now_ms() + (int64_t)(seconds < SECONDS_MAX ? seconds : SECONDS_MAX) * 1000;
		if (j->patient)
			p->deadline = INT64_MAX;
		if (!worker_send(p))
			worker_lost(w, p);
		return 0;
	}
	return busy ? 1 : -1;
}

/* Bytes of the answer that came. False: there will be no whole one. *nonsense: it is none. */
static bool worker_receive(struct worker_process *p, bool *nonsense)
{
	struct job *j = p->job;
	uint8_t bytes[READ_BYTES];
	bool head = p->length_n < POOL_LENGTH_BYTES;
	uint64_t missing = head ? POOL_LENGTH_BYTES - p->length_n : p->piece;
	ssize_t n = recv(p->sock, bytes, missing < sizeof(bytes) ? (size_t)missing : sizeof(bytes), MSG_DONTWAIT);

	if (n <= 0)
		return n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR);
	if (head) {
		memcpy(p->length + p->length_n, bytes, (size_t)n);
		p->length_n += (size_t)n;
		if (p->length_n < POOL_LENGTH_BYTES)
			return true;
		p->piece = pool_get_length(p->length);
		*nonsense = p->piece > POOL_ANSWER_MAX - j->answer.n;
	} else {
		outbuf_put(&j->answer, (struct span){bytes, (size_t)n});
		if (j->answer.failed)
			out_of_memory();
		p->piece -= (size_t)n;
	}
	/* An answer before the request was read is none. */
	*nonsense = *nonsense || p->sent < j->request.n;
	if (*nonsense || p->piece)
		return !*nonsense;
	p->length_n = 0;
	if (head) {
		j->done = true;
		p->job = NULL;
	}
	return true;
}

static void worker_serve(struct workers *w, struct worker_process *p, short events)
{
	struct job *j = p->job;
	bool nonsense = false;

	if (events == 0) {
		if (now_ms() >= p->deadline) {
			worker_end(p);
			job_fail_limit(j, LIMIT_JOB_SECONDS, w->limits);
		}
		return;
	}
	if (!worker_send(p) || ((events & ~POLLOUT) && !worker_receive(p, &nonsense))) {
		if (nonsense) {
			worker_end(p);
			job_fail(j, "worker sent an answer that is none");
		} else {
			worker_lost(w, p);
		}
	}
	if (j->done)
		outbuf_release(&j->request);
}

int workers_wait(struct workers *w, struct err *e)
{
	int64_t first = INT64_MAX, left;
	int rc;

	for (size_t i = 0; i < w->n; i++) {
		struct worker_process *p = &w->v[i];
		bool sending = p->job && p->sent < p->job->request.n;

		w->polled[i] = (struct pollfd){p->job ? p->sock : -1, (short)(POLLIN | (sending ? POLLOUT : 0)), 0};
		if (p->job && p->deadline < first)
			first = p->deadline;
	}
	left = first - now_ms();
	rc = poll(w->polled, (nfds_t)w->n,
		  first == INT64_MAX || left > INT32_MAX ? INT32_MAX
		  : left > 0                             ? (int)left
							 : 0);
	if (rc < 0 && errno != EINTR)
		return err_set(e, ERR_IO, 0, "cannot wait for workers: %s", strerror(errno));
	for (size_t i = 0; i < w->n && rc >= 0; i++)
		if (w->v[i].job)
			worker_serve(w, &w->v[i], w->polled[i].revents);
	return 0;
}

void workers_free(struct workers *w)
{
	if (!w)
		return;
	for (size_t i = 0; i < w->n; i++)
		if (w->v[i].pid)
			worker_end(&w->v[i]);
	free(w->polled);
	free(w);
}
