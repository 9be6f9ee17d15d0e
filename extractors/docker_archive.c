/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What 'docker save' and its like write (artifacts.md A7): a tar with manifest.json, or before Docker 1.10 with
 * repositories only. Names in the JSON are names of members, and links are followed inside the archive.
 */
#include "base/digest.h"
#include "extractors/image/parts.h"
#include "extractors/path.h"

static unsigned bid(const struct job_context *ctx, const struct source *src, const struct glimpse *g)
{
	static const struct span manifest = SPAN_INIT("manifest.json"), repositories = SPAN_INIT("repositories");

	return image_tar_has(ctx, src, g->head, &manifest, 1) || image_tar_has(ctx, src, g->head, &repositories, 1) ? 56
	                                                                                                            : 0;
}

void docker_none(struct image_store *s, const char *why, bool doubt)
{
	/* A root file system may have a file of that name at its top. */
	if (s->root && extractor_by_name(SPAN("rootfs-tar"))) {
		s->plan->extractor = s->plan->kind = SPAN("rootfs-tar");
		s->plan->image.present = false;
		s->plan->problems = (struct problems){NULL, 0, 0};
		if (doubt)
			problem_add(&s->plan->problems, s->ctx->mem, PROBLEM_INCOMPLETE, FINDING_SCAN_INCOMPLETE,
			            SPAN_NONE, "%s, and it was read as a root file system; others may load an image from it",
			            why);
		return;
	}
	s->plan->refused = arena_printf(s->ctx->mem, "%s", why);
}

/* "blobs/sha256/<hex>" names its digest, and so does "<hex>.json" or "<hex>.tar". */
static struct span named_digest(struct arena *mem, struct span path)
{
	struct span base = span_base_name(path), digest;

	if (span_ends(base, SPAN(".json")))
		base = span_first(base, base.n - 5);
	digest = arena_printf(mem, "sha%s:%.*s", base.n == 128 ? "512" : "256", SHOWN(base));
	return digest_is_exact(digest) ? digest : SPAN_NONE;
}

static void layer_find(struct image_store *s, struct span name, struct layer_ref *ref)
{
	struct store_file f;

	ref->path = arena_copy(s->ctx->mem, name);
	if (span_starts(name, SPAN("blobs/")))
		ref->digest = named_digest(s->ctx->mem, name);
	if (image_store_find(s, name, &f) != STORE_THERE) {
		/* Of a folder the parent looks for it. */
		ref->missing = !s->folder || !ref->digest.n;
		return;
	}
	ref->offset = f.offset;
	ref->bytes = ref->there = f.size;
}

static void config_read(struct image_store *s, struct span name, struct platform *have)
{
	struct arena *mem = s->ctx->mem;
	struct span text, path = arena_copy(mem, name), named = named_digest(mem, name);
	struct store_file f;
	struct err e = ERR_INIT;

	if (image_store_find(s, name, &f) != STORE_THERE) {
		problem_add(&s->plan->problems, mem, PROBLEM_INCOMPLETE, FINDING_SCAN_INCOMPLETE, path,
		            "the configuration is not there");
		return;
	}
	if (image_store_text(s, &f, &text, &e) < 0) {
		problem_err(&s->plan->problems, mem, PROBLEM_INCOMPLETE, FINDING_OBJECT_UNREADABLE, path, &e);
		return;
	}
	s->plan->image.image_id = digest_bytes(mem, text, digest_is_wide(named));
	if (named.n && !span_eq(named, s->plan->image.image_id))
		problem_add(&s->plan->problems, mem, PROBLEM_INCOMPLETE, FINDING_DIGEST_MISMATCH, path,
		            "the configuration has not the digest that names it");
	else
		image_config(s, text, path, have);
}

static void image_read(struct image_store *s, const json *j)
{
	struct image *image = &s->plan->image;
	struct platform have = {0};
	struct span text;

	if (json_string(json_first(json_member(j, "RepoTags")), &text))
		image->reference = arena_copy(s->ctx->mem, text);
	for (const json *l = json_first(json_member(j, "Layers")); l; l = json_next(l)) {
		if (image->layers.n == s->ctx->limits->v[LIMIT_LAYER_COUNT]) {
			problem_limit(&s->plan->problems, s->ctx->mem, s->ctx->limits, LIMIT_LAYER_COUNT, SPAN_NONE,
			              "the number of layers");
			break;
		}
		layer_find(s, json_string(l, &text) ? text : SPAN_NONE, list_add(s->ctx->mem, &image->layers));
	}
	config_read(s, json_string(json_member(j, "Config"), &text) ? text : SPAN_NONE, &have);
	platform_demand(s, &have);
}

