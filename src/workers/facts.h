/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Layer facts as canonical, versioned bytes: what a worker sends, a cache may keep, another machine may send. facts_write is
 * total; facts_read is the one strict reader: every number, enum, order and length is checked, unknown bytes are refused,
 * and nothing is believed. Equal facts give equal bytes.
 */
#ifndef POSTERN_WORKERS_FACTS_H
#define POSTERN_WORKERS_FACTS_H

#include "base/outbuf.h"
#include "model/facts.h"

#define FACTS_MAX ((size_t)1 << 30) /* bytes of one job's facts */

/* Sorts objects and packages by path, problems by (path, grade, id, reason), doubles taken out. Entries are sorted as
 * they are written. */
void facts_sort(struct facts *f);
/* Facts must be sorted. */
void facts_write(const struct facts *f, struct outbuf *out);
/*
 * Spans of *f point into bytes, which must live as long as f; lists come from f->mem. -1 and e filled when the bytes are not
 * exactly one valid fact set in canonical form.
 */
int facts_read(struct span bytes, struct facts *f, struct err *e);

#endif
