/* SPDX-License-Identifier: Apache-2.0 */
/* Artifacts that pass once: one job whose answer holds what many jobs would have answered. It is kept as theirs would be. */
#include <errno.h>
#include <fcntl.h>

#include "workers/pipe_answer.h"
#include "parts.h"

int pipe_submit(struct scan *s, size_t i, struct err *e)
{
	struct reading *r = s->readings.v[i];
	bool pipe = r->size == FLOW_UNKNOWN;
	struct scan_job j = {.artifact = i, .kind = WORK_PIPE, .slices = 1};
	struct pool_file file = {.name = span_base_name(r->to->name), .size = r->size};
	struct pool_job job = {.kind = WORK_PIPE, .slices = 1, .files = &file, .n = 1, .patient = pipe};

	/* All that is hashed is hashed as it passes. */
	if (!s->o->no_digests)
		job.text = SPAN("hash");
	r->hash = false;
	file.fd = fcntl(r->fd, F_DUPFD_CLOEXEC, 3);
	if (file.fd < 0)
		return err_set(e, ERR_FAULT, 0, "no more files can be open: %s", strerror(errno));
	r->passed = true;
	return job_submit(s, &j, &job, e);
}

static void layer_lost(struct scan *s, const struct scan_job *j, struct span bytes)
{
	struct span limit = span_first(bytes, span_find(bytes, 0));
	struct span why = arena_printf(s->mem, "%.*s", (int)(bytes.n < 400 ? bytes.n : 400) - (int)limit.n - 1,
	                               (const char *)bytes.p + limit.n + 1);

	s->readings.v[j->artifact]->done++;
	job_lost(s, j, limit.n ? limit_by_name(limit) : LIMIT_NONE, (const char *)why.p);
}

static void part_keep(struct scan *s, size_t artifact, const struct pipe_part *p)
{
	static const enum work_kind kinds[PIPE_PART_COUNT] = {WORK_PLAN, WORK_READ, WORK_HASH, WORK_READ};
	struct scan_job j = {.artifact = artifact, .kind = kinds[p->kind], .slices = 1, .layer = p->layer};

	if (p->kind == PIPE_LOST && span_find(p->bytes, 0) < p->bytes.n)
		layer_lost(s, &j, p->bytes);
	else
		facts_keep(s, &j, p->bytes);
}

static void image_begin(struct scan *s, size_t artifact, const struct pipe_part *p)
{
	struct reading *r = s->readings.v[artifact];

	part_keep(s, artifact, p);
	for (uint32_t i = 1; i <= r->to->layers.n; i++)
		(void)blob_tell(s, r, i);
}

/* What was told of the image that is being told. */
struct told {
	struct reading *r; /* NULL: nothing yet */
	size_t at;
	uint64_t read, hashed; /* parts of either kind so far: those of layer n - 1 and before */
};

/* Each layer once, and those that there are: else one part could stand for another that is not there. */
static bool part_fits(struct told *t, const struct pipe_part *p)
{
	uint64_t *last = p->kind == PIPE_DIGEST ? &t->hashed : &t->read;

	if (!t->r || p->layer > t->r->to->layers.n || (p->layer == 0) == t->r->to->image.present || p->layer < *last)
		return false;
	*last = (uint64_t)p->layer + 1;
	return true;
}

/* Nobody but the worker can hash what passed: when it has not, and nothing else is said, that is. */
static void image_end(struct scan *s, struct reading *r)
{
	uint32_t unhashed = 0;

	if (s->o->no_digests || r->to->incomplete.n)
		return;
	for (size_t i = 0; i < r->hashes.n && !unhashed; i++)
		unhashed = r->hashes.v[i].n ? 0 : (uint32_t)i + 1;
	if (unhashed || (!r->to->image.present && !r->to->digest.n))
		layer_problem(s, r, PROBLEM_INCOMPLETE, FINDING_SCAN_INCOMPLETE, unhashed,
		              unhashed ? "the worker that read it did not say its digest"
		                       : "its digest is not known: it begins like an image, and is none");
}

/* Another image begins. False: it was not asked for, or there are more than there can be. */
static bool plan_fits(struct scan *s, struct told *t)
{
	if (t->r && (!s->o->all_platforms || t->r->nth + 1 >= IMAGES_MAX))
		return false;
	if (t->r) {
		image_end(s, t->r);
		(void)reading_more(s, t->r, t->r->nth + 1);
		t->at = s->readings.n - 1;
	}
	t->r = s->readings.v[t->at];
	t->read = t->hashed = 0;
	return true;
}

/* A plan says what it is; what follows are facts of layers that there are, upwards. */
void pipe_keep(struct scan *s, const struct scan_job *j, struct span bytes)
{
	struct reading *first = s->readings.v[j->artifact];
	struct cursor c = cursor_over(bytes);
	struct told t = {.at = j->artifact};
	struct pipe_part p;

	while (pipe_part_next(&c, &p)) {
		if (p.kind == PIPE_PLAN && plan_fits(s, &t))
			image_begin(s, t.at, &p);
		else if (p.kind != PIPE_PLAN && part_fits(&t, &p))
			part_keep(s, t.at, &p);
		else
			c.bad = true;
	}
	if (c.bad || !t.r)
		job_lost(s, j, LIMIT_NONE, "it sent nonsense");
	else if (t.r->nth + 1 < first->images)
		job_lost(s, j, LIMIT_NONE, "it told of fewer images than there are");
	if (t.r)
		image_end(s, t.r);
}
