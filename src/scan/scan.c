/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The pipeline: artifacts are opened in order, a few jobs ahead of the answers, so that several keep all workers busy;
 * facts of each are merged when all of its answers are there. Failure is a finding here, never an end.
 */
#include "scan.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/scoped.h"
#include "extractors/directory.h"
#include "extractors/stream/flow.h"
#include "merge/merge.h"
#include "parts.h"

#define SLICE_FILES      64 /* most descriptors of one job */
#define DESCRIPTORS_KEPT 64 /* for everything but jobs */

/* How many jobs may be out: enough to keep all workers busy, and no more than there are descriptors for. */
static size_t window_size(unsigned jobs)
{
	struct rlimit r;
	size_t want = (size_t)jobs * 2 + 2, fit;

	if (getrlimit(RLIMIT_NOFILE, &r) < 0)
		return 1;
	if (r.rlim_cur < r.rlim_max && r.rlim_cur < want * SLICE_FILES + DESCRIPTORS_KEPT) {
		r.rlim_cur = r.rlim_max;
		if (setrlimit(RLIMIT_NOFILE, &r) < 0 && getrlimit(RLIMIT_NOFILE, &r) < 0)
			return 1;
	}
	if (r.rlim_cur < DESCRIPTORS_KEPT + 2 * SLICE_FILES)
		return 1;
	fit = (r.rlim_cur - DESCRIPTORS_KEPT) / SLICE_FILES;
	return fit < want ? fit : want;
}

int job_submit(struct scan *s, const struct scan_job *j, const struct pool_job *job, struct err *e)
{
	if (pool_submit(s->pool, job, e) < 0)
		return -1;
	*list_add(s->mem, &s->jobs) = *j;
	return 0;
}

/* One job over the artifact's own file. The last one gets the descriptor itself. */
static int file_submit(struct scan *s, size_t i, enum work_kind kind, uint32_t index, struct err *e)
{
	struct reading *r = s->readings.v[i];
	bool last = kind == WORK_READ && index + 1 == r->slices;
	struct scan_job j = {.artifact = i, .kind = kind, .index = index, .slices = r->slices};
	struct pool_file file = {.name = span_base_name(r->to->name), .size = r->size};
	struct pool_job job = {
	        .kind = kind, .text = r->extractor, .index = index, .slices = r->slices, .files = &file, .n = 1};

	file.fd = last ? fd_steal(&r->fd) : fcntl(r->fd, F_DUPFD_CLOEXEC, 3);
	if (file.fd < 0)
		return err_set(e, ERR_FAULT, 0, "no more files can be open: %s", strerror(errno));
	return job_submit(s, &j, &job, e);
}

struct walk {
	struct scan *s;
	size_t artifact;
	bool fault; /* ours, not the folder's */
};

/* A slice of a folder: its descriptors become the pool's. */
static int slice_submit(void *sink, const struct slice *slice, struct err *e)
{
	struct walk *w = sink;
	struct scan *s = w->s;
	struct scan_job j = {
	        .artifact = w->artifact, .kind = WORK_READ, .index = slice->index, .slices = slice->slices};
	struct pool_file *files = arena_alloc(s->mem, (slice->n + 1) * sizeof(*files));
	struct pool_job job = {
	        .kind = WORK_READ,
	        .text = SPAN("directory"),
	        .index = slice->index,
	        .slices = slice->slices,
	        .files = files,
	        .n = slice->n,
	};

	for (size_t i = 0; i < slice->n; i++) {
		const struct source *from = &slice->files[i];

		files[i] = (struct pool_file){from->path, from->name, from->size, from->fd, 0};
		spans_add(s->mem, &j.files, arena_copy(s->mem, from->path));
	}
	w->fault = true;
	while (pool_unanswered(s->pool) >= s->window)
		if (answer_wait(s, e) < 0)
			return -1;
	if (job_submit(s, &j, &job, e) < 0)
		return -1;
	s->readings.v[w->artifact]->total++;
	w->fault = false;
	return 0;
}

