/* SPDX-License-Identifier: Apache-2.0 */
#include "layer.h"

#include <stdio.h>

#include "parts.h"
#include "extractors/path.h"

void layer_odd_count(struct layer_job *l, enum layer_odd what, struct span path, const char *text)
{
	struct layer_oddity *o = &l->odd[what];

	if (o->n++ == 0) {
		o->path = arena_copy(l->ctx->mem, path);
		o->text = arena_printf(l->ctx->mem, "%s", text);
	}
}

static void anomaly(struct layer_job *l, struct span path, const char *text, uint64_t more)
{
	struct problems *problems = &l->facts->problems;

	if (more)
		problem_add(problems, l->ctx->mem, PROBLEM_ANOMALY, FINDING_ARCHIVE_MALFORMED, path,
		            "%s (and %llu more like it)", text, (unsigned long long)more);
	else
		problem_add(problems, l->ctx->mem, PROBLEM_ANOMALY, FINDING_ARCHIVE_MALFORMED, path, "%s", text);
}

static void oddities_tell(struct layer_job *l)
{
	char text[160];

	for (int i = 0; i < LAYER_ODD_COUNT; i++) {
		const struct layer_oddity *o = &l->odd[i];

		if (o->n)
			anomaly(l, o->path, (const char *)o->text.p, o->n - 1);
	}
	if (l->tar.excused)
		anomaly(l, l->self, "bytes of an entry that can have none were passed over", 0);
	if (l->tar.damaged > l->tar.excused)
		problem_add(&l->facts->problems, l->ctx->mem, PROBLEM_INCOMPLETE, FINDING_SCAN_INCOMPLETE, l->self,
		            "%llu blocks of the tar are no header where one should be",
		            (unsigned long long)(l->tar.damaged - l->tar.excused));
	if (l->tar.trailing)
		anomaly(l, l->self, "bytes that are not zero follow the end marks of the tar", 0);
	if (l->unpack.trailing) {
		snprintf(text, sizeof(text), "%llu %s follow the %s stream", (unsigned long long)l->unpack.trailing,
		         l->unpack.padding ? "zero bytes" : "bytes", codec_name(l->unpack.codec));
		anomaly(l, l->self, text, 0);
	}
}

/* The path of an entry; false when nothing can be told under it. */
static bool path_make(struct layer_job *l, const struct tar_entry *t, struct span *path)
{
	const struct job_context *ctx = l->ctx;
	unsigned odd;
	enum limit_id limit;
	struct span plain;

	if (!t->name.p) {
		problem_add(&l->facts->problems, ctx->mem, PROBLEM_INCOMPLETE, FINDING_SCAN_INCOMPLETE, l->self,
		            "the name of an entry cannot be had");
		return false;
	}
	plain = path_normalise(&l->paths, t->name, &odd);

	limit = path_limit(ctx->limits, plain);
	if (limit) {
		plain = path_join(&l->paths, l->prefix, span_first(plain, 256));
		problem_limit(&l->facts->problems, ctx->mem, ctx->limits, limit, plain, "the name that begins so");
		return false;
	}
	*path = plain.n ? path_join(&l->paths, l->prefix, plain) : SPAN_NONE;
	if (odd & PATH_CLIMBS)
		layer_odd_count(l, ODD_CLIMBS, *path, "its name in the tar has '..' in it");
	if (path->n == 0 && t->kind != ENTRY_FOLDER)
		layer_odd_count(l, ODD_ROOT, l->self, "an entry that is no folder is named like the root");
	return path->n > 0;
}

static struct span target_of(struct layer_job *l, const struct tar_entry *t)
{
	unsigned odd;

	if (t->kind == ENTRY_HARDLINK)
		return path_join(&l->paths, l->prefix, path_normalise(&l->paths, t->target, &odd));
	return t->target;
}

static bool brought(const struct layer_had *a, const struct layer_had *b)
{
	return a->objects != b->objects || a->packages != b->packages || a->digests != b->digests ||
	       a->problems != b->problems || a->parts != b->parts;
}

/* Nobody reads its bytes. */
static int entry_pass(struct layer_job *l, const struct tar_entry *t, struct err *e)
{
	int rc;

	if (l->visitor)
		(void)l->visitor->look(l->visitor, t, SPAN_NONE);
	rc = tar_skip(&l->tar, 0, e);
	if (l->visitor)
		l->visitor->end(l->visitor, rc == 0);
	return rc;
}

/* What the file at the row of this place brings. */
static int file_read(struct layer_job *l, uint32_t place, struct span path, const struct tar_entry *t, struct err *e)
{
	struct layer_had from = layer_had(l), to;
	int rc = layer_file(l, path, t, e);

	to = layer_had(l);
	if (brought(&from, &to))
		*list_add(l->ctx->mem, &l->marks) = (struct layer_mark){place, from, to};
	if (rc == 0)
		return 0;
	return e->code == ERR_LIMIT ? -1 : err_wrap(e, "inside of '%.*s'", SHOWN(path));
}

