/* SPDX-License-Identifier: Apache-2.0 */
#include "rules/families.h"

#include "rules/rows.h"

struct family_row {
	struct span name, strength, needs;
	struct spans others, libraries, regex;
	bool driver;
};

static const struct row_key family_keys[] = {
	{"driver", KEY_FLAG, false, offsetof(struct family_row, driver)},
	{"libraries", KEY_TEXTS, false, offsetof(struct family_row, libraries)},
	{"name", KEY_TEXT, true, offsetof(struct family_row, name)},
	{"needs", KEY_TEXT, false, offsetof(struct family_row, needs)},
	{"others", KEY_TEXTS, false, offsetof(struct family_row, others)},
	{"regex", KEY_TEXTS, true, offsetof(struct family_row, regex)},
	{"strength", KEY_TEXT, true, offsetof(struct family_row, strength)},
};

static bool is_name_byte(uint8_t b)
{
	return (b >= 'a' && b <= 'z') || (b >= 'A' && b <= 'Z') || (b >= '0' && b <= '9') || b == '_';
}

/* The literal at the start of an expression, or of one choice in it. */
static struct span leading_literal(struct span regex)
{
	size_t n = 0;

	while (n < regex.n && is_name_byte(regex.p[n]))
		n++;
	if (n < regex.n && n && (regex.p[n] == '?' || regex.p[n] == '*'))
		n--;
	return span_first(regex, n);
}

/*
 * What every match starts with: the index by first bytes lives on it. Expressions stay in the part of POSIX ERE where
 * that is easy to see, and where matching is fast: no counts, no back references, no choice outside parentheses.
 */
static const char *find_prefix(struct span regex, struct span *prefix)
{
	size_t depth = 0;

	if (regex.p[0] != '^')
		return "it must start with '^'";
	for (size_t i = 0; i < regex.n; i++) {
		for (bool set = regex.p[i] == '['; set && i + 1 < regex.n && regex.p[i + 1] != ']'; i++)
			if (strchr("()|[", regex.p[i + 1]))
				return "'(', ')', '|' and '[' are not known in brackets";
		if (regex.p[i] == '{' || regex.p[i] == '\\')
			return "counts and backslashes are not known here";
		depth += regex.p[i] == '(';
		depth -= regex.p[i] == ')' && depth;
		if (regex.p[i] == '|' && depth == 0)
			return "'|' must stand in parentheses";
	}
	*prefix = leading_literal(span_after(regex, 1));
	return prefix->n < 2 ? "it must start with two letters that are always there" : NULL;
}

/* What follows the last "[...]*" or "?" outside parentheses; empty when there is none. */
static struct span after_the_open(struct span regex)
{
	struct span rest = SPAN_NONE;
	size_t depth = 0;

	for (size_t i = 0; i < regex.n; i++) {
		depth += regex.p[i] == '(';
		depth -= regex.p[i] == ')';
		if (depth == 0 && regex.p[i] == '?')
			rest = span_after(regex, i + 1);
		if (regex.p[i] != '[')
			continue;
		while (i + 1 < regex.n && regex.p[i] != ']')
			i++;
		if (depth == 0 && i + 1 < regex.n && regex.p[i + 1] == '*')
			rest = span_after(regex, i + 2);
	}
	return rest;
}

/* The longest of the literals that every match of a choice has, up to its first parenthesis. */
static struct span longest_literal(struct span choice)
{
	struct span best = SPAN_NONE, literal;

	while (choice.n && !strchr("()|", choice.p[0])) {
		literal = leading_literal(choice);
		best = literal.n > best.n ? literal : best;
		choice = span_after(choice, literal.n);
		if (choice.n && choice.p[0] == '[')
			choice = span_after(choice, span_find(choice, ']'));
		if (choice.n && !strchr("()|", choice.p[0]))
			choice = span_after(choice, 1);
	}
	return best;
}

/*
 * "^_Z[0-9A-Za-z_]*(3c104cuda|2at4cuda)" has one of two literals in it, "^_ZNK?8nvinfer1" one, which is quick to see,
 * while matching it is slow. Finding none is no mistake.
 */
static struct spans find_inner(struct span regex, struct arena *mem)
{
	struct spans found = {NULL, 0, 0};
	struct span rest = after_the_open(regex), literal;
	bool choice = rest.n && rest.p[0] == '(';
	size_t depth = 0, at = choice ? 1 : 0;

	do {
		literal = longest_literal(span_after(rest, at));
		if (literal.n < 4)
			return (struct spans){NULL, 0, 0};
		spans_add(mem, &found, literal);
		for (; choice && at < rest.n && (depth || (rest.p[at] != '|' && rest.p[at] != ')'));
		     at++) {
			depth += rest.p[at] == '(';
			depth -= rest.p[at] == ')';
		}
		at++;
	} while (choice && at <= rest.n && rest.p[at - 1] == '|');
	if (choice && at < rest.n && (rest.p[at] == '?' || rest.p[at] == '*'))
		return (struct spans){NULL, 0, 0};
	return found;
}

static int add_family(struct catalogue *c, const struct family_rule *like, struct span regex, const struct node *at,
                      struct arena *mem, struct err *e)
{
	struct family_rule f = *like;
	const char *wrong = find_prefix(regex, &f.prefix);
	char why[128];
	int rc;

	if (wrong)
		return node_error(e, at, "bad expression '%s': %s", (const char *)regex.p, wrong);
	rc = regcomp(&f.regex, (const char *)regex.p, REG_EXTENDED | REG_NOSUB);
	if (rc) {
		regerror(rc, &f.regex, why, sizeof(why));
		return node_error(e, at, "bad expression '%s': %s", (const char *)regex.p, why);
	}
	f.inner = find_inner(regex, mem);
	*list_add(mem, &c->families) = f;
	return 0;
}

static int read_family(struct catalogue *c, const struct node *at, struct span backend, struct arena *mem,
                       struct err *e)
{
	static const char *const strengths[] = {"strong", "medium", "weak", "ambiguous"};
	struct family_row row;
	struct family_rule like;
	size_t strength;

	memset(&row, 0, sizeof(row));
	memset(&like, 0, sizeof(like));
	if (row_read(&row, at, family_keys, sizeof(family_keys) / sizeof(family_keys[0]), mem, e) < 0 ||
	    word_read(&strength, at, "strength", row.strength, strengths, sizeof(strengths) / sizeof(strengths[0]), e) <
	            0)
		return -1;
	like.name = row.name;
	like.backend = backend;
	like.others = row.others;
	like.libraries = row.libraries;
	like.strength = (enum family_strength)strength;
	like.driver = row.driver;
	like.needs = row.needs;
	for (size_t i = 0; i < row.regex.n; i++)
		if (add_family(c, &like, row.regex.v[i], at, mem, e) < 0)
			return -1;
	return 0;
}

int families_read(struct catalogue *c, const struct node *list, struct span backend, struct arena *mem, struct err *e)
{
	for (const struct node *at = list ? list->first : NULL; at; at = at->next)
		if (read_family(c, at, backend, mem, e) < 0)
			return -1;
	return 0;
}
