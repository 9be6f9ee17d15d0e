/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An OCI image layout (artifacts.md A1 to A4), as a tar or as a folder. What Docker writes beside it is held against
 * it. Only the plan is made here: each layer is read by a job of its own.
 */
#include "extractors/image/parts.h"

static unsigned bid(const struct job_context *ctx, const struct source *src, const struct glimpse *g)
{
	static const struct span names[] = {SPAN_INIT("oci-layout"), SPAN_INIT("index.json")};

	return image_tar_has(ctx, src, g->head, names, 2) ? 60 : 0;
}

/* The OCI side names no image that is there, and the Docker side may. */
static bool docker_side(struct image_store *s, const char *why)
{
	struct store_file f;

	if (image_store_find(s, SPAN("manifest.json"), &f) != STORE_THERE)
		return false;
	s->plan->problems = (struct problems){NULL, 0, 0};
	s->plan->image = (struct image){.present = true};
	s->plan->refused = SPAN_NONE;
	problem_add(&s->plan->problems, s->ctx->mem, PROBLEM_ANOMALY, FINDING_ARCHIVE_MALFORMED, SPAN("index.json"),
	            "%s, so manifest.json was taken, which names another image", why);
	docker_plan(s);
	return true;
}

void oci_plan(struct image_store *s)
{
	struct plan *plan = s->plan;
	struct descriptor d;
	struct store_file f;
	struct span index;
	struct err e = ERR_INIT;
	int rc;

	plan->kind = SPAN("oci-layout");
	plan->image.present = true;
	if (image_store_find(s, SPAN("index.json"), &f) != STORE_THERE) {
		plan->refused = SPAN("it has no index.json");
		return;
	}
	if (image_store_text(s, &f, &index, &e) < 0) {
		err_wrap(&e, "index.json");
		problem_err(&plan->problems, s->ctx->mem, PROBLEM_INCOMPLETE, FINDING_OBJECT_UNREADABLE,
		            SPAN("index.json"), &e);
		return;
	}
	rc = oci_choose(s, index, &d);
	if (rc == 3)
		docker_side(s, "the image that index.json names is not there");
	if (rc == 2 && !docker_side(s, "index.json names no image"))
		plan->refused = SPAN("its index.json names no image");
	if (rc)
		return;
	if (!oci_manifest(s, &d) && !plan->needs.n && !s->ctx->all_platforms)
		docker_side(s, "the manifest that index.json names is not there");
	else if (plan->image.image_id.n && docker_disagrees(s, plan->image.image_id))
		problem_add(&plan->problems, s->ctx->mem, PROBLEM_ANOMALY, FINDING_ARCHIVE_MALFORMED,
		            SPAN("manifest.json"),
		            "manifest.json names another image than index.json, which was taken");
}

static void plan_tar(const struct job_context *ctx, const struct source *src, struct plan *plan)
{
	struct image_store s = {.ctx = ctx, .plan = plan};

	if (image_store_tar(&s, src) < 0)
		plan->refused = SPAN("it has more members than an image has");
	else
		oci_plan(&s);
}

static bool is_layout(struct image_store *s)
{
	struct store_file f;
	struct span text, version;
	struct err e = ERR_INIT;
	bool yes;
	json *j;

	if (image_store_find(s, SPAN("oci-layout"), &f) != STORE_THERE || image_store_text(s, &f, &text, &e) < 0)
		return false;
	j = json_read(text, s->ctx->limits, &e);
	yes = json_string(json_member(j, "imageLayoutVersion"), &version);
	json_free(j);
	return yes;
}

static bool is_skopeo_dir(struct image_store *s)
{
	struct store_file f;
	struct span text;
	struct err e = ERR_INIT;

	return image_store_find(s, SPAN("version"), &f) == STORE_THERE && image_store_text(s, &f, &text, &e) == 0 &&
	       span_starts(text, SPAN("Directory Transport Version: "));
}

void extract_plan_folder(const struct job_context *ctx, const struct slice *slice, struct span absent,
                         struct facts *facts)
{
	struct image_store s = {.ctx = ctx,
	                        .plan = &facts->plan,
	                        .folder = true,
	                        .fd = -1,
	                        .files = slice->files,
	                        .n = slice->n,
	                        .absent = absent};

	if (is_layout(&s)) {
		facts->plan.extractor = SPAN("oci-layout");
		facts->plan.slices = 1;
		oci_plan(&s);
		facts->problems = facts->plan.problems;
	} else if (is_skopeo_dir(&s)) {
		facts->plan.extractor = facts->plan.kind = SPAN("directory");
		facts->plan.slices = 1;
		facts->plan.refused = SPAN("it is a skopeo dir: folder, which is not read; 'skopeo copy dir:FOLDER "
		                           "oci:OTHER' makes an image layout of it");
	}
}

/* Layers are read by layer_read, whatever names them. */
static void read_nothing(const struct job_context *ctx, const struct slice *s, struct facts *facts)
{
	problem_add(&facts->problems, ctx->mem, PROBLEM_INCOMPLETE, FINDING_SCAN_INCOMPLETE, s->files[0].path,
	            "an image is read layer by layer");
}

const struct extractor extractor_oci_layout = {"oci-layout", bid, plan_tar, read_nothing, false};
