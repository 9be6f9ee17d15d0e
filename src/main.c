/* SPDX-License-Identifier: Apache-2.0 */
/* Command line in, exit status out. The only printer of messages. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/json.h"
#include "options.h"
#include "output.h"

/*
 * A caller may have closed the standard descriptors. What is opened later must not take their place and be written to;
 * a write to one that is open for reading only fails, as it should.
 */
static void standard_descriptors_fill(void)
{
	int fd;

	do
		fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
	while (fd >= 0 && fd <= STDERR_FILENO);
	if (fd > STDERR_FILENO)
		close(fd);
}

static void message_print(struct span text)
{
	struct outbuf b = outbuf_limited((size_t)1 << 20);
	struct err e = ERR_INIT;

	outbuf_text(&b, "postern: ");
	text_sanitised(&b, text);
	outbuf_char(&b, '\n');
	/* When messages cannot be written, the status still tells. */
	(void)descriptor_write(STDERR_FILENO, outbuf_span(&b), "standard error", &e);
	outbuf_release(&b);
}

/* Our own words; a text that cannot be written is not a success. */
static enum exit_status text_print(struct outbuf *b, int fd, enum exit_status status)
{
	struct err e = ERR_INIT;

	if (descriptor_write(fd, outbuf_span(b), "standard output", &e) < 0) {
		message_print(span_of(e.text));
		status = status_worst(status, STATUS_INCOMPLETE);
	}
	outbuf_release(b);
	return status;
}

static enum exit_status command_run(const struct options *o, struct arena *mem)
{
	struct outbuf b = outbuf_limited(65536);
	struct spans messages = {NULL, 0, 0};
	enum exit_status status;

	if (o->help) {
		options_help(o->command, &b);
		return text_print(&b, STDOUT_FILENO, STATUS_COMPLETE);
	}
	if (o->version) {
		outbuf_text(&b, "postern " POSTERN_VERSION "\n");
		return text_print(&b, STDOUT_FILENO, STATUS_COMPLETE);
	}
	if (!o->command) {
		options_usage(&b);
		return text_print(&b, STDERR_FILENO, STATUS_USAGE);
	}
	status = o->command->run(o, mem, &messages);
	for (size_t i = 0; i < messages.n; i++)
		message_print(messages.v[i]);
	return status;
}

int main(int argc, char **argv)
{
	struct arena mem = ARENA_INIT;
	struct options o;
	struct err e = ERR_INIT;
	enum exit_status status;

	standard_descriptors_fill();
	signal(SIGPIPE, SIG_IGN);
	if (options_parse(&o, argc, argv, &mem, &e) < 0) {
		message_print(span_of(e.text));
		status = STATUS_USAGE;
	} else {
		status = command_run(&o, &mem);
	}
	arena_clear(&mem);
	return (int)status;
}
