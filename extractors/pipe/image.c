/* SPDX-License-Identifier: Apache-2.0 */
/* A tar that passes, read both ways: its files as those of a root, and what may be an image's as that. */
#include "extractors/image/parts.h"
#include "extractors/layer/layer.h"
#include "parts.h"
#include "extractors/stream/tar_header.h"

#define HEX_DIGITS (2 * DIGEST_BYTES) /* of SHA-256 */
#define PASSED_MAX 4096 /* files read as layers: more than images have, and each costs a process */

struct visit {
	struct layer_visitor v;
	const struct job_context *ctx;
	struct image_store store;
	struct tee *from;
	bool hash, full, far; /* far: files passed that are deeper in folders than an image's */
	bool layout, index, manifest; /* files at the top that make a tar an image */
	uint64_t kept;                /* bytes of documents */
	uint64_t facts;               /* bytes of layers' facts */
	LIST(struct pipe_layer *) passed;
	/* The entry that is passing; name and link are the tar's. */
	struct span name;
	struct image_member member;
	bool wide; /* a blob that is named by SHA-512 */
};

static bool is_document(struct span path, struct span front)
{
	static const struct span names[] = {SPAN_INIT("manifest.json"), SPAN_INIT("index.json"), SPAN_INIT("oci-layout"),
	                                    SPAN_INIT("repositories")};
	size_t i = 0;

	for (size_t k = 0; k < sizeof(names) / sizeof(names[0]); k++)
		if (span_eq(path, names[k]))
			return true;
	while (i < front.n && (front.p[i] == ' ' || front.p[i] == '\n' || front.p[i] == '\r' || front.p[i] == '\t'))
		i++;
	return i < front.n && (front.p[i] == '{' || front.p[i] == '[');
}

/* No image has its files deeper than that. */
static bool is_near(struct span path)
{
	size_t slashes = 0;

	for (size_t i = 0; i < path.n; i++)
		slashes += path.p[i] == '/';
	return slashes <= 1 || span_starts(path, SPAN("blobs/"));
}

/* The end marks of a tar, and so an empty one. */
static bool is_zero(struct span front)
{
	struct span block = span_first(front, TAR_BLOCK);

	return block.n == TAR_BLOCK && block.p[0] == 0 && memcmp(block.p, block.p + 1, TAR_BLOCK - 1) == 0;
}

/* Each one costs a process, and a root file system may have very many compressed files. */
static bool unpacks_to_tar(const struct job_context *ctx, struct span front, uint64_t size)
{
	struct err e = ERR_INIT;
	struct flow_memory from;
	struct unpack u;
	struct span piece = SPAN_NONE;

	flow_memory_open(&from, front);
	if (unpack_open(&u, &from.flow, ctx->limits, &e) == 0)
		(void)unpack_next(&u, &piece, &e);
	if (piece.n >= TAR_BLOCK)
		size = tar_block_is_header(piece) || is_zero(piece) ? UINT64_MAX : 0;
	else if (piece.n == 0)
		size = UINT64_MAX;
	unpack_close(&u);
	return size > front.n; /* of a short piece more tells */
}

static bool looks_like_layer(const struct job_context *ctx, struct span path, uint64_t size, struct span front)
{
	if (ctx->reader->wants(front))
		return false;
	if (tar_block_is_header(front) || is_zero(front) || span_starts(path, SPAN("blobs/")) ||
	    span_ends(path, SPAN(".tar")))
		return true;
	return unpack_codec(front) != CODEC_NONE && unpacks_to_tar(ctx, front, size);
}

static enum layer_look look_at_file(struct visit *w, struct span path, uint64_t size, struct span front)
{
	const uint64_t *limit = w->ctx->limits->v;

	if (!is_near(path) || size == 0)
		return LOOK_PASS;
	w->wide = span_starts(path, SPAN("blobs/sha512/"));
	if (!is_document(path, front))
		return w->passed.n < PASSED_MAX && looks_like_layer(w->ctx, path, size, front) ? LOOK_READ : LOOK_PASS;
	if (size > limit[LIMIT_JSON_BYTES] || size > limit[LIMIT_OBJECT_RANGES] - w->kept)
		return LOOK_PASS;
	w->kept += size;
	return LOOK_KEEP;
}