static int folder_read(struct scan *s, size_t i, int root, struct err *e)
{
	struct reading *r = s->readings.v[i];
	struct walk w = {s, i, false};
	struct facts f = {.mem = s->mem};
	struct err why = ERR_INIT;

	r->to->kind = SPAN("directory");
	if (directory_walk(&s->o->limits, root, &f, &r->to->closed, slice_submit, &w, &why) < 0) {
		if (w.fault) {
			*e = why;
			return -1;
		}
		err_wrap(&why, "cannot read '%.*s'", (int)r->to->name.n, (const char *)r->to->name.p);
		artifact_refuse(s, r->to, why.text);
	}
	*list_add(s->mem, &r->facts) = f;
	return 0;
}

static struct reading *reading_new(struct scan *s, size_t name, uint32_t nth)
{
	struct reading *r = arena_alloc(s->mem, sizeof(*r));

	*r = (struct reading){.name = name, .nth = nth, .fd = -1, .folder = -1, .blob = -1};
	r->to = arena_alloc(s->mem, sizeof(*r->to));
	*r->to = (struct artifact){.name = span_of(s->names[name]), .verified = s->o->verify};
	*list_add(s->mem, &s->readings) = r;
	return r;
}

struct reading *reading_more(struct scan *s, const struct reading *of, uint32_t nth)
{
	struct reading *r = reading_new(s, of->name, nth);
	int fd = of->fd >= 0 || of->folder >= 0 ? fcntl(of->fd >= 0 ? of->fd : of->folder, F_DUPFD_CLOEXEC, 3) : -1;

	r->size = of->size;
	r->to->kind = of->to->kind;
	r->passes = r->passed = of->passes;
	if (of->folder >= 0 && fd >= 0)
		r->plan_again = image_folder_begin(s, r, &fd);
	else if (!of->passes)
		r->plan_again = (r->fd = fd_steal(&fd)) >= 0;
	fd_closep(&fd);
	r->planned = !r->plan_again;
	if (!r->plan_again && !of->passes)
		artifact_refuse(s, r->to, "this image of it cannot be opened once more");
	return r;
}

/* The name, opened. */
static int name_open(struct scan *s, size_t i, int *fd, bool *folder, uint64_t *size, struct err *e)
{
	for (size_t k = 0; k < i; k++)
		if (strcmp(s->names[i], "-") == 0 && strcmp(s->names[k], "-") == 0)
			return err_set(e, ERR_USAGE, 0, "cannot scan '-': standard input can be read once only");
	return artifact_open(s->names[i], fd, folder, size, e);
}

/* The first job of the next name. */
static int name_begin(struct scan *s, struct err *e)
{
	struct reading *r = reading_new(s, s->opened, 0);
	size_t i = s->readings.n - 1;
	struct err why = ERR_INIT;
	scoped_fd int fd = -1;
	bool folder;

	if (name_open(s, s->opened++, &fd, &folder, &r->size, &why) < 0) {
		r->to->kind = SPAN("file");
		artifact_refuse(s, r->to, why.text);
		r->planned = true;
		return 0;
	}
	if (folder && image_folder_begin(s, r, &fd))
		return image_plan_submit(s, i, e);
	if (folder) {
		r->planned = true;
		return folder_read(s, i, fd, e);
	}
	r->to->kind = SPAN("file");
	r->fd = fd_steal(&fd);
	r->hash = !s->o->no_digests;
	r->passes = r->size == FLOW_UNKNOWN;
	return r->passes ? pipe_submit(s, i, e) : file_submit(s, i, WORK_PLAN, 0, e);
}

/* The next job of an artifact whose plan is known; 1 when none is left. */
static int next_of(struct scan *s, size_t i, struct err *e)
{
	struct reading *r = s->readings.v[i];
	int root;

	if (r->plain) {
		r->plain = false;
		root = r->folder;
		return folder_read(s, i, root, e);
	}
	if (r->passes && !r->passed)
		return pipe_submit(s, i, e);
	/* The digest of a whole archive is nobody's name for the image in it. */
	if (r->to->image.present)
		return r->passes ? 1 : image_hand_out(s, i, e);
	if (r->hash) {
		r->hash = false;
		return file_submit(s, i, WORK_HASH, 0, e);
	}
	return r->next < r->slices && !r->passes ? file_submit(s, i, WORK_READ, r->next++, e) : 1;
}

