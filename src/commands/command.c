/* SPDX-License-Identifier: Apache-2.0 */
#include "commands/command.h"

static const struct command *const rows[COMMAND_COUNT] = {
#define COMMAND(name) &command_##name,
#include "commands/list.def"
#undef COMMAND
};

const struct command *command_at(size_t i)
{
	return i < COMMAND_COUNT ? rows[i] : NULL;
}

enum command_id command_by_name(struct span name)
{
	for (int i = 0; i < COMMAND_COUNT; i++)
		if (span_eq(name, span_of(rows[i]->name)))
			return (enum command_id)i;
	return COMMAND_COUNT;
}
