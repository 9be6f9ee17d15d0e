/* SPDX-License-Identifier: Apache-2.0 */
#include "survey.h"

#include <unistd.h>

#include "output.h"
#include "rules/catalogue.h"
#include "scan.h"
#include "terminal.h"

#define REPORT_MAX ((size_t)1 << 34)

void message_add(struct spans *messages, struct arena *mem, const struct err *e)
{
	spans_add(mem, messages, arena_copy(mem, span_of(e->text)));
}

/* The state starts as incomplete; each artifact has to earn better. */
enum exit_status survey_status(const struct inventory *inv, struct arena *mem, struct spans *messages)
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

static void report_write(const struct reported *r, const struct catalogue *c, const struct report_format *format,
                         const struct report_options *how, struct outbuf *out)
{
	if (r->judgement)
		format->write_judgement(r->judgement, c, how, out);
	else
		format->write(r->inventory, c, how, out);
}

/* path: NULL for standard output. */
static enum exit_status report_send(const struct reported *r, const struct catalogue *c,
                                    const struct report_format *format, const struct report_options *how,
                                    const char *path, struct arena *mem, struct spans *messages)
{
	struct outbuf out = outbuf_limited(REPORT_MAX);
	struct err e = ERR_INIT;
	int rc;

	report_write(r, c, format, how, &out);
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

enum exit_status survey_report(const struct options *o, const struct reported *r, const struct catalogue *c,
                               struct arena *mem, struct spans *messages)
{
	struct report_options how = {
	        .subject = r->subject,
	        .pretty = o->pretty,
	        .verbose = o->verbose,
	        .utf8 = terminal_utf8(),
	        .width = terminal_width(-1),
	};
	struct report_options here = how;
	enum exit_status status;

	here.colour = terminal_colour(STDOUT_FILENO);
	here.width = terminal_width(STDOUT_FILENO);
	status = report_send(r, c, o->format, &here, NULL, mem, messages);
	for (size_t i = 0; i < o->outputs.n; i++)
		status = status_worst(
		        status, report_send(r, c, o->outputs.v[i].format, &how, o->outputs.v[i].path, mem, messages));
	return status;
}

enum exit_status survey_scan(const struct options *o, const char *const *names, size_t n, struct inventory *inv,
                             const struct catalogue *c, struct arena *mem, struct spans *messages)
{
	struct progress progress;
	struct scan_options how = {
	        .jobs = (unsigned)o->jobs,
	        .limits = o->limits,
	        .no_digests = o->no_digests,
	        .verify = o->verify,
	        .platform = o->platform,
	        .all_platforms = o->all_platforms,
	        .all_config = o->all_config,
	        .image = o->image,
	        .progress = progress_show,
	        .progress_sink = &progress,
	};
	struct err e = ERR_INIT;
	int rc;

	progress_begin(&progress);
	rc = scan_artifacts(inv, names, n, &how, c, mem, &e);
	progress_end(&progress);
	if (rc == 0)
		return STATUS_COMPLETE;
	message_add(messages, mem, &e);
	return STATUS_FAULT;
}

enum exit_status survey_begin(const struct options *o, struct catalogue *c, struct arena *mem, struct spans *messages)
{
	struct err e = ERR_INIT;

	*c = (struct catalogue){.index = NULL};
	if (outputs_check(o, &e) == 0 && catalogue_load(c, o->rules, &o->limits, mem, &e) == 0)
		return STATUS_COMPLETE;
	message_add(messages, mem, &e);
	return e.code == ERR_FAULT ? STATUS_FAULT : STATUS_USAGE;
}

enum exit_status survey(const struct options *o, enum report_subject subject, struct arena *mem, struct spans *messages)
{
	struct inventory inv = {.artifacts = {NULL, 0, 0}};
	struct reported r = {subject, &inv, NULL};
	struct catalogue c;
	enum exit_status status = survey_begin(o, &c, mem, messages);

	if (status)
		return status;
	inv.rules_version = c.version;
	status = survey_scan(o, o->names.v, o->names.n, &inv, &c, mem, messages);
	if (status == STATUS_COMPLETE) {
		status = survey_status(&inv, mem, messages);
		status = status_worst(status, survey_report(o, &r, &c, mem, messages));
	}
	catalogue_release(&c);
	return status;
}
