/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Private to pool*.c: what goes between parent and worker over their socket pair. A request is 8 bytes of length, the
 * job's bytes, and with the first byte its descriptors. An answer is pieces, each 8 bytes of length and so many bytes; one without
 * bytes ends it.
 */
#ifndef POSTERN_WORKERS_PARTS_H
#define POSTERN_WORKERS_PARTS_H

#include <sys/types.h>

#include "pool.h"

#define POOL_LENGTH_BYTES 8
#define POOL_SOCKET_FD    3 /* in a worker */

void pool_put_length(uint8_t to[POOL_LENGTH_BYTES], uint64_t n);
uint64_t pool_get_length(const uint8_t from[POOL_LENGTH_BYTES]);
/* A whole request, length in front; failed when there is no memory. */
void pool_job_write(const struct pool_job *job, struct outbuf *out);
/* The bytes after the length; descriptors are left -1. False: no request. */
bool pool_job_read(struct span bytes, struct pool_job *job, struct arena *mem);

/* Sends at most all of s, with n descriptors beside its first byte. As send: bytes or -1 and errno. */
ssize_t pool_send(int sock, struct span s, const int *fds, size_t n, int flags);

/* Sends all of s, and waits where it must; false when nobody takes it. */
bool pool_send_all(int sock, struct span s);

/* A worker's life, in the child after fork. parent: who must be alive. */
_Noreturn void pool_child(int sock, pid_t parent, const struct limits *limits, pool_work *work, void *context);

#endif