static int entry_read(struct layer_job *l, const struct tar_entry *t, struct err *e)
{
	struct layer_had from = layer_had(l), to;
	struct arena_mark here = arena_here(&l->paths);
	uint32_t place = entries_end(&l->facts->entries);
	struct entry entry = {.kind = t->kind, .bytes = t->kind == ENTRY_FILE ? t->size : 0};
	int rc;

	if (!path_make(l, t, &entry.path)) {
		rc = entry_pass(l, t, e);
	} else {
		if (t->oddity)
			layer_odd_count(l, ODD_HEADER, entry.path, t->oddity);
		/* libarchive goes by the slash, and does not give the bytes. Who goes by the type of the entry has a file. */
		if (t->kind == ENTRY_FOLDER && t->size)
			problem_add(&l->facts->problems, l->ctx->mem, PROBLEM_INCOMPLETE, FINDING_SCAN_INCOMPLETE,
			            entry.path, "a file whose name ends as a folder's, and others read its bytes");
		entry.target = target_of(l, t);
		l->rows += l->rows < UINT32_MAX;
		entry.order = l->rows;
		entries_add_level(&l->facts->entries, l->ctx->mem, &entry, l->level);
		rc = t->kind == ENTRY_FILE ? file_read(l, place, entry.path, t, e) : entry_pass(l, t, e);
	}
	to = layer_had(l);
	/* Nobody else keeps the path of what is only a name. */
	if (!brought(&from, &to))
		arena_back(&l->paths, here);
	return rc;
}

static int tar_entries(struct layer_job *l, struct err *e)
{
	uint64_t n = 0;

	tar_open(&l->tar, &l->unpack);
	for (;;) {
		struct tar_entry entry;
		int rc = tar_next(&l->tar, &entry, e);

		if (rc)
			return rc < 0 ? -1 : 0;
		if (++n > l->ctx->limits->v[LIMIT_ARTIFACT_ENTRIES])
			return err_limit(e, LIMIT_ARTIFACT_ENTRIES, l->ctx->limits, "the tar");
		if (entry_read(l, &entry, e))
			return -1;
	}
}

/* The digest of the tar itself, when every byte of it came by. */
static void digest_keep(struct layer_job *l)
{
	uint8_t sum[DIGEST_BYTES];

	digest_end(l->unpack.digest, sum);
	l->unpack.digest = NULL;
	l->facts->digest = digest_text(l->ctx->mem, sum);
}

static void tar_of(struct layer_job *l, struct flow *from)
{
	const struct job_context *ctx = l->ctx;
	struct problems *problems = &l->facts->problems;
	struct err e = ERR_INIT;
	int rc = unpack_open(&l->unpack, from, ctx->limits, &e);

	l->level = (uint8_t)(l->depth < 253 ? l->depth + 1 : 254);
	l->first = entries_end(&l->facts->entries);
	if (rc == 0) {
		/* Plain tars are hashed as the blobs that they are. */
		if (ctx->verify && l->self.n == 0 && l->unpack.codec != CODEC_NONE &&
		    !(l->unpack.digest = digest_new()))
			out_of_memory();
		rc = tar_entries(l, &e);
		if (rc == 0 && l->unpack.digest)
			digest_keep(l);
		tar_close(&l->tar);
		layer_doubles(l);
		oddities_tell(l);
		package_parts_build(ctx, l->facts, &l->parts, l->self, SPAN_NONE);
	}
	if (rc)
		problem_err(problems, ctx->mem, PROBLEM_INCOMPLETE, FINDING_SCAN_INCOMPLETE, l->self, &e);
	unpack_close(&l->unpack);
	arena_join(ctx->mem, &l->paths);
}

void layer_read(const struct job_context *ctx, struct flow *from, struct facts *facts)
{
	layer_read_visited(ctx, from, NULL, facts);
}

void layer_read_visited(const struct job_context *ctx, struct flow *from, struct layer_visitor *v, struct facts *facts)
{
	struct layer_job l = {.ctx = ctx, .facts = facts, .visitor = v};

	tar_of(&l, from);
	facts->compression = span_of(codec_name(l.unpack.codec));
	facts->unpacked = l.unpack.given;
}

void layer_read_inner(const struct job_context *ctx, struct flow *from, struct span path, unsigned depth,
                      struct facts *facts)
{
	struct layer_job l = {.ctx = ctx, .facts = facts, .self = path, .depth = depth};

	if (depth > ctx->limits->v[LIMIT_NESTED_ARCHIVES]) {
		problem_limit(&facts->problems, ctx->mem, ctx->limits, LIMIT_NESTED_ARCHIVES, path, "this archive");
		return;
	}
	l.prefix = path_join(ctx->mem, path, SPAN("!/"));
	tar_of(&l, from);
}
