/* SPDX-License-Identifier: Apache-2.0 */
/* The command line as plain data. options.def is the one table: parsing, help and errors come from it. */
#ifndef POSTERN_OPTIONS_H
#define POSTERN_OPTIONS_H

#include "base/outbuf.h"
#include "commands/command.h"
#include "reports/report.h"

struct output {
	const struct report_format *format;
	const char *path;
};

struct texts {
	const char **v;
	size_t n, cap;
};

struct options {
	const struct command *command; /* NULL: no verb was given */
	bool help, version;
	const struct report_format *format; /* of standard output */
	bool pretty, verbose, no_digests, verify, all_platforms, all_config;
	uint64_t jobs;
	const char *rules;
	const char *platform, *image, *policy, *date;
	enum grade fail_on;
	struct texts classes;
	struct limits limits;
	LIST(struct output) outputs;
	LIST(const char *) names; /* what follows the verb */
};

enum option_kind {
	OPTION_FLAG,
	OPTION_COUNT,
	OPTION_TEXT,
	OPTION_TEXTS,
	OPTION_DATE,
	OPTION_GRADE,
	OPTION_FORMAT,
	OPTION_OUTPUT,
	OPTION_LIMIT
};

struct option_row {
	const char *name;
	char letter; /* 0: none */
	enum option_kind kind;
	uint64_t min, max;    /* OPTION_COUNT */
	size_t target;        /* offset in struct options */
	const char *argument; /* NULL: takes none */
	unsigned commands;    /* bits of command_id; ANYWHERE: also without a verb */
	const char *help;
};

#define ANYWHERE (~0u)
#define ON(command) (1u << COMMAND_ID_##command)
#define READING     (ON(check) | ON(scan) | ON(targets))

/* NULL beyond the last. */
const struct option_row *option_at(size_t i);

/* Fills o from its defaults and argv; argv must live as long. -1 with ERR_USAGE. A missing verb is no error here. */
int options_parse(struct options *o, int argc, char *const *argv, struct arena *mem, struct err *e);

/* Help of one verb, or of the program when command is NULL. */
void options_help(const struct command *command, struct outbuf *out);
/* The short form, when there is nothing to do. */
void options_usage(struct outbuf *out);

/* Processors that this process may use, at least 1. */
unsigned usable_processors(void);

#endif
