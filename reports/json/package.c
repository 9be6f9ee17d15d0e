/* SPDX-License-Identifier: Apache-2.0 */
#include "parts.h"

static json *json_of_record(const struct package *p, bool verified)
{
	json *j = json_object();

	json_add_texts(j, "missing", &p->record_missing);
	json_add_texts(j, "unlisted", &p->record_unlisted);
	json_add_texts(j, "size_differs", &p->record_size_differs);
	if (verified)
		json_add_texts(j, "hash_differs", &p->record_hash_differs);
	return j;
}

static json *json_of_declares(const struct package *p)
{
	json *list = json_list();

	for (size_t i = 0; i < p->declares.n; i++) {
		const struct declares *d = &p->declares.v[i];
		json *j = json_object();

		json_add_text(j, "backend", d->backend);
		json_add_text(j, "by", d->by);
		json_add_text(j, "value", d->value);
		if (d->has_applies)
			json_add_bool(j, "applies", d->applies);
		json_push(list, j);
	}
	return list;
}

static json *json_of_requires(const struct package *p)
{
	json *list = json_list();

	for (size_t i = 0; i < p->requires.n; i++) {
		const struct requires *r = &p->requires.v[i];
		json *j = json_object();

		json_add_text(j, "name", r->name);
		json_add_text(j, "spec", r->spec);
		if (r->has_applies)
			json_add_bool(j, "applies", r->applies);
		json_push(list, j);
	}
	return list;
}

/* A package URL escapes everything but letters, digits and ".-_~". */
static void add_purl(json *j, const struct package *p)
{
	struct outbuf b = outbuf_limited(1 << 20);

	outbuf_text(&b, "pkg:pypi/");
	outbuf_put(&b, p->name);
	outbuf_char(&b, '@');
	for (size_t i = 0; i < p->version.n; i++) {
		uint8_t c = p->version.p[i];
		bool plain = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');

		if (plain || c == '.' || c == '-' || c == '_' || c == '~')
			outbuf_char(&b, (char)c);
		else
			outbuf_printf(&b, "%%%02X", c);
	}
	if (!b.failed)
		json_add_text(j, "purl", outbuf_span(&b));
	outbuf_release(&b);
}

json *json_of_package(const struct package *p, bool verified)
{
	json *j = json_object();

	json_add_some(j, "id", p->id);
	json_add_word(j, "ecosystem", "pypi");
	json_add_text(j, "name", p->name);
	json_add_some(j, "version", p->version);
	if (p->name.n && p->version.n)
		add_purl(j, p);
	json_add_text(j, "path", p->path);
	json_add_layer(j, p->layer);
	json_add_bool(j, "visible", !p->hidden);
	json_add_uint(j, "bytes", p->bytes);
	if (p->has_record)
		json_add(j, "record", json_of_record(p, verified));
	json_add_texts(j, "tags", &p->tags);
	if (p->has_purelib)
		json_add_bool(j, "purelib", p->purelib);
	json_add_some(j, "variant", p->variant);
	json_add(j, "declares", json_of_declares(p));
	json_add(j, "requires", json_of_requires(p));
	return j;
}
