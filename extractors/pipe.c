/* SPDX-License-Identifier: Apache-2.0 */
#include <sys/mman.h>

#include "extractors/archive/stream.h"
#include "extractors/image/store.h"
#include "extractors/item.h"
#include "extractors/pipe/parts.h"
#include "extractors/stream/tar_header.h"
#include "extractors/stream/unpack.h"

static int tee_next(struct flow *flow, struct span *piece, struct err *e)
{
	struct tee *t = (struct tee *)flow;
	int rc = 0;

	*piece = t->first;
	t->first = SPAN_NONE;
	if (piece->n == 0)
		rc = t->from->next(t->from, piece, e);
	if (t->digest)
		digest_add(t->digest, *piece);
	return rc;
}

void tee_open(struct tee *t, struct flow *from, struct span first, struct digest *digest)
{
	*t = (struct tee){{.next = tee_next, .size = from->size}, from, first, digest};
}

void tee_unhash(struct tee *t, struct arena *mem)
{
	if (t->digest)
		(void)digest_end_text(mem, t->digest);
	t->digest = NULL;
}

int flow_drain(struct flow *f, struct err *e)
{
	struct span piece;
	int rc;

	do
		rc = f->next(f, &piece, e);
	while (rc == 0);
	return rc < 0 ? -1 : 0;
}

/* Does a tar begin here, perhaps compressed? An ELF file's header may look like one, but for the checksum. */
static bool begins_tar(const struct job_context *ctx, struct span front)
{
	struct err e = ERR_INIT;
	struct flow_memory m;
	struct unpack u;
	struct span piece = SPAN_NONE;
	bool tar;

	if (unpack_codec(front) == CODEC_NONE)
		return tar_begins(front) ||
		       (tar_block_is_header(front) && !ctx->reader->wants(span_first(front, READER_FRONT)));
	flow_memory_open(&m, front);
	tar = unpack_open(&u, &m.flow, ctx->limits, &e) == 0 && unpack_next(&u, &piece, &e) == 0 &&
	      tar_block_is_header(piece);
	unpack_close(&u);
	return tar;
}

/* Bytes that had to be kept. */
struct bytes {
	uint8_t *p; /* a mapping */
	size_t n, room;
	size_t gone; /* of it, from the front: unmapped again */
};

/* 0 all of it, 1 it has more than there is room for, -1 it cannot be had. */
static int bytes_take(struct flow *from, struct bytes *b, struct span *rest, struct err *e)
{
	int rc;

	while ((rc = from->next(from, rest, e)) == 0) {
		if (rest->n > b->room - b->n)
			return 1;
		memcpy(b->p + b->n, rest->p, rest->n);
		b->n += rest->n;
	}
	return rc < 0 ? -1 : 0;
}

static void whole_read(const struct job_context *ctx, const struct bytes *b, struct span name, struct pipe_found *out)
{
	struct source src = {.fd = -1, .mem = b->p, .size = b->n, .name = name};
	struct plan *plan = &out->plans.v[0].facts.plan;
	const struct extractor *x;

	extract_plan(ctx, &src, &out->plans.v[0].facts);
	plan->slices = 1;
	x = extractor_by_name(plan->extractor);
	if (x && !plan->refused.n)
		x->read(ctx, &(struct slice){.files = &src, .n = 1, .slices = 1}, &out->read);
}

/* What was kept and what follows it, as one flow again. The kept bytes go behind their reader: the limit counts mappings. */
struct chain {
	struct flow flow;
	struct bytes *kept;
	size_t given;
	struct span rest;
	struct flow *from;
};

static int chain_next(struct flow *flow, struct span *piece, struct err *e)
{
	struct chain *c = (struct chain *)flow;

	/* Pieces are full, and so of whole pages. */
	if (c->given > c->kept->gone && munmap(c->kept->p + c->kept->gone, c->given - c->kept->gone) == 0)
		c->kept->gone = c->given;
	*piece = span_first((struct span){c->kept->p + c->given, c->kept->n - c->given}, FLOW_PIECE);
	c->given += piece->n;
	if (piece->n)
		return 0;
	*piece = c->rest;
	c->rest = SPAN_NONE;
	return piece->n ? 0 : c->from->next(c->from, piece, e);
}

