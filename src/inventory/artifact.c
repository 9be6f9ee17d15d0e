/* SPDX-License-Identifier: Apache-2.0 */
/* An artifact: what is said of it as a whole, and whether its parts agree. */
#include <stdlib.h>

#include "fields.h"

static const char *world_word(uint64_t v)
{
	return v ? "closed" : "open";
}

static const char *merge_word(uint64_t v)
{
	return "overlay";
}

static const char *finding_word(uint64_t v)
{
	return finding_name((enum finding_id)v);
}

static const char *limit_word(uint64_t v)
{
	return limit_row((enum limit_id)v)->name;
}

static const struct inventory_field problem_fields[] = {
        WORD("id", struct problem, id, finding_word, FINDING_COUNT, REQUIRED),
        TEXT("path", struct problem, path),
        FIELD("layer", IS_LAYER, struct problem, layer),
        WORD("limit", struct problem, limit, limit_word, LIMIT_COUNT),
        TEXT("reason", struct problem, reason, REQUIRED),
};

static void incomplete_begin(void *row)
{
	((struct problem *)row)->grade = PROBLEM_INCOMPLETE;
}

static const struct inventory_row incomplete_row = ROW(struct problem, problem_fields, .begin = incomplete_begin);
static const struct inventory_row anomaly_row = ROW(struct problem, problem_fields);

static const struct inventory_field config_fields[] = {
        TEXTS("env", struct image, env, REQUIRED),
        TEXTS("entrypoint", struct image, entrypoint, REQUIRED),
        FIELD("labels", IS_LABELS, struct image, labels, REQUIRED),
};
static const struct inventory_row config_row = ROW(struct image, config_fields);

static const struct inventory_field layer_fields[] = {
        {.name = "index", .kind = IS_PLACE, REQUIRED},
        TEXT("digest", struct layer, ref.digest),
        TEXT("diff_id", struct layer, ref.diff_id),
        FIELD("verified", IS_BOOL, struct layer, verified, REQUIRED),
        TEXT("compression", struct layer, compression),
        NUMBER("bytes", struct layer, ref.bytes, REQUIRED),
        NUMBER("unpacked", struct layer, unpacked, REQUIRED),
        TEXT("created_by", struct layer, ref.created_by),
        SMALL("step", struct layer, ref.step, UINT32_MAX, TELLS(struct layer, ref.has_step, true)),
};
static const struct inventory_row layer_row = ROW(struct layer, layer_fields);

static const struct inventory_field artifact_fields[] = {
        TEXT("name", struct artifact, name, REQUIRED),
        TEXT("kind", struct artifact, kind),
        TEXT("reference", struct artifact, image.reference),
        TEXT("image_id", struct artifact, image.image_id),
        TEXT("manifest_digest", struct artifact, image.manifest_digest),
        TEXT("file_digest", struct artifact, digest),
        TEXT("platform", struct artifact, image.platform),
        WORD("world", struct artifact, closed, world_word, 2, TELLS(struct artifact, refused, false)),
        FIELD("complete", IS_BOOL, struct artifact, complete, REQUIRED),
        FIELD("choice", IS_BOOL, struct artifact, usage),
        ROWS("incomplete", struct artifact, incomplete, incomplete_row, REQUIRED),
        ROWS("anomalies", struct artifact, anomalies, anomaly_row, REQUIRED),
        CONSTANT("merge", merge_word, TELLS(struct artifact, image.present, true)),
        TEXTS("ambiguous", struct artifact, ambiguous),
        FIELD("config", IS_ROW, struct artifact, image, .of = &config_row),
        ROWS("layers", struct artifact, layers, layer_row),
        ROWS("packages", struct artifact, packages, inventory_package_row, REQUIRED),
        ROWS("objects", struct artifact, objects, inventory_object_row, REQUIRED),
        ROWS("stores", struct artifact, stores, inventory_store_row, REQUIRED),
        PART("summary", inventory_summary_row, REQUIRED),
};

/* Only what has no world was refused. */
static void artifact_begin(void *row)
{
	((struct artifact *)row)->refused = true;
}

/* Whatever has a layer has one that is there; in an image everything has one but what is said of the image itself. */
static int layer_check(const struct artifact *a, uint32_t layer, bool may_lack, const char *list, size_t i,
                       struct err *e)
{
	if (layer > a->layers.n)
		return err_set(e, ERR_FORMAT, 0, "%s[%zu]: 'layer' is %u, and there are %zu layers", list, i, layer - 1,
		               a->layers.n);
	if (layer == 0 && a->layers.n && !may_lack)
		return err_set(e, ERR_FORMAT, 0, "%s[%zu]: 'layer' is missing", list, i);
	return 0;
}

