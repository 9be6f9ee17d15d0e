/* SPDX-License-Identifier: Apache-2.0 */
/* A verb: one file, one const row, one line in commands/list.def. It prints nothing: main does, and reports go to files. */
#ifndef POSTERN_COMMANDS_COMMAND_H
#define POSTERN_COMMANDS_COMMAND_H

#include "base/arena.h"

struct options;

/* Exit status; when several apply the highest wins. */
enum exit_status {
	STATUS_COMPLETE = 0,
	STATUS_FINDINGS = 1,   /* findings at or above --fail-on */
	STATUS_USAGE = 2,      /* the command line, the rule data or the policy is wrong */
	STATUS_INCOMPLETE = 3, /* an artifact is missing, refused or not read as a whole, or a report could not be written */
	STATUS_FAULT = 4,      /* our own mistake */
};

static inline enum exit_status status_worst(enum exit_status a, enum exit_status b)
{
	return a > b ? a : b;
}

struct command {
	const char *name;
	const char *arguments; /* "ARTIFACT..."; in brackets: there may be none */
	const char *help;      /* one line */
	const char *more;      /* a few lines for its own --help */
	/* messages: one sentence each, raw bytes, for standard error. */
	enum exit_status (*run)(const struct options *o, struct arena *mem, struct spans *messages);
};

/* One bit each, for the column `commands` of options.def. */
enum command_id {
#define COMMAND(name) COMMAND_ID_##name,
#include "commands/list.def"
#undef COMMAND
	COMMAND_COUNT
};

#define COMMAND(name) extern const struct command command_##name;
#include "commands/list.def"
#undef COMMAND

/* NULL beyond the last. */
const struct command *command_at(size_t i);
/* COMMAND_COUNT when there is none of that name. */
enum command_id command_by_name(struct span name);

#endif