static bool has_tag(const json *j, struct span name)
{
	struct span tag;

	for (const json *t = json_first(json_member(j, "RepoTags")); t; t = json_next(t))
		if (json_string(t, &tag) && span_eq(tag, name))
			return true;
	return false;
}

/* The one image, or the one that was asked for; NULL when the caller has to choose. */
static const json *image_choose(struct image_store *s, const json *list)
{
	const json *found = NULL;
	struct spans names = {0};
	size_t n = 0;

	for (const json *j = json_first(list); j; j = json_next(j)) {
		struct span tag = SPAN("(no name)");

		n++;
		json_string(json_first(json_member(j, "RepoTags")), &tag);
		if (names.n < 64)
			choice_add(s->ctx->mem, &names, arena_copy(s->ctx->mem, tag));
		if (!found && (!s->ctx->image.n || has_tag(j, s->ctx->image)))
			found = j;
	}
	if (s->ctx->image.n ? found != NULL : n == 1)
		return found;
	choice_refuse(s,
	              s->ctx->image.n ? "no image in it has the name that '--image' gives" : "it holds several images",
	              "--image", &names);
	return NULL;
}

static bool is_manifest(const json *list)
{
	if (!json_is_list(list) || !json_first(list))
		return false;
	for (const json *j = json_first(list); j; j = json_next(j))
		if (!json_is_object(j) || !json_is_list(json_member(j, "Layers")))
			return false;
	return true;
}

json *docker_open(struct image_store *s, struct span name, char begins, bool *doubt, struct err *e)
{
	struct store_file f;
	struct span text;
	size_t at = 0;

	*doubt = true;
	if (image_store_find(s, name, &f) != STORE_THERE) {
		err_set(e, ERR_IO, 0, "it is not there");
		return NULL;
	}
	if (image_store_text(s, &f, &text, e) < 0)
		return NULL;
	while (at < text.n && memchr(" \t\r\n", text.p[at], 4))
		at++;
	*doubt = at < text.n && text.p[at] == begins;
	return json_read(text, s->ctx->limits, e);
}

void docker_plan(struct image_store *s)
{
	struct err e = ERR_INIT;
	struct store_file f;
	const json *chosen;
	bool doubt;
	json *list;

	s->plan->kind = SPAN("docker-archive");
	s->plan->image.present = true;
	if (image_store_odd(s, SPAN("manifest.json"))) {
		docker_none(s, "its manifest.json is written in a way that is not read here", true);
		return;
	}
	if (image_store_find(s, SPAN("manifest.json"), &f) != STORE_THERE) {
		docker_v1_plan(s);
		return;
	}
	list = docker_open(s, SPAN("manifest.json"), '[', &doubt, &e);
	if (e.code == ERR_LIMIT || e.code == ERR_UNSUPPORTED || e.code == ERR_IO)
		problem_err(&s->plan->problems, s->ctx->mem, PROBLEM_INCOMPLETE, FINDING_SCAN_INCOMPLETE,
		            SPAN("manifest.json"), &e);
	else if (!is_manifest(list))
		docker_none(s, "its manifest.json names no image", doubt && !(json_is_list(list) && !json_first(list)));
	else if ((chosen = image_choose(s, list)) != NULL)
		image_read(s, chosen);
	json_free(list);
}

bool docker_disagrees(struct image_store *s, struct span config_digest)
{
	struct problems keep = s->plan->problems;
	struct err e = ERR_INIT;
	bool doubt;
	json *list = docker_open(s, SPAN("manifest.json"), '[', &doubt, &e);
	bool differs = is_manifest(list);

	s->plan->problems = keep;
	for (const json *j = differs ? json_first(list) : NULL; j && differs; j = json_next(j)) {
		struct span config = SPAN_NONE;

		json_string(json_member(j, "Config"), &config);
		differs = !span_eq(named_digest(s->ctx->mem, config), config_digest);
	}
	json_free(list);
	return differs;
}

static void plan_tar(const struct job_context *ctx, const struct source *src, struct plan *plan)
{
	struct image_store s = {.ctx = ctx, .plan = plan};

	if (image_store_tar(&s, src) < 0)
		docker_none(&s, "it has more members than an image has", true);
	else
		docker_plan(&s);
}

static void read_nothing(const struct job_context *ctx, const struct slice *s, struct facts *facts)
{
	problem_add(&facts->problems, ctx->mem, PROBLEM_INCOMPLETE, FINDING_SCAN_INCOMPLETE, s->files[0].path,
	            "an image is read layer by layer");
}

const struct extractor extractor_docker_archive = {"docker-archive", bid, plan_tar, read_nothing, false};
