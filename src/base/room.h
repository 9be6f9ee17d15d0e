/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Address space that one file after the other is kept in. Its first `warm` bytes are memory that an earlier user wrote: to
 * write over it costs less than to get fresh pages. Everything behind is not accessible. One user at a time; who finds it
 * taken makes one of his own. Start with ROOM_INIT, end with room_free.
 */
#ifndef POSTERN_BASE_ROOM_H
#define POSTERN_BASE_ROOM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct room {
	uint8_t *p;
	uint64_t bytes; /* of address space */
	uint64_t warm;  /* whole pages */
	bool taken;
};

#define ROOM_INIT {NULL, 0, 0, false}

/* Takes it with at least so many bytes. False: there is no such address space; nothing is taken. */
bool room_take(struct room *r, uint64_t bytes);
/* The first `written` bytes, whole pages, are memory now; of them at most `most` stay. */
void room_give(struct room *r, uint64_t written, uint64_t most);
void room_free(struct room *r);

#endif
