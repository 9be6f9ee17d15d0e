/* SPDX-License-Identifier: Apache-2.0 */
/* What an image says of itself, and its layers. Layers count from 0 here, in the facts from 1. */
#include "parts.h"

void json_add_layer(json *object, uint32_t layer)
{
	if (layer)
		json_add_uint(object, "layer", layer - 1);
}

void json_add_visible(json *object, bool hidden, uint32_t by)
{
	json_add_bool(object, "visible", !hidden);
	if (by)
		json_add_uint(object, "hidden_by", by - 1);
}

json *json_of_config(const struct image *image)
{
	json *j = json_object(), *labels = json_object();

	json_add_texts(j, "env", &image->env);
	json_add_texts(j, "entrypoint", &image->entrypoint);
	for (size_t i = 0; i < image->labels.n; i++)
		json_add_named(labels, image->labels.v[i].name, image->labels.v[i].value);
	json_add(j, "labels", labels);
	return j;
}

json *json_of_layer(const struct layer *l, size_t index)
{
	json *j = json_object();

	json_add_uint(j, "index", index);
	json_add_some(j, "digest", l->ref.digest);
	json_add_some(j, "diff_id", l->ref.diff_id);
	json_add_bool(j, "verified", l->verified);
	json_add_some(j, "compression", l->compression);
	json_add_uint(j, "bytes", l->ref.bytes);
	json_add_uint(j, "unpacked", l->unpacked);
	json_add_some(j, "created_by", l->ref.created_by);
	if (l->ref.has_step)
		json_add_uint(j, "step", l->ref.step);
	return j;
}
