/* SPDX-License-Identifier: Apache-2.0 */
#include "parts.h"

json *json_of_problem(const struct problem *p)
{
	json *j = json_object();

	json_add_word(j, "id", finding_name(p->id));
	json_add_some(j, "path", p->path);
	json_add_layer(j, p->layer);
	if (p->limit != LIMIT_NONE)
		json_add_word(j, "limit", limit_row(p->limit)->name);
	json_add_text(j, "reason", p->reason);
	return j;
}

json *json_of_store(const struct store *s)
{
	json *j = json_object(), *targets = json_list();

	json_add_text(j, "path", s->path);
	json_add_text(j, "kind", s->kind);
	json_add_text(j, "backend", s->backend);
	json_add_layer(j, s->layer);
	if (s->layer || s->hidden)
		json_add_visible(j, s->hidden, s->hidden_by);
	json_add_some(j, "package", s->package);
	json_add_uint(j, "files", s->files);
	json_add_uint(j, "bytes", s->bytes);
	for (size_t i = 0; i < s->targets.n; i++) {
		json *t = json_object();

		json_add_text(t, "target", s->targets.v[i].target);
		json_add_uint(t, "files", s->targets.v[i].files);
		json_add_uint(t, "bytes", s->targets.v[i].bytes);
		json_push(targets, t);
	}
	json_add(j, "targets", targets);
	return j;
}

static json *json_of_backend_targets(const struct backend_sum *b)
{
	json *list = json_list();

	for (size_t i = 0; i < b->targets.n; i++) {
		const struct target_sum *t = &b->targets.v[i];
		json *j = json_object();

		json_add_text(j, "target", t->target);
		json_add_word(j, "form", code_form_name(t->form));
		json_add_uint(j, "objects", t->objects);
		json_add_uint(j, "count", t->count);
		json_add_uint(j, "bytes", t->bytes);
		json_push(list, j);
	}
	return list;
}

static json *json_of_layers(const struct backend_sum *b)
{
	json *list = json_list();

	for (size_t i = 0; i < b->layers.n; i++)
		json_push_uint(list, b->layers.v[i] - 1);
	return list;
}

json *json_of_backend(const struct backend_sum *b, bool layers)
{
	json *j = json_object(), *bytes = json_object();

	json_add_text(j, "backend", b->backend);
	json_add_word(j, "level", level_name(b->level));
	json_add_bool(j, "undeclared", b->undeclared);
	json_add_uint(j, "objects", b->objects);
	json_add_texts(j, "packages", &b->packages);
	if (layers)
		json_add(j, "layers", json_of_layers(b));
	json_add_uint(bytes, "device_code", b->device_code_bytes);
	json_add_uint(bytes, "carried", b->carried_bytes);
	if (layers)
		json_add_uint(bytes, "lower_layers", b->hidden_bytes);
	json_add(j, "bytes", bytes);
	json_add(j, "targets", json_of_backend_targets(b));
	return j;
}
