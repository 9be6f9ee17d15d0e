/* SPDX-License-Identifier: Apache-2.0 */
/* What workers answer. Nothing of it is believed: a job without a valid answer is lost, and said to be. */
#include <stdio.h>

#include "base/digest.h"
#include "extractors/extractor.h"
#include "workers/facts.h"
#include "parts.h"

#define SLICES_MAX 65536 /* more than any plan has use for */

void artifact_refuse(struct scan *s, struct artifact *a, const char *why)
{
	a->refused = true;
	problem_add(&a->incomplete, s->mem, PROBLEM_INCOMPLETE, FINDING_OBJECT_UNREADABLE, SPAN_NONE, "%s", why);
}

static void lost(struct scan *s, struct artifact *a, struct span path, enum limit_id limit, const char *what,
                 const char *why)
{
	problem_add(&a->incomplete, s->mem, PROBLEM_INCOMPLETE, FINDING_SCAN_INCOMPLETE, path, "%s: %s", what, why);
	a->incomplete.v[a->incomplete.n - 1].limit = limit;
}

void job_lost(struct scan *s, const struct scan_job *j, enum limit_id limit, const char *why)
{
	struct reading *r = s->readings.v[j->artifact];
	char what[80];

	switch (j->kind) {
	case WORK_PLAN:
	case WORK_PLAN_FOLDER:
		r->planned = true;
		lost(s, r->to, SPAN_NONE, limit, "the worker that looked what this is did not finish", why);
		return;
	case WORK_PIPE:
		r->planned = true;
		lost(s, r->to, SPAN_NONE, limit, "the worker that read it did not finish", why);
		return;
	case WORK_HASH:
		if (j->layer) {
			layer_problem(s, r, PROBLEM_INCOMPLETE, FINDING_SCAN_INCOMPLETE, j->layer,
			              "the worker that hashed it did not finish: %s", why);
			return;
		}
		lost(s, r->to, SPAN_NONE, limit, "the worker that hashed it did not finish", why);
		return;
	case WORK_READ:
		break;
	}
	if (j->layer) {
		layer_problem(s, r, PROBLEM_INCOMPLETE, FINDING_SCAN_INCOMPLETE, j->layer,
		              "the worker that read it did not finish: %s", why);
		r->to->incomplete.v[r->to->incomplete.n - 1].limit = limit;
		return;
	}
	for (size_t i = 0; i < j->files.n; i++)
		lost(s, r->to, j->files.v[i], limit, "the worker that read it did not finish", why);
	if (j->files.n)
		return;
	snprintf(what, sizeof(what), "the worker that read part %u of %u did not finish", j->index + 1, j->slices);
	lost(s, r->to, SPAN_NONE, limit, what, why);
}

/* The plan is only a wish: which reader, how many slices. */
static void plan_keep(struct scan *s, const struct scan_job *j, const struct facts *f)
{
	struct reading *r = s->readings.v[j->artifact];
	struct err why = ERR_INIT;

	r->planned = true;
	if (j->kind == WORK_PLAN_FOLDER && !f->plan.extractor.n) {
		r->plain = true;
		return;
	}
	if (f->plan.kind.n)
		r->to->kind = f->plan.kind;
	if (j->kind == WORK_PLAN_FOLDER && f->plan.needs.n && !f->plan.refused.n) {
		r->planned = false;
		r->plan_again = image_files_open(s, r, &f->plan.needs);
		if (r->plan_again)
			return;
		r->planned = true;
		job_lost(s, j, LIMIT_NONE, "it asks for files again and again");
		return;
	}
	r->images = f->plan.images;
	for (uint32_t i = 1; r->nth == 0 && !r->passes && i < f->plan.images && i < IMAGES_MAX; i++)
		(void)reading_more(s, r, i);
	if (f->plan.refused.n) {
		err_set(&why, ERR_FORMAT, 0, "cannot scan '%.*s': %.*s", (int)r->to->name.n,
		        (const char *)r->to->name.p, (int)f->plan.refused.n, (const char *)f->plan.refused.p);
		artifact_refuse(s, r->to, why.text);
		r->to->usage = f->plan.usage;
		return;
	}
	if (!extractor_by_name(f->plan.extractor) || f->plan.slices == 0 || f->plan.slices > SLICES_MAX) {
		job_lost(s, j, LIMIT_NONE, "its answer is no plan");
		return;
	}
	r->to->closed = f->plan.image.present || span_eq(f->plan.kind, SPAN("rootfs-tar"));
	if (f->plan.image.present) {
		image_keep(s, r, f);
		return;
	}
	r->extractor = f->plan.extractor;
	r->slices = f->plan.slices;
	r->total = f->plan.slices;
	r->passes = r->passes || extractor_by_name(r->extractor)->passes;
}

void facts_keep(struct scan *s, const struct scan_job *j, struct span bytes)
{
	struct reading *r = s->readings.v[j->artifact];
	struct facts f = {.mem = s->mem};
	struct err e = ERR_INIT;

	r->done += j->kind == WORK_READ;
	if (facts_read(bytes, &f, &e) < 0) {
		err_wrap(&e, "it sent nonsense");
		job_lost(s, j, LIMIT_NONE, e.text);
		return;
	}
	if (j->kind == WORK_PLAN || j->kind == WORK_PLAN_FOLDER)
		plan_keep(s, j, &f);
	else if (j->kind == WORK_HASH && f.problems.n == 0 && !digest_is_exact(f.digest))
		job_lost(s, j, LIMIT_NONE, "its answer is no digest");
	else if (j->layer)
		layer_keep(s, r, j, &f);
	else if (j->kind == WORK_HASH && f.problems.n == 0 && !r->to->image.present)
		r->to->digest = f.digest; /* that of a whole archive is nobody's name for the image in it */
	if (r->plan_again || r->plain)
		return; /* another plan tells */
	f.layer = j->layer;
	*list_add(s->mem, &r->facts) = f;
}

int answer_take(struct scan *s, struct err *e)
{
	struct pool_answer a;
	const struct scan_job *j;
	struct reading *r;
	int rc = pool_take(s->pool, &a, e);

	if (rc < 0)
		return -1;
	if (rc == 1 || s->taken >= s->jobs.n)
		return err_set(e, ERR_FAULT, 0, "an answer is missing");
	j = &s->jobs.v[s->taken++];
	r = s->readings.v[j->artifact];
	pool_keep(s->pool, s->mem);
	if (a.failed) {
		r->done += j->kind == WORK_READ;
		job_lost(s, j, a.limit, a.why);
	} else if (j->kind == WORK_PIPE) {
		pipe_keep(s, j, a.bytes);
	} else {
		facts_keep(s, j, a.bytes);
	}
	if (s->o->progress)
		s->o->progress(s->o->progress_sink, s->names[r->name], r->done, r->total);
	return 0;
}

int answer_wait(struct scan *s, struct err *e)
{
	return pool_ready(s->pool) ? answer_take(s, e) : pool_wait(s->pool, e);
}
