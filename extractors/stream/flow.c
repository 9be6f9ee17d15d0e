/* SPDX-License-Identifier: Apache-2.0 */
#include "extractors/stream/flow.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/arena.h"

/* Whoever made the pipe may have said that nobody waits at it. */
static bool wait_for_more(const struct flow_file *f)
{
	struct pollfd p = {.fd = f->fd, .events = POLLIN};

	if (!f->pipe || (errno != EAGAIN && errno != EWOULDBLOCK))
		return false;
	return poll(&p, 1, -1) > 0 || errno == EINTR;
}

static ssize_t read_some(const struct flow_file *f, uint8_t *to, size_t n)
{
	ssize_t got;

	do
		got = f->pipe ? read(f->fd, to, n) : pread(f->fd, to, n, (off_t)f->at);
	while (got < 0 && (errno == EINTR || wait_for_more(f)));
	return got;
}

static int fail(struct flow_file *f, struct err *e)
{
	*e = f->fault;
	return -1;
}

static int next(struct flow *flow, struct span *piece, struct err *e)
{
	struct flow_file *f = (struct flow_file *)flow;
	uint64_t left = flow->size == FLOW_UNKNOWN ? FLOW_PIECE : flow->size - (f->at - f->start);
	size_t n = 0, most = left < FLOW_PIECE ? (size_t)left : FLOW_PIECE;

	*piece = SPAN_NONE;
	if (f->fault.code)
		return fail(f, e);
	while (n < most && !f->ended) {
		ssize_t got = read_some(f, f->room + n, most - n);

		if (got < 0)
			err_set(&f->fault, ERR_IO, f->at - f->start, "it cannot be read: %s", strerror(errno));
		f->ended = got <= 0;
		if (got > 0) {
			n += (size_t)got;
			f->at += (uint64_t)got;
		}
	}
	if (n == 0 && f->fault.code)
		return fail(f, e);
	*piece = (struct span){f->room, n};
	return n == 0;
}

static int next_in_memory(struct flow *flow, struct span *piece, struct err *e)
{
	struct flow_memory *f = (struct flow_memory *)flow;

	*piece = span_first(f->left, FLOW_PIECE);
	f->left = span_after(f->left, piece->n);
	return piece->n == 0;
}

void flow_memory_open(struct flow_memory *f, struct span bytes)
{
	*f = (struct flow_memory){{next_in_memory, bytes.n}, bytes};
}

void flow_file_open(struct flow_file *f, int fd, uint64_t offset, uint64_t size)
{
	*f = (struct flow_file){.flow = {next, size}, .fd = fd, .start = offset, .at = offset, .fault = ERR_INIT};
	f->room = malloc(FLOW_PIECE);
	if (!f->room)
		out_of_memory();
	if (offset > INT64_MAX || (size != FLOW_UNKNOWN && size > INT64_MAX - offset))
		err_set(&f->fault, ERR_FORMAT, 0, "its place is beyond any file");
}

void flow_pipe_open(struct flow_file *f, int fd)
{
	flow_file_open(f, fd, 0, FLOW_UNKNOWN);
	f->pipe = true;
}

void flow_file_close(struct flow_file *f)
{
	free(f->room);
	f->room = NULL;
}
