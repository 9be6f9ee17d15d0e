/* SPDX-License-Identifier: Apache-2.0 */
#include "base/json_reader.h"

#include <errno.h>
#include <inttypes.h>
#include <unistd.h>

/* Where a value ends: brackets are counted here, and held against the grammar later. */
struct extent {
	size_t nest;
	bool text, escaped;
};

void json_reader_init(struct json_reader *r, int fd, enum limit_id most, const struct limits *l)
{
	r->fd = fd;
	r->limits = l;
	r->most = most;
	r->base = 0;
	r->at = r->n = 0;
	r->ended = false;
	r->value = outbuf_limited(SIZE_MAX / 2);
	r->depth = 0;
}

static void walk_end(struct json_reader *r)
{
	arena_clear(&r->walks[--r->depth].mem);
}

void json_reader_release(struct json_reader *r)
{
	while (r->depth)
		walk_end(r);
	outbuf_release(&r->value);
}

uint64_t json_reader_at(const struct json_reader *r)
{
	return r->base + r->at;
}

/* 0 when there are bytes ahead, 1 at the end of the file. */
static int fill(struct json_reader *r, struct err *e)
{
	uint64_t most = r->limits->v[r->most], room;
	ssize_t got;

	if (r->at < r->n)
		return 0;
	if (r->ended)
		return 1;
	r->base += r->n;
	r->at = r->n = 0;
	/* A byte more than there may be, to see that there is more. */
	room = most - r->base < sizeof(r->ahead) ? most - r->base + 1 : sizeof(r->ahead);
	do
		got = read(r->fd, r->ahead, (size_t)room);
	while (got < 0 && errno == EINTR);
	if (got < 0)
		return err_set(e, ERR_IO, r->base, "cannot read on at byte %" PRIu64 ": %s", r->base, strerror(errno));
	r->ended = got == 0;
	if ((uint64_t)got > most - r->base)
		return err_limit(e, r->most, r->limits, "the size of the document");
	r->n = (size_t)got;
	return r->ended;
}

static int wrong(const struct json_reader *r, struct err *e)
{
	return err_set(e, ERR_FORMAT, json_reader_at(r), "not JSON at byte %" PRIu64, json_reader_at(r));
}

static bool is_space(uint8_t b)
{
	return b == ' ' || b == '\t' || b == '\n' || b == '\r';
}

/* The next byte that is no white space; it is not taken. 1 at the end of the file. */
static int peek(struct json_reader *r, uint8_t *b, struct err *e)
{
	int rc;

	while ((rc = fill(r, e)) == 0) {
		*b = r->ahead[r->at];
		if (!is_space(*b))
			return 0;
		r->at++;
	}
	return rc;
}

/* The same, where there has to be one. */
static int peek_more(struct json_reader *r, uint8_t *b, struct err *e)
{
	int rc = peek(r, b, e);

	if (rc > 0)
		return err_set(e, ERR_TRUNCATED, json_reader_at(r), "JSON document ends too early, at byte %" PRIu64,
		               json_reader_at(r));
	return rc;
}

int json_reader_enter(struct json_reader *r, char bracket, struct err *e)
{
	uint8_t b;

	if (peek_more(r, &b, e) < 0)
		return -1;
	if (b != (uint8_t)bracket)
		return err_set(e, ERR_FORMAT, json_reader_at(r), "no JSON %s at byte %" PRIu64,
		               bracket == '{' ? "object" : "list", json_reader_at(r));
	if (r->depth == JSON_READER_DEPTH)
		return err_set(e, ERR_FAULT, json_reader_at(r), "JSON is walked too deep");
	r->at++;
	r->walks[r->depth++] = (struct json_walk){.closer = bracket == '{' ? '}' : ']'};
	return 0;
}

/* No name twice. Sorted rather than compared each with each: there may be very many. */
static int leave(struct json_reader *r, struct err *e)
{
	struct json_walk *w = &r->walks[r->depth - 1];
	size_t n = w->names.n;
	uint64_t at = json_reader_at(r);

	spans_sort_unique(&w->names);
	if (w->names.n != n)
		return err_set(e, ERR_FORMAT, at, "JSON object that ends at byte %" PRIu64 " has a member twice", at);
	walk_end(r);
	return 1;
}

static int next_value(struct json_reader *r, struct err *e)
{
	struct json_walk *w = &r->walks[r->depth - 1];
	bool comma = w->some;
	uint8_t b;

	if (peek_more(r, &b, e) < 0)
		return -1;
	if (b == (uint8_t)w->closer) {
		r->at++;
		return leave(r, e);
	}
	if (comma && b != ',')
		return wrong(r, e);
	r->at += comma;
	w->some = true;
	return peek_more(r, &b, e);
}

int json_reader_element(struct json_reader *r, struct err *e)
{
	if (r->depth == 0 || r->walks[r->depth - 1].closer != ']')
		return err_set(e, ERR_FAULT, json_reader_at(r), "no JSON list is walked");
	return next_value(r, e);
}

