/* SPDX-License-Identifier: Apache-2.0 */
/* A job with a reader that writes down what it was given, and a small catalogue. Include cmocka.h first. */
#ifndef POSTERN_TESTS_FAKE_JOB_H
#define POSTERN_TESTS_FAKE_JOB_H

#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "entries_list.h"
#include "extractors/extractor.h"
#include "extractors/layer/layer.h"
#include "extractors/pipe.h"

struct fake_file {
	struct arena *mem;
	struct span path;
	uint64_t size, got;
	uint32_t sum; /* of the bytes, in their order */
};

static uint32_t fake_sum(uint32_t sum, struct span s)
{
	for (size_t i = 0; i < s.n; i++)
		sum = sum * 31 + s.p[i];
	return sum;
}

static bool fake_wants(struct span front)
{
	return span_starts(front, SPAN("\x7f"
	                               "ELF"));
}

static uint64_t fake_holes; /* bytes of the last file that came as one */

static void *fake_begin(const struct job_context *ctx, struct span path, uint64_t size, const uint8_t *map)
{
	struct fake_file *f = arena_alloc(ctx->mem, sizeof(*f));

	fake_holes = 0;
	*f = (struct fake_file){ctx->mem, path, size, 0, 0};
	return f;
}

static bool fake_feed(void *handle, struct span bytes)
{
	struct fake_file *f = handle;

	f->sum = fake_sum(f->sum, bytes);
	f->got += bytes.n;
	return true;
}

static bool fake_feed_zeros(void *handle, uint64_t n)
{
	struct fake_file *f = handle;

	fake_holes += n;
	for (uint64_t i = 0; i < n; i++)
		f->sum *= 31;
	f->got += n;
	return true;
}

static void fake_end(void *handle, struct facts *facts, bool whole)
{
	struct fake_file *f = handle;
	struct object *o = list_add(f->mem, &facts->objects);

	assert_true(f->got <= f->size);
	assert_true(!whole || f->got == f->size);
	o->path = f->path;
	o->bytes = f->got;
	o->type = OBJECT_ELF;
	o->units = f->sum;
	o->elf.present = whole;
}

static const struct file_reader fake_reader = {fake_wants, fake_begin, fake_feed, fake_feed_zeros, fake_end};

struct fake_job {
	struct arena mem, mem_catalogue;
	struct limits limits;
	struct catalogue catalogue;
	struct job_context ctx;
	struct facts facts;
};

static void fake_catalogue(struct fake_job *j)
{
	struct arena *mem = &j->mem_catalogue;

	*list_add(mem, &j->catalogue.backends) = (struct backend){.id = SPAN("cuda"), .title = SPAN("NVIDIA CUDA"), .vendor = true};
	*list_add(mem, &j->catalogue.libraries) = (struct library_rule){
	        .pattern = SPAN("libcudart.so*"), .backend = SPAN("cuda"), .home = HOME_CONTAINER};
	*list_add(mem, &j->catalogue.drivers) =
	        (struct driver_rule){SPAN("libcuda.so*"), SPAN("cuda"), SPAN("compute")};
	*list_add(mem, &j->catalogue.tools) = (struct tool_rule){SPAN("nvcc"), SPAN("cuda"), SPAN("compiler")};
	*list_add(mem, &j->catalogue.claims) = (struct claim_rule){SPAN("+cu*"), SPAN("cuda"), SPAN("local-version")};
	*list_add(mem, &j->catalogue.claims) = (struct claim_rule){SPAN("CUDA_*"), SPAN("cuda"), SPAN("env")};
	*list_add(mem, &j->catalogue.claims) =
	        (struct claim_rule){SPAN("nvidia-*-cu12"), SPAN("cuda"), SPAN("requires-dist")};
	*list_add(mem, &j->catalogue.claims) =
	        (struct claim_rule){SPAN("environment :: gpu :: nvidia cuda*"), SPAN("cuda"), SPAN("classifier")};
	*list_add(mem, &j->catalogue.claims) = (struct claim_rule){SPAN("cu1*"), SPAN("cuda"), SPAN("variant")};
	catalogue_index_build(&j->catalogue, mem);
}

