/* SPDX-License-Identifier: Apache-2.0 */
/* Files that are read for what they say, and not as artifacts: policies and inventories. */
#ifndef POSTERN_INPUT_H
#define POSTERN_INPUT_H

#include "base/arena.h"

/* All of a regular file of at most `most` bytes, in mem. -1, and a sentence with its name. */
int input_whole(const char *name, uint64_t most, struct span *text, struct arena *mem, struct err *e);
/* A descriptor of what begins like an inventory, at its first byte; "-" is standard input. -1: it is something else. */
int input_inventory(const char *name);

#endif
