/* SPDX-License-Identifier: Apache-2.0 */
/* What findings mean: docs/findings, compiled in. */
#include <unistd.h>

#include "base/embedded.h"
#include "nearest.h"
#include "output.h"

static void list_write(struct outbuf *out)
{
	for (int i = FINDING_NONE + 1; i < FINDING_COUNT; i++)
		outbuf_printf(out, "%-26s %-5s %-9s %s\n", finding_name((enum finding_id)i),
		              grade_name(finding_default((enum finding_id)i)),
		              finding_family_name(finding_family_of((enum finding_id)i)), finding_what((enum finding_id)i));
	outbuf_text(out, "\n'postern rules ID' says what one means, with an example, and how to mend it\n");
}

static void page_write(enum finding_id id, struct outbuf *out)
{
	struct span name = span_of(finding_name(id));

	for (size_t i = 0; i < finding_pages_count; i++) {
		const struct embedded_file *f = &finding_pages[i];

		if (span_starts(span_of(f->name), name) && f->name[name.n] == '.')
			outbuf_put(out, (struct span){f->bytes, f->size});
	}
}

static int pages_write(const struct options *o, struct outbuf *out, struct err *e)
{
	for (size_t i = 0; i < o->names.n; i++) {
		enum finding_id id = finding_by_name(span_of(o->names.v[i]));
		struct nearest near = nearest_to(span_of(o->names.v[i]));

		for (int k = FINDING_NONE + 1; k < FINDING_COUNT; k++)
			nearest_offer(&near, finding_name((enum finding_id)k));
		if (id == FINDING_NONE && near.best)
			return err_set(e, ERR_USAGE, 0, "no finding is called '%s'; did you mean '%s'?", o->names.v[i], near.best);
		if (id == FINDING_NONE)
			return err_set(e, ERR_USAGE, 0, "no finding is called '%s'; 'postern rules' lists them", o->names.v[i]);
		if (i)
			outbuf_char(out, '\n');
		page_write(id, out);
	}
	return 0;
}

static enum exit_status rules(const struct options *o, struct arena *mem, struct spans *messages)
{
	struct outbuf out = outbuf_limited((size_t)1 << 24);
	struct err e = ERR_INIT;
	enum exit_status status = STATUS_COMPLETE;

	if (o->names.n == 0)
		list_write(&out);
	if (pages_write(o, &out, &e) < 0)
		status = STATUS_USAGE;
	else if (descriptor_write(STDOUT_FILENO, outbuf_span(&out), "standard output", &e) < 0)
		status = STATUS_INCOMPLETE;
	if (status)
		spans_add(mem, messages, arena_copy(mem, span_of(e.text)));
	outbuf_release(&out);
	return status;
}

const struct command command_rules = {
        .name = "rules",
        .arguments = "[ID...]",
        .help = "what findings mean",
        .more = "Lists the findings with their grades; with an ID says what it means, with an example, and how to mend it.",
        .run = rules,
};
