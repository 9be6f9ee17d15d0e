/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A hash of (folder, name) for tables of names that an attacker wrote: a polynomial in a key that nobody knows, since
 * names that are made to collide would cost a search of all of them. The key decides about time only, never about the
 * order of anything.
 */
#ifndef POSTERN_BASE_NAME_HASH_H
#define POSTERN_BASE_NAME_HASH_H

#include "base/span.h"

/* A fresh key; never 0. */
uint64_t name_hash_key(void);
uint64_t name_hash(uint64_t key, uint32_t folder, struct span name);

#endif
