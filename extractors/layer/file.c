/* SPDX-License-Identifier: Apache-2.0 */
/* One regular file of a tar: its bytes go once to everybody who wants them. */
#include <stdlib.h>
#include <sys/mman.h>

#include "extractors/archive/archive.h"
#include "extractors/archive/stream.h"
#include "extractors/item.h"
#include "parts.h"
#include "extractors/stream/tar_flow.h"

#define TAIL_BYTES (66u << 10) /* room for an end record and its comment */

/* Bytes that are kept. */
struct kept {
	uint8_t *p; /* zeroed */
	uint64_t n, room;
};

struct passing {
	struct layer_job *l;
	struct span path;
	uint64_t size, given;
	const uint8_t *map; /* all of it lies here; NULL: it passes */
	void *handle; /* of the reader; NULL: not wanted */
	bool more;    /* the reader wants on */
	struct kept text, zip, copy; /* copy: for the visitor */
	enum layer_look look;
	bool stream; /* an archive that is too large to be kept */
	uint8_t *tail; /* of a program: the last TAIL_BYTES; it may have an archive there */
	size_t tail_n;
	struct digest *digest;
	uint8_t front[READER_FRONT];
	size_t front_n;
};

static void keep(struct kept *k, uint64_t zeros, struct span s)
{
	if (!k->p || zeros > k->room - k->n || s.n > k->room - k->n - zeros)
		return;
	k->n += zeros;
	if (s.n)
		memcpy(k->p + k->n, s.p, s.n);
	k->n += s.n;
}

static void digest_zeros(struct passing *p, uint64_t n)
{
	static const uint8_t zeros[4096];

	while (n) {
		size_t some = n < sizeof(zeros) ? (size_t)n : sizeof(zeros);

		digest_add(p->digest, (struct span){zeros, some});
		n -= some;
	}
}

/* A piece that begins `at` bytes into the file: what of it belongs to the tail. */
static void tail_keep(struct passing *p, uint64_t at, struct span s)
{
	uint64_t from = p->size - p->tail_n;

	if (!p->tail || s.n == 0 || at + s.n <= from)
		return;
	if (at < from) {
		s = span_after(s, (size_t)(from - at));
		at = from;
	}
	if (s.n <= p->size - at)
		memcpy(p->tail + (at - from), s.p, s.n);
}

static void hand_on(struct passing *p, const struct tar_piece *piece)
{
	const struct file_reader *reader = p->l->ctx->reader;

	p->given += piece->zeros + piece->bytes.n;
	if (p->more && piece->zeros)
		p->more = reader->feed_zeros(p->handle, piece->zeros);
	if (p->more && piece->bytes.n)
		p->more = reader->feed(p->handle, piece->bytes);
	keep(&p->text, piece->zeros, piece->bytes);
	keep(&p->zip, piece->zeros, piece->bytes);
	keep(&p->copy, piece->zeros, piece->bytes);
	tail_keep(p, p->given - piece->bytes.n, piece->bytes);
	if (!p->digest)
		return;
	digest_zeros(p, piece->zeros);
	digest_add(p->digest, piece->bytes);
}

/* p, when n bytes from there on lie in s. */
static const uint8_t *span_holding(struct span s, const uint8_t *p, uint64_t n)
{
	bool inside = s.n && p >= s.p && p < s.p + s.n && n <= (uint64_t)(s.p + s.n - p);

	return inside ? p : NULL;
}

/* The first bytes in one piece; `rest` is what was read beyond them. */
static int front_read(struct passing *p, struct tar_piece *rest, struct err *e)
{
	int rc = 0;

	*rest = (struct tar_piece){0};
	while (rc == 0 && p->front_n < READER_FRONT) {
		size_t room, n;

		rc = tar_read(&p->l->tar, rest, e);
		if (p->front_n == 0 && rest->zeros == 0)
			p->map = span_holding(p->l->unpack.from->lying, rest->bytes.p, p->size);
		room = READER_FRONT - p->front_n;
		n = rest->zeros < room ? (size_t)rest->zeros : room;
		memset(p->front + p->front_n, 0, n);
		p->front_n += n;
		rest->zeros -= n;
		room -= n;
		n = rest->bytes.n < room ? rest->bytes.n : room;
		if (n)
			memcpy(p->front + p->front_n, rest->bytes.p, n);
		p->front_n += n;
		rest->bytes = span_after(rest->bytes, n);
	}
	return rc;
}

