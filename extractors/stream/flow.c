/* SPDX-License-Identifier: Apache-2.0 */
#include "extractors/stream/flow.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/arena.h"

#define PIPE_BYTES (1 << 20)
#define GIVE_BACK ((uint64_t)4 << 20) /* of a mapping, at once */

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

/* Pages that passed are given back now and then. */
static int next_lying(struct flow_file *f, struct span *piece)
{
	uint64_t at = f->at - f->start, place = (uint64_t)(f->flow.lying.p - f->map) + at;

	*piece = span_first(span_after(f->flow.lying, (size_t)at), FLOW_PIECE);
	if (place - f->left >= GIVE_BACK + FLOW_PIECE) {
		(void)madvise(f->map + f->left, GIVE_BACK, MADV_DONTNEED);
		f->left += GIVE_BACK;
	}
	f->at += piece->n;
	return piece->n == 0;
}

static int next(struct flow *flow, struct span *piece, struct err *e)
{
	struct flow_file *f = (struct flow_file *)flow;
	uint64_t left = flow->size == FLOW_UNKNOWN ? FLOW_PIECE : flow->size - (f->at - f->start);
	size_t n = 0, most = left < FLOW_PIECE ? (size_t)left : FLOW_PIECE;

	*piece = SPAN_NONE;
	if (f->fault.code)
		return fail(f, e);
	if (f->map)
		return next_lying(f, piece);
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

static uint64_t map_bytes(const struct flow_file *f)
{
	return (uint64_t)(f->flow.lying.p - f->map) + f->flow.lying.n;
}

/* A file that is shorter than it should be is read: where it ends is told there. */
static void lay(struct flow *flow)
{
	struct flow_file *f = (struct flow_file *)flow;
	uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE), inside = f->start % page, n;
	struct stat st;
	void *p;

	if (f->map || fstat(f->fd, &st) || !S_ISREG(st.st_mode) || (uint64_t)st.st_size < f->start + flow->size ||
	    flow->size > SIZE_MAX / 2 || flow->size == 0)
		return;
	n = inside + flow->size;
	p = mmap(NULL, (size_t)n, PROT_READ, MAP_PRIVATE, f->fd, (off_t)(f->start - inside));
	if (p == MAP_FAILED)
		return;
	f->map = p;
	flow->lying = (struct span){f->map + inside, (size_t)flow->size};
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
	*f = (struct flow_memory){{.next = next_in_memory, .size = bytes.n}, bytes};
}

void flow_file_open(struct flow_file *f, int fd, uint64_t offset, uint64_t size)
{
	*f = (struct flow_file){.flow = {.next = next, .size = size, .lay = lay},
	                        .fd = fd,
	                        .start = offset,
	                        .at = offset,
	                        .fault = ERR_INIT};
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
	/* Fewer turns between who writes and who reads; what is no pipe, or may not grow, stays as it is. */
	(void)fcntl(fd, F_SETPIPE_SZ, PIPE_BYTES);
	f->flow.lay = NULL;
}

void flow_file_close(struct flow_file *f)
{
	if (f->map)
		munmap(f->map, (size_t)map_bytes(f));
	free(f->room);
	f->map = f->room = NULL;
}
