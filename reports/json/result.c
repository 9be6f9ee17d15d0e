/* SPDX-License-Identifier: Apache-2.0 */
/* The result as inventory.md says: one artifact, and of it one finding, at a time. */
#include "parts.h"
#include "write.h"

static json *json_of_proof(const struct proof *p)
{
	json *j = json_object();

	json_add_some(j, "object", p->object);
	json_add_layer(j, p->layer);
	json_add_text(j, "kind", p->kind);
	json_add_text(j, "value", p->value);
	if (p->strength < STRENGTH_COUNT)
		json_add_word(j, "strength", strength_name(p->strength));
	return j;
}

static json *json_of_waiver(const struct waiver *w, bool finding)
{
	json *j = json_object();

	if (finding)
		json_add_word(j, "finding", finding_name(w->finding));
	json_add_text(j, "reason", w->reason);
	json_add_text(j, "owner", w->owner);
	json_add_some(j, "ticket", w->ticket);
	json_add_text(j, "expires", w->expires);
	return j;
}

/* The path says which file, the layer of it stands beside it; the step is told for all files of one layer. */
static void add_place(json *j, const struct finding *f, const struct artifact *a)
{
	const struct layer *l = f->layer && f->layer <= a->layers.n ? &a->layers.v[f->layer - 1] : NULL;

	json_add_some(j, "path", f->path);
	if (f->path.n || f->evidence.n <= 1)
		json_add_layer(j, f->layer);
	if (l && l->ref.has_step)
		json_add_uint(j, "step", l->ref.step);
	if (l)
		json_add_some(j, "created_by", l->ref.created_by);
}

static json *json_of_finding(const struct finding *f, const struct artifact *a)
{
	json *j = json_object(), *evidence = json_list();

	json_add_word(j, "id", finding_name(f->id));
	json_add_word(j, "grade", grade_name(f->grade));
	json_add_some(j, "backend", f->backend);
	if (f->has_level)
		json_add_word(j, "level", level_name(f->level));
	json_add_some(j, "class", f->class_name);
	json_add_some(j, "target", f->target);
	json_add_text(j, "message", f->message);
	json_add_some(j, "remedy", f->remedy);
	add_place(j, f, a);
	json_add_some(j, "package", f->package);
	json_add_uint(j, "bytes", f->bytes);
	for (size_t i = 0; i < f->evidence.n; i++)
		json_push(evidence, json_of_proof(&f->evidence.v[i]));
	json_add(j, "evidence", evidence);
	json_add_texts(j, "chain", &f->chain);
	json_add_text(j, "fingerprint", f->fingerprint);
	if (f->waiver)
		json_add(j, "waiver", json_of_waiver(f->waiver, false));
	return j;
}

static json *json_of_object_answer(const struct object_answer *o)
{
	json *j = json_object();

	json_add_text(j, "path", o->path);
	if (o->store)
		json_add_bool(j, "store", true);
	json_add_word(j, "answer", answer_name(o->answer));
	json_add_some(j, "why", o->why);
	if (o->partial) {
		json *partial = json_list();

		json_push_uint(partial, o->served);
		json_push_uint(partial, o->units);
		json_add(j, "partial", partial);
	}
	return j;
}

static json *json_of_class(const struct class_answer *c)
{
	json *j = json_object(), *objects = json_list();

	json_add_text(j, "class", c->class_name);
	json_add_word(j, "answer", answer_name(c->answer));
	json_add_some(j, "why", c->why);
	for (size_t i = 0; i < c->objects.n; i++)
		json_push(objects, json_of_object_answer(&c->objects.v[i]));
	json_add(j, "objects", objects);
	return j;
}

static void write_artifact(struct json_stream *s, const struct judged *judged)
{
	const struct artifact *a = judged->artifact;

	stream_open(s, NULL, '{');
	stream_text(s, "name", a->name);
	if (a->image.reference.n)
		stream_text(s, "reference", a->image.reference);
	if (a->image.platform.n)
		stream_text(s, "platform", a->image.platform);
	stream_word(s, "verdict", verdict_name(judged->verdict));
	json_write_summary(s, a);
	stream_open(s, "classes", '[');
	for (size_t i = 0; i < judged->classes.n; i++)
		stream_value(s, NULL, json_of_class(&judged->classes.v[i]));
	stream_close(s, ']');
	stream_open(s, "findings", '[');
	for (size_t i = 0; i < judged->findings.n && !s->out->failed; i++)
		stream_value(s, NULL, json_of_finding(&judged->findings.v[i], a));
	stream_close(s, ']');
	stream_close(s, '}');
}

static void write_policy(struct json_stream *s, const struct policy *p)
{
	stream_open(s, "policy", '{');
	stream_text(s, "name", p->name);
	stream_text(s, "source", p->source);
	stream_text(s, "digest", p->digest);
	stream_close(s, '}');
}

static void write_debts(struct json_stream *s, const struct judgement *j)
{
	stream_open(s, "waivers_unused", '[');
	for (size_t i = 0; i < j->unused.n; i++)
		stream_value(s, NULL, json_of_waiver(j->unused.v[i], true));
	stream_close(s, ']');
	stream_open(s, "overrides", '[');
	for (size_t i = 0; i < j->overridden.n; i++) {
		json *o = json_object();

		json_add_text(o, "reason", j->policy->overrides.v[i].reason);
		json_add_uint(o, "count", j->overridden.v[i]);
		stream_value(s, NULL, o);
	}
	stream_close(s, ']');
	if (j->notes.n == 0)
		return;
	stream_open(s, "notes", '[');
	for (size_t i = 0; i < j->notes.n; i++)
		stream_text(s, NULL, j->notes.v[i]);
	stream_close(s, ']');
}

void json_write_result(struct json_stream *s, const struct judgement *j, struct span rules_version)
{
	json *counts = json_object();

	stream_open(s, NULL, '{');
	stream_word(s, "schema", "postern-result/1");
	json_write_tool(s, SPAN_NONE, rules_version);
	stream_open(s, "inventory", '{');
	if (j->inventory_digest.n)
		stream_text(s, "digest", j->inventory_digest);
	json_write_tool(s, j->inventory->tool_version, j->inventory->rules_version);
	stream_close(s, '}');
	if (j->policy->source.n)
		write_policy(s, j->policy);
	stream_text(s, "judged_on", j->date);
	stream_word(s, "fail_on", grade_name(j->fail_on));
	stream_word(s, "verdict", verdict_name(j->verdict));
	json_add_uint(counts, "fail", j->fails);
	json_add_uint(counts, "warn", j->warns);
	json_add_uint(counts, "info", j->infos);
	json_add_uint(counts, "waived", j->waived);
	json_add_uint(counts, "known", 0);
	stream_value(s, "counts", counts);
	write_debts(s, j);
	stream_open(s, "artifacts", '[');
	for (size_t i = 0; i < j->artifacts.n; i++)
		write_artifact(s, &j->artifacts.v[i]);
	stream_close(s, ']');
	stream_close(s, '}');
}
