/* SPDX-License-Identifier: Apache-2.0 */
#include "frame.h"
#include "extractors/path.h"

/* The archive's own path, or that of a member, cut to what a path may have. */
static struct span path_of(struct archive *a, const struct frame *f, struct span name)
{
	unsigned odd;
	struct span path = path_normalise(a->ctx->mem, name, &odd);

	if (path.n == 0)
		return f->path;
	return path_join(a->ctx->mem, f->prefix, span_first(path, (size_t)a->ctx->limits->v[LIMIT_PATH_BYTES]));
}

static void oddities_tell(struct archive *a, const struct frame *f, const struct zip_check *k)
{
	for (int i = 0; i < ZIP_ODD_COUNT_OF; i++) {
		unsigned long long more = k->odd[i].n - 1;
		const char *text = zip_oddity_text((enum zip_oddity)i);
		struct span path, what;

		if (k->odd[i].n == 0)
			continue;
		path = path_of(a, f, k->odd[i].path);
		what = span_of(text);
		if (k->odd[i].bytes)
			what = arena_printf(a->ctx->mem, "%s (%llu bytes)", text, (unsigned long long)k->odd[i].bytes);
		if (more)
			what = arena_printf(a->ctx->mem, "%s (and %llu more like it)", text, more);
		problem_add(&a->facts->problems, a->ctx->mem, PROBLEM_ANOMALY, FINDING_ARCHIVE_MALFORMED, path, "%.*s",
		            (int)what.n, (const char *)what.p);
	}
}

static void readers_compare(struct archive *a, struct frame *f)
{
	struct err e = ERR_INIT;

	switch (zip_compare(&f->zip, &e)) {
	case ZIP_AGREES:
		break;
	case ZIP_REFUSED:
		problem_err(&a->facts->problems, a->ctx->mem, PROBLEM_ANOMALY, FINDING_ARCHIVE_MALFORMED, f->path, &e);
		break;
	case ZIP_DISAGREES:
		archive_fault(a, f, FINDING_ARCHIVE_MALFORMED, f->path, &e);
		break;
	case ZIP_NO_MEMORY:
		problem_limit(&a->facts->problems, a->ctx->mem, a->ctx->limits, LIMIT_JOB_MEMORY, f->path,
		              "a second reading");
		break;
	}
}

void archive_check(struct archive *a, struct frame *f)
{
	struct problems *problems = &a->facts->problems;
	struct arena *mem = a->ctx->mem;
	struct err e = ERR_INIT;
	struct zip_check *k = &f->check;

	if (f->zip.end.second) {
		err_set(&e, ERR_FORMAT, 0, "the file holds two archives, and readers disagree which one it is");
		archive_fault(a, f, FINDING_ARCHIVE_MALFORMED, f->path, &e);
	}
	if (f->zip.damaged) {
		err_set(&e, ERR_FORMAT, 0, "the directory is damaged behind its first %zu members", f->zip.n);
		archive_fault(a, f, FINDING_ARCHIVE_MALFORMED, f->path, &e);
	}
	zip_check(k, &f->zip, &f->names, a->ctx->limits, mem);
	if (f->zip.limited || k->limited)
		problem_limit(problems, mem, a->ctx->limits, LIMIT_ARTIFACT_ENTRIES, f->path, "the directory");
	oddities_tell(a, f, k);
	if (!f->zip.damaged && !f->zip.limited)
		readers_compare(a, f);
}