/* A zip archive that is too large to be kept: its directory is at its end. */
static void archive_pass(const struct job_context *ctx, struct bytes *b, struct span rest, struct flow *from,
                         struct span name, struct pipe_found *out)
{
	struct chain c = {{.next = chain_next, .size = FLOW_UNKNOWN}, b, 0, rest, from};
	bool wheel = false;
	struct archive_stream_source src = {.from = &c.flow, .name = name, .wheel = &wheel};
	struct plan *plan = &out->plans.v[0].facts.plan;
	struct err e = ERR_INIT;

	if (archive_stream_read(ctx, &out->read, &src, &e) < 0)
		problem_err(&out->read.problems, ctx->mem, PROBLEM_INCOMPLETE, FINDING_SCAN_INCOMPLETE, SPAN_NONE, &e);
	*plan = (struct plan){.extractor = SPAN("wheel"), .kind = wheel ? SPAN("wheel") : SPAN("zip"), .slices = 1};
}

static void too_long(const struct job_context *ctx, struct pipe_found *out)
{
	out->plans.v[0].facts.plan = (struct plan){.extractor = SPAN("file"), .kind = SPAN("file"), .slices = 1};
	problem_limit(&out->read.problems, ctx->mem, ctx->limits, LIMIT_OBJECT_RANGES, SPAN_NONE,
	              "a file that comes through a pipe and is neither a tar nor a zip archive");
}

static bool begins_zip(struct span front)
{
	return span_starts(front, SPAN("PK\3\4"));
}

/* No tar: it is kept as a whole. Of an archive less is kept, since its members want memory when it turns out to be larger. */
static void file_read(const struct job_context *ctx, struct flow *from, bool zip, struct span name, struct pipe_found *out)
{
	struct err e = ERR_INIT;
	struct bytes b = {NULL, 0, (size_t)ctx->limits->v[LIMIT_OBJECT_RANGES] / (zip ? 4 : 1) + 1, 0};
	struct span rest;
	int rc;

	b.p = mmap(NULL, b.room, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (b.p == MAP_FAILED)
		out_of_memory();
	b.room--;
	rc = bytes_take(from, &b, &rest, &e);
	if (rc < 0) {
		out->plans.v[0].facts.plan = (struct plan){.extractor = SPAN("file"), .kind = SPAN("file"), .slices = 1};
		out->plans.v[0].facts.plan.refused = arena_printf(ctx->mem, "%s", e.text);
	} else if (rc == 0) {
		whole_read(ctx, &b, name, out);
	} else if (zip) {
		archive_pass(ctx, &b, rest, from, name, out);
	} else {
		too_long(ctx, out);
	}
	munmap(b.p + b.gone, b.room + 1 - b.gone);
}

/* two_minded: it begins as something else, too. As a file it would be refused, unless an image is in it. */
static void tar_read_all(const struct job_context *ctx, struct tee *from, bool hash, bool two_minded,
                         struct pipe_found *out)
{
	struct plan *plan;

	pipe_tar(ctx, from, hash, out);
	plan = &out->plans.v[0].facts.plan;
	if (two_minded && !plan->image.present)
		*plan = (struct plan){.extractor = SPAN("file"),
		                      .kind = SPAN("file"),
		                      .slices = 1,
		                      .refused = SPAN("a tar archive is not read yet")};
}

void pipe_read(const struct job_context *ctx, struct flow *from, bool hash, struct span name, struct pipe_found *out)
{
	struct err e = ERR_INIT;
	struct tee all;
	struct span front;
	bool whole, two_minded;
	int rc;

	*out = (struct pipe_found){.read = {.mem = ctx->mem}};
	list_add(ctx->mem, &out->plans)->facts.mem = ctx->mem;
	rc = from->next(from, &front, &e);
	if (rc == 1 && from->size == FLOW_UNKNOWN)
		rc = err_set(&e, ERR_TRUNCATED, 0, "nothing came through the pipe");
	if (rc < 0) {
		out->plans.v[0].facts.plan = (struct plan){.extractor = SPAN("file"), .kind = SPAN("file"), .slices = 1};
		out->plans.v[0].facts.plan.refused = arena_printf(ctx->mem, "%s", e.text);
		return;
	}
	tee_open(&all, from, front, hash ? digest_new_text(false) : NULL);
	two_minded = ctx->reader->wants(span_first(front, READER_FRONT));
	if (begins_tar(ctx, front))
		tar_read_all(ctx, &all, hash, two_minded, out);
	else
		file_read(ctx, &all.flow, begins_zip(front), name, out);
	whole = flow_drain(&all.flow, &e) == 0;
	if (!all.digest)
		return;
	out->digest = digest_end_text(ctx->mem, all.digest);
	if (!whole)
		out->digest = SPAN_NONE;
}
