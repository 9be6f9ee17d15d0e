/* SPDX-License-Identifier: Apache-2.0 */
/* Artifacts that pass once: one job whose answer holds what many jobs would have answered. It is kept as theirs would be. */
#include <errno.h>
#include <fcntl.h>

#include "pipe_answer.h"
#include "scan_parts.h"

int pipe_submit(struct scan *s, size_t i, struct err *e)
{
	struct reading *r = s->readings.v[i];
	bool pipe = r->size == FLOW_UNKNOWN;
	struct scan_job j = {.artifact = i, .kind = WORK_PIPE, .slices = 1};
	struct pool_file file = {.name = span_base_name(r->to->name), .size = r->size};
	struct pool_job job = {.kind = WORK_PIPE, .slices = 1, .files = &file, .n = 1, .patient = pipe};

	/* What can be read twice is hashed by a job of its own; of an image the digests of its layers are wanted here. */
	if (!s->o->no_digests)
		job.text = SPAN("hash");
	file.fd = fcntl(r->fd, F_DUPFD_CLOEXEC, 3);
	if (file.fd < 0)
		return err_set(e, ERR_FAULT, 0, "no more files can be open: %s", strerror(errno));
	r->passed = true;
	r->hash = r->hash && !pipe;
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

/* A plan says what it is; what follows are facts of layers that there are, in any number and order. */
void pipe_keep(struct scan *s, const struct scan_job *j, struct span bytes)
{
	struct cursor c = cursor_over(bytes);
	struct reading *r = NULL;
	size_t at = j->artifact;
	struct pipe_part p;

	while (pipe_part_next(&c, &p)) {
		if (p.kind == PIPE_PLAN && (!r || s->o->all_platforms)) {
			if (r)
				(void)reading_more(s, r, r->nth + 1);
			at = r ? s->readings.n - 1 : at;
			r = s->readings.v[at];
			image_begin(s, at, &p);
		} else if (!r || p.kind == PIPE_PLAN || p.layer > r->to->layers.n || (p.layer == 0) == r->to->image.present) {
			c.bad = true;
		} else {
			part_keep(s, at, &p);
		}
	}
	if (c.bad || !r)
		job_lost(s, j, LIMIT_NONE, "it sent nonsense");
}
