/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The child inherits the worker's limits and gets one socket: the layer's bytes come in by it, and the facts go out when the
 * last byte was read, so that neither side waits for the other.
 */
#include "apart.h"

#include <errno.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "extractors/layer/layer.h"
#include "facts.h"
#include "parts.h"

#define EXIT_FAULT 1
#define SEND_BYTES (1 << 20)

/* Who feeds us takes nothing back before we have taken all: a layer that is damaged is not read to its end. */
static void take_rest(struct flow *from)
{
	struct err e = ERR_INIT;
	struct span piece;

	while (from->next(from, &piece, &e) == 0)
		;
}

static void layer_write(const struct job_context *ctx, struct flow *from, struct outbuf *out)
{
	struct arena mem = ARENA_INIT;
	struct job_context own = *ctx;
	struct facts facts = {.mem = &mem};

	own.mem = &mem;
	layer_read(&own, from, &facts);
	take_rest(from);
	facts_sort(&facts);
	facts_write(&facts, out);
	arena_clear(&mem);
}

static bool send_piece(void *sock, struct span piece)
{
	return pool_send_all(*(const int *)sock, piece);
}

static _Noreturn void child(const struct job_context *ctx, int sock, pid_t parent)
{
	struct outbuf out = outbuf_limited(POOL_ANSWER_MAX);
	struct flow_file from;
	int to = POOL_SOCKET_FD;

	/* They go out while they are written, since a copy of all that was found would be too much. */
	out.sink = send_piece;
	out.sink_handle = &to;
	if (prctl(PR_SET_PDEATHSIG, SIGKILL) || getppid() != parent || dup2(sock, POOL_SOCKET_FD) < 0)
		_exit(EXIT_FAULT);
	closefrom(POOL_SOCKET_FD + 1);
	flow_pipe_open(&from, POOL_SOCKET_FD);
	layer_write(ctx, &from.flow, &out);
	outbuf_flush(&out);
	_exit(out.failed ? EXIT_NO_MEMORY : 0);
}

/* Everything goes to the child; when it is gone, nowhere. -1: the flow broke off, and the child must not take it for an end. */
static int feed(int sock, struct flow *from, struct err *e)
{
	bool there = true;
	struct span piece;
	int rc;

	while ((rc = from->next(from, &piece, e)) == 0)
		there = there && pool_send_all(sock, piece);
	if (rc < 0)
		return -1;
	shutdown(sock, SHUT_WR);
	return 0;
}

/* Until the child closes. False: more than that. */
static bool answer_receive(int sock, struct outbuf *answer)
{
	uint8_t piece[65536];
	ssize_t n;

	do {
		n = recv(sock, piece, sizeof(piece), 0);
		if (n > 0)
			outbuf_put(answer, (struct span){piece, (size_t)n});
	} while ((n > 0 && !answer->failed) || (n < 0 && errno == EINTR));
	return !answer->failed;
}

static int child_end(pid_t pid)
{
	int status = 0;

	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	return status;
}

static int lost(int status, const struct limits *limits, struct err *e)
{
	if (WIFEXITED(status) && WEXITSTATUS(status) == EXIT_NO_MEMORY)
		return err_limit(e, LIMIT_JOB_MEMORY, limits, "a job");
	if (WIFSIGNALED(status) && WTERMSIG(status) == SIGXCPU)
		return err_limit(e, LIMIT_JOB_SECONDS, limits, "a job");
	if (WIFSIGNALED(status))
		return err_set(e, ERR_FAULT, 0, "worker was ended by signal %d", WTERMSIG(status));
	return err_set(e, ERR_FAULT, 0, "worker left with status %d and without an answer", WEXITSTATUS(status));
}

/* What is in the buffer lives as long as ctx->mem. */
static struct span bytes_keep(const struct job_context *ctx, struct outbuf *b)
{
	struct span bytes = outbuf_span(b);

	arena_own(ctx->mem, b->p);
	b->p = NULL;
	return bytes;
}

static struct span answer_take(const struct job_context *ctx, int sock, size_t most, pid_t pid, struct err *e)
{
	struct outbuf answer = outbuf_limited(most);
	struct span facts = SPAN_NONE;
	bool fits = answer_receive(sock, &answer);
	int status;

	if (!fits)
		kill(pid, SIGKILL);
	status = child_end(pid);
	if (!fits)
		err_limit(e, LIMIT_JOB_MEMORY, ctx->limits, "what is kept of layers that pass by");
	else if (status || answer.n == 0)
		lost(status, ctx->limits, e);
	else
		facts = bytes_keep(ctx, &answer);
	outbuf_release(&answer);
	return facts;
}

struct span layer_apart(const struct job_context *ctx, struct flow *from, size_t most, struct err *e)
{
	struct span facts = SPAN_NONE;
	pid_t parent = getpid(), pid;
	int pair[2];

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair)) {
		err_set(e, ERR_IO, 0, "cannot make a socket for a worker: %s", strerror(errno));
		return SPAN_NONE;
	}
	/* Fewer turns between both sides; the system may give less. */
	(void)setsockopt(pair[0], SOL_SOCKET, SO_SNDBUF, &(int){SEND_BYTES}, sizeof(int));
	pid = fork();
	if (pid == 0)
		child(ctx, pair[1], parent);
	close(pair[1]);
	if (pid < 0) {
		err_set(e, ERR_IO, 0, "cannot make a worker: %s", strerror(errno));
	} else if (feed(pair[0], from, e) < 0) {
		kill(pid, SIGKILL);
		child_end(pid);
	} else {
		facts = answer_take(ctx, pair[0], most, pid, e);
	}
	close(pair[0]);
	return facts;
}

struct span layer_here(const struct job_context *ctx, struct flow *from, size_t most, struct err *e)
{
	struct outbuf out = outbuf_limited(most);
	struct span facts = SPAN_NONE;

	layer_write(ctx, from, &out);
	if (out.failed)
		err_limit(e, LIMIT_JOB_MEMORY, ctx->limits, "what is kept of layers that pass by");
	else
		facts = bytes_keep(ctx, &out);
	outbuf_release(&out);
	return facts;
}