static void text_begin(struct passing *p)
{
	const struct job_context *ctx = p->l->ctx;
	struct span folder;

	if (package_file_of(p->path, &folder) == PACKAGE_NONE)
		return;
	if (p->size > ctx->limits->v[LIMIT_METADATA_BYTES]) {
		problem_limit(&p->l->facts->problems, ctx->mem, ctx->limits, LIMIT_METADATA_BYTES, p->path,
		              "a metadata file");
		return;
	}
	p->text.room = p->size;
	p->text.p = arena_alloc(ctx->mem, (size_t)p->size + 1);
}

/*
 * An archive is read by its directory, which is at its end, when all of it can be kept; else as it passes. A script may have one
 * behind it.
 */
static void zip_begin(struct passing *p, struct span front)
{
	const struct job_context *ctx = p->l->ctx;
	bool script = span_starts(front, SPAN("#!"));

	if (!script && !span_starts(front, SPAN("PK\3\4")))
		return;
	if (p->size > ctx->limits->v[LIMIT_OBJECT_RANGES]) {
		p->stream = !script;
		if (script)
			problem_limit(&p->l->facts->problems, ctx->mem, ctx->limits, LIMIT_OBJECT_RANGES, p->path,
			              "this script, which may have an archive behind it,");
		return;
	}
	p->zip.room = p->size;
	p->zip.p = mmap(NULL, (size_t)p->size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (p->zip.p == MAP_FAILED)
		out_of_memory();
}

static void begin(struct passing *p)
{
	const struct job_context *ctx = p->l->ctx;
	struct span front = {p->front, p->front_n};

	if (ctx->verify && p->size <= ctx->limits->v[LIMIT_SKIPPED_RUN]) {
		p->digest = digest_new();
		if (!p->digest)
			out_of_memory();
	}
	if (front.n == 0)
		return;
	if (ctx->reader->wants(front)) {
		p->handle = ctx->reader->begin(ctx, p->path, p->size, p->map);
		p->more = true;
		if (span_starts(front, SPAN("\x7f" "ELF"))) {
			p->tail_n = p->size < TAIL_BYTES ? (size_t)p->size : TAIL_BYTES;
			p->tail = calloc(1, p->tail_n);
			if (!p->tail)
				out_of_memory();
		}
	} else {
		zip_begin(p, front);
	}
	text_begin(p);
}

static void inner_read(struct passing *p, struct zip_bytes bytes)
{
	archive_read(p->l->ctx, p->l->facts,
	             &(struct archive_source){.bytes = bytes,
	                                      .path = p->path,
	                                      .name = span_base_name(p->path),
	                                      .depth = p->l->depth + 1,
	                                      .slices = 1});
}

static void zip_read(struct passing *p)
{
	struct zip_bytes bytes = {.fd = -1, .size = p->zip.n, .mem = p->zip.p};
	struct zip_end end;

	if (span_starts((struct span){p->front, p->front_n}, SPAN("#!")) &&
	    (zip_end_find(&bytes, &end) || end.directory_bytes == 0))
		return;
	inner_read(p, bytes);
}

/*
 * Programs that carry an archive: of a short one all is here, of others that there is one. To keep all of every program
 * for this would be dear.
 */
static void tail_read(struct passing *p)
{
	const struct job_context *ctx = p->l->ctx;
	struct span tail = {p->tail, p->tail_n};
	struct zip_bytes bytes = {.fd = -1, .size = tail.n, .mem = tail.p};
	struct zip_end end;

	if (tail.n == p->size) {
		if (zip_end_find(&bytes, &end) == 0 && end.directory_bytes)
			inner_read(p, bytes);
		return;
	}
	for (size_t at = tail.n - 22 + 1; at-- > 0;) {
		const uint8_t *r = tail.p + at;
		size_t comment = r[20] | (size_t)r[21] << 8;

		if (memcmp(r, "PK\5\6", 4) != 0 || at + 22 + comment != tail.n || (r[12] | r[13] | r[14] | r[15]) == 0)
			continue;
		problem_add(&p->l->facts->problems, ctx->mem, PROBLEM_INCOMPLETE, FINDING_SCAN_INCOMPLETE, p->path,
		            "the archive at the end of this program is not read");
		return;
	}
}

static void finish(struct passing *p, bool whole)
{
	struct layer_job *l = p->l;
	struct span folder;

	if (p->handle)
		l->ctx->reader->end(p->handle, l->facts, whole);
	if (p->tail && whole)
		tail_read(p);
	free(p->tail);
	if (p->digest) {
		uint8_t sum[DIGEST_BYTES];

		digest_end(p->digest, sum);
		if (whole)
			item_digest(l->ctx, l->facts, p->path, sum);
	}
	if (p->text.p && whole) {
		enum package_file kind = package_file_of(p->path, &folder);

		package_parts_add(&l->parts, l->ctx->mem, folder, kind, (struct span){p->text.p, (size_t)p->text.n});
	}
	if (p->zip.p) {
		if (whole)
			zip_read(p);
		munmap(p->zip.p, (size_t)p->zip.room);
	}
}

static bool wanted(const struct passing *p)
{
	return p->more || p->text.p || p->zip.p || p->copy.p || p->tail || p->digest;
}

static void taken(void *sink, const struct tar_piece *piece)
{
	hand_on(sink, piece);
}

static void visit_begin(struct passing *p, const struct tar_entry *t)
{
	struct layer_visitor *v = p->l->visitor;

	p->look = v ? v->look(v, t, (struct span){p->front, p->front_n}) : LOOK_PASS;
	if (p->look != LOOK_KEEP)
		return;
	p->copy.room = p->size;
	p->copy.p = arena_alloc(p->l->ctx->mem, (size_t)p->size + 1);
}

static void visit_end(struct passing *p, bool whole)
{
	struct layer_visitor *v = p->l->visitor;

	if (p->copy.p && whole)
		v->keep(v, (struct span){p->copy.p, (size_t)p->copy.n});
	if (v)
		v->end(v, whole);
}

/* An archive that is read as it passes. */
static void stream_read(struct passing *p, struct tar_flow *f)
{
	const struct job_context *ctx = p->l->ctx;
	struct problems *problems = &p->l->facts->problems;
	struct archive_stream_source src = {
	        .from = &f->flow, .path = p->path, .name = span_base_name(p->path), .depth = p->l->depth + 1};
	struct err e = ERR_INIT;

	if (src.depth > ctx->limits->v[LIMIT_NESTED_ARCHIVES])
		problem_limit(problems, ctx->mem, ctx->limits, LIMIT_NESTED_ARCHIVES, p->path, "this archive");
	else if (archive_stream_read(ctx, p->l->facts, &src, &e) && f->refused)
		problem_err(problems, ctx->mem, PROBLEM_INCOMPLETE, FINDING_SCAN_INCOMPLETE, p->path, &e);
}

/* Somebody reads all of it as a flow; what passes goes on to the others, too. rest: behind its front. As tar_read gives. */
static int flow_read(struct passing *p, int rc, struct tar_piece rest, struct err *e)
{
	struct layer_visitor *v = p->l->visitor;
	struct err why = ERR_INIT;
	struct tar_flow f;
	struct span piece;

	tar_flow_open(&f, &p->l->tar, p->size, (struct span){p->front, p->front_n}, rest);
	f.rc = rc;
	f.fault = *e;
	f.taken = taken;
	f.sink = p;
	if (p->stream)
		stream_read(p, &f);
	else
		v->read(v, &f.flow);
	while (f.flow.next(&f.flow, &piece, &why) == 0)
		;
	tar_flow_close(&f);
	if (f.rc < 0)
		*e = f.fault;
	return f.rc;
}

int layer_file(struct layer_job *l, struct span path, const struct tar_entry *t, struct err *e)
{
	struct passing p = {.l = l, .path = path, .size = t->size};
	struct tar_piece piece;
	int rc = front_read(&p, &piece, e);

	begin(&p);
	visit_begin(&p, t);
	if (p.stream || (p.look == LOOK_READ && rc >= 0)) {
		rc = flow_read(&p, rc, piece, e);
	} else {
		if (p.front_n)
			hand_on(&p, &(struct tar_piece){0, {p.front, p.front_n}});
		if (piece.zeros || piece.bytes.n)
			hand_on(&p, &piece);
	}
	while (rc == 0 && wanted(&p)) {
		rc = tar_read(&l->tar, &piece, e);
		if (piece.zeros || piece.bytes.n)
			hand_on(&p, &piece);
	}
	finish(&p, rc >= 0);
	if (rc == 0)
		rc = tar_skip(&l->tar, wanted(&p) ? 0 : piece.bytes.n, e);
	visit_end(&p, rc >= 0);
	return rc < 0 ? -1 : 0;
}
