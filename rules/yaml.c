/* SPDX-License-Identifier: Apache-2.0 */
#include "rules/yaml.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <yaml.h>

struct reading {
	yaml_parser_t parser;
	const char *file;
	struct span bytes;
	const struct limits *limits;
	struct arena *mem;
	struct err *e;
	struct node *root, *open; /* open: the map or list that is being filled */
	struct node *key;         /* of the map that is open, when its value comes next */
	uint64_t depth;
	bool ended;
};

int node_error(struct err *e, const struct node *at, const char *fmt, ...)
{
	char text[400];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	return err_set(e, ERR_USAGE, 0, "%s:%zu:%zu: %s", at->file, at->line, at->column, text);
}

const char *node_kind_name(const struct node *n)
{
	return n->kind == NODE_MAP ? "a map" : n->kind == NODE_LIST ? "a list" : "a single value";
}

static int mark_error(struct reading *r, yaml_mark_t at, const char *text)
{
	return err_set(r->e, ERR_USAGE, 0, "%s:%zu:%zu: %s", r->file, at.line + 1, at.column + 1, text);
}

/* Bytes that are no text have an offset only. */
static yaml_mark_t mark_of(struct span before)
{
	yaml_mark_t at = {0, 0, 0};

	for (size_t i = 0; i < before.n; i++) {
		bool starts = (before.p[i] & 0xc0) != 0x80;

		at.column = before.p[i] == '\n' ? 0 : at.column + starts;
		at.line += before.p[i] == '\n';
	}
	return at;
}

static int parser_error(struct reading *r)
{
	const char *text = r->parser.problem ? r->parser.problem : "this is not YAML";

	if (r->parser.error == YAML_MEMORY_ERROR)
		out_of_memory();
	if (r->parser.error == YAML_READER_ERROR)
		return mark_error(r, mark_of(span_first(r->bytes, r->parser.problem_offset)), text);
	return mark_error(r, r->parser.problem_mark, text);
}

static int by_key(const void *x, const void *y)
{
	const struct node *const *a = x, *const *b = y;
	int c = span_cmp((*a)->key->text, (*b)->key->text);

	if (c)
		return c;
	return (*a)->line != (*b)->line ? ((*a)->line > (*b)->line ? 1 : -1) : ((*a)->column > (*b)->column ? 1 : -1);
}

static int refuse_doubled_keys(struct reading *r, const struct node *map)
{
	const struct node **all = arena_alloc(r->mem, map->children * sizeof(const struct node *));
	const struct node *worst = NULL;
	size_t n = 0;

	for (const struct node *v = map->first; v; v = v->next)
		all[n++] = v;
	qsort(all, n, sizeof(const struct node *), by_key);
	/* The first in the file is named, wherever it was sorted to. */
	for (size_t i = 1; i < n; i++)
		if (span_eq(all[i - 1]->key->text, all[i]->key->text) &&
		    (!worst || all[i]->key->line < worst->key->line ||
		     (all[i]->key->line == worst->key->line && all[i]->key->column < worst->key->column)))
			worst = all[i];
	if (!worst)
		return 0;
	return node_error(r->e, worst->key, "key '%s' stands here a second time", (const char *)worst->key->text.p);
}

static struct node *node_new(struct reading *r, enum node_kind kind, yaml_mark_t at)
{
	struct node *n = arena_alloc(r->mem, sizeof(*n));

	n->kind = kind;
	n->file = r->file;
	n->line = at.line + 1;
	n->column = at.column + 1;
	return n;
}

/* Puts a node in its place; containers become the open one. */
static int node_place(struct reading *r, struct node *n)
{
	struct node *in = r->open;

	if (in && in->kind == NODE_MAP && !r->key) {
		if (n->kind != NODE_TEXT)
			return node_error(r->e, n, "a key is %s", node_kind_name(n));
		r->key = n;
		return 0;
	}
	n->key = r->key;
	r->key = NULL;
	n->up = in;
	if (!in) {
		r->root = n;
	} else {
		if (in->last)
			in->last->next = n;
		else
			in->first = n;
		in->last = n;
		in->children++;
	}
	if (n->kind != NODE_TEXT)
		r->open = n;
	return 0;
}

