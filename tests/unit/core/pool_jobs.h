/* SPDX-License-Identifier: Apache-2.0 */
/* What the pool's tests let their workers do. */
#ifndef TESTS_POOL_JOBS_H
#define TESTS_POOL_JOBS_H

#include <dirent.h>
#include <signal.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "workers/pool.h"

#define SOCKET_FD 3

enum todo {
	ECHO,
	SLEEPY,
	ABORT,
	HANG,
	SPIN,
	EAT,
	NO_MEMORY,
	LEAVE,
	HANG_UP,
	LIE,
	SHORT,
	KILL_SELF,
	READ_FILES,
	RIGHTS,
	BIG,
	BEGUN,
	LENGTH
};

/* An answer of our own making, past the one that the pool sends. */
static void say(uint64_t length, const char *text)
{
	uint8_t bytes[8];

	for (size_t i = 0; i < 8; i++)
		bytes[i] = (uint8_t)(length >> 8 * i);
	if (send(SOCKET_FD, bytes, 8, MSG_NOSIGNAL) == 8 && send(SOCKET_FD, text, strlen(text), MSG_NOSIGNAL))
		pause();
}

static void eat(void)
{
	for (;;) {
		void *volatile p = malloc(1 << 20);

		if (!p)
			out_of_memory();
		memset(p, 1, 1 << 20);
	}
}

static void read_files(const struct pool_job *job, struct outbuf *answer)
{
	for (size_t i = 0; i < job->n; i++) {
		const struct pool_file *f = &job->files[i];
		char c = '?';

		if (pread(f->fd, &c, 1, 0) < 0)
			(void)!read(f->fd, &c, 1); /* of a pipe: it waits */
		outbuf_printf(answer, "%.*s|%.*s|%llu+%llu|%c;", (int)f->path.n, f->path.p, (int)f->name.n,
			      f->name.p, (unsigned long long)f->offset, (unsigned long long)f->size, c);
	}
}

static unsigned open_descriptors(void)
{
	DIR *d = opendir("/proc/self/fd");
	unsigned n = 0;

	while (d && readdir(d))
		n++;
	closedir(d);
	return n - 3; /* ".", "..", and the folder's own */
}

static void tell_rights(struct outbuf *answer)
{
	struct rlimit core, size, data;
	struct stat error;

	getrlimit(RLIMIT_CORE, &core);
	getrlimit(RLIMIT_FSIZE, &size);
	getrlimit(RLIMIT_DATA, &data);
	fstat(STDERR_FILENO, &error);
	outbuf_printf(answer, "core %lu size %lu fds %u privileges %d data %d heard %d", (unsigned long)core.rlim_max,
		      (unsigned long)size.rlim_max, open_descriptors(), prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0),
		      data.rlim_max != RLIM_INFINITY, error.st_rdev != makedev(1, 3));
}

static void big(struct outbuf *answer)
{
	for (size_t i = 0; i < 3000000; i++)
		outbuf_char(answer, (char)i);
}

static void work(void *context, const struct pool_job *job, struct outbuf *answer)
{
	switch ((enum todo)job->kind) {
	case SLEEPY:
		usleep((useconds_t)(job->index % 3 * 20000));
		/* fall through */
	case ECHO:
		outbuf_printf(answer, "%s %.*s %u/%u", (const char *)context, (int)job->text.n, job->text.p, job->index,
			      job->slices);
		break;
	case ABORT:
		abort();
	case HANG:
		pause();
		break;
	case SPIN:
		for (;;)
			;
	case EAT:
		eat();
		break;
	case NO_MEMORY:
		answer->failed = true;
		break;
	case LEAVE:
		_exit(0);
	case HANG_UP:
		close(SOCKET_FD);
		pause();
		break;
	case LIE:
		say(UINT64_MAX, "x");
		break;
	case SHORT:
		say(5, "abc");
		break;
	case KILL_SELF:
		raise(SIGKILL);
		break;
	case READ_FILES:
		read_files(job, answer);
		break;
	case RIGHTS:
		tell_rights(answer);
		break;
	case LENGTH:
		outbuf_printf(answer, "%zu %c %zu", job->text.n, job->text.p[job->text.n - 1], job->n);
		break;
	case BIG:
	case BEGUN:
		big(answer);
		answer->failed = job->kind == BEGUN;
		break;
	}
}

#endif
