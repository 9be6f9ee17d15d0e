/* SPDX-License-Identifier: Apache-2.0 */
#include "input.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/scoped.h"
#include "model/inventory.h"
#include "model/job.h"

#define FRONT  READER_FRONT /* of a file it is looked at as far */
#define ENOUGH 64 /* of an inventory that we wrote */

static int open_regular(const char *name, uint64_t *size)
{
	scoped_fd int fd = -1;
	struct stat st;

	if (stat(name, &st) < 0)
		return -1;
	errno = EINVAL;
	if (!S_ISREG(st.st_mode))
		return -1;
	fd = open(name, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (fd < 0 || fstat(fd, &st) < 0 || !S_ISREG(st.st_mode))
		return -1;
	*size = (uint64_t)st.st_size;
	return fd_steal(&fd);
}

int input_whole(const char *name, uint64_t most, struct span *text, struct arena *mem, struct err *e)
{
	uint64_t size = 0;
	scoped_fd int fd = open_regular(name, &size);
	uint8_t *room;
	size_t n = 0;

	if (fd < 0)
		return err_set(e, ERR_USAGE, 0, "cannot read '%s': %s", name,
		               errno == EINVAL ? "it is no file" : strerror(errno));
	if (size > most)
		return err_set(e, ERR_USAGE, 0, "cannot read '%s': it has more than %llu bytes", name, (unsigned long long)most);
	room = arena_alloc(mem, (size_t)size + 1);
	while (n < size) {
		ssize_t got = read(fd, room + n, (size_t)size - n);

		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			return err_set(e, ERR_USAGE, 0, "cannot read '%s': %s", name,
			               got < 0 ? strerror(errno) : "it became shorter");
		n += (size_t)got;
	}
	*text = (struct span){room, n};
	return 0;
}

/* The first bytes of a pipe or socket, which stay in it. */
static ssize_t pipe_front(int fd, uint8_t front[FRONT])
{
	scoped_fd int out = -1;
	scoped_fd int in = -1;
	int pair[2];
	ssize_t n = recv(fd, front, FRONT, MSG_PEEK);

	if (n >= 0 || errno != ENOTSOCK)
		return n;
	if (pipe2(pair, O_CLOEXEC) < 0)
		return -1;
	out = pair[0];
	in = pair[1];
	n = tee(fd, in, FRONT, 0);
	return n > 0 ? read(out, front, (size_t)n) : n;
}

/* Who writes into it may begin with a few bytes: what could become an inventory is given a second. */
static ssize_t pipe_look(int fd, uint8_t front[FRONT])
{
	struct timespec moment = {0, 10000000};
	ssize_t n = pipe_front(fd, front);

	for (int i = 0; i < 100 && n < ENOUGH && (n < 0 ? errno == EINTR || errno == EAGAIN : n && front[0] == '{'); i++) {
		nanosleep(&moment, NULL);
		n = pipe_front(fd, front);
	}
	return n;
}

int input_inventory(const char *name)
{
	scoped_fd int fd = -1;
	uint8_t front[FRONT];
	uint64_t size;
	ssize_t n = 0;

	if (strcmp(name, "-") == 0) {
		fd = fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3);
		n = fd < 0 || isatty(fd) ? 0 : pread(fd, front, FRONT, 0);
		if (n < 0)
			n = pipe_look(fd, front);
	} else {
		fd = open_regular(name, &size);
		n = fd < 0 ? 0 : pread(fd, front, FRONT, 0);
	}
	return n > 0 && inventory_begins((struct span){front, (size_t)n}) ? fd_steal(&fd) : -1;
}