static int problem_layers(const struct artifact *a, const struct problems *l, const char *list, struct err *e)
{
	for (size_t i = 0; i < l->n; i++)
		if (layer_check(a, l->v[i].layer, true, list, i, e) < 0)
			return -1;
	return 0;
}

static int backend_layers(const struct artifact *a, struct err *e)
{
	for (size_t i = 0; i < a->backends.n; i++)
		for (size_t k = 0; k < a->backends.v[i].layers.n; k++)
			if (layer_check(a, a->backends.v[i].layers.v[k], true, "summary: backends", i, e) < 0)
				return -1;
	return 0;
}

static int layers_check(const struct artifact *a, struct err *e)
{
	for (size_t i = 0; i < a->objects.n; i++)
		if (layer_check(a, a->objects.v[i].layer, false, "objects", i, e) < 0)
			return -1;
	for (size_t i = 0; i < a->packages.n; i++)
		if (layer_check(a, a->packages.v[i].layer, false, "packages", i, e) < 0)
			return -1;
	for (size_t i = 0; i < a->stores.n; i++)
		if (layer_check(a, a->stores.v[i].layer, false, "stores", i, e) < 0)
			return -1;
	if (problem_layers(a, &a->incomplete, "incomplete", e) < 0 ||
	    problem_layers(a, &a->anomalies, "anomalies", e) < 0)
		return -1;
	return backend_layers(a, e);
}

static int span_order(const void *a, const void *b)
{
	return span_cmp(*(const struct span *)a, *(const struct span *)b);
}

/* The lists are in order, so most doubles stand side by side. */
static void backend_note(struct spans *l, struct span backend, struct arena *mem)
{
	if (l->n == 0 || !span_eq(l->v[l->n - 1], backend))
		spans_add(mem, l, backend);
}

static void backends_carried(const struct artifact *a, struct spans *l, struct arena *mem)
{
	for (size_t i = 0; i < a->objects.n; i++) {
		const struct object *o = &a->objects.v[i];

		for (size_t k = 0; k < o->evidence.n; k++) {
			enum strength s = o->evidence.v[k].strength;

			if (s != STRENGTH_WEAK && s != STRENGTH_SOFT && s != STRENGTH_DECLARED)
				backend_note(l, o->evidence.v[k].backend, mem);
		}
		for (size_t k = 0; k < o->device_code.n; k++)
			backend_note(l, o->device_code.v[k].backend, mem);
	}
	for (size_t i = 0; i < a->stores.n; i++)
		backend_note(l, a->stores.v[i].backend, mem);
	spans_sort_unique(l);
}

/* What the summary says is carried, some file or store carries: who left out objects left out what is judged. */
static int summary_check(const struct artifact *a, struct err *e)
{
	struct arena mem = ARENA_INIT;
	struct spans carried = {NULL, 0, 0};
	int rc = 0;

	backends_carried(a, &carried, &mem);
	for (size_t i = 0; i < a->backends.n && !rc; i++) {
		const struct backend_sum *b = &a->backends.v[i];

		if (b->level >= LEVEL_CARRIED &&
		    !(carried.n && bsearch(&b->backend, carried.v, carried.n, sizeof(*carried.v), span_order)))
			rc = err_set(e, ERR_FORMAT, 0,
			             "the summary says that '%.*s' is %s, and no object or store is of it",
			             (int)(b->backend.n < 100 ? b->backend.n : 100), (const char *)b->backend.p,
			             level_name(b->level));
	}
	arena_clear(&mem);
	return rc;
}

/* Hashes were compared for all packages that have a RECORD, or for none. */
static int verified_check(struct artifact *a, struct err *e)
{
	size_t records = 0, hashed = 0;

	for (size_t i = 0; i < a->packages.n; i++) {
		records += a->packages.v[i].has_record;
		/* A list that was there has room, even when it is empty. */
		hashed += a->packages.v[i].record_hash_differs.cap > 0;
	}
	a->verified = hashed > 0;
	return hashed == 0 || hashed == records ? 0
	                                        : err_set(e, ERR_FORMAT, 0, "'hash_differs' is in some packages only");
}

static int artifact_check(void *row, struct err *e)
{
	struct artifact *a = row;

	if (a->complete && (a->refused || a->incomplete.n))
		return err_set(e, ERR_FORMAT, 0,
		               "'complete' is true, and 'incomplete' or a missing 'world' says otherwise");
	if (!a->image.present &&
	    (a->layers.n || a->ambiguous.n || a->image.env.n || a->image.entrypoint.n || a->image.labels.n))
		return err_set(e, ERR_FORMAT, 0, "'merge' is missing, and there is an image");
	if (layers_check(a, e) < 0 || summary_check(a, e) < 0)
		return -1;
	return verified_check(a, e);
}

const struct inventory_row inventory_artifact_row =
        ROW(struct artifact, artifact_fields, .walked = true, .begin = artifact_begin, .check = artifact_check);
