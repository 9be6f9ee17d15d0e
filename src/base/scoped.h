/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Clean-up at the end of a scope, harmless on the empty value and keeping errno:
 *   scoped_fd int fd = open(...);   closed unless -1
 */
#ifndef POSTERN_BASE_SCOPED_H
#define POSTERN_BASE_SCOPED_H

#include <errno.h>
#include <unistd.h>

static inline void fd_closep(int *fd)
{
	int keep = errno;

	if (*fd >= 0)
		close(*fd);
	*fd = -1;
	errno = keep;
}

/* Hands over: the caller's variable becomes -1. */
static inline int fd_steal(int *fd)
{
	int out = *fd;

	*fd = -1;
	return out;
}

#define scoped_fd __attribute__((cleanup(fd_closep)))

#endif
