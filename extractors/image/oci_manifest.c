/* SPDX-License-Identifier: Apache-2.0 */
/* A manifest of an OCI image, or a Docker one of schema 2, to layers. */
#include "parts.h"
#include "extractors/path.h"

#include "base/digest.h"

static struct span compression_of(struct span type)
{
	if (span_ends(type, SPAN("+gzip")) || span_ends(type, SPAN(".gzip")))
		return SPAN("gzip");
	if (span_ends(type, SPAN("+zstd")) || span_ends(type, SPAN(".zstd")))
		return SPAN("zstd");
	return span_ends(type, SPAN(".tar")) ? SPAN("none") : SPAN_NONE;
}

static bool contains(struct span s, struct span word)
{
	for (size_t i = 0; i + word.n <= s.n; i++)
		if (memcmp(s.p + i, word.p, word.n) == 0)
			return true;
	return false;
}

static bool is_layer_type(struct span type)
{
	return contains(type, SPAN(".layer.")) || contains(type, SPAN(".rootfs."));
}

bool config_is_image(struct span type)
{
	return span_eq(type, SPAN("application/vnd.oci.image.config.v1+json")) ||
	       span_eq(type, SPAN("application/vnd.docker.container.image.v1+json")) ||
	       span_eq(type, SPAN("application/octet-stream"));
}

/* NULL: an image. */
static const char *not_an_image(struct arena *mem, const json *j)
{
	const json *config = json_member(j, "config"), *layers = json_member(j, "layers"), *l;
	bool layer = !json_first(layers);

	if (json_member(j, "fsLayers"))
		return "a manifest of schema 1, which is not read";
	if (!json_is_object(config))
		return "its manifest names no configuration: not an image";
	if (!config_is_image(member_text(mem, config, "mediaType")))
		return "what was chosen is an artifact without a root file system, as charts and models are: not an "
		       "image";
	for (l = json_is_list(layers) ? json_first(layers) : NULL; l; l = json_next(l))
		layer |= is_layer_type(member_text(mem, l, "mediaType"));
	return layer ? NULL
	             : "what was chosen has no layers of files, as signatures and attestations have none: not an image";
}

static void layer_find(struct image_store *s, const struct descriptor *d, struct layer_ref *ref)
{
	bool foreign = contains(d->media_type, SPAN("nondistributable")) || contains(d->media_type, SPAN(".foreign."));
	struct store_file f;

	ref->digest = d->digest;
	ref->path = blob_path(s->ctx->mem, d->digest);
	ref->declared = compression_of(d->media_type);
	ref->bytes = d->size;
	if (foreign || d->has_urls)
		ref->why = SPAN("its blob is not there, only a URL for it, which is not followed");
	if (span_ends(d->media_type, SPAN("+encrypted"))) {
		ref->missing = true;
		ref->why = SPAN("it is encrypted");
	}
	/* Of a folder the parent opens the blob itself, when it is to be read. */
	if (s->folder || ref->missing)
		return;
	if (image_store_find(s, ref->path, &f) != STORE_THERE) {
		ref->missing = true;
		return;
	}
	ref->offset = f.offset;
	ref->there = f.size;
}

static bool layers_read(struct image_store *s, const json *list)
{
	struct image *image = &s->plan->image;

	for (const json *j = json_is_list(list) ? json_first(list) : NULL; j; j = json_next(j)) {
		struct descriptor d;

		if (image->layers.n == s->ctx->limits->v[LIMIT_LAYER_COUNT]) {
			problem_limit(&s->plan->problems, s->ctx->mem, s->ctx->limits, LIMIT_LAYER_COUNT, SPAN_NONE,
			              "the number of layers");
			return true;
		}
		descriptor_read(s->ctx->mem, j, &d);
		if (d.flaw.n) {
			s->plan->refused = arena_printf(s->ctx->mem, "layer %zu cannot be found: %.*s", image->layers.n,
			                                (int)d.flaw.n, (const char *)d.flaw.p);
			return false;
		}
		layer_find(s, &d, list_add(s->ctx->mem, &image->layers));
	}
	return true;
}

static void config_read(struct image_store *s, const json *j)
{
	struct descriptor d;
	struct platform p;
	struct span text;

	descriptor_read(s->ctx->mem, j, &d);
	if (d.flaw.n) {
		problem_add(&s->plan->problems, s->ctx->mem, PROBLEM_INCOMPLETE, FINDING_SCAN_INCOMPLETE, SPAN_NONE,
		            "the configuration cannot be found: %.*s", (int)d.flaw.n, (const char *)d.flaw.p);
		return;
	}
	s->plan->image.image_id = d.digest;
	if (blob_text(s, &d, "configuration", &text) == BLOB_READ)
		image_config(s, text, blob_path(s->ctx->mem, d.digest), &p);
}

bool oci_manifest(struct image_store *s, const struct descriptor *d)
{
	struct image *image = &s->plan->image;
	struct span text;
	const char *why;
	json *j;

	if (d->flaw.n) {
		s->plan->refused = arena_printf(s->ctx->mem, "the manifest cannot be found: %.*s", (int)d->flaw.n,
		                                (const char *)d->flaw.p);
		return true;
	}
	image->manifest_digest = d->digest;
	image->reference = d->name;
	image->platform = platform_text(s->ctx->mem, &d->platform);
	if (blob_text(s, d, "manifest", &text) != BLOB_READ)
		return false;
	j = image_document(s, text, blob_path(s->ctx->mem, d->digest));
	if (!j)
		return true;
	why = not_an_image(s->ctx->mem, j);
	if (why)
		s->plan->refused = span_of(why);
	else if (layers_read(s, json_member(j, "layers")))
		config_read(s, json_member(j, "config"));
	json_free(j);
	return true;
}
