/* SPDX-License-Identifier: Apache-2.0 */
#include "worker.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "base/digest.h"
#include "elf/inspect.h"
#include "extractors/extractor.h"
#include "facts.h"

#define HASH_PIECE ((size_t)1 << 20)

static struct source source_of(const struct pool_file *f)
{
	return (struct source){.fd = f->fd, .size = f->size, .path = f->path, .name = f->name, .links = f->links};
}

static void hash(const struct job_context *ctx, const struct pool_file *file, struct facts *facts)
{
	uint8_t *piece = arena_alloc(ctx->mem, HASH_PIECE), sum[DIGEST_BYTES];
	struct digest *d = digest_new();
	uint64_t at = 0;
	ssize_t got;

	if (!d)
		out_of_memory();
	posix_fadvise(file->fd, 0, 0, POSIX_FADV_SEQUENTIAL);
	for (;;) {
		got = pread(file->fd, piece, HASH_PIECE, (off_t)at);
		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			break;
		digest_add(d, (struct span){piece, (size_t)got});
		at += (uint64_t)got;
	}
	if (got < 0)
		problem_add(&facts->problems, ctx->mem, PROBLEM_INCOMPLETE, FINDING_OBJECT_UNREADABLE, file->path,
		            "it could not be hashed: %s", strerror(errno));
	else if (at != file->size)
		problem_add(&facts->problems, ctx->mem, PROBLEM_INCOMPLETE, FINDING_OBJECT_UNREADABLE, file->path,
		            "it changed while it was read");
	digest_end(d, sum);
	if (got == 0)
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
	struct job_context ctx = {.mem = &mem, .limits = w->limits, .catalogue = w->catalogue, .reader = &elf_reader};
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