static inline int fake_setup(void **state)
{
	struct fake_job *j = calloc(1, sizeof(*j));

	limits_default(&j->limits);
	fake_catalogue(j);
	j->ctx = (struct job_context){
	        .mem = &j->mem, .limits = &j->limits, .catalogue = &j->catalogue, .reader = &fake_reader};
	j->facts.mem = &j->mem;
	*state = j;
	return 0;
}

static inline int fake_teardown(void **state)
{
	struct fake_job *j = *state;

	arena_clear(&j->mem);
	arena_clear(&j->mem_catalogue);
	free(j);
	return 0;
}

static inline int fake_file(struct span bytes)
{
	int fd = memfd_create("artifact", MFD_CLOEXEC);

	assert_int_equal(write(fd, bytes.p, bytes.n), (ssize_t)bytes.n);
	return fd;
}

/* Zeros of whole pages become holes. */
static inline int fake_sparse_file(struct span bytes)
{
	int fd = memfd_create("artifact", MFD_CLOEXEC);
	static const uint8_t zeros[4096];

	assert_int_equal(ftruncate(fd, (off_t)bytes.n), 0);
	for (size_t at = 0; at < bytes.n; at += sizeof(zeros)) {
		size_t n = bytes.n - at < sizeof(zeros) ? bytes.n - at : sizeof(zeros);

		if (memcmp(bytes.p + at, zeros, n) != 0)
			assert_int_equal(pwrite(fd, bytes.p + at, n, (off_t)at), (ssize_t)n);
	}
	return fd;
}

/* Plans and reads an artifact in `slices` slices, or as planned with 0. */
static inline void fake_scan(struct fake_job *j, struct span bytes, const char *name, uint32_t slices)
{
	struct source src = {.fd = fake_file(bytes), .size = bytes.n, .name = span_of(name)};
	const struct extractor *x;

	extract_plan(&j->ctx, &src, &j->facts);
	x = extractor_by_name(j->facts.plan.extractor);
	assert_non_null(x);
	if (x->passes) {
		struct flow_file from;
		struct pipe_found found;

		flow_file_open(&from, src.fd, 0, src.size);
		pipe_read(&j->ctx, &from.flow, false, src.name, &found);
		flow_file_close(&from);
		close(src.fd);
		j->facts = found.read;
		j->facts.plan = found.plans.v[0].facts.plan;
		return;
	}
	if (slices == 0)
		slices = j->facts.plan.slices;
	for (uint32_t i = 0; j->facts.plan.refused.n == 0 && i < slices; i++)
		extract_read(&j->ctx, x, &(struct slice){&src, 1, i, slices}, &j->facts);
	close(src.fd);
}

static inline const struct object *fake_object(const struct fake_job *j, const char *path)
{
	for (size_t i = 0; i < j->facts.objects.n; i++)
		if (span_eq(j->facts.objects.v[i].path, span_of(path)))
			return &j->facts.objects.v[i];
	return NULL;
}

static inline const struct entry *fake_entry(const struct fake_job *j, const char *path)
{
	struct entry_list l = entries_list(&j->facts.entries, j->facts.mem);

	for (size_t i = 0; i < l.n; i++)
		if (span_eq(l.v[i].path, span_of(path)))
			return &l.v[i];
	return NULL;
}

/* How many problems there are of a grade and an id, whose reason has this text in it. */
static inline size_t fake_problems(const struct fake_job *j, enum problem_grade grade, enum finding_id id,
                                   const char *text)
{
	size_t n = 0;

	for (size_t i = 0; i < j->facts.problems.n; i++) {
		const struct problem *p = &j->facts.problems.v[i];

		if (p->grade == grade && p->id == id && memmem(p->reason.p, p->reason.n, text, strlen(text)))
			n++;
	}
	return n;
}

static inline size_t fake_limits(const struct fake_job *j, enum limit_id limit)
{
	size_t n = 0;

	for (size_t i = 0; i < j->facts.problems.n; i++)
		n += j->facts.problems.v[i].limit == limit;
	return n;
}

#define assert_span(s, text) assert_true(span_eq((s), span_of(text)))

/* Reads a tar that lies at this place of a file. */
static inline void layer_range(const struct job_context *ctx, int fd, uint64_t offset, uint64_t size,
                               struct facts *facts)
{
	struct flow_file from;

	flow_file_open(&from, fd, offset, size);
	layer_read(ctx, &from.flow, facts);
	flow_file_close(&from);
}

#endif
