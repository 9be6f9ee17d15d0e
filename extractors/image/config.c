/* SPDX-License-Identifier: Apache-2.0 */
/* The configuration of an image: what it says of its layers, and what of it matters to a loader. */
#include "base/digest.h"
#include "parts.h"
#include "extractors/path.h"

#define LABEL_BYTES 256
#define STEP_BYTES  4096
#define VALUE_BYTES 4096
#define LABELS_MAX  256

json *image_document(struct image_store *s, struct span text, struct span path)
{
	struct err e = ERR_INIT;
	json *j = json_read(text, s->ctx->limits, &e);

	if (j && !json_is_object(j)) {
		err_set(&e, ERR_FORMAT, 0, "it is no JSON object");
		json_free(j);
		j = NULL;
	}
	if (!j)
		problem_err(&s->plan->problems, s->ctx->mem, PROBLEM_INCOMPLETE, FINDING_OBJECT_UNREADABLE, path, &e);
	return j;
}

static size_t count(const json *list)
{
	size_t n = 0;

	for (const json *j = json_first(list); j; j = json_next(j))
		n++;
	return n;
}

static void malformed(struct image_store *s, struct span path, const char *what)
{
	problem_add(&s->plan->problems, s->ctx->mem, PROBLEM_ANOMALY, FINDING_ARCHIVE_MALFORMED, path, "%s", what);
}

static void diff_ids_keep(struct image_store *s, const json *config, struct span path)
{
	struct image *image = &s->plan->image;
	const json *ids = json_member(json_member(config, "rootfs"), "diff_ids"), *id = json_first(ids);

	if (!json_is_list(ids) || count(ids) != image->layers.n) {
		malformed(s, path, "the configuration lists other layers than there are: its diff_ids are left out");
		return;
	}
	for (size_t i = 0; i < image->layers.n; i++, id = json_next(id)) {
		struct span text = SPAN_NONE;

		if (json_string(id, &text) && digest_is_exact(text))
			image->layers.v[i].diff_id = arena_copy(s->ctx->mem, text);
	}
}

static struct span value(const struct job_context *ctx, struct span text, size_t most)
{
	return ctx->all_config ? arena_copy(ctx->mem, text) : without_secrets(ctx->mem, text, most);
}

static struct span step_text(const struct job_context *ctx, struct span text)
{
	return ctx->all_config ? arena_copy(ctx->mem, text) : step_without_secrets(ctx, text, STEP_BYTES);
}

static bool env_wanted(const struct job_context *ctx, struct span text)
{
	size_t eq = span_find(text, '=');

	return eq < text.n && (ctx->all_config || env_matters(ctx->catalogue, span_first(text, eq)));
}

/* Where the steps that made a layer are as many as there are layers, each has its own; else none has. */
static void history_keep(struct image_store *s, const json *config)
{
	struct image *image = &s->plan->image;
	const json *history = json_member(config, "history");
	struct layer_ref *l = image->layers.v;
	uint32_t step = 0;
	size_t made = 0;

	if (!json_is_list(history))
		return;
	for (const json *h = json_first(history); h; h = json_next(h))
		made += !json_is_true(json_member(h, "empty_layer"));
	if (made != image->layers.n)
		return;
	for (const json *h = json_first(history); h; h = json_next(h)) {
		struct span text = SPAN_NONE;

		step++;
		if (json_is_true(json_member(h, "empty_layer")))
			continue;
		l->has_step = true;
		l->step = step;
		if (json_string(json_member(h, "created_by"), &text))
			l->created_by = step_text(s->ctx, text);
		l++;
	}
}

static void env_keep(struct image_store *s, const json *list)
{
	for (const json *j = json_first(list); json_is_list(list) && j; j = json_next(j)) {
		struct span text = SPAN_NONE;

		if (json_string(j, &text) && env_wanted(s->ctx, text))
			spans_add(s->ctx->mem, &s->plan->image.env, value(s->ctx, text, VALUE_BYTES));
	}
}

static void run_keep(struct image_store *s, const json *run)
{
	const json *entry = json_member(run, "Entrypoint"), *labels = json_member(run, "Labels");
	struct image *image = &s->plan->image;
	struct span text;

	env_keep(s, json_member(run, "Env"));
	for (const json *j = json_is_list(entry) ? json_first(entry) : NULL; j; j = json_next(j))
		if (json_string(j, &text))
			spans_add(s->ctx->mem, &image->entrypoint, value(s->ctx, text, VALUE_BYTES));
	for (const json *j = json_is_object(labels) ? json_first(labels) : NULL; j; j = json_next(j)) {
		struct image_label *l;

		if (!json_string(j, &text) || (image->labels.n == LABELS_MAX && !s->ctx->all_config))
			continue;
		l = list_add(s->ctx->mem, &image->labels);
		l->name = value(s->ctx, span_of(json_name(j)), LABEL_BYTES);
		l->value = value(s->ctx, text, LABEL_BYTES);
	}
}

void image_config(struct image_store *s, struct span text, struct span path, struct platform *p)
{
	json *config = image_document(s, text, path);

	if (!config)
		return;
	platform_read(s->ctx->mem, config, p);
	if (p->os.n && p->architecture.n)
		s->plan->image.platform = platform_text(s->ctx->mem, p);
	diff_ids_keep(s, config, path);
	history_keep(s, config);
	run_keep(s, json_member(config, "config"));
	json_free(config);
}