static enum member_kind kind_of(const struct tar_entry *t)
{
	switch (t->kind) {
	case ENTRY_FILE:
		return t->sparse ? MEMBER_OTHER : MEMBER_FILE;
	case ENTRY_SYMLINK:
		return MEMBER_SYMLINK;
	case ENTRY_HARDLINK:
		return MEMBER_HARDLINK;
	default:
		return MEMBER_OTHER;
	}
}

static void top_note(struct visit *w, struct span path)
{
	if (!image_store_decides(&w->member))
		return;
	w->layout |= span_eq(path, SPAN("oci-layout"));
	w->index |= span_eq(path, SPAN("index.json"));
	w->manifest |= span_eq(path, SPAN("manifest.json")) || span_eq(path, SPAN("repositories"));
}

/* "blobs/sha256/HEX", "HEX/layer.tar", "HEX.json": what writers of images begin with, and nobody else. */
static bool is_named_like_an_image(struct span path)
{
	struct span name = span_starts(path, SPAN("blobs/sha256/")) ? span_after(path, 13) : path;

	for (size_t i = 0; i < HEX_DIGITS; i++)
		if (i >= name.n || !strchr("0123456789abcdef", name.p[i]) || !name.p[i])
			return false;
	return name.n == HEX_DIGITS || name.p[HEX_DIGITS] == '/' || name.p[HEX_DIGITS] == '.';
}

static enum layer_look look(struct layer_visitor *v, const struct tar_entry *t, struct span front)
{
	struct visit *w = (struct visit *)v;
	struct arena scratch = ARENA_INIT;
	enum layer_look answer = LOOK_PASS;
	struct span path;

	w->name = t->name;
	w->member = (struct image_member){.link = t->target, .size = t->size, .kind = kind_of(t)};
	if (t->size == 0)
		w->member.kept = SPAN(""); /* all of it is known */
	path = image_member_name(&scratch, t->name);
	top_note(w, path);
	w->member.passed = w->member.kind == MEMBER_FILE && !is_near(path);
	w->far |= w->member.passed;
	if (w->member.kind == MEMBER_FILE && is_named_like_an_image(path))
		tee_unhash(w->from, w->ctx->mem);
	if (w->member.kind == MEMBER_FILE && path.n)
		answer = look_at_file(w, path, t->size, front);
	arena_clear(&scratch);
	return answer;
}

static void keep(struct layer_visitor *v, struct span bytes)
{
	((struct visit *)v)->member.kept = bytes;
}

static void layer_pass(struct visit *w, struct flow *from, bool wide, struct pipe_layer *l)
{
	const struct job_context *ctx = w->ctx;
	/* They are there twice when they are told. What is above costs this layer, and not all of them. */
	uint64_t most = ctx->limits->v[LIMIT_JOB_MEMORY] / 4;
	struct err e = ERR_INIT;
	struct tee t;

	l->why = (struct err)ERR_INIT;
	tee_open(&t, from, SPAN_NONE, w->hash ? digest_new_text(wide) : NULL);
	l->facts = ctx->layer_apart(ctx, &t.flow, (size_t)(most - w->facts), &l->why);
	w->facts += l->facts.n;
	if (flow_drain(&t.flow, &e) < 0)
		tee_unhash(&t, ctx->mem);
	if (t.digest)
		l->digest = digest_end_text(ctx->mem, t.digest);
}

static void read_layer(struct layer_visitor *v, struct flow *from)
{
	struct visit *w = (struct visit *)v;
	struct pipe_layer *l = arena_alloc(w->ctx->mem, sizeof(*l));

	layer_pass(w, from, w->wide, l);
	*list_add(w->ctx->mem, &w->passed) = l;
	w->member.offset = w->passed.n;
}

static void end(struct layer_visitor *v, bool whole)
{
	struct visit *w = (struct visit *)v;

	if (whole && !image_store_add(&w->store, w->name, w->member))
		w->full = true;
}

