/* SPDX-License-Identifier: Apache-2.0 */
#include "rules/policy.h"

#include "base/digest.h"
#include "rules/policy/parts.h"

struct policy_row {
	struct span name;
	uint64_t version;
	const struct node *backends, *classes, *checks, *overrides, *waivers;
};

static const struct row_key policy_keys[] = {
        {"applies_to", KEY_LATER, false, 0},
        {"backends", KEY_MAP, false, offsetof(struct policy_row, backends)},
        {"checks", KEY_MAP, false, offsetof(struct policy_row, checks)},
        {"classes", KEY_MAP, false, offsetof(struct policy_row, classes)},
        {"extends", KEY_LATER, false, 0},
        {"name", KEY_TEXT, false, offsetof(struct policy_row, name)},
        {"overrides", KEY_LIST, false, offsetof(struct policy_row, overrides)},
        {"run_on", KEY_LATER, false, 0},
        {"runtimes", KEY_LATER, false, 0},
        {"size", KEY_LATER, false, 0},
        {"version", KEY_NUMBER, true, offsetof(struct policy_row, version)},
        {"waivers", KEY_LIST, false, offsetof(struct policy_row, waivers)},
};

static const char *text_copy(struct arena *mem, struct span s)
{
	uint8_t *p = arena_alloc(mem, s.n + 1);

	if (s.n)
		memcpy(p, s.p, s.n);
	return (const char *)p;
}

/* "policies/cpu.yaml" is "cpu". */
static struct span name_of(struct span source)
{
	static const struct span endings[] = {SPAN_INIT(".yaml"), SPAN_INIT(".yml")};
	struct span name = span_base_name(source);

	for (size_t i = 0; i < 2; i++)
		if (name.n > endings[i].n && span_ends(name, endings[i]))
			return span_first(name, name.n - endings[i].n);
	return name;
}

/* Before all else: what a file of another version says is not ours to judge. */
static int version_check(const struct node *root, struct err *e)
{
	const struct node *v = root->kind == NODE_MAP ? root->first : NULL;

	while (v && !span_eq(v->key->text, SPAN("version")))
		v = v->next;
	if (!v || v->kind != NODE_TEXT || v->text.n == 0 || span_eq(v->text, SPAN("1")))
		return 0;
	return node_error(e, v, "version '%s' is not known, only version 1", (const char *)v->text.p);
}

static void backends_list(struct policy_reading *r)
{
	const struct catalogue *c = r->catalogue;

	r->backends = arena_alloc(r->mem, (c->backends.n + 1) * sizeof(*r->backends));
	for (size_t i = 0; i < c->backends.n; i++)
		r->backends[i] = text_copy(r->mem, c->backends.v[i].id);
}

static int parts_read(const struct policy_reading *r, const struct policy_row *row)
{
	if (row->backends && policy_backends(r, row->backends) < 0)
		return -1;
	if (row->classes && policy_classes(r, row->classes) < 0)
		return -1;
	if (row->checks && policy_checks(r, &r->policy->checks, row->checks) < 0)
		return -1;
	if (row->overrides && policy_overrides(r, row->overrides) < 0)
		return -1;
	return row->waivers ? policy_waivers(r, row->waivers) : 0;
}

int policy_read(struct policy *p, const char *source, struct span bytes, const struct catalogue *c,
                const struct limits *limits, struct arena *mem, struct err *e)
{
	struct policy_reading r = {.policy = p, .catalogue = c, .mem = mem, .e = e};
	struct policy_row row;
	struct node *root;

	memset(p, 0, sizeof(*p));
	memset(&row, 0, sizeof(row));
	if (document_read(&root, source, bytes, limits, mem, e) < 0)
		return -1;
	if (version_check(root, e) < 0 || row_read(&row, root, KEYS(policy_keys), mem, e) < 0)
		return -1;
	p->source = span_of(source);
	p->name = row.name.n ? row.name : span_of(text_copy(mem, name_of(p->source)));
	p->digest = digest_bytes(mem, bytes, false);
	backends_list(&r);
	return parts_read(&r, &row);
}
