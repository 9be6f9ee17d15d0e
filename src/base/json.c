/* SPDX-License-Identifier: Apache-2.0 */
#include "base/json.h"

#include <cJSON.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/json_scan.h"

#define INTEGER_MAX (((uint64_t)1 << 53) - 1)

static cJSON *have(cJSON *j)
{
	if (!j)
		out_of_memory();
	return j;
}

static int by_name(const void *a, const void *b)
{
	return strcmp((*(const cJSON *const *)a)->string, (*(const cJSON *const *)b)->string);
}

/* The key that object has twice, or NULL. Sorted rather than compared each with each: there may be very many. */
static const char *doubled_key(const cJSON *object)
{
	const char *found = NULL;
	const cJSON **v, *m;
	size_t n = 0;

	for (m = object->child; m; m = m->next)
		n++;
	if (n < 2)
		return NULL;
	v = calloc(n, sizeof(*v));
	if (!v)
		out_of_memory();
	n = 0;
	for (m = object->child; m; m = m->next)
		v[n++] = m;
	qsort(v, n, sizeof(*v), by_name);
	for (size_t i = 1; i < n && !found; i++)
		if (by_name(&v[i - 1], &v[i]) == 0)
			found = v[i]->string;
	free(v);
	return found;
}

/* Every object of the document, without recursion: depth is the most levels that j has. */
static int refuse_doubled_keys(const cJSON *j, size_t depth, uint64_t at, struct err *e)
{
	const cJSON **up = calloc(depth + 1, sizeof(*up));
	const char *key = NULL;
	size_t n = 0;

	if (!up)
		out_of_memory();
	while (j && !key) {
		key = cJSON_IsObject(j) ? doubled_key(j) : NULL;
		if (j->child && n < depth) {
			up[n++] = j;
			j = j->child;
			continue;
		}
		while (n && !j->next)
			j = up[--n];
		j = n ? j->next : NULL;
	}
	if (key)
		err_set(e, ERR_FORMAT, at, "JSON object has '%.100s' twice", key);
	free(up);
	return key ? -1 : 0;
}

static size_t deepest(struct span text)
{
	size_t n = 0;

	for (size_t i = 0; i < text.n; i++)
		n += text.p[i] == '{' || text.p[i] == '[';
	return n;
}

json *json_read(struct span text, const struct limits *l, struct err *e)
{
	return json_read_at(text, 0, l, e);
}

json *json_read_at(struct span text, uint64_t at, const struct limits *l, struct err *e)
{
	size_t depth = deepest(text);
	cJSON *j;

	if (json_scan(text, at, l, e))
		return NULL;
	j = cJSON_ParseWithLength((const char *)text.p, text.n);
	if (!j) {
		err_set(e, ERR_FORMAT, at, "JSON document cannot be read");
		return NULL;
	}
	if (refuse_doubled_keys(j, depth < l->v[LIMIT_JSON_DEPTH] ? depth : (size_t)l->v[LIMIT_JSON_DEPTH], at, e)) {
		cJSON_Delete(j);
		return NULL;
	}
	return j;
}

void json_free(json *j)
{
	cJSON_Delete(j);
}

const json *json_member(const json *object, const char *name)
{
	return cJSON_GetObjectItemCaseSensitive(object, name);
}

const json *json_first(const json *j)
{
	return json_is_object(j) || json_is_list(j) ? j->child : NULL;
}

const json *json_next(const json *j)
{
	return j ? j->next : NULL;
}

bool json_is_object(const json *j)
{
	return cJSON_IsObject(j);
}

bool json_is_list(const json *j)
{
	return cJSON_IsArray(j);
}

bool json_string(const json *j, struct span *out)
{
	if (!cJSON_IsString(j))
		return false;
	*out = span_of(j->valuestring);
	return true;
}

json *json_object(void)
{
	return have(cJSON_CreateObject());
}

json *json_list(void)
{
	return have(cJSON_CreateArray());
}

static json *text_value(struct span s)
{
	struct outbuf b = outbuf_limited(SIZE_MAX / 2);
	cJSON *j;

	text_sanitised(&b, s);
	outbuf_char(&b, '\0');
	j = b.failed ? NULL : cJSON_CreateString((const char *)b.p);
	outbuf_release(&b);
	return have(j);
}

void json_add(json *object, const char *name, json *value)
{
	if (!cJSON_AddItemToObject(object, name, value))
		out_of_memory();
}

void json_push(json *list, json *value)
{
	if (!cJSON_AddItemToArray(list, value))
		out_of_memory();
}

void json_add_text(json *object, const char *name, struct span s)
{
	json_add(object, name, text_value(s));
}

void json_add_named(json *object, struct span name, struct span s)
{
	struct outbuf b = outbuf_limited(SIZE_MAX / 2);

	text_sanitised(&b, name);
	outbuf_char(&b, '\0');
	if (b.failed)
		out_of_memory();
	json_add_text(object, (const char *)b.p, s);
	outbuf_release(&b);
}

void json_add_word(json *object, const char *name, const char *s)
{
	json_add(object, name, have(cJSON_CreateString(s)));
}

static json *uint_value(uint64_t v)
{
	char text[24];

	snprintf(text, sizeof(text), "%llu", (unsigned long long)(v < INTEGER_MAX ? v : INTEGER_MAX));
	return have(cJSON_CreateRaw(text));
}

void json_add_uint(json *object, const char *name, uint64_t v)
{
	json_add(object, name, uint_value(v));
}

void json_push_uint(json *list, uint64_t v)
{
	json_push(list, uint_value(v));
}

void json_add_bool(json *object, const char *name, bool v)
{
	json_add(object, name, have(cJSON_CreateBool(v)));
}

void json_push_text(json *list, struct span s)
{
	json_push(list, text_value(s));
}

void json_add_texts(json *object, const char *name, const struct spans *l)
{
	json *list = json_list();

	for (size_t i = 0; i < l->n; i++)
		json_push_text(list, l->v[i]);
	json_add(object, name, list);
}

bool json_uint(const json *j, uint64_t *out)
{
	if (!cJSON_IsNumber(j) || !(j->valuedouble >= 0 && j->valuedouble <= (double)INTEGER_MAX) ||
	    (double)(uint64_t)j->valuedouble != j->valuedouble)
		return false;
	*out = (uint64_t)j->valuedouble;
	return true;
}

bool json_is_true(const json *j)
{
	return cJSON_IsTrue(j);
}

bool json_bool(const json *j, bool *out)
{
	*out = cJSON_IsTrue(j);
	return cJSON_IsBool(j);
}

const char *json_name(const json *member)
{
	return member ? member->string : NULL;
}
