/* SPDX-License-Identifier: Apache-2.0 */
#include "model/inventory.h"

static const char *const levels[LEVEL_COUNT] = {"mentioned", "carried", "needed"};

const char *level_name(enum level l)
{
	return l < LEVEL_COUNT ? levels[l] : "";
}
