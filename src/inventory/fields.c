/* SPDX-License-Identifier: Apache-2.0 */
/* JSON values to structs, as the rows of fields.h say. Calls itself as deep as the rows go, whatever the JSON
 * is. */
#include "fields.h"

#include <inttypes.h>

/* What every LIST is. */
struct any_list {
	void *v;
	size_t n, cap;
};

static int fill_row(struct inventory_reading *c, const struct inventory_row *row, const json *j, void *to);

static int wrong(struct inventory_reading *c, const struct inventory_field *f, const char *what)
{
	return err_set(c->e, ERR_FORMAT, c->at, "'%s' is not %s", f->name, what);
}

/* Most texts have no backslash: those are copied as they are. */
static bool restore(struct inventory_reading *c, struct span s, struct span *to)
{
	struct outbuf out = outbuf_limited(SIZE_MAX / 2);
	bool good;

	*to = SPAN_NONE;
	if (span_find(s, '\\') == s.n) {
		if (s.n)
			*to = arena_copy(c->mem, s);
		return true;
	}
	good = text_restored(&out, s);
	if (out.failed)
		out_of_memory();
	if (good)
		*to = arena_copy(c->mem, outbuf_span(&out));
	outbuf_release(&out);
	return good;
}

static int not_restored(struct inventory_reading *c, const struct inventory_field *f)
{
	return err_set(c->e, ERR_FORMAT, c->at, "'%s' has a backslash that begins neither '\\\\' nor '\\xNN'", f->name);
}

static int read_text(struct inventory_reading *c, const struct inventory_field *f, const json *j, struct span *to)
{
	struct span s;

	if (!json_string(j, &s))
		return wrong(c, f, "text");
	return restore(c, s, to) ? 0 : not_restored(c, f);
}

/* A list that is there has room, even when it is empty. */
static void texts_begin(struct inventory_reading *c, struct spans *l)
{
	l->v = list_room(c->mem, l->v, l->n, &l->cap, sizeof(*l->v));
}

static int read_texts(struct inventory_reading *c, const struct inventory_field *f, const json *j, struct spans *l)
{
	if (!json_is_list(j))
		return wrong(c, f, "a list");
	texts_begin(c, l);
	for (j = json_first(j); j; j = json_next(j))
		if (read_text(c, f, j, list_add(c->mem, l)) < 0)
			return -1;
	return 0;
}

static void set_number(const struct inventory_field *f, void *to, uint64_t v)
{
	if (f->size == sizeof(uint64_t))
		*(uint64_t *)to = v;
	else if (f->size == sizeof(uint32_t))
		*(uint32_t *)to = (uint32_t)v;
	else if (f->size == sizeof(uint8_t))
		*(uint8_t *)to = (uint8_t)v;
}

static int read_number(struct inventory_reading *c, const struct inventory_field *f, const json *j, void *to)
{
	uint64_t v;

	if (!json_uint(j, &v) || v > f->max)
		return wrong(c, f, "a number that it may be");
	set_number(f, to, v);
	return 0;
}

static int read_word(struct inventory_reading *c, const struct inventory_field *f, const json *j, void *to)
{
	struct span s;

	if (!json_string(j, &s))
		return wrong(c, f, "text");
	for (uint64_t v = 0; s.n && v <= f->max; v++)
		if (span_eq(s, span_of(f->word(v)))) {
			set_number(f, to, v);
			return 0;
		}
	return err_set(c->e, ERR_FORMAT, c->at, "'%s' is '%.*s', which is unknown", f->name,
	               (int)(s.n < 100 ? s.n : 100), (const char *)s.p);
}

static int read_bool(struct inventory_reading *c, const struct inventory_field *f, const json *j, bool *to)
{
	bool v;

	if (!json_bool(j, &v))
		return wrong(c, f, "true or false");
	*to = f->kind == IS_VISIBLE ? !v : v;
	return 0;
}

static int read_layer(struct inventory_reading *c, const struct inventory_field *f, const json *j, uint32_t *to)
{
	uint64_t v;

	if (!json_uint(j, &v) || v >= UINT32_MAX)
		return wrong(c, f, "the number of a layer");
	*to = (uint32_t)v + 1;
	return 0;
}

