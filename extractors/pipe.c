/* SPDX-License-Identifier: Apache-2.0 */
#include <sys/mman.h>

#include "extractors/image_store.h"
#include "extractors/item.h"
#include "extractors/pipe_parts.h"
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
	*t = (struct tee){{tee_next, from->size}, from, first, digest};
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
	uint8_t *p;
	size_t n, room;
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

static void too_long(const struct job_context *ctx, struct pipe_found *out)
{
	out->plans.v[0].facts.plan = (struct plan){.extractor = SPAN("file"), .kind = SPAN("file"), .slices = 1};
	problem_limit(&out->read.problems, ctx->mem, ctx->limits, LIMIT_OBJECT_RANGES, SPAN_NONE,
	              "a file that comes through a pipe and is no tar");
}

/* No tar: it is kept as a whole. */
static void file_read(const struct job_context *ctx, struct flow *from, struct span name, struct pipe_found *out)
{
	struct err e = ERR_INIT;
	struct bytes b = {NULL, 0, (size_t)ctx->limits->v[LIMIT_OBJECT_RANGES] + 1};
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
	} else {
		too_long(ctx, out);
	}
	munmap(b.p, b.room + 1);
}

/* two_minded: it begins as something else, too. As a file it would be refused, unless an image is in it. */
static void tar_read_all(const struct job_context *ctx, struct flow *from, bool hash, bool two_minded,
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
		tar_read_all(ctx, &all.flow, hash, two_minded, out);
	else
		file_read(ctx, &all.flow, name, out);
	whole = flow_drain(&all.flow, &e) == 0;
	if (!all.digest)
		return;
	out->digest = digest_end_text(ctx->mem, all.digest);
	if (!whole)
		out->digest = SPAN_NONE;
}
