/* SPDX-License-Identifier: Apache-2.0 */
/* PTX: white space and comments, then ".version M.m" and ".target sm_90a, ...". */
#include "elf/device/ptx.h"

#include <stdio.h>

#define CHUNK_FIRST 64
#define VERSION     ".version"

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

bool ptx_read(struct span front, struct ptx *p)
{
	bool open;
	struct span s = skip_space(span_first(front, PTX_FRONT), &open);

	*p = (struct ptx){0};
	if (!span_starts(s, SPAN(VERSION)) || !is_space(s.n > 8 ? s.p[8] : 0))
		return false;
	s = read_version(skip_space(span_after(s, 8), &open), p->isa, sizeof(p->isa));
	s = skip_space(s, &open);
	if (!span_starts(s, SPAN(".target")) || !is_space(s.n > 7 ? s.p[7] : 0))
		return false;
	p->target_good = read_target(skip_space(span_after(s, 7), &open), p->target, sizeof(p->target));
	return true;
}

uint64_t ptx_kernels(struct span text)
{
	static const struct span entry = SPAN_INIT(".entry");
	uint64_t n = 0;

	for (;;) {
		text = span_after(text, span_find(text, '.'));
		if (text.n <= entry.n)
			return n;
		n += span_starts(text, entry) && is_space(text.p[entry.n]);
		text = span_after(text, 1);
	}
}

bool ptx_is_text(struct span front)
{
	struct ptx p;

	return ptx_may_start(front) && ptx_read(front, &p);
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
	uint64_t at = r->start + st->length, left = r->file_size - at, most = PTX_FRONT;

	if (!st->sure)
		most = r->kept.n < CHUNK_FIRST ? CHUNK_FIRST : r->kept.n;

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

/* Could still be PTX when more of it is seen. */
static bool still_open(struct span s)
{
	bool open;
	struct span rest = skip_space(s, &open);

	return open || rest.n == 0 || span_eq(rest, SPAN("/")) ||
	       span_starts(span_first(SPAN(VERSION), rest.n), rest) || span_starts(rest, SPAN(VERSION));
}

static enum reader_answer ptx_start(struct reader *r)
{
	return want_more(r, r->state);
}

static enum reader_answer ptx_feed(struct reader *r, struct span bytes)
{
	struct ptx_state *st = r->state;
	size_t n = span_find(bytes, 0);

	st->ended = n < bytes.n || r->start + st->length + n == r->file_size;
	st->length += n;
	if (r->kept.n + n <= reader_payload_max(r) && r->kept.n == st->length - n)
		reader_keep(r, span_first(bytes, n));
	if (!st->sure && (st->ended || st->length >= PTX_FRONT)) {
		if (!ptx_read(reader_kept(r), &st->ptx))
			return READER_NOT;
		st->sure = true;
	} else if (!st->sure && !still_open(reader_kept(r))) {
		return READER_NOT;
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
