/* SPDX-License-Identifier: Apache-2.0 */
/* The worker's side. Nothing here fails loudly: whatever goes wrong ends the process, and the parent says so. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include "parts.h"

/* Descriptors of a job, the socket, 0 to 2, and copies that libraries make of the job's. */
#define DESCRIPTORS_MAX (2 * POOL_FILES_MAX + 16)
#define EXIT_FAULT      1

#if defined(__SANITIZE_ADDRESS__)
#define SHADOWED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define SHADOWED 1
#endif
#endif
#ifndef SHADOWED
#define SHADOWED 0 /* a sanitiser's own memory would be counted as ours */
#endif

/* Lowers a soft limit, and with `hard` the other one too. */
static void limit_set(int resource, uint64_t value, bool hard)
{
	struct rlimit r;

	if (getrlimit(resource, &r))
		_exit(EXIT_FAULT);
	r.rlim_cur = value < r.rlim_max ? (rlim_t)value : r.rlim_max;
	if (hard)
		r.rlim_max = r.rlim_cur;
	if (setrlimit(resource, &r))
		_exit(EXIT_FAULT);
}

/* What this process was born with: a worker made late inherits all that the parent holds. */
static uint64_t inherited_data(void)
{
	long page = sysconf(_SC_PAGESIZE);
	unsigned long long pages = 0;
	FILE *f = fopen("/proc/self/statm", "re");

	if (f && fscanf(f, "%*u %*u %*u %*u %*u %llu", &pages) != 1)
		pages = 0;
	if (f)
		fclose(f);
	return page > 0 ? (uint64_t)pages * (uint64_t)page : 0;
}

static void close_descriptors(int sock)
{
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);

	if (null < 0 || dup2(null, STDIN_FILENO) < 0 || dup2(null, STDOUT_FILENO) < 0)
		_exit(EXIT_FAULT);
	/* A sanitiser has to be heard; else only the parent speaks. */
	if (!SHADOWED && dup2(null, STDERR_FILENO) < 0)
		_exit(EXIT_FAULT);
	if (sock != POOL_SOCKET_FD && dup2(sock, POOL_SOCKET_FD) < 0)
		_exit(EXIT_FAULT);
	closefrom(POOL_SOCKET_FD + 1);
}

static void drop_rights(pid_t parent, const struct limits *limits)
{
	sigset_t none;

	if (prctl(PR_SET_PDEATHSIG, SIGKILL) || getppid() != parent || prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
		_exit(EXIT_FAULT);
	for (int s = 1; s < SIGRTMIN; s++)
		signal(s, SIG_DFL);
	/* A sanitiser's report may go to a file, and RLIMIT_FSIZE forbids to write to it. */
	signal(SIGXFSZ, SIG_IGN);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	if (!SHADOWED) {
		uint64_t born = inherited_data(), memory = limits->v[LIMIT_JOB_MEMORY];

		limit_set(RLIMIT_DATA, memory < UINT64_MAX - born ? memory + born : UINT64_MAX, true);
	}
	limit_set(RLIMIT_CORE, 0, true);
	limit_set(RLIMIT_FSIZE, 0, true);
	limit_set(RLIMIT_NOFILE, DESCRIPTORS_MAX, true);
}

/* The system counts all jobs of this process; the limit is for one. */
static void start_clock(const struct limits *limits)
{
	uint64_t seconds = limits->v[LIMIT_JOB_SECONDS];
	struct rusage used;

	if (getrusage(RUSAGE_SELF, &used))
		_exit(EXIT_FAULT);
	if (seconds < UINT32_MAX)
		limit_set(RLIMIT_CPU, seconds + (uint64_t)used.ru_utime.tv_sec + (uint64_t)used.ru_stime.tv_sec + 2,
			  false);
}

/* Fills all of to; false when the parent is gone. Descriptors that come along go to fds. */
static bool receive(int sock, uint8_t *to, size_t n, int *fds, size_t *fds_n)
{
	while (n) {
		union {
			struct cmsghdr head;
			char room[CMSG_SPACE(POOL_FILES_MAX * sizeof(int))];
		} control;
		struct iovec iov = {to, n};
		struct msghdr m = {
			.msg_iov = &iov, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof(control)};
		ssize_t got = recvmsg(sock, &m, MSG_CMSG_CLOEXEC);
		struct cmsghdr *c = got > 0 ? CMSG_FIRSTHDR(&m) : NULL;

		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0 || m.msg_flags & MSG_CTRUNC)
			return false;
		if (c && c->cmsg_type == SCM_RIGHTS && *fds_n == 0) {
			*fds_n = (c->cmsg_len - CMSG_LEN(0)) / sizeof(int);
			memcpy(fds, CMSG_DATA(c), *fds_n * sizeof(int));
		}
		to += got;
		n -= (size_t)got;
	}
	return true;
}

/* A piece of an answer, its length in front; without bytes it is the last one. */
static bool answer_piece(void *sock, struct span piece)
{
	uint8_t length[POOL_LENGTH_BYTES];

	pool_put_length(length, piece.n);
	return pool_send_all(*(const int *)sock, (struct span){length, sizeof(length)}) &&
	       pool_send_all(*(const int *)sock, piece);
}

/* A whole request, or the end of this process: nobody asks any more. */
static void read_job(int sock, struct pool_job *job, struct arena *mem)
{
	uint8_t length[POOL_LENGTH_BYTES], *bytes;
	int fds[POOL_FILES_MAX];
	size_t fds_n = 0;
	struct pool_file *files;
	uint64_t n;

	if (!receive(sock, length, sizeof(length), fds, &fds_n))
		_exit(0);
	n = pool_get_length(length);
	bytes = arena_alloc(mem, (size_t)n);
	if (!receive(sock, bytes, (size_t)n, fds, &fds_n))
		_exit(0);
	if (!pool_job_read((struct span){bytes, (size_t)n}, job, mem) || job->n != fds_n)
		_exit(EXIT_FAULT);
	files = (struct pool_file *)(uintptr_t)job->files;
	for (size_t i = 0; i < fds_n; i++)
		files[i].fd = fds[i];
}

_Noreturn void pool_child(int sock, pid_t parent, const struct limits *limits, pool_work *work, void *context)
{
	int to = POOL_SOCKET_FD;

	close_descriptors(sock);
	drop_rights(parent, limits);
	for (;;) {
		struct outbuf answer = outbuf_limited(POOL_ANSWER_MAX);
		struct arena mem = ARENA_INIT;
		struct pool_job job;

		/* It goes out while it is made, since a copy of all that was found would be too much. */
		answer.sink = answer_piece;
		answer.sink_handle = &to;
		read_job(POOL_SOCKET_FD, &job, &mem);
		start_clock(limits);
		work(context, &job, &answer);
		outbuf_flush(&answer);
		if (answer.failed)
			_exit(EXIT_NO_MEMORY);
		if (!answer_piece(&to, SPAN_NONE))
			_exit(0);
		for (size_t i = 0; i < job.n; i++)
			close(job.files[i].fd);
		outbuf_release(&answer);
		arena_clear(&mem);
	}
}
