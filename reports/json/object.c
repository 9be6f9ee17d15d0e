/* SPDX-License-Identifier: Apache-2.0 */
#include "parts.h"

void json_add_some(json *object, const char *name, struct span text)
{
	if (text.n)
		json_add_text(object, name, text);
}

static json *json_of_elf(const struct elf_facts *f)
{
	json *j = json_object();

	json_add_uint(j, "class", f->class_bits);
	json_add_word(j, "endian", f->big_endian ? "big" : "little");
	json_add_some(j, "machine", f->machine);
	json_add_some(j, "type", f->type);
	if (f->has_soname)
		json_add_text(j, "soname", f->soname);
	if (f->has_interpreter)
		json_add_text(j, "interpreter", f->interpreter);
	json_add_texts(j, "needed", &f->needed);
	if (f->has_rpath)
		json_add_text(j, "rpath", f->rpath);
	if (f->has_runpath)
		json_add_text(j, "runpath", f->runpath);
	if (f->verneed.n)
		json_add_texts(j, "verneed", &f->verneed);
	json_add_some(j, "verdef_base", f->verdef_base);
	if (f->verdef.n)
		json_add_texts(j, "verdef", &f->verdef);
	return j;
}

static json *json_of_evidence(const struct evidence *e)
{
	json *j = json_object();

	json_add_text(j, "backend", e->backend);
	json_add_word(j, "kind", evidence_kind_name(e->kind));
	json_add_text(j, "value", e->value);
	json_add_word(j, "strength", strength_name(e->strength));
	if (e->confidence != CONFIDENCE_NONE)
		json_add_word(j, "confidence", confidence_name(e->confidence));
	if (e->names.n) {
		json_add_uint(j, "count", e->names.n);
		json_add_texts(j, "names", &e->names);
	}
	if (e->has_offset)
		json_add_uint(j, "offset", e->offset);
	return j;
}

static json *json_of_device_code(const struct device_code *d)
{
	json *j = json_object();

	json_add_text(j, "backend", d->backend);
	json_add_text(j, "target", d->target);
	json_add_word(j, "form", code_form_name(d->form));
	json_add_text(j, "container", d->container);
	json_add_text(j, "where", d->where);
	json_add_some(j, "codec", d->codec);
	json_add_uint(j, "count", d->count);
	json_add_uint(j, "bytes", d->bytes);
	json_add_uint(j, "offset", d->offset);
	json_add_some(j, "declared", d->declared);
	if (d->mismatch)
		json_add_bool(j, "mismatch", true);
	json_add_some(j, "isa", d->isa);
	if (d->abi)
		json_add_uint(j, "abi", d->abi);
	json_add_some(j, "toolkit", d->toolkit);
	if (d->opened)
		json_add_uint(j, "kernels", d->kernels);
	return j;
}

json *json_of_device_codes(const struct device_codes *l)
{
	json *list = json_list();

	for (size_t i = 0; i < l->n; i++)
		json_push(list, json_of_device_code(&l->v[i]));
	return list;
}

static json *json_of_unit_sets(const struct unit_sets *l)
{
	json *list = json_list();

	for (size_t i = 0; i < l->n; i++) {
		json *set = json_object();

		json_add_uint(set, "count", l->v[i].count);
		json_add_texts(set, "targets", &l->v[i].targets);
		json_push(list, set);
	}
	return list;
}

json *json_of_object(const struct object *o)
{
	json *j = json_object(), *evidence = json_list();

	json_add_text(j, "path", o->path);
	json_add_layer(j, o->layer);
	json_add_uint(j, "bytes", o->bytes);
	json_add_visible(j, o->hidden, o->hidden_by);
	if (o->links.n)
		json_add_texts(j, "links", &o->links);
	json_add_word(j, "type", object_type_name(o->type));
	if (o->content_bytes)
		json_add_uint(j, "content_bytes", o->content_bytes);
	json_add_some(j, "package", o->package);
	json_add_some(j, "build_id", o->build_id);
	if (o->elf.present)
		json_add(j, "elf", json_of_elf(&o->elf));
	if (o->faults.n)
		json_add_texts(j, "faults", &o->faults);
	for (size_t i = 0; i < o->evidence.n; i++)
		json_push(evidence, json_of_evidence(&o->evidence.v[i]));
	json_add(j, "evidence", evidence);
	if (o->units) {
		json_add_uint(j, "units", o->units);
		json_add(j, "unit_sets", json_of_unit_sets(&o->unit_sets));
	}
	json_add(j, "device_code", json_of_device_codes(&o->device_code));
	return j;
}