/* Hands out one more job, when there is one. 1: not now, or nothing is left. */
static int hand_out(struct scan *s, struct err *e)
{
	while (s->handed_out < s->readings.n) {
		struct reading *r = s->readings.v[s->handed_out];
		int rc;

		if (r->plan_again) {
			r->plan_again = false;
			return r->folder >= 0 ? image_plan_submit(s, s->handed_out, e)
			                      : file_submit(s, s->handed_out, WORK_PLAN, r->nth, e);
		}
		if (!r->planned)
			break;
		rc = next_of(s, s->handed_out, e);
		if (rc != 1)
			return rc;
		fd_closep(&r->fd);
		image_close(r);
		s->handed_out++;
	}
	return s->opened < s->n ? name_begin(s, e) : 1;
}

static int run_all(struct scan *s, struct err *e)
{
	int rc = 0;

	while (rc == 0) {
		if (pool_unanswered(s->pool) >= s->window)
			rc = answer_wait(s, e);
		else
			rc = hand_out(s, e);
		if (rc == 1 && pool_outstanding(s->pool) > 0)
			rc = answer_take(s, e);
	}
	return rc;
}

/* A pass is earned: every job that the plan asked for was answered. Whatever goes wrong elsewhere, this stands. */
static void completeness_check(struct scan *s, struct reading *r)
{
	if (!r->to->complete || (r->planned && r->done == r->total))
		return;
	r->to->complete = false;
	problem_add(&r->to->incomplete, s->mem, PROBLEM_INCOMPLETE, FINDING_SCAN_INCOMPLETE, SPAN_NONE,
	            "%llu of %llu parts were read", (unsigned long long)r->done, (unsigned long long)r->total);
}

static int by_name(const void *x, const void *y)
{
	const struct reading *a = *(struct reading *const *)x, *b = *(struct reading *const *)y;

	return a->name != b->name ? (a->name > b->name) - (a->name < b->name) : (a->nth > b->nth) - (a->nth < b->nth);
}

/* In the order of names, whatever order they were read in. */
static void artifacts_add(struct scan *s, struct inventory *inv)
{
	struct reading **v = s->readings.v;

	qsort(v, s->readings.n, sizeof(struct reading *), by_name);
	for (size_t i = 0; i < s->readings.n; i++) {
		layers_finish(s, v[i]);
		merge_artifact(v[i]->to, v[i]->facts.v, v[i]->facts.n, s->catalogue, &s->o->limits, s->mem);
		completeness_check(s, v[i]);
		*list_add(s->mem, &inv->artifacts) = *v[i]->to;
	}
}

int scan_artifacts(struct inventory *inv, const char *const *names, size_t n, const struct scan_options *o,
                   const struct catalogue *catalogue, struct arena *mem, struct err *e)
{
	struct scan s = {.o = o, .catalogue = catalogue, .mem = mem, .names = names, .n = n};
	struct worker worker = {.limits = &o->limits,
	                        .catalogue = catalogue,
	                        .verify = o->verify,
	                        .alone = o->jobs == 0,
	                        .all_platforms = o->all_platforms,
	                        .all_config = o->all_config,
	                        .platform = span_of(o->platform),
	                        .image = span_of(o->image)};
	int rc;

	inv->rules_version = catalogue->version;
	s.pool = pool_new(o->jobs, &o->limits, worker_run, &worker, e);
	if (!s.pool)
		return -1;
	s.window = window_size(o->jobs);
	rc = run_all(&s, e);
	pool_free(s.pool);
	room_free(&worker.room);
	for (size_t i = 0; i < s.readings.n; i++) {
		fd_closep(&s.readings.v[i]->fd);
		image_close(s.readings.v[i]);
	}
	if (rc < 0)
		return -1;
	artifacts_add(&s, inv);
	return 0;
}
