/* SPDX-License-Identifier: Apache-2.0 */
#include "base/room.h"

#include <sys/mman.h>

#define RESERVE ((uint64_t)2 << 30) /* if it can be: nearly every file fits, and address space is free */

static bool reserve(struct room *r, uint64_t bytes)
{
	void *p = mmap(NULL, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (p == MAP_FAILED)
		return false;
	r->p = p;
	r->bytes = bytes;
	return true;
}

bool room_take(struct room *r, uint64_t bytes)
{
	if (bytes > r->bytes) {
		room_free(r);
		if ((bytes >= RESERVE || !reserve(r, RESERVE)) && !reserve(r, bytes))
			return false;
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
