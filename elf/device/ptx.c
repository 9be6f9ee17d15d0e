/* SPDX-License-Identifier: Apache-2.0 */
/* PTX: white space and comments, then ".version M.m" and ".target sm_90a, ...". */
#include "elf/device/ptx.h"

#include <stdio.h>

#define CHUNK_FIRST 64
#define VERSION     ".version"
#define VALUE_BYTES 12 /* longer than any version or target */

static bool is_space(uint8_t c)
{
	return c == ' ' || (c >= '\t' && c <= '\r');
}

static bool is_digit(uint8_t c)
{
	return c >= '0' && c <= '9';
}

/* Behind white space and comments; *open: a comment does not end in s. */
static struct span skip_space(struct span s, bool *open)
{
	*open = false;
	for (;;) {
		while (s.n && is_space(s.p[0]))
			s = span_after(s, 1);
		if (span_starts(s, SPAN("//"))) {
			size_t n = span_find(s, '\n');

			*open = n == s.n;
			s = span_after(s, n);
		} else if (span_starts(s, SPAN("/*"))) {
			s = span_after(s, 2);
			while (s.n && !span_starts(s, SPAN("*/")))
				s = span_after(s, 1);
			*open = s.n == 0;
			s = span_after(s, 2);
		} else {
			return s;
		}
	}
}

static size_t digits(struct span s)
{
	size_t n = 0;

	while (n < s.n && is_digit(s.p[n]))
		n++;
	return n;
}

/* "M.m" into out; the rest of s. */
static struct span read_version(struct span s, char *out, size_t size)
{
	size_t major = digits(s),
	       minor = major && major < s.n && s.p[major] == '.' ? digits(span_after(s, major + 1)) : 0;

	if (!minor || major > 3 || minor > 3)
		return SPAN_NONE;
	snprintf(out, size, "%.*s", (int)(major + 1 + minor), (const char *)s.p);
	return span_after(s, major + 1 + minor);
}

/* "sm_90a" and what may follow it; false when it is no target of PTX. */
static bool read_target(struct span s, char *out, size_t size)
{
	size_t n;

	if (!span_starts(s, SPAN("sm_")))
		return false;
	s = span_after(s, 3);
	n = digits(s);
	if (n < 2 || n > 3)
		return false;
	if (n < s.n && (s.p[n] == 'a' || s.p[n] == 'f'))
		n++;
	if (n < s.n && !is_space(s.p[n]) && s.p[n] != ',' && s.p[n] != '/' && s.p[n] != 0)
		return false;
	snprintf(out, size, "compute_%.*s", (int)n, (const char *)s.p);
	return true;
}

/* Where a directive stands, or may when more of the text is seen. */
static enum ptx_answer directive(struct span *s, struct span name, bool whole)
{
	bool open;
	struct span rest = skip_space(*s, &open);

	if (!whole && (open || span_eq(rest, SPAN("/")) || (rest.n <= name.n && span_starts(name, rest))))
		return PTX_OPEN;
	if (!span_starts(rest, name) || !is_space(rest.n > name.n ? rest.p[name.n] : 0))
		return PTX_NO;
	*s = skip_space(span_after(rest, name.n), &open);
	return !whole && (open || s->n < VALUE_BYTES) ? PTX_OPEN : PTX_YES;
}

enum ptx_answer ptx_read(struct span front, bool whole, struct ptx *p)
{
	enum ptx_answer answer;

	*p = (struct ptx){0};
	answer = directive(&front, SPAN(".version"), whole);
	if (answer != PTX_YES)
		return answer;
	front = read_version(front, p->isa, sizeof(p->isa));
	answer = front.p ? directive(&front, SPAN(".target"), whole) : PTX_NO;
	if (answer == PTX_YES)
		p->target_good = read_target(front, p->target, sizeof(p->target));
	return answer;
}

uint64_t ptx_kernels(struct span text)
{
	static const struct span entry = SPAN_INIT(".entry");
	uint64_t n = 0;

	while (text.n > entry.n) {
		const uint8_t *at = memmem(text.p, text.n - 1, entry.p, entry.n);

		if (!at)
			break;
		text = span_after(text, (size_t)(at - text.p) + entry.n);
		n += is_space(text.p[0]);
	}
	return n;
}

bool ptx_is_text(struct span front)
{
	struct ptx p;

	return ptx_may_start(front) && ptx_read(front, front.n < PTX_FRONT, &p) != PTX_NO;
}

bool ptx_may_start(struct span few)
{
	if (few.n < 2)
		return false;
	if (few.p[0] == '.')
		return span_starts(few, SPAN(VERSION));
	if (few.p[0] == '/')
		return few.p[1] == '/' || few.p[1] == '*';
	return is_space(few.p[0]) && (is_space(few.p[1]) || few.p[1] == '/' || few.p[1] == '.');
}

/* --- text in a file: small pieces until it is sure, then to its NUL */

struct ptx_state {
	bool sure, ended;
	uint64_t length;
	struct ptx ptx;
};

static enum reader_answer want_more(struct reader *r, const struct ptx_state *st)
{
	uint64_t at = r->start + st->length, left = r->file_size - at, most = PTX_FRONT, room;

	if (!st->sure) {
		room = reader_payload_max(r) - r->kept.n;
		most = r->kept.n < CHUNK_FIRST ? CHUNK_FIRST : r->kept.n;
		most = most < room ? most : room;
	}
	return reader_want(r, at, left < most ? left : most);
}

static enum reader_answer ptx_done(struct reader *r, const struct ptx_state *st)
{
	struct device_code code = {
	        .backend = SPAN("cuda"),
	        .target = span_of(st->ptx.target),
	        .form = FORM_PORTABLE,
	        .container = SPAN("ptx"),
	        .codec = SPAN("none"),
	        .isa = span_of(st->ptx.isa),
	        .count = 1,
	        .bytes = st->length,
	        .offset = r->start,
	};

	r->end = r->start + st->length;
	if (!st->ptx.target_good)
		return reader_bad(r, PROBLEM_ANOMALY, ERR_FORMAT, "the text at %llu names no target of PTX",
		                  (unsigned long long)r->start);
	code.opened = r->kept.n == st->length;
	code.kernels = code.opened ? ptx_kernels(reader_kept(r)) : 0;
	reader_image(r, &code, false);
	return READER_DONE;
}

static enum reader_answer ptx_start(struct reader *r)
{
	return want_more(r, r->state);
}

static enum reader_answer ptx_feed(struct reader *r, struct span bytes)
{
	struct ptx_state *st = r->state;
	enum ptx_answer answer;
	size_t n = span_find(bytes, 0);

	st->ended = n < bytes.n || r->start + st->length + n == r->file_size;
	st->length += n;
	if (r->kept.n + n <= reader_payload_max(r) && r->kept.n == st->length - n)
		reader_keep(r, span_first(bytes, n));
	if (!st->sure) {
		answer = ptx_read(reader_kept(r), st->ended || r->kept.n == reader_payload_max(r), &st->ptx);
		if (answer == PTX_NO)
			return READER_NOT;
		st->sure = answer == PTX_YES;
	}
	return st->ended ? ptx_done(r, st) : want_more(r, st);
}

const struct device_format device_ptx = {
        .name = "ptx",
        .type = OBJECT_PTX,
        .state_bytes = sizeof(struct ptx_state),
        .start = ptx_start,
        .feed = ptx_feed,
};
