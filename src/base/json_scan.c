/* SPDX-License-Identifier: Apache-2.0 */
#include "base/json_scan.h"

#include <inttypes.h>

#include "base/arena.h"
#include "base/outbuf.h"
#include "base/text.h"

enum expects { VALUE, VALUE_OR_END, KEY, KEY_OR_END, COMMA_OR_END, NOTHING };

struct scan {
	struct span s;
	size_t at;
	struct outbuf open; /* '{' or '[' of every level */
	uint64_t nodes;
};

static uint8_t peek(const struct scan *c)
{
	return c->at < c->s.n ? c->s.p[c->at] : 0;
}

static bool is_digit(uint8_t b)
{
	return b >= '0' && b <= '9';
}

static bool is_space(uint8_t b)
{
	return b == ' ' || b == '\t' || b == '\n' || b == '\r';
}

static bool scan_word(struct scan *c, struct span word)
{
	if (!span_starts(span_after(c->s, c->at), word))
		return false;
	c->at += word.n;
	return true;
}

static bool scan_digits(struct scan *c)
{
	size_t start = c->at;

	while (is_digit(peek(c)))
		c->at++;
	return c->at > start;
}

static bool scan_number(struct scan *c)
{
	if (peek(c) == '-')
		c->at++;
	if (peek(c) == '0')
		c->at++;
	else if (!scan_digits(c))
		return false;
	if (peek(c) == '.') {
		c->at++;
		if (!scan_digits(c))
			return false;
	}
	if (peek(c) == 'e' || peek(c) == 'E') {
		c->at++;
		if (peek(c) == '+' || peek(c) == '-')
			c->at++;
		return scan_digits(c);
	}
	return true;
}

/* The four digits of \uNNNN; 0 when they are not that, which is refused like NUL. */
static uint32_t scan_hex(struct scan *c)
{
	uint32_t v = 0;

	for (int i = 0; i < 4; i++) {
		uint8_t b = peek(c);

		if (is_digit(b))
			v = v << 4 | (uint32_t)(b - '0');
		else if ((b | 0x20) >= 'a' && (b | 0x20) <= 'f')
			v = v << 4 | (uint32_t)((b | 0x20) - 'a' + 10);
		else
			return 0;
		c->at++;
	}
	return v;
}

/* After the backslash. */
static bool scan_escape(struct scan *c)
{
	uint8_t b = peek(c);
	uint32_t v;

	if (b == 0 || !memchr("\"\\/bfnrtu", b, 9))
		return false;
	c->at++;
	if (b != 'u')
		return true;
	v = scan_hex(c);
	if (v >= 0xd800 && v < 0xdc00) {
		if (!scan_word(c, SPAN("\\u")))
			return false;
		v = scan_hex(c);
		return v >= 0xdc00 && v < 0xe000;
	}
	return v != 0 && (v < 0xdc00 || v >= 0xe000);
}

static bool scan_string(struct scan *c)
{
	uint32_t character;
	size_t n;

	if (peek(c) != '"')
		return false;
	c->at++;
	for (;;) {
		n = text_character(span_after(c->s, c->at), &character);
		if (n == 0 || character < 0x20)
			return false;
		c->at += n;
		if (character == '"')
			return true;
		if (character == '\\' && !scan_escape(c))
			return false;
	}
}

static bool scan_scalar(struct scan *c)
{
	switch (peek(c)) {
	case '"':
		return scan_string(c);
	case 't':
		return scan_word(c, SPAN("true"));
	case 'f':
		return scan_word(c, SPAN("false"));
	case 'n':
		return scan_word(c, SPAN("null"));
	default:
		return scan_number(c);
	}
}

static enum expects after_value(const struct scan *c)
{
	return c->open.n ? COMMA_OR_END : NOTHING;
}

/* "name" and its colon. */
static bool scan_key(struct scan *c)
{
	if (!scan_string(c))
		return false;
	while (is_space(peek(c)))
		c->at++;
	return scan_word(c, SPAN(":"));
}

/* One token. False: it does not belong here. */
static bool scan_token(struct scan *c, enum expects *next)
{
	uint8_t b = peek(c), opener = c->open.n ? c->open.p[c->open.n - 1] : 0;

	if (*next == NOTHING)
		return false;
	if ((b == '}' && opener == '{' && (*next == KEY_OR_END || *next == COMMA_OR_END)) ||
	    (b == ']' && opener == '[' && (*next == VALUE_OR_END || *next == COMMA_OR_END))) {
		c->at++;
		c->open.n--;
		*next = after_value(c);
		return true;
	}
	if (*next == COMMA_OR_END) {
		c->at++;
		*next = opener == '{' ? KEY : VALUE;
		return b == ',';
	}
	if (*next == KEY || *next == KEY_OR_END) {
		*next = VALUE;
		return scan_key(c);
	}
	c->nodes++;
	if (b == '{' || b == '[') {
		c->at++;
		outbuf_char(&c->open, (char)b);
		*next = b == '{' ? KEY_OR_END : VALUE_OR_END;
		return true;
	}
	*next = after_value(c);
	return scan_scalar(c);
}

static int scan_document(struct scan *c, uint64_t at, const struct limits *l, struct err *e)
{
	enum expects next = VALUE;

	for (;;) {
		while (is_space(peek(c)))
			c->at++;
		if (c->at == c->s.n)
			break;
		if (!scan_token(c, &next))
			return err_set(e, ERR_FORMAT, at + c->at, "not JSON at byte %" PRIu64, at + c->at);
		if (c->open.failed)
			out_of_memory();
		if (c->open.n > l->v[LIMIT_JSON_DEPTH])
			return err_limit(e, LIMIT_JSON_DEPTH, l, "the nesting of a JSON document");
		if (c->nodes > l->v[LIMIT_JSON_NODES])
			return err_limit(e, LIMIT_JSON_NODES, l, "the number of values of a JSON document");
	}
	return next == NOTHING ? 0 : err_set(e, ERR_TRUNCATED, at + c->at, "JSON document ends too early");
}

int json_scan(struct span text, uint64_t at, const struct limits *l, struct err *e)
{
	struct scan c = {.s = text, .open = outbuf_limited(SIZE_MAX / 2)};
	int rc;

	if (text.n > l->v[LIMIT_JSON_BYTES])
		return err_limit(e, LIMIT_JSON_BYTES, l, "the size of a JSON document");
	rc = scan_document(&c, at, l, e);
	outbuf_release(&c.open);
	return rc;
}
