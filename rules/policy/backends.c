/* SPDX-License-Identifier: Apache-2.0 */
/* Which backends must be there, may be there and must not. */
#include "parts.h"

#include <strings.h>

struct backends_row {
	const struct node *require, *allow, *forbid, *others;
};

static const struct row_key backends_keys[] = {
        {"allow", KEY_NODE, false, offsetof(struct backends_row, allow)},
        {"forbid", KEY_NODE, false, offsetof(struct backends_row, forbid)},
        {"others", KEY_NODE, false, offsetof(struct backends_row, others)},
        {"require", KEY_NODE, false, offsetof(struct backends_row, require)},
};

/* Is it a word of the title, as "nvidia" of "NVIDIA CUDA"? */
static bool in_title(struct span title, struct span word)
{
	while (title.n) {
		size_t n = span_find(title, ' ');

		if (n == word.n && strncasecmp((const char *)title.p, (const char *)word.p, n) == 0)
			return true;
		title = span_after(title, n + 1);
	}
	return false;
}

/* The backend that people call so: "xpu" is how wheels name intel-gpu, "amd" how variants name rocm. Its place, or
 * SIZE_MAX. */
static size_t backend_called(const struct policy_reading *r, struct span word)
{
	const struct catalogue *c = r->catalogue;
	const struct claim_rule *claim = catalogue_claim(c, SPAN("variant"), word);
	size_t found = SIZE_MAX, titles = 0;

	if (!claim)
		claim = catalogue_claim(c, SPAN("variant"), arena_printf(r->mem, "%s :: ", (const char *)word.p));
	for (size_t i = 0; i < c->backends.n; i++) {
		if (claim && span_eq(claim->backend, c->backends.v[i].id))
			return i;
		if (in_title(c->backends.v[i].title, word)) {
			found = i;
			titles++;
		}
	}
	return titles == 1 ? found : SIZE_MAX;
}

struct span policy_backend_id(const struct policy_reading *r, struct span word)
{
	const struct catalogue *c = r->catalogue;

	for (size_t i = 0; i < c->backends.n; i++)
		if (word.n && span_eq(c->backends.v[i].alias, word))
			return c->backends.v[i].id;
	return word;
}

int policy_backend(const struct policy_reading *r, struct span *out, const struct node *n)
{
	size_t called = SIZE_MAX, place;

	if (n->kind == NODE_TEXT) {
		*out = policy_backend_id(r, n->text);
		if (!span_eq(*out, n->text))
			return 0;
	}
	/* Only for a message, but most words are known. */
	if (n->kind == NODE_TEXT && n->text.n && !catalogue_backend(r->catalogue, n->text))
		called = backend_called(r, n->text);
	if (word_choose(&place, n, "backend", r->backends, r->catalogue->backends.n, called, r->e) < 0)
		return -1;
	*out = span_of(r->backends[place]);
	return 0;
}

static int backends_read(const struct policy_reading *r, struct spans *out, const struct node *n)
{
	struct span backend;

	for (const struct node *v = values_first(n); v; v = values_next(n, v)) {
		if (policy_backend(r, &backend, v) < 0)
			return -1;
		spans_add(r->mem, out, backend);
	}
	return 0;
}

/* An entry is one backend, or a list of which one will do. */
static int require_read(const struct policy_reading *r, const struct node *n)
{
	for (const struct node *v = values_first(n); v; v = values_next(n, v)) {
		struct spans any = {NULL, 0, 0};

		if (v->kind == NODE_LIST && !v->first)
			return node_error(r->e, v, "a list of which one backend must be there must not be empty");
		if (backends_read(r, &any, v) < 0)
			return -1;
		*list_add(r->mem, &r->policy->require) = any;
	}
	return 0;
}

int policy_backends(const struct policy_reading *r, const struct node *map)
{
	struct policy *p = r->policy;
	struct backends_row row;

	memset(&row, 0, sizeof(row));
	if (row_read(&row, map, KEYS(backends_keys), r->mem, r->e) < 0)
		return -1;
	if ((row.require && require_read(r, row.require) < 0) ||
	    (row.allow && backends_read(r, &p->allow, row.allow) < 0) ||
	    (row.forbid && backends_read(r, &p->forbid, row.forbid) < 0))
		return -1;
	p->has_others = row.others != NULL;
	return row.others ? policy_grade(r, &p->others, row.others) : 0;
}
