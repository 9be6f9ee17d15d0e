/* SPDX-License-Identifier: Apache-2.0 */
#include "base/room.h"

#include <sys/mman.h>

#define RESERVE ((uint64_t)256 << 20) /* at least: most files fit, and address space is free */

bool room_take(struct room *r, uint64_t bytes)
{
	uint64_t n = bytes > RESERVE ? bytes : RESERVE;
	void *p;

	if (bytes > r->bytes) {
		room_free(r);
		p = mmap(NULL, n, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
		if (p == MAP_FAILED)
			return false;
		r->p = p;
		r->bytes = n;
	}
	r->taken = true;
	return true;
}

void room_give(struct room *r, uint64_t written, uint64_t most)
{
	r->taken = false;
	r->warm = written < most ? written : most;
	/* A mapping in its place gives memory, and what it counts for, back. */
	if (written > r->warm && mmap(r->p + r->warm, written - r->warm, PROT_NONE,
	                              MAP_FIXED | MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0) == MAP_FAILED)
		room_free(r);
}

void room_free(struct room *r)
{
	if (r->p)
		munmap(r->p, r->bytes);
	*r = (struct room)ROOM_INIT;
}
