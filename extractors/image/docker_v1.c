/* SPDX-License-Identifier: Apache-2.0 */
/* Before Docker 1.10: `repositories` names the top layer, and each layer's json its parent. No configuration, no
 * diff_ids. */
#include "parts.h"
#include "extractors/path.h"

static bool is_id(struct span s)
{
	for (size_t i = 0; i < s.n; i++)
		if (!((s.p[i] >= '0' && s.p[i] <= '9') || (s.p[i] >= 'a' && s.p[i] <= 'f')))
			return false;
	return s.n == 64;
}

static json *json_open(struct image_store *s, struct span name)
{
	struct store_file f;
	struct span text;
	struct err e = ERR_INIT;

	if (image_store_find(s, name, &f) == STORE_THERE && image_store_text(s, &f, &text, &e) == 0)
		return image_document(s, text, name);
	problem_add(&s->plan->problems, s->ctx->mem, PROBLEM_INCOMPLETE, FINDING_SCAN_INCOMPLETE, name, "%s",
	            e.code ? e.text : "it is not there");
	return NULL;
}

/* {"name": {"tag": "id"}}. The id of the only image, or of the one that was asked for. */
static struct span top_find(struct image_store *s, const json *repositories)
{
	struct arena *mem = s->ctx->mem;
	struct spans names = {0}, ids = {0};
	struct span found = SPAN_NONE, id;

	for (const json *r = json_first(repositories); r; r = json_next(r))
		for (const json *t = json_is_object(r) ? json_first(r) : NULL; t && names.n < 64; t = json_next(t)) {
			struct span name = arena_printf(mem, "%.200s:%.200s", json_name(r), json_name(t));

			if (!json_string(t, &id) || !is_id(id))
				continue;
			choice_add(mem, &names, name);
			choice_add(mem, &ids, arena_copy(mem, id));
			if (!found.n && (!s->ctx->image.n || span_eq(s->ctx->image, name))) {
				found = arena_copy(mem, id);
				s->plan->image.reference = name;
			}
		}
	if (found.n && (s->ctx->image.n || ids.n == 1))
		return found;
	if (names.n)
		choice_refuse(
		        s, ids.n > 1 ? "it holds several images" : "no image in it has the name that '--image' gives",
		        "--image", &names);
	else
		docker_none(s, "its repositories names no image", false);
	return SPAN_NONE;
}

static void layer_add(struct image_store *s, struct span id)
{
	struct layer_ref *l = list_add(s->ctx->mem, &s->plan->image.layers);
	struct store_file f;

	l->path = arena_printf(s->ctx->mem, "%.*s/layer.tar", SHOWN(id));
	l->missing = image_store_find(s, l->path, &f) != STORE_THERE;
	if (l->missing)
		return;
	l->offset = f.offset;
	l->bytes = l->there = f.size;
}

static void platform_keep(struct image_store *s, const json *j, struct platform *p)
{
	platform_read(s->ctx->mem, j, p);
	if (!p->os.n)
		return;
	/* Docker knew no other architecture when it did not write one. */
	if (!p->architecture.n)
		p->architecture = SPAN("amd64");
	s->plan->image.platform = platform_text(s->ctx->mem, p);
}

static void chain_read(struct image_store *s, struct span id)
{
	struct image *image = &s->plan->image;
	struct platform have = {0};

	while (id.n) {
		json *j;

		if (image->layers.n == s->ctx->limits->v[LIMIT_LAYER_COUNT]) {
			problem_limit(&s->plan->problems, s->ctx->mem, s->ctx->limits, LIMIT_LAYER_COUNT, SPAN_NONE,
			              "the number of layers");
			break;
		}
		layer_add(s, id);
		j = json_open(s, arena_printf(s->ctx->mem, "%.*s/json", SHOWN(id)));
		if (j && !have.os.n)
			platform_keep(s, j, &have);
		id = member_text(s->ctx->mem, j, "parent");
		if (id.n && !is_id(id)) {
			problem_add(&s->plan->problems, s->ctx->mem, PROBLEM_INCOMPLETE, FINDING_SCAN_INCOMPLETE,
			            SPAN_NONE, "a layer's parent is no layer: '%.*s'", SHOWN(id));
			id = SPAN_NONE;
		}
		json_free(j);
	}
	for (size_t i = 0; i < image->layers.n / 2; i++) {
		struct layer_ref *low = &image->layers.v[i], *high = &image->layers.v[image->layers.n - 1 - i],
		                 keep = *low;

		*low = *high;
		*high = keep;
	}
	platform_demand(s, &have);
}

void docker_v1_plan(struct image_store *s)
{
	struct err e = ERR_INIT;
	bool doubt;
	json *j = docker_open(s, SPAN("repositories"), '{', &doubt, &e);
	struct span top;

	if (!json_is_object(j)) {
		json_free(j);
		docker_none(s, "its repositories is no JSON object", doubt);
		return;
	}
	top = top_find(s, j);
	json_free(j);
	if (top.n)
		chain_read(s, top);
}
