/* SPDX-License-Identifier: Apache-2.0 */
/* The inventory as inventory.md says, and the rows of `targets`. */
#include "reports/json/parts.h"
#include "reports/json/write.h"
#include "reports/report.h"

void json_write_tool(struct json_stream *s, struct span version, struct span rules_version)
{
	json *j = json_object();

	json_add_word(j, "name", "postern");
	json_add_text(j, "version", version.n ? version : SPAN(POSTERN_VERSION));
	json_add_some(j, "rules", rules_version);
	stream_value(s, "tool", j);
}

static void write_problems(struct json_stream *s, const char *name, const struct problems *l)
{
	stream_open(s, name, '[');
	for (size_t i = 0; i < l->n; i++)
		stream_value(s, NULL, json_of_problem(&l->v[i]));
	stream_close(s, ']');
}

void json_write_summary(struct json_stream *s, const struct artifact *a)
{
	stream_open(s, "summary", '{');
	stream_uint(s, "files", a->files);
	stream_uint(s, "elf", a->elf_files);
	stream_uint(s, "bytes", a->bytes);
	if (a->shared_bytes)
		stream_uint(s, "shared", a->shared_bytes);
	stream_open(s, "backends", '[');
	for (size_t i = 0; i < a->backends.n; i++)
		stream_value(s, NULL, json_of_backend(&a->backends.v[i], a->layers.n > 0));
	stream_close(s, ']');
	stream_close(s, '}');
}

static void write_some(struct json_stream *s, const char *name, struct span text)
{
	if (text.n)
		stream_text(s, name, text);
}

/* What every document says about an artifact before its contents. */
static void write_head(struct json_stream *s, const struct artifact *a)
{
	stream_text(s, "name", a->name);
	write_some(s, "kind", a->kind);
	write_some(s, "reference", a->image.reference);
	write_some(s, "image_id", a->image.image_id);
	write_some(s, "manifest_digest", a->image.manifest_digest);
	write_some(s, "file_digest", a->digest);
	write_some(s, "platform", a->image.platform);
	if (!a->refused)
		stream_word(s, "world", a->closed ? "closed" : "open");
	stream_bool(s, "complete", a->complete);
	if (a->usage)
		stream_bool(s, "choice", true);
	write_problems(s, "incomplete", &a->incomplete);
	write_problems(s, "anomalies", &a->anomalies);
}

static void write_image(struct json_stream *s, const struct artifact *a)
{
	stream_word(s, "merge", "overlay");
	stream_open(s, "ambiguous", '[');
	for (size_t i = 0; i < a->ambiguous.n; i++)
		stream_text(s, NULL, a->ambiguous.v[i]);
	stream_close(s, ']');
	stream_value(s, "config", json_of_config(&a->image));
	stream_open(s, "layers", '[');
	for (size_t i = 0; i < a->layers.n; i++)
		stream_value(s, NULL, json_of_layer(&a->layers.v[i], i));
	stream_close(s, ']');
}

static void write_artifact(struct json_stream *s, const struct artifact *a)
{
	stream_open(s, NULL, '{');
	write_head(s, a);
	if (a->image.present)
		write_image(s, a);
	stream_open(s, "packages", '[');
	for (size_t i = 0; i < a->packages.n; i++)
		stream_value(s, NULL, json_of_package(&a->packages.v[i], a->verified));
	stream_close(s, ']');
	stream_open(s, "objects", '[');
	for (size_t i = 0; i < a->objects.n && !s->out->failed; i++)
		stream_value(s, NULL, json_of_object(&a->objects.v[i]));
	stream_close(s, ']');
	stream_open(s, "stores", '[');
	for (size_t i = 0; i < a->stores.n; i++)
		stream_value(s, NULL, json_of_store(&a->stores.v[i]));
	stream_close(s, ']');
	json_write_summary(s, a);
	stream_close(s, '}');
}

static void write_inventory(struct json_stream *s, const struct inventory *inv)
{
	stream_word(s, "schema", "postern-inventory/1");
	json_write_tool(s, inv->tool_version, inv->rules_version);
	stream_open(s, "artifacts", '[');
	for (size_t i = 0; i < inv->artifacts.n; i++)
		write_artifact(s, &inv->artifacts.v[i]);
	stream_close(s, ']');
}

/* One file with device code, or one store: the other list is empty. */
static void write_targets_row(struct json_stream *s, const struct artifact *a, struct span path, const struct object *o,
                              const struct store *store)
{
	json *j = json_object(), *stores = json_list();

	json_add_text(j, "artifact", a->name);
	json_add_text(j, "path", path);
	if (o && o->layer) {
		json_add_layer(j, o->layer);
		json_add_visible(j, o->hidden, o->hidden_by);
	}
	json_add(j, "device_code", o ? json_of_device_codes(&o->device_code) : json_list());
	if (store)
		json_push(stores, json_of_store(store));
	json_add(j, "stores", stores);
	stream_value(s, NULL, j);
}

/* Files and stores of an artifact in order of their paths; a file that was asked for by name has a row in any case. */
static void write_targets_rows(struct json_stream *s, const struct artifact *a)
{
	bool file = span_eq(a->kind, SPAN("file"));
	size_t i = 0, k = 0;

	while (i < a->objects.n || k < a->stores.n) {
		const struct object *o = i < a->objects.n ? &a->objects.v[i] : NULL;
		const struct store *store = k < a->stores.n ? &a->stores.v[k] : NULL;

		if (o && (!store || span_cmp(o->path, store->path) <= 0)) {
			i++;
			if (file || o->device_code.n)
				write_targets_row(s, a, file ? a->name : o->path, o, NULL);
		} else {
			k++;
			write_targets_row(s, a, store->path, NULL, store);
		}
	}
}

static void write_targets(struct json_stream *s, const struct inventory *inv)
{
	stream_word(s, "schema", "postern-targets/1");
	json_write_tool(s, inv->tool_version, inv->rules_version);
	stream_open(s, "artifacts", '[');
	for (size_t i = 0; i < inv->artifacts.n; i++) {
		stream_open(s, NULL, '{');
		write_head(s, &inv->artifacts.v[i]);
		stream_close(s, '}');
	}
	stream_close(s, ']');
	stream_open(s, "files", '[');
	for (size_t i = 0; i < inv->artifacts.n; i++)
		write_targets_rows(s, &inv->artifacts.v[i]);
	stream_close(s, ']');
}

static void write_json(const struct inventory *inv, const struct catalogue *c, const struct report_options *o,
                       struct outbuf *out)
{
	struct json_stream s = {.out = out, .pretty = o->pretty};

	(void)c;
	stream_open(&s, NULL, '{');
	if (o->subject == REPORT_TARGETS)
		write_targets(&s, inv);
	else
		write_inventory(&s, inv);
	stream_close(&s, '}');
	outbuf_char(out, '\n');
}

static void write_judgement(const struct judgement *j, const struct catalogue *c, const struct report_options *o,
                            struct outbuf *out)
{
	struct json_stream s = {.out = out, .pretty = o->pretty};

	json_write_result(&s, j, c->version);
	outbuf_char(out, '\n');
}

const struct report_format report_json = {
        .name = "json",
        .help = "everything, for programs (a JSON Schema comes with it)",
        .write = write_json,
        .write_judgement = write_judgement,
};
