/* SPDX-License-Identifier: Apache-2.0 */
/* A wheel's file name: name-version(-build)?-python-abi-platform(-label)?.whl; the label is of PEP 825. */
#include "extractors/packages/package_parts.h"

#define PARTS_MOST 7
#define TAGS_MOST  4096 /* sets multiply */

static bool digit(struct span s)
{
	return s.n && s.p[0] >= '0' && s.p[0] <= '9';
}

static bool label_like(struct span s)
{
	for (size_t i = 0; i < s.n; i++)
		if (!((s.p[i] >= 'a' && s.p[i] <= 'z') || (s.p[i] >= '0' && s.p[i] <= '9') || s.p[i] == '_' ||
		      s.p[i] == '.'))
			return false;
	return s.n > 0;
}

bool wheel_name_parse(struct span file_name, struct wheel_name *out)
{
	struct span parts[PARTS_MOST], rest = file_name;
	size_t n = 0, tags;

	*out = (struct wheel_name){0};
	if (!span_ends(rest, SPAN(".whl")))
		return false;
	rest.n -= 4;
	while (n < PARTS_MOST) {
		size_t at = span_find(rest, '-');

		parts[n++] = span_first(rest, at);
		if (at == rest.n)
			break;
		if (n == PARTS_MOST)
			return false;
		rest = span_after(rest, at + 1);
	}
	if (n < 5)
		return false;
	/* Six parts: a third one that starts with a digit is a build tag, else the last one is a label. */
	tags = n > 5 && digit(parts[2]) ? 3 : 2;
	if (tags + 3 > n || tags + 4 < n)
		return false;
	if (tags + 4 == n) {
		if (!label_like(parts[n - 1]))
			return false;
		out->label = parts[n - 1];
	}
	out->name = parts[0];
	out->version = parts[1];
	out->python = parts[tags];
	out->abi = parts[tags + 1];
	out->platform = parts[tags + 2];
	return out->name.n && out->version.n;
}

static struct span next_alternative(struct span *s)
{
	size_t at = span_find(*s, '.');
	struct span part = span_first(*s, at);

	*s = span_after(*s, at + 1);
	return part;
}

void tags_spread(struct arena *mem, struct spans *l, struct span python, struct span abi, struct span platform)
{
	for (struct span p = python; p.n;) {
		struct span one = next_alternative(&p);

		for (struct span a = abi; a.n;) {
			struct span two = next_alternative(&a);

			for (struct span f = platform; f.n;) {
				struct span three = next_alternative(&f);

				if (l->n >= TAGS_MOST)
					return;
				spans_add(mem, l,
				          arena_printf(mem, "%.*s-%.*s-%.*s", (int)span_first(one, 256).n,
				                       (const char *)one.p, (int)span_first(two, 256).n,
				                       (const char *)two.p, (int)span_first(three, 256).n,
				                       (const char *)three.p));
			}
		}
	}
}
