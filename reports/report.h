/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A report format: one file, one const row, one line in reports/list.def. A report gets everything it says from the
 * inventory and the judgement, decides nothing and sanitises every text of an artifact (text_sanitised, json_add_text).
 */
#ifndef POSTERN_REPORTS_REPORT_H
#define POSTERN_REPORTS_REPORT_H

#include "base/outbuf.h"
#include "model/catalogue.h"
#include "model/policy.h"

enum report_subject { REPORT_SCAN, REPORT_TARGETS, REPORT_CHECK };

struct report_options {
	enum report_subject subject;
	bool pretty;   /* json: indented */
	bool verbose;  /* text: nothing is cut */
	bool colour;   /* text: may colour grades */
	bool utf8;     /* text: signs beyond ASCII */
	unsigned width; /* columns of the terminal; 80 when unknown */
};

struct report_format {
	const char *name; /* "text", "json" */
	const char *help;
	/* Appends the whole report to out; fails only by out->failed. */
	void (*write)(const struct inventory *inv, const struct catalogue *c, const struct report_options *o, struct outbuf *out);
	/* The same of a judgement: subject is REPORT_CHECK. */
	void (*write_judgement)(const struct judgement *j, const struct catalogue *c, const struct report_options *o,
	                        struct outbuf *out);
};

#define REPORT(name) extern const struct report_format report_##name;
#include "reports/list.def"
#undef REPORT

const struct report_format *report_by_name(struct span name);
/* Rows in order; NULL beyond the last. */
const struct report_format *report_at(size_t i);

#endif
