/* SPDX-License-Identifier: Apache-2.0 */
/* Does it fit? Artifacts, or inventories that a former scan wrote, against a policy. */
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#include "base/digest.h"
#include "base/scoped.h"
#include "input.h"
#include "inventory/read.h"
#include "judge/judge.h"
#include "rules/policy.h"
#include "scan/survey.h"

/* The policy that was given, or one that forbids nothing. */
static int policy_load(const struct options *o, const struct catalogue *c, struct policy *p, struct arena *mem, struct err *e)
{
	struct span text;

	*p = (struct policy){.name = SPAN("none"), .others = GRADE_INFO};
	if (!o->policy)
		return 0;
	if (input_whole(o->policy, o->limits.v[LIMIT_YAML_BYTES], &text, mem, e) < 0)
		return -1;
	return policy_read(p, o->policy, text, c, &o->limits, mem, e);
}

/* In a place of its own, so that the others are judged all the same. */
static void unreadable(const char *name, struct inventory *inv, struct arena *mem, const struct err *e)
{
	struct artifact *a = list_add(mem, &inv->artifacts);

	*a = (struct artifact){.name = span_of(name), .kind = SPAN("inventory"), .refused = true};
	problem_add(&a->incomplete, mem, PROBLEM_INCOMPLETE, FINDING_OBJECT_UNREADABLE, SPAN_NONE, "cannot read '%s': %s",
	            name, e->text);
}

/* What was asked of an artifact an inventory cannot do any more: said, or the answer would be another's. */
static enum exit_status refuse_choices(const struct options *o, const char *name, struct arena *mem, struct spans *messages)
{
	const char *option = o->platform        ? "--platform"
	                     : o->image         ? "--image"
	                     : o->all_platforms ? "--all-platforms"
	                     : o->all_config    ? "--all-config"
	                     : o->verify        ? "--verify"
	                                        : NULL;

	if (!option)
		return STATUS_COMPLETE;
	spans_add(mem, messages,
	          arena_printf(mem, "'%s' is for what is scanned, and '%s' is an inventory: scan again with it", option, name));
	return STATUS_USAGE;
}

/* Names in their order: runs of artifacts are scanned together. */
static enum exit_status gather(const struct options *o, const struct catalogue *c, struct inventory *inv, struct arena *mem,
                               struct spans *messages)
{
	enum exit_status status = STATUS_COMPLETE;
	size_t first = 0;

	for (size_t i = 0; i <= o->names.n && status == STATUS_COMPLETE; i++) {
		scoped_fd int fd = i < o->names.n ? input_inventory(o->names.v[i]) : -1;
		struct err e = ERR_INIT;

		if (i < o->names.n && fd < 0)
			continue;
		if (fd >= 0)
			status = refuse_choices(o, o->names.v[i], mem, messages);
		if (i > first && status == STATUS_COMPLETE)
			status = survey_scan(o, o->names.v + first, i - first, inv, c, mem, messages);
		if (fd >= 0 && status == STATUS_COMPLETE && inventory_read(inv, fd, &o->limits, mem, &e) < 0)
			unreadable(o->names.v[i], inv, mem, &e);
		first = i + 1;
	}
	return status;
}

static struct span today(struct arena *mem)
{
	time_t now = time(NULL);
	struct tm t;

	gmtime_r(&now, &t);
	return arena_printf(mem, "%04d-%02d-%02d", t.tm_year + 1900, t.tm_mon + 1, t.tm_mday);
}

static bool hash_piece(void *digest, struct span piece)
{
	digest_add(digest, piece);
	return true;
}

/* Of the compact form. */
static struct span inventory_digest(const struct inventory *inv, const struct catalogue *c, struct arena *mem)
{
	struct outbuf out = outbuf_limited(SIZE_MAX / 2);
	struct digest *d = digest_new_text(false);

	out.sink = hash_piece;
	out.sink_handle = d;
	report_by_name(SPAN("json"))->write(inv, c, &(struct report_options){.subject = REPORT_SCAN}, &out);
	outbuf_flush(&out);
	outbuf_release(&out);
	return digest_end_text(mem, d);
}

static enum exit_status judge_and_report(const struct options *o, const struct catalogue *c, const struct policy *p,
                                         struct arena *mem, struct spans *messages)
{
	struct inventory inv = {.rules_version = c->version};
	struct judgement j = {.inventory = &inv};
	struct reported r = {REPORT_CHECK, &inv, &j};
	struct judge_options how = {.fail_on = o->fail_on, .date = o->date ? span_of(o->date) : today(mem)};
	struct err e = ERR_INIT;
	enum exit_status status;

	for (size_t i = 0; i < o->classes.n; i++)
		spans_add(mem, &how.classes, span_of(o->classes.v[i]));
	/* What is wrong with the words is said before anything is read. */
	if (judge_inventory(&j, &inv, p, c, &how, mem, &e) < 0) {
		message_add(messages, mem, &e);
		return e.code == ERR_FAULT ? STATUS_FAULT : STATUS_USAGE;
	}
	status = gather(o, c, &inv, mem, messages);
	if (status)
		return status;
	j = (struct judgement){.inventory = &inv};
	if (judge_inventory(&j, &inv, p, c, &how, mem, &e) < 0) {
		message_add(messages, mem, &e);
		return STATUS_FAULT;
	}
	j.inventory_digest = inventory_digest(&inv, c, mem);
	status = status_worst(survey_status(&inv, mem, messages), j.fails_any ? STATUS_FINDINGS : STATUS_COMPLETE);
	/* Where the caller only has to choose, that is the status. */
	if (j.verdict == VERDICT_INCOMPLETE && status < STATUS_USAGE)
		status = STATUS_INCOMPLETE;
	return status_worst(status, survey_report(o, &r, c, mem, messages));
}

static enum exit_status check(const struct options *o, struct arena *mem, struct spans *messages)
{
	struct catalogue c;
	struct policy policy;
	struct err e = ERR_INIT;
	enum exit_status status = survey_begin(o, &c, mem, messages);

	if (status)
		return status;
	if (policy_load(o, &c, &policy, mem, &e) < 0) {
		message_add(messages, mem, &e);
		status = STATUS_USAGE;
	} else {
		status = judge_and_report(o, &c, &policy, mem, messages);
	}
	catalogue_release(&c);
	return status;
}

const struct command command_check = {
        .name = "check",
        .arguments = "ARTIFACT...",
        .help = "does it fit a policy",
        .more = "Judges images, wheels, folders, files, and inventories that 'postern scan -f json' wrote, against a policy.\n"
                "Exit status 1: something fails. docs/policy.md says how a policy is written, 'postern rules' what findings mean.",
        .run = check,
};