static int read_layers(struct inventory_reading *c, const struct inventory_field *f, const json *j, void *to)
{
	LIST(uint32_t) *l = to;

	if (!json_is_list(j))
		return wrong(c, f, "a list");
	for (j = json_first(j); j; j = json_next(j))
		if (read_layer(c, f, j, list_add(c->mem, l)) < 0)
			return -1;
	return 0;
}

static int read_same(struct inventory_reading *c, const struct inventory_field *f, const json *j, size_t want)
{
	uint64_t v;

	if (!json_uint(j, &v) || v != want)
		return err_set(c->e, ERR_FORMAT, c->at, "'%s' is not %zu", f->name, want);
	return 0;
}

static int read_labels(struct inventory_reading *c, const struct inventory_field *f, const json *j, void *to)
{
	LIST(struct image_label) *l = to;

	if (!json_is_object(j))
		return wrong(c, f, "an object");
	for (j = json_first(j); j; j = json_next(j)) {
		struct image_label *label = list_add(c->mem, l);

		if (!restore(c, span_of(json_name(j)), &label->name))
			return not_restored(c, f);
		if (read_text(c, f, j, &label->value) < 0)
			return -1;
	}
	return 0;
}

static void *row_add(struct inventory_reading *c, const struct inventory_row *row, struct any_list *l)
{
	l->v = list_room(c->mem, l->v, l->n, &l->cap, row->size);
	return (uint8_t *)l->v + l->n++ * row->size;
}

static int in_list(struct inventory_reading *c, const struct inventory_field *f, size_t i)
{
	return c->e->code == ERR_IO ? -1 : err_wrap(c->e, "%s[%zu]", f->name, i);
}

static int read_rows(struct inventory_reading *c, const struct inventory_field *f, const json *j, struct any_list *l)
{
	if (!json_is_list(j))
		return wrong(c, f, "a list");
	for (j = json_first(j); j; j = json_next(j)) {
		c->place = l->n;
		if (fill_row(c, f->of, j, row_add(c, f->of, l)) < 0)
			return in_list(c, f, l->n - 1);
	}
	return 0;
}

static int set_value(struct inventory_reading *c, const struct inventory_field *f, const json *j, void *row)
{
	void *to = (uint8_t *)row + f->offset;

	switch (f->kind) {
	case IS_TEXT:
		return read_text(c, f, j, to);
	case IS_TEXTS:
		return read_texts(c, f, j, to);
	case IS_NUMBER:
		return read_number(c, f, j, to);
	case IS_BOOL:
	case IS_VISIBLE:
		return read_bool(c, f, j, to);
	case IS_WORD:
		return read_word(c, f, j, to);
	case IS_LAYER:
		return read_layer(c, f, j, to);
	case IS_LAYERS:
		return read_layers(c, f, j, to);
	case IS_LENGTH:
		return read_same(c, f, j, ((const struct any_list *)to)->n);
	case IS_PLACE:
		return read_same(c, f, j, c->place);
	case IS_LABELS:
		return read_labels(c, f, j, to);
	case IS_ROW:
		return fill_row(c, f->of, j, to) < 0 ? err_wrap(c->e, "%s", f->name) : 0;
	case IS_ROWS:
		return read_rows(c, f, j, to);
	}
	return -1;
}

static void tell(const struct inventory_field *f, void *row)
{
	if (f->tells)
		*(bool *)((uint8_t *)row + f->flag) = f->told;
}

static int missing(struct inventory_reading *c, const struct inventory_field *f)
{
	return err_set(c->e, ERR_FORMAT, c->at, "'%s' is missing", f->name);
}

/* Members that no row names are those of a later version. */
static int fill_row(struct inventory_reading *c, const struct inventory_row *row, const json *j, void *to)
{
	if (!json_is_object(j))
		return err_set(c->e, ERR_FORMAT, c->at, "not an object");
	if (row->begin)
		row->begin(to);
	for (size_t i = 0; i < row->n; i++) {
		const struct inventory_field *f = &row->fields[i];
		const json *value = json_member(j, f->name);

		if (!value && f->required)
			return missing(c, f);
		if (!value)
			continue;
		if (set_value(c, f, value, to) < 0)
			return -1;
		tell(f, to);
	}
	return row->check ? row->check(to, c->e) : 0;
}

