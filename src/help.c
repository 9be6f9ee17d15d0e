/* SPDX-License-Identifier: Apache-2.0 */
/* --help, from the rows of options.def and commands/list.def. */
#include "options.h"

#define COLUMN 26 /* where the sentence begins */

static void option_line(const struct option_row *row, struct outbuf *out)
{
	size_t from = out->n;

	outbuf_text(out, "  ");
	if (row->letter)
		outbuf_printf(out, "-%c, ", row->letter);
	else
		outbuf_text(out, "    ");
	outbuf_printf(out, "--%s", row->name);
	if (row->argument)
		outbuf_printf(out, " %s", row->argument);
	while (!out->failed && out->n - from < COLUMN)
		outbuf_char(out, ' ');
	outbuf_printf(out, "  %s\n", row->help);
}

static void option_lines(unsigned commands, struct outbuf *out)
{
	for (size_t i = 0; option_at(i); i++)
		if (option_at(i)->commands & commands)
			option_line(option_at(i), out);
}

static void command_lines(struct outbuf *out)
{
	for (size_t i = 0; i < COMMAND_COUNT; i++)
		outbuf_printf(out, "  postern %-8s %-16s %s\n", command_at(i)->name, command_at(i)->arguments,
		              command_at(i)->help);
}

void options_usage(struct outbuf *out)
{
	outbuf_text(out, "usage:\n");
	command_lines(out);
	outbuf_text(out, "'postern --help' says more\n");
}

void options_help(const struct command *command, struct outbuf *out)
{
	if (command) {
		outbuf_printf(out, "postern %s [OPTION...] %s\n\n%s\n\n", command->name, command->arguments,
		              command->more);
		option_lines(1u << command_by_name(span_of(command->name)), out);
	} else {
		outbuf_text(out, "postern finds accelerator code (CUDA, ROCm, ...) in Python wheels, folders and "
		                 "files; it runs nothing\n"
		                 "and unpacks nothing to disk.\n\n");
		command_lines(out);
		outbuf_char(out, '\n');
		option_lines(ANYWHERE, out);
	}
	outbuf_text(
	        out,
	        "\nexit status: 0 complete; 1 findings fail; 2 usage, rule data or policy wrong; 3 an artifact is missing, refused or was not "
	        "read as\n"
	        "a whole, or a report could not be written; 4 a fault of postern. The highest that applies wins.\n");
}
