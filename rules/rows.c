/* SPDX-License-Identifier: Apache-2.0 */
#include "rules/rows.h"

#include <strings.h>

#include "model/policy.h"

#define WORD_BYTES 32 /* no longer word is compared for likeness */

static const char *text_of(struct span s)
{
	return (const char *)s.p;
}

static size_t least(size_t a, size_t b, size_t c)
{
	size_t m = a < b ? a : b;

	return m < c ? m : c;
}

/* How many letters to change, add or drop. */
static size_t distance(struct span a, struct span b)
{
	size_t row[WORD_BYTES + 1];

	if (a.n > WORD_BYTES || b.n > WORD_BYTES)
		return SIZE_MAX;
	for (size_t j = 0; j <= b.n; j++)
		row[j] = j;
	for (size_t i = 1; i <= a.n; i++) {
		size_t corner = row[0];

		row[0] = i;
		for (size_t j = 1; j <= b.n; j++) {
			size_t above = row[j];

			row[j] = least(above + 1, row[j - 1] + 1, corner + (a.p[i - 1] != b.p[j - 1]));
			corner = above;
		}
	}
	return row[b.n];
}

static const char *nearest_key(struct span word, const struct row_key *keys, size_t n)
{
	const char *best = keys[0].name;
	size_t least_so_far = SIZE_MAX;

	for (size_t i = 0; i < n; i++) {
		size_t d = distance(word, span_of(keys[i].name));

		if (d < least_so_far) {
			least_so_far = d;
			best = keys[i].name;
		}
	}
	return best;
}

static bool looks_like_number(struct span s)
{
	size_t i = s.n && (s.p[0] == '-' || s.p[0] == '+') ? 1 : 0;

	if (i == s.n || !((s.p[i] >= '0' && s.p[i] <= '9') || s.p[i] == '.'))
		return false;
	for (; i < s.n; i++)
		if (!strchr("0123456789abcdefABCDEF.xX_+-", s.p[i]))
			return false;
	return true;
}

static bool looks_like_flag(struct span s)
{
	static const char *const words[] = {"true", "false", "yes", "no", "on", "off", "y", "n", "null", "~"};

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (strcasecmp(text_of(s), words[i]) == 0)
			return true;
	return false;
}

int text_read(struct span *out, const struct node *n, struct err *e)
{
	if (n->kind != NODE_TEXT)
		return node_error(e, n, "this must be text, not %s", node_kind_name(n));
	if (n->text.n == 0)
		return node_error(e, n, "this must be text, not nothing");
	if (n->plain && (looks_like_number(n->text) || looks_like_flag(n->text)))
		return node_error(e, n, "'%s' is not text, put it in quotes", text_of(n->text));
	*out = n->text;
	return 0;
}

static int flag_read(bool *out, const struct node *n, struct err *e)
{
	bool yes = n->kind == NODE_TEXT && n->plain && span_eq(n->text, SPAN("true"));

	if (!yes && !(n->kind == NODE_TEXT && n->plain && span_eq(n->text, SPAN("false"))))
		return node_error(e, n, "this must be true or false");
	*out = yes;
	return 0;
}

static int texts_read(struct spans *out, const struct node *n, struct arena *mem, struct err *e)
{
	struct span text;

	if (n->kind != NODE_LIST) {
		if (text_read(&text, n, e) < 0)
			return -1;
		spans_add(mem, out, text);
		return 0;
	}
	for (const struct node *v = n->first; v; v = v->next) {
		if (text_read(&text, v, e) < 0)
			return -1;
		spans_add(mem, out, text);
	}
	return 0;
}

const struct node *values_first(const struct node *n)
{
	return n->kind == NODE_LIST ? n->first : n;
}

const struct node *values_next(const struct node *n, const struct node *value)
{
	return n->kind == NODE_LIST ? value->next : NULL;
}

/* Text in quotes or not: what is compared byte by byte is never taken for a number. */
static int glob_read(struct spans *out, const struct node *n, struct arena *mem, struct err *e)
{
	size_t i = 0;

	if (n->kind != NODE_TEXT)
		return node_error(e, n, "this must be text, not %s", node_kind_name(n));
	if (n->text.n == 0)
		return node_error(e, n, "a glob must not be empty");
	if (n->plain && looks_like_flag(n->text))
		return node_error(e, n, "'%s' is not text, put it in quotes", text_of(n->text));
	if (n->text.n > GLOB_BYTES)
		return node_error(e, n, "a glob has %zu bytes, %d are allowed", n->text.n, GLOB_BYTES);
	while (i < n->text.n)
		i += n->text.p[i] == '\\' ? 2 : 1;
	if (i > n->text.n)
		return node_error(e, n, "glob '%s' ends with a backslash", text_of(n->text));
	spans_add(mem, out, n->text);
	return 0;
}

