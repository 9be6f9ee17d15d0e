/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Environment markers (PEP 508), as far as they can be told without an environment: with no extra asked for, `extra ==
 * 'x'` is false, and nothing else is known. Two stacks, no recursion.
 */
#include "extractors/packages/headers.h"
#include "extractors/packages/package_parts.h"

/* Ordered, so that `and` is the smaller and `or` the larger. */
enum truth { FALSE_, UNSURE, TRUE_ };

struct marker {
	struct span rest;
	uint8_t *values, *operators; /* each has room for every byte of the marker */
	size_t n_values, n_operators;
	bool bad;
};

static bool word_byte(uint8_t c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '.';
}

static bool take(struct marker *m, const char *text)
{
	struct span want = span_of(text);

	m->rest = span_trim(m->rest);
	if (!span_starts(m->rest, want) || (word_byte(want.p[0]) && m->rest.n > want.n && word_byte(m->rest.p[want.n])))
		return false;
	m->rest = span_after(m->rest, want.n);
	return true;
}

/* A quoted text or a variable's name. */
static struct span operand(struct marker *m, bool *quoted)
{
	struct span out;
	size_t n = 0;

	m->rest = span_trim(m->rest);
	*quoted = m->rest.n && (m->rest.p[0] == '\'' || m->rest.p[0] == '"');
	if (*quoted) {
		struct span inner = span_after(m->rest, 1);

		n = span_find(inner, m->rest.p[0]);
		m->bad |= n == inner.n;
		m->rest = span_after(inner, n + 1);
		return span_first(inner, n);
	}
	while (n < m->rest.n && word_byte(m->rest.p[n]))
		n++;
	m->bad |= n == 0;
	out = span_first(m->rest, n);
	m->rest = span_after(m->rest, n);
	return out;
}

static bool comparison(struct marker *m, bool *equal)
{
	static const char *const others[] = {"===", "==", "~=", "!=", "<=", ">=", "<", ">", "in"};

	*equal = false;
	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		if (take(m, others[i])) {
			*equal = i < 2;
			return true;
		}
	return take(m, "not") && take(m, "in");
}

static enum truth term(struct marker *m)
{
	bool left_quoted, right_quoted = false, equal;
	struct span left = operand(m, &left_quoted), right = SPAN_NONE;

	m->bad |= !comparison(m, &equal);
	if (!m->bad)
		right = operand(m, &right_quoted);
	if (m->bad || !equal)
		return UNSURE;
	if (!left_quoted && right_quoted && span_eq(left, SPAN("extra")))
		return right.n ? FALSE_ : TRUE_;
	if (left_quoted && !right_quoted && span_eq(right, SPAN("extra")))
		return left.n ? FALSE_ : TRUE_;
	return UNSURE;
}

static void reduce(struct marker *m)
{
	uint8_t right, left;

	if (m->n_values < 2) {
		m->bad = true;
		return;
	}
	right = m->values[--m->n_values];
	left = m->values[--m->n_values];
	if (m->operators[--m->n_operators] == '&')
		m->values[m->n_values++] = left < right ? left : right;
	else
		m->values[m->n_values++] = left > right ? left : right;
}

/* `and` binds tighter than `or`; a parenthesis stops both. */
static void reduce_while(struct marker *m, char binding)
{
	while (!m->bad && m->n_operators && m->operators[m->n_operators - 1] != '(' &&
	       (binding != '&' || m->operators[m->n_operators - 1] == '&'))
		reduce(m);
}

/* What follows a term. False at the end. */
static bool after_term(struct marker *m)
{
	char with = 0;

	while (!m->bad && take(m, ")")) {
		reduce_while(m, ')');
		m->bad |= m->n_operators == 0;
		m->n_operators -= m->n_operators ? 1 : 0;
	}
	if (take(m, "and"))
		with = '&';
	else if (take(m, "or"))
		with = '|';
	if (m->bad || !with)
		return false;
	reduce_while(m, with);
	m->operators[m->n_operators++] = (uint8_t)with;
	return true;
}

enum marker_answer marker_answer(struct span text)
{
	struct arena scratch = ARENA_INIT;
	struct marker m = {.rest = span_trim(text)};
	enum marker_answer answer = MARKER_UNKNOWN;

	if (m.rest.n == 0)
		return MARKER_YES;
	m.values = arena_alloc(&scratch, m.rest.n + 1);
	m.operators = arena_alloc(&scratch, m.rest.n + 1);
	do {
		while (take(&m, "("))
			m.operators[m.n_operators++] = '(';
		m.values[m.n_values++] = (uint8_t)term(&m);
	} while (!m.bad && after_term(&m));
	reduce_while(&m, ')');
	if (!m.bad && m.n_operators == 0 && m.n_values == 1 && span_trim(m.rest).n == 0 && m.values[0] != UNSURE)
		answer = m.values[0] == TRUE_ ? MARKER_YES : MARKER_NO;
	arena_clear(&scratch);
	return answer;
}