/* The next value of the document; c->at is where it begins. */
static json *take(struct inventory_reading *c)
{
	json *j = json_reader_value(c->in, c->e);

	c->at = json_reader_at(c->in) - c->in->value.n;
	return j;
}

static int at_byte(struct inventory_reading *c)
{
	c->e->at = c->at;
	return err_wrap(c->e, "at byte %" PRIu64, c->at);
}

/* One value, read and dropped before the next one. */
static int walk_value(struct inventory_reading *c, const struct inventory_field *f, void *row)
{
	json *j = take(c);
	int rc;

	if (!j)
		return -1;
	rc = set_value(c, f, j, row);
	json_free(j);
	return rc < 0 ? at_byte(c) : 0;
}

static int walk_element(struct inventory_reading *c, const struct inventory_field *f, void *list)
{
	struct any_list *l = list;
	json *j;
	int rc;

	c->place = l->n;
	if (f->kind == IS_ROWS && f->of->walked)
		return inventory_walk(c, f->of, row_add(c, f->of, l));
	j = take(c);
	if (!j)
		return -1;
	if (f->kind == IS_ROWS)
		rc = fill_row(c, f->of, j, row_add(c, f->of, l));
	else
		rc = read_text(c, f, j, list_add(c->mem, (struct spans *)list));
	json_free(j);
	return rc < 0 ? at_byte(c) : 0;
}

static int walk_list(struct inventory_reading *c, const struct inventory_field *f, void *list)
{
	size_t i = 0;
	int rc;

	if (json_reader_enter(c->in, '[', c->e) < 0)
		return -1;
	if (f->kind == IS_TEXTS)
		texts_begin(c, list);
	for (; (rc = json_reader_element(c->in, c->e)) == 0; i++)
		if (walk_element(c, f, list) < 0)
			return in_list(c, f, i);
	return rc < 0 ? -1 : 0;
}

static int walk_member(struct inventory_reading *c, const struct inventory_field *f, void *row)
{
	void *to = (uint8_t *)row + f->offset;

	if (f->kind == IS_ROWS || f->kind == IS_TEXTS)
		return walk_list(c, f, to);
	if (f->kind == IS_ROW && f->of->walked)
		return inventory_walk(c, f->of, to) < 0 ? err_wrap(c->e, "%s", f->name) : 0;
	return walk_value(c, f, row);
}

static const struct inventory_field *field_named(const struct inventory_row *row, struct span name)
{
	for (size_t i = 0; i < row->n; i++)
		if (span_eq(name, span_of(row->fields[i].name)))
			return &row->fields[i];
	return NULL;
}

/* All members of an object that is being walked; *seen has a bit for each field that is there. */
static int walk_members(struct inventory_reading *c, const struct inventory_row *row, void *to, uint64_t *seen)
{
	struct span name;
	int rc;

	while ((rc = json_reader_member(c->in, &name, c->e)) == 0) {
		const struct inventory_field *f = field_named(row, name);
		uint64_t bit = f ? (uint64_t)1 << (f - row->fields) : 0;

		c->at = json_reader_at(c->in);
		if (*seen & bit)
			return err_set(c->e, ERR_FORMAT, c->at, "'%s' at byte %" PRIu64 " is there twice", f->name,
			               c->at);
		*seen |= bit;
		if ((f ? walk_member(c, f, to) : json_reader_skip(c->in, c->e)) < 0)
			return -1;
		if (f)
			tell(f, to);
	}
	return rc < 0 ? -1 : 0;
}

int inventory_walk(struct inventory_reading *c, const struct inventory_row *row, void *to)
{
	uint64_t seen = 0;
	int rc = 0;

	if (json_reader_enter(c->in, '{', c->e) < 0)
		return -1;
	if (row->begin)
		row->begin(to);
	if (walk_members(c, row, to, &seen) < 0)
		return -1;
	c->at = json_reader_at(c->in);
	for (size_t i = 0; i < row->n && !rc; i++)
		if (row->fields[i].required && !(seen & (uint64_t)1 << i))
			rc = missing(c, &row->fields[i]);
	if (!rc && row->check)
		rc = row->check(to, c->e);
	return rc < 0 ? at_byte(c) : 0;
}
