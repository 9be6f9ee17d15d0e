/* SPDX-License-Identifier: Apache-2.0 */
#include "worker.h"

#include <errno.h>

#include "base/digest.h"
#include "elf/inspect.h"
#include "extractors/extractor.h"
#include "facts.h"

static struct source source_of(const struct pool_file *f)
{
	return (struct source){.fd = f->fd, .size = f->size, .path = f->path, .name = f->name};
}

static void hash(const struct job_context *ctx, const struct pool_file *file, struct facts *facts)
{
	uint8_t sum[DIGEST_BYTES];
	uint64_t bytes;
	int rc = digest_descriptor(file->fd, sum, &bytes);

	if (rc < 0)
		problem_add(&facts->problems, ctx->mem, PROBLEM_INCOMPLETE, FINDING_OBJECT_UNREADABLE, file->path,
		            "it could not be hashed: %s", strerror(errno));
	else if (bytes != file->size)
		problem_add(&facts->problems, ctx->mem, PROBLEM_INCOMPLETE, FINDING_OBJECT_UNREADABLE, file->path,
		            "it changed while it was read");
	if (rc == 0)
		facts->digest = digest_text(ctx->mem, sum);
}

static void read_slice(const struct job_context *ctx, const struct pool_job *job, struct facts *facts)
{
	const struct extractor *x = extractor_by_name(job->text);
	struct source *files = arena_alloc(ctx->mem, (job->n + 1) * sizeof(*files));
	struct slice s = {.files = files, .n = job->n, .index = job->index, .slices = job->slices};

	for (size_t i = 0; i < job->n; i++)
		files[i] = source_of(&job->files[i]);
	if (x)
		extract_read(ctx, x, &s, facts);
	else
		problem_add(&facts->problems, ctx->mem, PROBLEM_INCOMPLETE, FINDING_SCAN_INCOMPLETE, SPAN_NONE,
		            "no extractor is called '%.*s'", (int)job->text.n, (const char *)job->text.p);
}

void worker_run(void *context, const struct pool_job *job, struct outbuf *answer)
{
	const struct worker *w = context;
	struct arena mem = ARENA_INIT;
	struct job_context ctx = {.mem = &mem,
	                          .limits = w->limits,
	                          .catalogue = w->catalogue,
	                          .reader = &elf_reader,
	                          .verify = w->verify};
	struct facts facts = {.mem = &mem};
	struct source source;

	switch ((enum work_kind)job->kind) {
	case WORK_PLAN:
		source = source_of(&job->files[0]);
		extract_plan(&ctx, &source, &facts);
		break;
	case WORK_READ:
		read_slice(&ctx, job, &facts);
		break;
	case WORK_HASH:
		hash(&ctx, &job->files[0], &facts);
		break;
	}
	facts_sort(&facts);
	facts_write(&facts, answer);
	arena_clear(&mem);
}
