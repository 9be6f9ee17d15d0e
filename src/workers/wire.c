/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <sys/socket.h>

#include "base/cursor.h"
#include "parts.h"

void pool_put_length(uint8_t to[POOL_LENGTH_BYTES], uint64_t n)
{
	for (size_t i = 0; i < POOL_LENGTH_BYTES; i++)
		to[i] = (uint8_t)(n >> 8 * i);
}

uint64_t pool_get_length(const uint8_t from[POOL_LENGTH_BYTES])
{
	struct cursor c = cursor_over((struct span){from, POOL_LENGTH_BYTES});

	return cursor_u64(&c);
}

static void put_number(struct outbuf *out, uint64_t v)
{
	uint8_t bytes[POOL_LENGTH_BYTES];

	pool_put_length(bytes, v);
	outbuf_put(out, (struct span){bytes, sizeof(bytes)});
}

static void put_text(struct outbuf *out, struct span s)
{
	put_number(out, s.n);
	outbuf_put(out, s);
}

static struct span get_text(struct cursor *c)
{
	return cursor_take(c, cursor_u64(c));
}

void pool_job_write(const struct pool_job *job, struct outbuf *out)
{
	put_number(out, 0);
	put_number(out, job->kind);
	put_text(out, job->text);
	put_number(out, job->index);
	put_number(out, job->slices);
	put_number(out, job->n);
	for (size_t i = 0; i < job->n; i++) {
		const struct pool_file *f = &job->files[i];

		put_text(out, f->path);
		put_text(out, f->name);
		put_number(out, f->size);
		put_number(out, f->offset);
	}
	if (!out->failed)
		pool_put_length(out->p, out->n - POOL_LENGTH_BYTES);
}

bool pool_job_read(struct span bytes, struct pool_job *job, struct arena *mem)
{
	struct cursor c = cursor_over(bytes);
	struct pool_file *files;

	job->kind = (uint32_t)cursor_u64(&c);
	job->text = get_text(&c);
	job->index = (uint32_t)cursor_u64(&c);
	job->slices = (uint32_t)cursor_u64(&c);
	job->n = (size_t)cursor_u64(&c);
	if (c.bad || job->n > POOL_FILES_MAX)
		return false;
	job->files = files = arena_alloc(mem, (job->n + 1) * sizeof(*files));
	for (size_t i = 0; i < job->n; i++) {
		files[i].fd = -1;
		files[i].path = get_text(&c);
		files[i].name = get_text(&c);
		files[i].size = cursor_u64(&c);
		files[i].offset = cursor_u64(&c);
	}
	return !c.bad && cursor_left(&c) == 0;
}

ssize_t pool_send(int sock, struct span s, const int *fds, size_t n, int flags)
{
	union {
		struct cmsghdr head;
		char room[CMSG_SPACE(POOL_FILES_MAX * sizeof(int))];
	} control = {0};
	struct iovec iov = {(void *)(uintptr_t)s.p, s.n};
	struct msghdr m = {.msg_iov = &iov, .msg_iovlen = 1};

	if (n) {
		m.msg_control = &control;
		m.msg_controllen = CMSG_SPACE(n * sizeof(int));
		control.head.cmsg_level = SOL_SOCKET;
		control.head.cmsg_type = SCM_RIGHTS;
		control.head.cmsg_len = CMSG_LEN(n * sizeof(int));
		memcpy(CMSG_DATA(&control.head), fds, n * sizeof(int));
	}
	return sendmsg(sock, &m, flags | MSG_NOSIGNAL);
}

bool pool_send_all(int sock, struct span s)
{
	while (s.n) {
		ssize_t n = pool_send(sock, s, NULL, 0, 0);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return false;
		s = span_after(s, (size_t)n);
	}
	return true;
}
