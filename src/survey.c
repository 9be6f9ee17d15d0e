/* SPDX-License-Identifier: Apache-2.0 */
#include "survey.h"

#include <unistd.h>

#include "output.h"
#include "rules/catalogue.h"
#include "scan.h"
#include "terminal.h"

#define REPORT_MAX ((size_t)1 << 34)

static void message_add(struct spans *messages, struct arena *mem, const struct err *e)
{
	spans_add(mem, messages, arena_copy(mem, span_of(e->text)));
}

/* The state starts as incomplete; each artifact has to earn better. */
static enum exit_status inventory_status(const struct inventory *inv, struct arena *mem, struct spans *messages)
{
	bool complete = inv->artifacts.n > 0, usage = false;

	for (size_t i = 0; i < inv->artifacts.n; i++) {
		const struct artifact *a = &inv->artifacts.v[i];

		complete = complete && (a->complete || a->usage);
		usage |= a->usage;
		if (a->refused && a->incomplete.n)
			spans_add(mem, messages, a->incomplete.v[0].reason);
	}
	return !complete ? STATUS_INCOMPLETE : usage ? STATUS_USAGE : STATUS_COMPLETE;
}

/* path: NULL for standard output. */
static enum exit_status report_send(const struct inventory *inv, const struct catalogue *c,
                                    const struct report_format *format, const struct report_options *how,
                                    const char *path, struct arena *mem, struct spans *messages)
{
	struct outbuf out = outbuf_limited(REPORT_MAX);
	struct err e = ERR_INIT;
	int rc;

	format->write(inv, c, how, &out);
	if (out.failed) {
		err_set(&e, ERR_FAULT, 0, "no memory for the %s report", format->name);
		message_add(messages, mem, &e);
		outbuf_release(&out);
		return STATUS_FAULT;
	}
	rc = path ? output_write(path, outbuf_span(&out), &e)
	          : descriptor_write(STDOUT_FILENO, outbuf_span(&out), "standard output", &e);
	outbuf_release(&out);
	if (rc == 0)
		return STATUS_COMPLETE;
	message_add(messages, mem, &e);
	return STATUS_INCOMPLETE;
}

static enum exit_status reports_send(const struct options *o, enum report_subject subject, const struct inventory *inv,
                                     const struct catalogue *c, struct arena *mem, struct spans *messages)
{
	struct report_options how = {
	        .subject = subject,
	        .pretty = o->pretty,
	        .verbose = o->verbose,
	        .utf8 = terminal_utf8(),
	        .width = terminal_width(-1),
	};
	struct report_options here = how;
	enum exit_status status;

	here.colour = terminal_colour(STDOUT_FILENO);
	here.width = terminal_width(STDOUT_FILENO);
	status = report_send(inv, c, o->format, &here, NULL, mem, messages);
	for (size_t i = 0; i < o->outputs.n; i++)
		status = status_worst(
		        status, report_send(inv, c, o->outputs.v[i].format, &how, o->outputs.v[i].path, mem, messages));
	return status;
}

static enum exit_status scan_and_report(const struct options *o, enum report_subject subject, const struct catalogue *c,
                                        struct arena *mem, struct spans *messages)
{
	struct inventory inv = {.rules_version = c->version};
	struct progress progress;
	struct scan_options how = {
	        .jobs = (unsigned)o->jobs,
	        .limits = o->limits,
	        .no_digests = o->no_digests,
	        .verify = o->verify,
	        .platform = o->platform,
	        .all_platforms = o->all_platforms,
	        .image = o->image,
	        .progress = progress_show,
	        .progress_sink = &progress,
	};
	struct err e = ERR_INIT;
	enum exit_status status;
	int rc;

	progress_begin(&progress);
	rc = scan_artifacts(&inv, o->names.v, o->names.n, &how, c, mem, &e);
	progress_end(&progress);
	if (rc < 0) {
		message_add(messages, mem, &e);
		return STATUS_FAULT;
	}
	status = inventory_status(&inv, mem, messages);
	return status_worst(status, reports_send(o, subject, &inv, c, mem, messages));
}

enum exit_status survey(const struct options *o, enum report_subject subject, struct arena *mem, struct spans *messages)
{
	struct catalogue c = {.index = NULL};
	struct err e = ERR_INIT;
	enum exit_status status;

	if (outputs_check(o, &e) < 0 || catalogue_load(&c, o->rules, &o->limits, mem, &e) < 0) {
		message_add(messages, mem, &e);
		return e.code == ERR_FAULT ? STATUS_FAULT : STATUS_USAGE;
	}
	status = scan_and_report(o, subject, &c, mem, messages);
	for (size_t i = 0; i < c.families.n; i++)
		regfree(&c.families.v[i].regex);
	return status;
}
