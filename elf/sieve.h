/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What of a passing file is kept (design.md 5): its first sieve-head bytes, its last sieve-tail bytes, and ranges that
 * were asked for before they passed, within object-ranges. A stream's kept bytes lie at their own offsets in reserved
 * address space, where the rest is no memory, or an earlier file's; a mapped file obeys the same rule, so that both give
 * the same facts. The sieve lives in the arena it was given, and keeps the room until sieve_free.
 */
#ifndef POSTERN_ELF_SIEVE_H
#define POSTERN_ELF_SIEVE_H

#include "base/arena.h"
#include "base/room.h"

struct sieve;

/*
 * size: what the file is said to have; it may be a lie. map: the whole file, or NULL for a stream. room: for a stream's bytes, in turn with other files; NULL, or taken: one of its own.
 */
struct sieve *sieve_begin(struct arena *mem, const struct limits *limits, uint64_t size, const uint8_t *map,
                          struct room *room);
void sieve_free(struct sieve *s);
/* Bytes from the start that are kept in any case. */
uint64_t sieve_head(const struct sieve *s);
/* Keeps [offset, offset + n) too. All calls must come before bytes behind sieve_head have passed. */
void sieve_keep(struct sieve *s, uint64_t offset, uint64_t n);
/* The next bytes of a stream. What goes beyond the size is dropped. */
void sieve_put(struct sieve *s, struct span bytes);
/* The same for n zeros: those that are kept cost address space only. */
void sieve_skip(struct sieve *s, uint64_t n);
/* No more bytes come: the file has as many as have passed. A mapped file has them all. */
void sieve_close(struct sieve *s);

/* Bytes of the file, known after sieve_close. */
uint64_t sieve_size(const struct sieve *s);
/* The kept bytes from offset on, up to the next hole or the end of the file; empty when offset is not kept. */
struct span sieve_run(const struct sieve *s, uint64_t offset);
/* Exactly n kept bytes, or NULL. */
const uint8_t *sieve_at(const struct sieve *s, uint64_t offset, uint64_t n);
/* The limit that stands behind a hole. */
enum limit_id sieve_limit(const struct sieve *s);

#endif
