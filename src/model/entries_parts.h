/* SPDX-License-Identifier: Apache-2.0 */
/* Private to entries*.c: how a row stands in bytes. */
#ifndef POSTERN_MODEL_ENTRIES_PARTS_H
#define POSTERN_MODEL_ENTRIES_PARTS_H

#include "base/number.h"
#include "model/entries.h"

/* A row: a byte of the kind and of what follows, the name, then what the byte says. */
#define ROW_KIND   7
#define ROW_BYTES  8
#define ROW_TARGET 16
#define ROW_ORDER  32

#define ROW_GONE 255 /* as level: renamed */
#define STEP     32  /* rows from one known place to the next */

static inline struct span folder_name(const struct entry_folder *f)
{
	return (struct span){f->name, f->name_n};
}

/* Of bytes that are known to be a row: where the next one begins. */
const uint8_t *row_decode(const uint8_t *p, struct entry_row *r);
uint8_t *chunk_at(const struct entries *l, uint32_t place);
bool open_next(const struct entries *l, struct entry_cursor *c);

#endif