static bool ends_value(struct extent *x, uint8_t b)
{
	if (x->escaped) {
		x->escaped = false;
	} else if (x->text) {
		x->escaped = b == '\\';
		x->text = b != '"';
		return !x->text && x->nest == 0;
	} else if (b == '"') {
		x->text = true;
	} else if (b == '{' || b == '[') {
		x->nest++;
	} else if (b == '}' || b == ']') {
		return --x->nest == 0;
	}
	return false;
}

/* What lies ahead of a value that is in brackets or quotes; *done when it ends there. */
static size_t extent_ahead(const struct json_reader *r, struct extent *x, bool *done)
{
	size_t n = r->at;

	while (n < r->n && !*done)
		*done = ends_value(x, r->ahead[n++]);
	return n - r->at;
}

/* The same of a number or word: it ends before what cannot be part of it. */
static size_t plain_ahead(const struct json_reader *r, bool *done)
{
	size_t n = r->at;

	while (n < r->n && !is_space(r->ahead[n]) && !memchr(",:\"[]{}", r->ahead[n], 7))
		n++;
	*done = n < r->n;
	return n - r->at;
}

/* The text of the next value, as it stands. */
static int take_text(struct json_reader *r, struct err *e)
{
	struct extent x = {0, false, false};
	bool done = false, plain;
	uint8_t first;
	int rc = 0;

	r->value.n = 0;
	if (peek_more(r, &first, e) < 0)
		return -1;
	if (memchr(",:]}", first, 4))
		return wrong(r, e);
	plain = !memchr("\"[{", first, 3);
	while (!done && (rc = fill(r, e)) == 0) {
		size_t n = plain ? plain_ahead(r, &done) : extent_ahead(r, &x, &done);

		outbuf_put(&r->value, (struct span){r->ahead + r->at, n});
		r->at += n;
		if (r->value.failed)
			out_of_memory();
		if (r->value.n > r->limits->v[LIMIT_JSON_BYTES])
			return err_limit(e, LIMIT_JSON_BYTES, r->limits, "the size of a JSON value");
	}
	if (rc < 0)
		return -1;
	return done ? 0 : peek_more(r, &first, e);
}

json *json_reader_value(struct json_reader *r, struct err *e)
{
	uint64_t at;

	if (take_text(r, e) < 0)
		return NULL;
	at = json_reader_at(r) - r->value.n;
	return json_read_at(outbuf_span(&r->value), at, r->limits, e);
}

/* A name is kept until the object ends, so names have the limits of a document too. */
static int name_keep(struct json_reader *r, struct span text, struct span *name, struct err *e)
{
	struct json_walk *w = &r->walks[r->depth - 1];

	w->name_bytes += text.n;
	if (w->name_bytes > r->limits->v[LIMIT_JSON_BYTES])
		return err_limit(e, LIMIT_JSON_BYTES, r->limits, "the size of the names of a JSON object");
	if (w->names.n >= r->limits->v[LIMIT_JSON_NODES])
		return err_limit(e, LIMIT_JSON_NODES, r->limits, "the number of members of a JSON object");
	*name = arena_copy(&w->mem, text);
	spans_add(&w->mem, &w->names, *name);
	return 0;
}

int json_reader_member(struct json_reader *r, struct span *name, struct err *e)
{
	struct span text;
	json *j;
	uint8_t b;
	int rc;

	if (r->depth == 0 || r->walks[r->depth - 1].closer != '}')
		return err_set(e, ERR_FAULT, json_reader_at(r), "no JSON object is walked");
	rc = next_value(r, e);
	if (rc)
		return rc;
	if (peek_more(r, &b, e) < 0)
		return -1;
	if (b != '"')
		return wrong(r, e);
	j = json_reader_value(r, e);
	if (!j)
		return -1;
	rc = json_string(j, &text) ? name_keep(r, text, name, e) : wrong(r, e);
	json_free(j);
	if (rc < 0 || peek_more(r, &b, e) < 0)
		return -1;
	if (b != ':')
		return wrong(r, e);
	r->at++;
	return 0;
}

static int skip_one(struct json_reader *r, struct err *e)
{
	json *j = json_reader_value(r, e);

	json_free(j);
	return j ? 0 : -1;
}

int json_reader_skip(struct json_reader *r, struct err *e)
{
	uint8_t b;
	int rc;

	if (peek_more(r, &b, e) < 0)
		return -1;
	if (b != '[')
		return skip_one(r, e);
	if (json_reader_enter(r, '[', e) < 0)
		return -1;
	while ((rc = json_reader_element(r, e)) == 0)
		if (skip_one(r, e) < 0)
			return -1;
	return rc < 0 ? -1 : 0;
}

int json_reader_end(struct json_reader *r, struct err *e)
{
	uint8_t b;
	int rc = peek(r, &b, e);

	return rc == 0 ? wrong(r, e) : rc < 0 ? -1 : 0;
}
