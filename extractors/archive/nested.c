/* SPDX-License-Identifier: Apache-2.0 */
/* Archives inside an archive, and members that are kept whole. */
#include <sys/mman.h>

#include "frame.h"
#include "stream.h"
#include "extractors/layer/layer.h"
#include "extractors/path.h"

#define RATIO_MOST 1032 /* deflate cannot do better */

#define STREAMS_MOST 8 /* each has rooms of its own */

uint64_t member_bound(const struct zip_member *m)
{
	uint64_t most = m->stored < UINT64_MAX / RATIO_MOST - 1 ? (m->stored + 1) * RATIO_MOST : UINT64_MAX;

	return m->size < most ? m->size : most;
}

/* What may still be inflated at the same time. */
static uint64_t room_left(const struct passage *p)
{
	uint64_t most = p->a->ctx->limits->v[LIMIT_OBJECT_RANGES];

	return most > p->a->held ? most - p->a->held : 0;
}

static void above_ranges(struct passage *p)
{
	const struct job_context *ctx = p->a->ctx;

	problem_limit(&p->a->facts->problems, ctx->mem, ctx->limits, LIMIT_OBJECT_RANGES, p->path,
	              "what has to be inflated as a whole here");
}

bool passage_inflate(struct passage *p, struct span piece, struct inflated *out)
{
	uint64_t size = p->stream.late ? room_left(p) : member_bound(&p->stream.m);
	int rc = 0;

	*out = (struct inflated){.fault = ERR_INIT};
	if (size > room_left(p)) {
		above_ranges(p);
		return false;
	}
	out->room = size ? (size_t)size : 1;
	out->p = mmap(NULL, out->room, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (out->p == MAP_FAILED)
		out_of_memory();
	while (rc == 0 && piece.n <= size - out->n) {
		memcpy(out->p + out->n, piece.p, piece.n);
		out->n += piece.n;
		rc = passage_next(p, ZIP_PIECE, &piece, &out->fault);
	}
	if (rc == 0 && p->stream.late) {
		inflated_free(out);
		above_ranges(p);
		return false;
	}
	out->failed = rc < 0;
	out->wrong = rc >= 0 && zip_stream_verdict(&p->stream, &out->fault) == ZIP_WRONG;
	return true;
}

void inflated_free(struct inflated *in)
{
	munmap(in->p, in->room);
}

static int flow_next(struct flow *flow, struct span *piece, struct err *e)
{
	struct passage_flow *f = (struct passage_flow *)flow;
	const struct zip_stream *s = &f->p->stream;

	*piece = SPAN_NONE;
	if (s->given > s->m.size) /* more than was promised: what follows is told by its checksum */
		return 1;
	return passage_next(f->p, ZIP_PIECE, piece, e);
}

void passage_flow_open(struct passage_flow *f, struct passage *p, struct span piece)
{
	*f = (struct passage_flow){{.next = flow_next, .size = p->stream.late ? FLOW_UNKNOWN : p->stream.m.size}, p};
	zip_stream_again(&p->stream, piece);
}

static void no_archive(struct passage *p)
{
	problem_add(&p->a->facts->problems, p->a->ctx->mem, PROBLEM_ANOMALY, FINDING_ARCHIVE_MALFORMED, p->path,
	            "it begins like a zip archive, and no directory of one was found");
}

/* A checksum of something large that is no archive counts as little as that of any other file that nobody wants. */
static void nested_inflated(struct passage *p, struct span piece, struct archive_source *src)
{
	struct inflated in;
	bool archive;

	if (!passage_inflate(p, piece, &in))
		return;
	src->bytes = (struct zip_bytes){.fd = -1, .size = in.n, .mem = in.p};
	archive = archive_push(p->a, src, in.p, in.room) == 0;
	if (in.failed || (in.wrong && (archive || p->stream.m.size <= PASSAGE_SMALL)))
		passage_unreadable(p, &in.fault);
	if (archive)
		return;
	inflated_free(&in);
	no_archive(p);
}

/* Too large to be kept: from its front to its end. */
static void nested_stream(struct passage *p, struct span piece, const struct archive_source *src)
{
	struct archive_stream_source from = {.path = src->path,
	                                     .name = src->name,
	                                     .depth = src->depth,
	                                     .held = p->a->held,
	                                     .streams = p->a->streams + 1};
	struct passage_flow flow;
	struct err e = ERR_INIT;

	if (from.streams > STREAMS_MOST) {
		above_ranges(p);
		return;
	}
	passage_flow_open(&flow, p, piece);
	from.from = &flow.flow;
	if (archive_stream_read(p->a->ctx, p->a->facts, &from, &e) || passage_over(p, 0, &e) < 0)
		passage_unreadable(p, &e);
	else
		passage_sound(p);
}

/* What lies in place is read from there; its checksum only when that is cheap, or asked for. */
static void stored_check(struct passage *p)
{
	struct err e = ERR_INIT;
	struct span rest;

	if (p->m.stored > PASSAGE_SMALL && !p->digest)
		return;
	while (passage_next(p, ZIP_PIECE, &rest, &e) == 0)
		;
	if (p->stream.failed || zip_stream_verdict(&p->stream, &e) == ZIP_WRONG)
		passage_unreadable(p, &e);
}

/* Stored bytes are read where they lie. */
static void nested_stored(struct passage *p, struct archive_source *src)
{
	const struct zip_bytes *b = &p->f->zip.bytes;
	uint64_t data = p->stream.data;

	src->bytes = (struct zip_bytes){.fd = b->fd, .start = b->start + data, .size = p->m.stored, .mem = b->mem};
	if (b->mem)
		src->bytes.mem += data;
	stored_check(p);
	if (archive_push(p->a, src, NULL, 0))
		no_archive(p);
}

void passage_nested(struct passage *p, struct span piece)
{
	struct archive_source src = {
	        .path = p->path, .name = span_base_name(p->path), .depth = p->f->depth + 1, .slices = 1};
	const struct job_context *ctx = p->a->ctx;
	const struct zip_stream *s = &p->stream;

	if (p->staging)
		staging_nested(p);
	if (src.depth > ctx->limits->v[LIMIT_NESTED_ARCHIVES])
		problem_limit(&p->a->facts->problems, ctx->mem, ctx->limits, LIMIT_NESTED_ARCHIVES, p->path,
		              "this archive");
	else if (!s->codec && s->bytes && !s->bytes->seen)
		nested_stored(p, &src);
	else if (!s->late && member_bound(&s->m) <= room_left(p))
		nested_inflated(p, piece, &src);
	else
		nested_stream(p, piece, &src);
}

void passage_tar(struct passage *p, struct span piece)
{
	struct passage_flow from;

	passage_flow_open(&from, p, piece);
	layer_read_inner(p->a->ctx, &from.flow, p->path, p->f->depth + 1, p->a->facts);
	if (p->staging)
		staging_tar(p);
}

/* All bytes of a metadata file. What is wrong with them is told where the member is read. */
static bool text_read(struct archive *a, struct frame *f, const struct zip_member *m, struct span path,
                      struct span *text)
{
	uint64_t size = member_bound(m), n = 0;
	struct err e = ERR_INIT;
	struct zip_stream s;
	struct zip_local local;
	struct span piece;
	uint8_t *room;
	int rc;

	if (size > a->ctx->limits->v[LIMIT_METADATA_BYTES]) {
		problem_limit(&a->facts->problems, a->ctx->mem, a->ctx->limits, LIMIT_METADATA_BYTES, path,
		              "a metadata file");
		return false;
	}
	if (zip_local_find(&f->zip, m, &local, &e))
		return false;
	if (f->staged && staging_text(a, f, m, path, text))
		return text->p != NULL;
	room = arena_alloc(a->ctx->mem, (size_t)size + 1);
	rc = zip_stream_begin(&s, &f->zip.bytes, m, local.data, a->rooms, a->ctx->limits, &e);
	while (rc == 0) {
		rc = zip_stream_next(&s, ZIP_PIECE, &piece, &e);
		if (rc || piece.n > size - n)
			break;
		memcpy(room + n, piece.p, piece.n);
		n += piece.n;
	}
	zip_stream_end(&s);
	*text = (struct span){room, (size_t)n};
	return rc == 1;
}

void archive_packages(struct archive *a, struct frame *f)
{
	for (size_t i = 0; i < f->names.n; i++) {
		const struct zip_name *name = &f->names.names[i];
		struct span folder, text;
		enum package_file kind = package_file_of(name->path, &folder);
		struct zip_member m;
		struct span path;

		if (kind == PACKAGE_NONE || name->folder || path_limit(a->ctx->limits, name->path) ||
		    zip_names_later(&f->names, name->index))
			continue;
		zip_member_at(&f->zip, name->index, &m);
		path = path_join(a->ctx->mem, f->prefix, name->path);
		if (text_read(a, f, &m, path, &text))
			package_parts_add(&f->packages, a->ctx->mem, path_folder(path), kind, text);
	}
}
