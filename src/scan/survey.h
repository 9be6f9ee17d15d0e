/* SPDX-License-Identifier: Apache-2.0 */
/* What the verbs that read artifacts have in common: rule data, scan, reports, status. */
#ifndef POSTERN_SCAN_SURVEY_H
#define POSTERN_SCAN_SURVEY_H

#include "model/catalogue.h"
#include "options.h"

/* What a report is about. */
struct reported {
	enum report_subject subject;
	const struct inventory *inventory;
	const struct judgement *judgement; /* of REPORT_CHECK; NULL else */
};

/* Rule data, and whether reports can be written where they are to go. After STATUS_COMPLETE c is released by catalogue_release. */
enum exit_status survey_begin(const struct options *o, struct catalogue *c, struct arena *mem, struct spans *messages);
/* Adds artifacts to inv. STATUS_COMPLETE, or STATUS_FAULT; what they are worth says survey_status. */
enum exit_status survey_scan(const struct options *o, const char *const *names, size_t n, struct inventory *inv,
                             const struct catalogue *c, struct arena *mem, struct spans *messages);
/* The state starts as incomplete; each artifact has to earn better. */
enum exit_status survey_status(const struct inventory *inv, struct arena *mem, struct spans *messages);
enum exit_status survey_report(const struct options *o, const struct reported *r, const struct catalogue *c,
                               struct arena *mem, struct spans *messages);
void message_add(struct spans *messages, struct arena *mem, const struct err *e);

/* All of it, for a verb that only shows. */
enum exit_status survey(const struct options *o, enum report_subject subject, struct arena *mem, struct spans *messages);

#endif