static int take_scalar(struct reading *r, const yaml_event_t *event)
{
	struct node *n = node_new(r, NODE_TEXT, event->start_mark);
	uint8_t *p;

	if (event->data.scalar.anchor)
		return mark_error(r, event->start_mark, "anchors are not allowed");
	if (event->data.scalar.tag)
		return mark_error(r, event->start_mark, "tags are not allowed");
	if (memchr(event->data.scalar.value, 0, event->data.scalar.length))
		return mark_error(r, event->start_mark, "a NUL character is not allowed");
	p = arena_alloc(r->mem, event->data.scalar.length + 1);
	memcpy(p, event->data.scalar.value, event->data.scalar.length);
	n->text = (struct span){p, event->data.scalar.length};
	n->plain = event->data.scalar.style == YAML_PLAIN_SCALAR_STYLE;
	return node_place(r, n);
}

static int take_start(struct reading *r, const yaml_event_t *event, enum node_kind kind, bool anchor, bool tag)
{
	if (anchor)
		return mark_error(r, event->start_mark, "anchors are not allowed");
	if (tag)
		return mark_error(r, event->start_mark, "tags are not allowed");
	if (++r->depth > r->limits->v[LIMIT_YAML_DEPTH]) {
		err_limit(r->e, LIMIT_YAML_DEPTH, r->limits, "the nesting");
		r->e->code = ERR_USAGE;
		return err_wrap(r->e, "%s:%zu:%zu", r->file, event->start_mark.line + 1, event->start_mark.column + 1);
	}
	return node_place(r, node_new(r, kind, event->start_mark));
}

static int take_end(struct reading *r)
{
	struct node *n = r->open;

	r->depth--;
	r->open = n->up;
	return n->kind == NODE_MAP ? refuse_doubled_keys(r, n) : 0;
}

static int take_event(struct reading *r, const yaml_event_t *event)
{
	switch (event->type) {
	case YAML_ALIAS_EVENT:
		return mark_error(r, event->start_mark, "aliases are not allowed");
	case YAML_SCALAR_EVENT:
		return take_scalar(r, event);
	case YAML_SEQUENCE_START_EVENT:
		return take_start(r, event, NODE_LIST, event->data.sequence_start.anchor,
		                  event->data.sequence_start.tag);
	case YAML_MAPPING_START_EVENT:
		return take_start(r, event, NODE_MAP, event->data.mapping_start.anchor, event->data.mapping_start.tag);
	case YAML_SEQUENCE_END_EVENT:
	case YAML_MAPPING_END_EVENT:
		return take_end(r);
	case YAML_DOCUMENT_START_EVENT:
		if (r->root)
			return mark_error(r, event->start_mark, "a second document is not allowed");
		if (event->data.document_start.tag_directives.start != event->data.document_start.tag_directives.end)
			return mark_error(r, event->start_mark, "tags are not allowed");
		return 0;
	case YAML_STREAM_END_EVENT:
		r->ended = true;
		return 0;
	default:
		return 0;
	}
}

int document_read(struct node **root, const char *file, struct span bytes, const struct limits *limits,
                  struct arena *mem, struct err *e)
{
	/* Editors put a mark of UTF-8 in front, which libyaml takes for text when it is told the encoding. */
	size_t mark = span_starts(bytes, SPAN("\xef\xbb\xbf")) ? 3 : 0;
	struct reading r = {.file = file, .bytes = span_after(bytes, mark), .limits = limits, .mem = mem, .e = e};
	yaml_event_t event;
	int rc = 0;

	if (bytes.n > limits->v[LIMIT_YAML_BYTES]) {
		err_limit(e, LIMIT_YAML_BYTES, limits, "the file");
		e->code = ERR_USAGE;
		return err_wrap(e, "%s", file);
	}
	if (!yaml_parser_initialize(&r.parser))
		out_of_memory();
	yaml_parser_set_encoding(&r.parser, YAML_UTF8_ENCODING);
	yaml_parser_set_input_string(&r.parser, r.bytes.p ? r.bytes.p : (const uint8_t *)"", r.bytes.n);
	while (rc == 0 && !r.ended) {
		if (!yaml_parser_parse(&r.parser, &event)) {
			rc = parser_error(&r);
			break;
		}
		rc = take_event(&r, &event);
		yaml_event_delete(&event);
	}
	yaml_parser_delete(&r.parser);
	if (rc == 0 && !r.root)
		rc = err_set(e, ERR_USAGE, 0, "%s:1:1: the document is empty", file);
	*root = r.root;
	return rc;
}
