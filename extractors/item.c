/* SPDX-License-Identifier: Apache-2.0 */
#include "extractors/item.h"

#include <errno.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "extractors/archive/archive.h"
#include "extractors/path.h"

#define PIECE ((uint64_t)4 << 20) /* of a mapped file, fed at once */

void item_unreadable(const struct job_context *ctx, struct facts *facts, struct span path, const struct err *e)
{
	problem_err(&facts->problems, ctx->mem, PROBLEM_INCOMPLETE, FINDING_OBJECT_UNREADABLE, path, e);
}

void item_digest(const struct job_context *ctx, struct facts *facts, struct span path, const uint8_t sum[DIGEST_BYTES])
{
	*list_add(ctx->mem, &facts->digests) =
	        (struct file_digest){path, arena_copy(ctx->mem, (struct span){sum, DIGEST_BYTES})};
}

/* The first n bytes. */
static int read_exactly(const struct source *src, uint8_t *to, size_t n, struct err *e)
{
	size_t done = 0;

	if (src->mem) {
		memcpy(to, src->mem, n);
		return 0;
	}
	while (done < n) {
		ssize_t got = pread(src->fd, to + done, n - done, (off_t)done);

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
	return read_exactly(src, front, n, e);
}

/* Feeds [at, end) of the mapping, and gives its pages back behind the reader. */
static bool feed_data(const struct file_reader *reader, void *handle, uint8_t *map, uint64_t at, uint64_t end)
{
	bool more = true;

	while (more && at < end) {
		uint64_t piece = at / PIECE * PIECE, left = piece + PIECE - at, n = end - at < left ? end - at : left;

		more = reader->feed(handle, (struct span){map + at, (size_t)n});
		at += n;
		if (n == left)
			(void)madvise(map + piece, PIECE, MADV_DONTNEED);
	}
	return more;
}

/* Holes are no bytes; where the file system does not tell them, all of it is data. */
static void feed_sparse(const struct file_reader *reader, void *handle, const struct source *src, uint8_t *map)
{
	uint64_t at = 0, size = src->size;
	bool more = true;

	while (more && at < size) {
		off_t data = lseek(src->fd, (off_t)at, SEEK_DATA), hole;
		uint64_t start = data >= 0 ? (uint64_t)data : errno == ENXIO ? size : at, end;

		start = start < size ? start : size;
		if (start > at)
			more = reader->feed_zeros(handle, start - at);
		hole = start < size ? lseek(src->fd, (off_t)start, SEEK_HOLE) : -1;
		end = hole > (off_t)start && (uint64_t)hole < size ? (uint64_t)hole : size;
		more = more && feed_data(reader, handle, map, start, end);
		at = end;
	}
}

static void read_mapped(const struct job_context *ctx, struct facts *facts, const struct source *src, struct span path)
{
	struct err e = ERR_INIT;
	struct stat st;
	void *handle, *map;

	if (fstat(src->fd, &st) || (uint64_t)st.st_size < src->size) {
		err_set(&e, ERR_TRUNCATED, 0, "it became shorter while it was read");
		item_unreadable(ctx, facts, path, &e);
		return;
	}
	map = src->size > SIZE_MAX / 2 ? MAP_FAILED : mmap(NULL, (size_t)src->size, PROT_READ, MAP_PRIVATE, src->fd, 0);
	if (map == MAP_FAILED) {
		err_set(&e, ERR_IO, 0, "it cannot be mapped");
		item_unreadable(ctx, facts, path, &e);
		return;
	}
	handle = ctx->reader->begin(ctx, path, src->size, map);
	if ((uint64_t)st.st_blocks * 512 < src->size)
		feed_sparse(ctx->reader, handle, src, map);
	else
		feed_data(ctx->reader, handle, map, 0, src->size);
	ctx->reader->end(handle, facts, true);
	munmap(map, (size_t)src->size);
}

static void read_memory(const struct job_context *ctx, struct facts *facts, const struct source *src, struct span path)
{
	void *handle = ctx->reader->begin(ctx, path, src->size, src->mem);

	(void)ctx->reader->feed(handle, (struct span){src->mem, (size_t)src->size});
	ctx->reader->end(handle, facts, true);
}

static void inner_read(const struct job_context *ctx, struct facts *facts, const struct source *src, struct span path)
{
	archive_read(ctx, facts,
	             &(struct archive_source){.bytes = item_bytes(src),
	                                      .path = path,
	                                      .name = span_base_name(path),
	                                      .depth = 1,
	                                      .slices = 1});
}

void item_appended(const struct job_context *ctx, struct facts *facts, const struct source *src, struct span path)
{
	struct zip_bytes bytes = item_bytes(src);
	struct zip_end end;

	if (zip_end_find(&bytes, &end) == 0 && end.directory_bytes)
		inner_read(ctx, facts, src, path);
}

bool item_read(const struct job_context *ctx, struct facts *facts, const struct source *src, struct span path)
{
	/* A zipapp begins as a script, others as a program. */
	bool program = false;
	struct err e = ERR_INIT;
	uint8_t room[READER_FRONT];
	struct span front;

	if (item_front(src, room, &front, &e)) {
		item_unreadable(ctx, facts, path, &e);
		return false;
	}
	program = span_starts(front, SPAN("#!")) || span_starts(front, SPAN("\x7f" "ELF"));
	if (front.n && ctx->reader->wants(front) && src->mem)
		read_memory(ctx, facts, src, path);
	else if (front.n && ctx->reader->wants(front))
		read_mapped(ctx, facts, src, path);
	else if (span_starts(front, SPAN("PK\3\4")))
		inner_read(ctx, facts, src, path);
	if (program)
		item_appended(ctx, facts, src, path);
	return program;
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
	if (read_exactly(src, room, (size_t)src->size, &e) == 0)
		return true;
	item_unreadable(ctx, facts, path, &e);
	return false;
}
