/* SPDX-License-Identifier: Apache-2.0 */
#include "extractors/path.h"

static struct span next_component(struct span raw, size_t *at)
{
	struct span rest = span_after(raw, *at);
	struct span part = span_first(rest, span_find(rest, '/'));

	*at += part.n + 1;
	return part;
}

unsigned path_oddities(struct span raw)
{
	unsigned odd = span_find(raw, 0) < raw.n ? PATH_NUL : 0;
	size_t at = 0;

	if (raw.n == 0)
		return PATH_UNTIDY;
	if (raw.p[0] == '/')
		odd |= PATH_ABSOLUTE;
	if (raw.p[raw.n - 1] == '/')
		odd |= PATH_FOLDER;
	while (at < raw.n) {
		struct span part = next_component(raw, &at);

		if (span_eq(part, SPAN("..")))
			odd |= PATH_CLIMBS;
		else if (span_eq(part, SPAN(".")) || (part.n == 0 && at > 1))
			odd |= PATH_UNTIDY;
	}
	return odd;
}

struct span path_normalise(struct arena *mem, struct span raw, unsigned *odd)
{
	uint8_t *out;
	size_t n = 0, at = 0;

	*odd = path_oddities(raw);
	if (!(*odd & (PATH_ABSOLUTE | PATH_CLIMBS | PATH_UNTIDY)))
		return span_first(raw, raw.n - (*odd & PATH_FOLDER ? 1 : 0));
	out = arena_alloc(mem, raw.n + 1);
	while (at < raw.n) {
		struct span part = next_component(raw, &at);

		if (part.n == 0 || span_eq(part, SPAN(".")))
			continue;
		if (span_eq(part, SPAN(".."))) {
			while (n && out[n - 1] != '/')
				n--;
			n -= n ? 1 : 0;
			continue;
		}
		if (n)
			out[n++] = '/';
		memcpy(out + n, part.p, part.n);
		n += part.n;
	}
	return (struct span){out, n};
}

enum limit_id path_limit(const struct limits *limits, struct span path)
{
	uint64_t depth = 1;

	if (path.n > limits->v[LIMIT_PATH_BYTES])
		return LIMIT_PATH_BYTES;
	for (size_t i = 0; i < path.n; i++)
		depth += path.p[i] == '/';
	return depth > limits->v[LIMIT_PATH_DEPTH] ? LIMIT_PATH_DEPTH : LIMIT_NONE;
}

struct span path_join(struct arena *mem, struct span before, struct span path)
{
	uint8_t *p = arena_alloc(mem, before.n + path.n + 1);

	if (before.n)
		memcpy(p, before.p, before.n);
	if (path.n)
		memcpy(p + before.n, path.p, path.n);
	return (struct span){p, before.n + path.n};
}

struct span path_folder(struct span path)
{
	size_t n = path.n - span_base_name(path).n;

	return span_first(path, n ? n - 1 : 0);
}
