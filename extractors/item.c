/* SPDX-License-Identifier: Apache-2.0 */
#include "extractors/item.h"

#include <errno.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "extractors/archive.h"
#include "extractors/path.h"
#include "model/names.h"

bool item_by_name(const struct job_context *ctx, struct facts *facts, enum object_type type, struct span path,
                  uint64_t bytes, struct span target)
{
	struct object o = {.path = path, .bytes = bytes, .type = type, .link_target = target};

	if (!names_evidence(&o, ctx->mem, ctx->catalogue, SPAN_NONE))
		return false;
	object_sort(&o, ctx->mem);
	*list_add(ctx->mem, &facts->objects) = o;
	return true;
}

void item_unreadable(const struct job_context *ctx, struct facts *facts, struct span path, const struct err *e)
{
	problem_err(&facts->problems, ctx->mem, PROBLEM_INCOMPLETE, FINDING_OBJECT_UNREADABLE, path, e);
}

static int read_exactly(int fd, uint8_t *to, size_t n, struct err *e)
{
	size_t done = 0;

	while (done < n) {
		ssize_t got = pread(fd, to + done, n - done, (off_t)done);

		if (got < 0)
			return err_set(e, ERR_IO, done, "it cannot be read: %s", strerror(errno));
		if (got == 0)
			return err_set(e, ERR_TRUNCATED, done, "it became shorter while it was read");
		done += (size_t)got;
	}
	return 0;
}

int item_front(const struct source *src, uint8_t front[READER_FRONT], struct span *out, struct err *e)
{
	size_t n = src->size < READER_FRONT ? (size_t)src->size : READER_FRONT;

	*out = (struct span){front, n};
	return read_exactly(src->fd, front, n, e);
}

/* A mapping costs no data, and the reader gives its pages back as it goes. */
static bool read_mapped(const struct job_context *ctx, struct facts *facts, const struct source *src, struct span path)
{
	size_t before = facts->objects.n;
	struct err e = ERR_INIT;
	struct stat st;
	void *handle, *map;

	if (fstat(src->fd, &st) || (uint64_t)st.st_size < src->size) {
		err_set(&e, ERR_TRUNCATED, 0, "it became shorter while it was read");
		item_unreadable(ctx, facts, path, &e);
		return false;
	}
	map = src->size > SIZE_MAX / 2 ? MAP_FAILED : mmap(NULL, (size_t)src->size, PROT_READ, MAP_PRIVATE, src->fd, 0);
	if (map == MAP_FAILED) {
		err_set(&e, ERR_IO, 0, "it cannot be mapped");
		item_unreadable(ctx, facts, path, &e);
		return false;
	}
	handle = ctx->reader->begin(ctx, path, src->size, map);
	ctx->reader->end(handle, facts, true);
	munmap(map, (size_t)src->size);
	if (facts->objects.n == before)
		return false;
	facts->objects.v[facts->objects.n - 1].links = src->links;
	return true;
}

void item_read(const struct job_context *ctx, struct facts *facts, const struct source *src, struct span path)
{
	enum object_type type = src->size ? OBJECT_OTHER : OBJECT_EMPTY;
	struct err e = ERR_INIT;
	uint8_t room[READER_FRONT];
	struct span front;
	bool done = false;

	if (item_front(src, room, &front, &e))
		item_unreadable(ctx, facts, path, &e);
	else if (front.n && ctx->reader->wants(front))
		done = read_mapped(ctx, facts, src, path);
	else if (span_starts(front, SPAN("PK\3\4")))
		archive_read(ctx, facts,
		             &(struct archive_source){.bytes = {.fd = src->fd, .size = src->size},
		                                      .path = path,
		                                      .name = span_base_name(path),
		                                      .depth = 1,
		                                      .slices = 1});
	if (!done && item_by_name(ctx, facts, type, path, src->size, SPAN_NONE))
		facts->objects.v[facts->objects.n - 1].links = src->links;
}

bool item_text(const struct job_context *ctx, struct facts *facts, const struct source *src, struct span path,
               struct span *text)
{
	struct err e = ERR_INIT;
	uint8_t *room;

	if (src->size > ctx->limits->v[LIMIT_METADATA_BYTES]) {
		problem_limit(&facts->problems, ctx->mem, ctx->limits, LIMIT_METADATA_BYTES, path, "a metadata file");
		return false;
	}
	room = arena_alloc(ctx->mem, (size_t)src->size + 1);
	*text = (struct span){room, (size_t)src->size};
	if (read_exactly(src->fd, room, (size_t)src->size, &e) == 0)
		return true;
	item_unreadable(ctx, facts, path, &e);
	return false;
}
