/* SPDX-License-Identifier: Apache-2.0 */
#include "worker.h"

#include <errno.h>

#include "apart.h"
#include "base/digest.h"
#include "elf/inspect.h"
#include "extractors/extractor.h"
#include "extractors/layer/layer.h"
#include "facts.h"
#include "pipe_answer.h"

static struct source source_of(const struct pool_file *f)
{
	return (struct source){.fd = f->fd, .size = f->size, .path = f->path, .name = f->name};
}

static void hash(const struct job_context *ctx, const struct pool_job *job, struct facts *facts)
{
	const struct pool_file *file = &job->files[0];
	uint64_t bytes = 0;

	/* Of a whole file all is hashed: that it grew has to be seen. */
	facts->digest = digest_range(ctx->mem, file->fd, file->offset, job->text.n ? file->size : INT64_MAX,
	                             span_eq(job->text, SPAN("sha512")), &bytes);
	if (!facts->digest.n)
		problem_add(&facts->problems, ctx->mem, PROBLEM_INCOMPLETE, FINDING_OBJECT_UNREADABLE, file->path,
		            "it could not be hashed: %s", strerror(errno));
	else if (bytes != file->size)
		problem_add(&facts->problems, ctx->mem, PROBLEM_INCOMPLETE, FINDING_OBJECT_UNREADABLE, file->path,
		            "it changed while it was read");
}

static void read_layer(const struct job_context *ctx, const struct pool_file *file, struct facts *facts)
{
	struct flow_file from;

	flow_file_open(&from, file->fd, file->offset, file->size);
	layer_read(ctx, &from.flow, facts);
	flow_file_close(&from);
}

static void read_slice(const struct job_context *ctx, const struct pool_job *job, struct facts *facts)
{
	const struct extractor *x = extractor_by_name(job->text);
	struct source *files = arena_alloc(ctx->mem, (job->n + 1) * sizeof(*files));
	struct slice s = {.files = files, .n = job->n, .index = job->index, .slices = job->slices};

	for (size_t i = 0; i < job->n; i++)
		files[i] = source_of(&job->files[i]);
	if (job->kind == WORK_PLAN_FOLDER)
		extract_plan_folder(ctx, &s, job->text, facts);
	else if (x)
		extract_read(ctx, x, &s, facts);
	else
		problem_add(&facts->problems, ctx->mem, PROBLEM_INCOMPLETE, FINDING_SCAN_INCOMPLETE, SPAN_NONE,
		            "no extractor is called '%.*s'", (int)job->text.n, (const char *)job->text.p);
}

static void read_pipe(const struct job_context *ctx, const struct pool_job *job, struct outbuf *answer)
{
	const struct pool_file *file = &job->files[0];
	struct pipe_found found;
	struct flow_file from;

	if (file->size == FLOW_UNKNOWN)
		flow_pipe_open(&from, file->fd);
	else
		flow_file_open(&from, file->fd, 0, file->size);
	pipe_read(ctx, &from.flow, job->text.n > 0, file->name, &found);
	flow_file_close(&from);
	pipe_answer_write(&found, answer);
}

void worker_run(void *context, const struct pool_job *job, struct outbuf *answer)
{
	struct worker *w = context;
	struct arena mem = ARENA_INIT;
	struct job_context ctx = {.mem = &mem,
	                          .limits = w->limits,
	                          .catalogue = w->catalogue,
	                          .reader = &elf_reader,
	                          .room = &w->room,
	                          .layer_apart = w->alone ? layer_here : layer_apart,
	                          .verify = w->verify,
	                          .all_platforms = w->all_platforms,
	                          .all_config = w->all_config,
	                          .nth = job->index,
	                          .platform = w->platform,
	                          .image = w->image};
	struct facts facts = {.mem = &mem};
	struct source source;

	switch ((enum work_kind)job->kind) {
	case WORK_PLAN:
		source = source_of(&job->files[0]);
		extract_plan(&ctx, &source, &facts);
		break;
	case WORK_PLAN_FOLDER:
		read_slice(&ctx, job, &facts);
		break;
	case WORK_READ:
		if (span_eq(job->text, SPAN("layer")))
			read_layer(&ctx, &job->files[0], &facts);
		else
			read_slice(&ctx, job, &facts);
		break;
	case WORK_PIPE:
		read_pipe(&ctx, job, answer);
		room_free(&w->room);
		arena_clear(&mem);
		return;
	case WORK_HASH:
		hash(&ctx, job, &facts);
		break;
	}
	/* The next slice of an archive comes soon. Elsewhere the names that were found may need what there is. */
	if (job->kind != WORK_READ || job->slices <= 1)
		room_free(&w->room);
	facts_sort(&facts);
	facts_write(&facts, answer);
	arena_clear(&mem);
}