/* An empty list would fit everything or nothing, and nobody means that. */
static int globs_read(struct spans *out, const struct node *n, struct arena *mem, struct err *e)
{
	if (n->kind == NODE_LIST && !n->first)
		return node_error(e, n, "a list of globs must not be empty");
	for (const struct node *v = values_first(n); v; v = values_next(n, v))
		if (glob_read(out, v, mem, e) < 0)
			return -1;
	return 0;
}

static int number_read(uint64_t *out, const struct node *n, struct err *e)
{
	*out = 0;
	if (n->kind != NODE_TEXT || !n->plain || n->text.n == 0 || n->text.n > 18)
		return node_error(e, n, "this must be a number");
	for (size_t i = 0; i < n->text.n; i++) {
		if (n->text.p[i] < '0' || n->text.p[i] > '9')
			return node_error(e, n, "this must be a number");
		*out = *out * 10 + (uint64_t)(n->text.p[i] - '0');
	}
	return 0;
}

static int date_read(struct row_date *out, const struct node *n, struct err *e)
{
	if (n->kind != NODE_TEXT || n->text.n == 0)
		return node_error(e, n, "this must be a date, such as 2027-03-31");
	if (!date_parse(n->text, &out->day))
		return node_error(e, n, "'%s' is no date of the calendar, such as 2027-03-31", text_of(n->text));
	out->text = n->text;
	return 0;
}

static int value_read(void *at, const struct row_key *key, const struct node *v, struct arena *mem, struct err *e)
{
	switch (key->kind) {
	case KEY_TEXT:
		return text_read(at, v, e);
	case KEY_FLAG:
		return flag_read(at, v, e);
	case KEY_TEXTS:
		return texts_read(at, v, mem, e);
	case KEY_MAP:
	case KEY_LIST:
		if (v->kind != (key->kind == KEY_MAP ? NODE_MAP : NODE_LIST))
			return node_error(e, v, "'%s' must be %s", key->name,
			                  key->kind == KEY_MAP ? "a map" : "a list");
		*(const struct node **)at = v;
		return 0;
	case KEY_NODE:
		*(const struct node **)at = v;
		return 0;
	case KEY_NUMBER:
		return number_read(at, v, e);
	case KEY_DATE:
		return date_read(at, v, e);
	case KEY_GLOBS:
		return globs_read(at, v, mem, e);
	case KEY_LATER:
		return node_error(e, v->key, "key '%s' is not supported yet", key->name);
	}
	return err_set(e, ERR_FAULT, 0, "key '%s' has no kind", key->name);
}

int row_read(void *row, const struct node *map, const struct row_key *keys, size_t n, struct arena *mem, struct err *e)
{
	uint64_t seen = 0;

	if (map->kind != NODE_MAP)
		return node_error(e, map, "this must be a map, not %s", node_kind_name(map));
	for (const struct node *v = map->first; v; v = v->next) {
		size_t i = 0;

		while (i < n && !span_eq(v->key->text, span_of(keys[i].name)))
			i++;
		if (i == n)
			return node_error(e, v->key, "unknown key '%s', the nearest known one is '%s'",
			                  text_of(v->key->text), nearest_key(v->key->text, keys, n));
		if (value_read((uint8_t *)row + keys[i].offset, &keys[i], v, mem, e) < 0)
			return -1;
		seen |= UINT64_C(1) << i;
	}
	for (size_t i = 0; i < n; i++)
		if (keys[i].must && !(seen >> i & 1))
			return node_error(e, map, "key '%s' is missing", keys[i].name);
	return 0;
}

/* Place of the word, or false and the place of the nearest. */
static bool word_find(size_t *place, struct span word, const char *const *words, size_t n)
{
	size_t least_so_far = SIZE_MAX;

	*place = 0;
	for (size_t i = 0; i < n; i++) {
		size_t d = distance(word, span_of(words[i]));

		if (span_eq(word, span_of(words[i]))) {
			*place = i;
			return true;
		}
		if (d < least_so_far) {
			least_so_far = d;
			*place = i;
		}
	}
	return false;
}

int word_choose(size_t *place, const struct node *n, const char *what, const char *const *words, size_t count,
                size_t nearest, struct err *e)
{
	if (n->kind != NODE_TEXT)
		return node_error(e, n, "this must be text, not %s", node_kind_name(n));
	if (n->text.n == 0)
		return node_error(e, n, "this must be text, not nothing");
	if (word_find(place, n->text, words, count))
		return 0;
	if (count == 0)
		return node_error(e, n, "'%s' is no %s, none is known", text_of(n->text), what);
	return node_error(e, n, "'%s' is no %s, the nearest known one is '%s'", text_of(n->text), what,
	                  words[nearest == SIZE_MAX ? *place : nearest]);
}

int word_read(size_t *place, const struct node *map, const char *key, struct span word, const char *const *words,
              size_t n, struct err *e)
{
	const struct node *at = map->first;

	if (word_find(place, word, words, n))
		return 0;
	while (at && !span_eq(at->key->text, span_of(key)))
		at = at->next;
	return node_error(e, at ? at : map, "'%s' is no %s, the nearest known one is '%s'", text_of(word), key,
	                  words[*place]);
}
