/* SPDX-License-Identifier: Apache-2.0 */
#include "archive.h"

#include <stdlib.h>
#include <sys/mman.h>

#include "base/checked.h"
#include "frame.h"
#include "extractors/path.h"

#define SLICES_MOST 64u
#define SLICE_KIB   (32u << 10)
#define SORTED_MOST (2u << 20) /* every slice sorts all names */

/* What a member costs, in KiB: its stored bytes, and something for itself. */
static uint64_t member_weight(const struct zip_directory *z, size_t i)
{
	struct zip_member m;

	zip_member_at(z, i, &m);
	return ((m.stored < z->bytes.size ? m.stored : z->bytes.size) >> 10) + 1;
}

static uint64_t archive_weight(const struct zip_directory *z)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < z->n; i++)
		sum = sum_capped(sum, member_weight(z, i));
	return sum;
}

uint32_t archive_slices(const struct zip_directory *z)
{
	uint64_t n = archive_weight(z) / SLICE_KIB + 1, most = z->n ? SORTED_MOST / z->n + 1 : 1;

	most = most < SLICES_MOST ? most : SLICES_MOST;
	return (uint32_t)(n < most ? n : most);
}

/* Members of a slice: one run of the directory's order, by what they cost. */
static void slice_range(struct frame *f, uint32_t index, uint32_t slices)
{
	uint64_t share, sum = 0;

	f->next = 0;
	f->end = f->zip.n;
	if (slices <= 1)
		return;
	share = archive_weight(&f->zip) / slices + 1;
	f->next = f->end;
	for (size_t i = 0; i < f->zip.n; i++) {
		uint64_t of = sum / share < slices ? sum / share : slices - 1;

		if (of == index && f->next == f->zip.n)
			f->next = i;
		if (of > index) {
			f->end = i;
			break;
		}
		sum = sum_capped(sum, member_weight(&f->zip, i));
	}
	if (f->next > f->end)
		f->next = f->end;
}

bool archive_is_wheel(const struct zip_directory *z)
{
	for (size_t i = 0; i < z->n; i++) {
		struct zip_member m;
		struct span folder;

		zip_member_at(z, i, &m);
		if (package_file_of(m.name, &folder) == PACKAGE_WHEEL && span_find(folder, '/') == folder.n)
			return true;
	}
	return false;
}

static bool begins(struct span name, const char *with, const char *ends)
{
	return span_starts(name, span_of(with)) && span_ends(name, span_of(ends));
}

bool archive_is_conda(const struct zip_directory *z)
{
	bool metadata = false, payload = false;

	if (z->n > CONDA_MEMBERS)
		return false;
	for (size_t i = 0; i < z->n; i++) {
		struct zip_member m;

		zip_member_at(z, i, &m);
		metadata |= span_eq(m.name, SPAN("metadata.json"));
		payload |= begins(m.name, "pkg-", ".tar.zst");
	}
	return metadata && payload;
}

void archive_fault(struct archive *a, struct frame *f, enum finding_id id, struct span path, const struct err *e)
{
	enum problem_grade grade = f->depth == 0 || f->wheel ? PROBLEM_INCOMPLETE : PROBLEM_ANOMALY;

	problem_err(&a->facts->problems, a->ctx->mem, grade, id, path, e);
}

int archive_push(struct archive *a, const struct archive_source *src, void *memory, size_t memory_bytes)
{
	struct arena *mem = a->ctx->mem;
	struct frame *f;
	struct zip_directory z;

	if (zip_directory_open(&z, &src->bytes, a->ctx->limits))
		return 1;
	f = arena_alloc(mem, sizeof(*f));
	*f = (struct frame){.zip = z, .path = src->path, .name = src->name, .depth = src->depth};
	f->prefix = src->path.n ? path_join(mem, src->path, SPAN("!/")) : SPAN_NONE;
	f->staged = src->staged;
	f->memory = memory;
	f->memory_bytes = memory_bytes;
	a->held += f->memory_bytes;
	f->first = src->index == 0;
	f->wheel = archive_is_wheel(&z);
	f->conda = f->depth == 0 && archive_is_conda(&z);
	slice_range(f, src->index, src->slices);
	*list_add(mem, &a->stack) = f;
	zip_names_build(&f->names, &f->zip);
	if (!f->first)
		return 0;
	archive_check(a, f);
	archive_packages(a, f);
	return 0;
}

static void archive_pop(struct archive *a)
{
	struct frame *f = a->stack.v[--a->stack.n];

	if (f->staged)
		staging_end(a, f);
	if (f->first)
		package_parts_build(a->ctx, a->facts, &f->packages, f->path, f->wheel ? f->name : SPAN_NONE);
	zip_names_free(&f->names);
	zip_directory_close(&f->zip);
	if (f->memory)
		munmap(f->memory, f->memory_bytes);
	a->held -= f->memory_bytes;
}

void archive_run(struct archive *a)
{
	while (a->stack.n) {
		struct frame *f = a->stack.v[a->stack.n - 1];

		if (f->next < f->end)
			archive_member(a, f, f->next++);
		else if (f->next_hidden < f->check.hidden.n)
			archive_hidden(a, f, &f->check.hidden.v[f->next_hidden++]);
		else
			archive_pop(a);
	}
}

void archive_read(const struct job_context *ctx, struct facts *facts, const struct archive_source *src)
{
	struct archive a = {.ctx = ctx, .facts = facts};

	if (src->depth > ctx->limits->v[LIMIT_NESTED_ARCHIVES]) {
		problem_limit(&facts->problems, ctx->mem, ctx->limits, LIMIT_NESTED_ARCHIVES, src->path,
		              "this archive");
		return;
	}
	a.rooms = malloc(sizeof(*a.rooms));
	if (!a.rooms)
		out_of_memory();
	if (archive_push(&a, src, NULL, 0))
		problem_add(&facts->problems, ctx->mem, PROBLEM_ANOMALY, FINDING_ARCHIVE_MALFORMED, src->path,
		            "it begins like a zip archive, and no directory of one was found");
	archive_run(&a);
	free(a.rooms);
}
