/* SPDX-License-Identifier: Apache-2.0 */
/* A zip archive, by its directory and as a stream: where the second gives other facts, it says so. */
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/scoped.h"
#include "extractors/archive/archive.h"
#include "extractors/archive/stream.h"
#include "workers/facts.h"
#include "fuzz.h"

static struct span bytes_of(struct facts *facts, struct outbuf *out)
{
	facts_sort(facts);
	facts_write(facts, out);
	return outbuf_span(out);
}

static bool has_object(const struct facts *f, const struct object *o)
{
	for (size_t i = 0; i < f->objects.n; i++)
		if (span_eq(f->objects.v[i].path, o->path)) /* of a damaged one another part may have been read */
			return true;
	return false;
}

static bool has_digest(const struct facts *f, const struct file_digest *d)
{
	for (size_t i = 0; i < f->digests.n; i++)
		if (span_eq(f->digests.v[i].path, d->path) && span_eq(f->digests.v[i].sha256, d->sha256))
			return true;
	return false;
}

/* Nothing that the directory gives is left out without a word: a problem that the reader by directory did not have. */
static void hold_against(const struct facts *directory, const struct facts *stream)
{
	bool missing = directory->entries.n > stream->entries.n || directory->packages.n > stream->packages.n;

	for (size_t i = 0; i < stream->problems.n; i++)
		if (!fuzz_has_problem(directory, &stream->problems.v[i]))
			return;
	for (size_t i = 0; i < directory->problems.n; i++)
		missing |= directory->problems.v[i].grade == PROBLEM_INCOMPLETE &&
		           !fuzz_has_problem(stream, &directory->problems.v[i]);
	for (size_t i = 0; i < directory->objects.n; i++)
		missing |= !has_object(stream, &directory->objects.v[i]);
	for (size_t i = 0; i < directory->digests.n; i++)
		missing |= !has_digest(stream, &directory->digests.v[i]);
	if (missing)
		abort();
}

static void read_stream(const struct job_context *ctx, int fd, size_t size, struct facts *facts)
{
	struct flow_file from;
	struct err e = ERR_INIT;

	flow_file_open(&from, fd, 0, size);
	if (archive_stream_read(ctx, facts, &(struct archive_stream_source){.from = &from.flow, .name = SPAN("a")}, &e))
		abort();
	flow_file_close(&from);
}

static void both_ways(const struct job_context *ctx, int fd, size_t size)
{
	struct facts directory = fuzz_facts(ctx), stream = fuzz_facts(ctx), back = fuzz_facts(ctx);
	struct outbuf a = outbuf_limited(FACTS_MAX), b = outbuf_limited(FACTS_MAX);
	struct err e = ERR_INIT;
	bool same;

	archive_read(ctx, &directory,
	             &(struct archive_source){.bytes = {.fd = fd, .size = size}, .name = SPAN("a"), .slices = 1});
	read_stream(ctx, fd, size, &stream);
	same = span_eq(bytes_of(&directory, &a), bytes_of(&stream, &b));
	if (!a.failed && !b.failed) {
		if (!same)
			hold_against(&directory, &stream);
		if (facts_read(outbuf_span(&b), &back, &e) < 0)
			abort();
	}
	outbuf_release(&a);
	outbuf_release(&b);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct job_context ctx = *fuzz_context();
	scoped_fd int fd = memfd_create("input", MFD_CLOEXEC);
	struct limits small = *ctx.limits;

	if (fd < 0 || (size && write(fd, data, size) != (ssize_t)size))
		return 0;
	ctx.verify = true;
	both_ways(&ctx, fd, size);
	/* Archives in it pass, too. */
	small.v[LIMIT_OBJECT_RANGES] = size / 2 + 4096;
	ctx.limits = &small;
	both_ways(&ctx, fd, size);
	return 0;
}
