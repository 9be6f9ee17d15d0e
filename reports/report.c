/* SPDX-License-Identifier: Apache-2.0 */
#include "reports/report.h"

static const struct report_format *const formats[] = {
#define REPORT(name) &report_##name,
#include "reports/list.def"
#undef REPORT
};

const struct report_format *report_at(size_t i)
{
	return i < sizeof(formats) / sizeof(*formats) ? formats[i] : NULL;
}

const struct report_format *report_by_name(struct span name)
{
	const struct report_format *f;

	for (size_t i = 0; (f = report_at(i)); i++)
		if (span_eq(span_of(f->name), name))
			return f;
	return NULL;
}