/* The blob of a layer that the plan names. */
static const struct pipe_layer *layer_of(struct visit *w, const struct layer_ref *ref)
{
	struct flow_memory nothing;
	struct pipe_layer *l;

	if (ref->missing)
		return NULL;
	if (ref->offset && ref->offset <= w->passed.n)
		return w->passed.v[ref->offset - 1];
	l = arena_alloc(w->ctx->mem, sizeof(*l));
	if (ref->there == 0) {
		flow_memory_open(&nothing, SPAN_NONE);
		layer_pass(w, &nothing.flow, digest_is_wide(ref->digest), l);
	} else {
		err_set(&l->why, ERR_UNSUPPORTED, 0, "it passed by, and did not look like a layer");
	}
	return l;
}

/* Of what stands too deep it is not known whether it was there. */
static void far_layers_tell(const struct visit *w, struct plan *plan)
{
	for (size_t i = 0; w->far && i < plan->image.layers.n; i++) {
		struct layer_ref *ref = &plan->image.layers.v[i];

		if (ref->missing && !ref->why.n && !is_near(ref->path))
			ref->why = SPAN("its blob is not there, or passed by in folders that are deeper than an image's");
	}
}

/* A document that passed by may have been the one that decides. */
static void missed_tell(struct visit *w, struct plan *plan)
{
	for (size_t i = 0; i < plan->problems.n; i++)
		if (plan->problems.v[i].grade == PROBLEM_INCOMPLETE)
			return;
	if (w->store.missed && !plan->refused.n)
		problem_add(&plan->problems, w->ctx->mem, PROBLEM_INCOMPLETE, FINDING_SCAN_INCOMPLETE, SPAN_NONE,
		            "a document of the image passed by, and did not look like one, or there were too many");
}

/* What is wrong with the tar itself is wrong with the image. */
static void faults_take(struct visit *w, const struct facts *read)
{
	for (size_t i = 0; i < read->problems.n; i++)
		if (read->problems.v[i].grade == PROBLEM_INCOMPLETE && read->problems.v[i].path.n == 0)
			*list_add(w->ctx->mem, &w->store.plan->problems) = read->problems.v[i];
}

static void image_plan(struct visit *w, struct pipe_plan *p, const struct facts *read)
{
	struct plan *plan = &p->facts.plan;

	w->store.plan = plan;
	faults_take(w, read);
	if (w->layout && w->index) {
		plan->extractor = plan->kind = SPAN("oci-layout");
		if (w->full)
			plan->refused = SPAN("it has more members than an image has");
		else
			oci_plan(&w->store);
	} else {
		plan->extractor = plan->kind = SPAN("docker-archive");
		if (w->full)
			docker_none(&w->store, "it has more members than an image has", true);
		else
			docker_plan(&w->store);
	}
	far_layers_tell(w, plan);
	missed_tell(w, plan);
	p->facts.problems = plan->problems;
	for (size_t i = 0; plan->image.present && !plan->refused.n && i < plan->image.layers.n; i++)
		*list_add(w->ctx->mem, &p->layers) = layer_of(w, &plan->image.layers.v[i]);
}

void pipe_tar(const struct job_context *ctx, struct tee *from, bool hash, struct pipe_found *out)
{
	static const struct plan root = {.extractor = SPAN_INIT("rootfs-tar"), .kind = SPAN_INIT("rootfs-tar"), .slices = 1};
	struct job_context own = *ctx;
	struct visit w = {.v = {look, keep, read_layer, end}, .ctx = &own, .from = from, .hash = hash};

	out->plans.v[0].facts.plan = root;
	w.store = (struct image_store){.ctx = &own, .fd = -1};
	layer_read_visited(ctx, &from->flow, &w.v, &out->read);
	if (!(w.layout && w.index) && !w.manifest)
		return;
	image_store_sort(&w.store);
	image_plan(&w, &out->plans.v[0], &out->read);
	while (++own.nth < out->plans.v[0].facts.plan.images) {
		struct pipe_plan *p = list_add(ctx->mem, &out->plans);

		p->facts = (struct facts){.mem = ctx->mem, .plan = root};
		image_plan(&w, p, &out->read);
	}
}
