/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An inventory that a former scan wrote, as model/inventory again: what the judgement needs of it. Hostile like any
 * artifact: it is read one array element at a time, within inventory-bytes and the limits of JSON.
 */
#ifndef POSTERN_INVENTORY_READ_H
#define POSTERN_INVENTORY_READ_H

#include "model/inventory.h"

/*
 * Adds its artifacts to inv; refused, it adds nothing. -1 when it cannot be read (ERR_IO), is no inventory of a schema
 * that we know (ERR_FORMAT, or ERR_TRUNCATED when it ends early; with the byte), or goes above a limit. Written again
 * (reports/json) it gives the same compact bytes. Not in it, and so empty here: link_target, exports_python,
 * RECORD's lines, root, and that the caller had to choose an image (`usage`).
 */
int inventory_read(struct inventory *inv, int fd, const struct limits *limits, struct arena *mem, struct err *e);

#endif
