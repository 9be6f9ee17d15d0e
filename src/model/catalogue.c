/* SPDX-License-Identifier: Apache-2.0 */
#include "model/catalogue.h"

#include <stdlib.h>

#include "model/inner_index.h"
#include "model/prefix_index.h"

#define NAME_MAX_BYTES 255 /* no longer name of a library is looked at */

struct catalogue_index {
	struct prefix_index libraries, families, drivers, claims;
	struct inner_index inner; /* of the families */
	size_t *lead;             /* by row of the families: the first row of the same family */
	uint8_t *inner_set;       /* by row of the families: set in `inner`, or INNER_SETS for none */
	const struct tool_rule **tools;
	uint8_t starts[65536 / 8];
};

static size_t literal_bytes(struct span pattern)
{
	size_t n = 0;

	for (size_t i = 0; i < pattern.n; i++)
		n += pattern.p[i] != '*';
	return n;
}

static void mark_start(struct catalogue_index *x, struct span prefix)
{
	unsigned first, low = 0, high = 255;

	if (prefix.n == 0) {
		memset(x->starts, 0xff, sizeof(x->starts));
		return;
	}
	first = prefix.p[0];
	if (prefix.n > 1)
		low = high = prefix.p[1];
	for (unsigned i = low; i <= high; i++)
		x->starts[(first << 8 | i) / 8] |= (uint8_t)(1u << (i & 7));
}

static void index_families(struct catalogue_index *x, const struct catalogue *c, struct arena *mem)
{
	unsigned sets = 0;

	x->families = prefixes_new(mem, c->families.n);
	x->inner_set = arena_alloc(mem, c->families.n + 1);
	x->lead = arena_alloc(mem, (c->families.n + 1) * sizeof(size_t));
	for (size_t i = 0; i < c->families.n; i++) {
		const struct family_rule *f = &c->families.v[i];

		x->families.v[i] = (struct prefix_key){f->prefix, i, NO_KEY};
		mark_start(x, f->prefix);
		x->lead[i] = i && span_eq(f[-1].name, f->name) && span_eq(f[-1].backend, f->backend) ? x->lead[i - 1] : i;
		x->inner_set[i] = INNER_SETS;
		if (f->inner.n == 0 || sets == INNER_SETS)
			continue;
		x->inner_set[i] = (uint8_t)sets;
		for (size_t k = 0; k < f->inner.n; k++)
			inner_add(&x->inner, mem, f->inner.v[k], sets);
		sets++;
	}
	prefixes_link(&x->families);
}

static int by_file_name(const void *x, const void *y)
{
	const struct tool_rule *const *a = x, *const *b = y;

	return span_cmp((*a)->file_name, (*b)->file_name);
}

void catalogue_index_build(struct catalogue *c, struct arena *mem)
{
	struct catalogue_index *x = arena_alloc(mem, sizeof(*x));

	x->libraries = prefixes_new(mem, c->libraries.n);
	for (size_t i = 0; i < c->libraries.n; i++) {
		x->libraries.v[i] = (struct prefix_key){literal_prefix(c->libraries.v[i].pattern), i, NO_KEY};
		mark_start(x, x->libraries.v[i].prefix);
	}
	index_families(x, c, mem);
	x->drivers = prefixes_new(mem, c->drivers.n);
	for (size_t i = 0; i < c->drivers.n; i++)
		x->drivers.v[i] = (struct prefix_key){literal_prefix(c->drivers.v[i].pattern), i, NO_KEY};
	x->claims = prefixes_new(mem, c->claims.n);
	for (size_t i = 0; i < c->claims.n; i++)
		x->claims.v[i] = (struct prefix_key){literal_prefix(c->claims.v[i].pattern), i, NO_KEY};
	x->tools = arena_alloc(mem, (c->tools.n + 1) * sizeof(const struct tool_rule *));
	for (size_t i = 0; i < c->tools.n; i++)
		x->tools[i] = &c->tools.v[i];
	qsort(x->tools, c->tools.n, sizeof(const struct tool_rule *), by_file_name);
	prefixes_link(&x->libraries);
	prefixes_link(&x->drivers);
	prefixes_link(&x->claims);
	c->index = x;
	c->starts = x->starts;
}

void catalogue_release(struct catalogue *c)
{
	for (size_t i = 0; i < c->families.n; i++)
		regfree(&c->families.v[i].regex);
	c->families.n = 0;
	c->index = NULL;
	c->starts = NULL;
}

const struct backend *catalogue_backend(const struct catalogue *c, struct span id)
{
	for (size_t i = 0; i < c->backends.n; i++)
		if (span_eq(c->backends.v[i].id, id))
			return &c->backends.v[i];
	return NULL;
}

static bool is_hash(const uint8_t *p)
{
	for (int i = 0; i < 8; i++)
		if (!((p[i] >= '0' && p[i] <= '9') || (p[i] >= 'a' && p[i] <= 'f')))
			return false;
	return true;
}

bool library_name_hash(struct span name, size_t *at)
{
	size_t dot = span_find(name, '.');

	/* libcudart-1a2b3c4d.so.12 */
	if (dot < name.n && dot > 9 && name.p[dot - 9] == '-' && is_hash(name.p + dot - 8)) {
		*at = dot - 9;
		return true;
	}
	/* libcudart.3eda8113.so.13 */
	if (dot > 0 && name.n - dot > 9 && name.p[dot + 9] == '.' && is_hash(name.p + dot + 1)) {
		*at = dot;
		return true;
	}
	return false;
}

/* The name without its hash, put into buf; false when there is none, or the name is too long to be a library's. */
static bool without_hash(struct span name, uint8_t buf[NAME_MAX_BYTES], struct span *plain)
{
	size_t at;

	if (name.n > NAME_MAX_BYTES || !library_name_hash(name, &at))
		return false;
	memcpy(buf, name.p, at);
	memcpy(buf + at, name.p + at + 9, name.n - at - 9);
	*plain = (struct span){buf, name.n - 9};
	return true;
}

/* The place of the last dot when only digits follow it, else n: what is cut off to lose one number of a version. */
static size_t version_cut(struct span name)
{
	size_t i = name.n;

	while (i && name.p[i - 1] >= '0' && name.p[i - 1] <= '9')
		i--;
	return i && name.p[i - 1] == '.' ? i - 1 : name.n;
}

/* The pattern, or the pattern and more of a version: ".4.127". */
static bool file_pattern_matches(struct span pattern, struct span name)
{
	size_t cut;

	while (!pattern_matches(pattern, name)) {
		cut = version_cut(name);
		if (cut == name.n || cut < literal_prefix(pattern).n)
			return false;
		name = span_first(name, cut);
	}
	return true;
}

/* Patterns of rows of one list, at equal steps in memory. Place of the best row, or NO_KEY. */
static size_t best_row(const struct prefix_index *x, const struct span *patterns, size_t step, struct span name)
{
	size_t best = NO_KEY, most = 0;

	for (size_t i = prefixes_find(x, name); i != NO_KEY; i = x->v[i].up) {
		const uint8_t *at = (const uint8_t *)patterns + x->v[i].row * step;
		const struct span *pattern = (const struct span *)(const void *)at;

		if (!file_pattern_matches(*pattern, name))
			continue;
		if (best == NO_KEY || literal_bytes(*pattern) > most) {
			best = x->v[i].row;
			most = literal_bytes(*pattern);
		}
	}
	return best;
}

/* As it stands, then without a hash. */
static size_t best_row_any(const struct prefix_index *x, const struct span *patterns, size_t step, struct span name)
{
	uint8_t buf[NAME_MAX_BYTES];
	struct span plain;
	size_t row;

	if (name.n > NAME_MAX_BYTES)
		return NO_KEY;
	row = best_row(x, patterns, step, name);
	return row == NO_KEY && without_hash(name, buf, &plain) ? best_row(x, patterns, step, plain) : row;
}

const struct library_rule *catalogue_library(const struct catalogue *c, struct span soname)
{
	size_t row;

	if (c->libraries.n == 0 || soname.n < 2 || !catalogue_may_start(c, soname.p[0], soname.p[1]))
		return NULL;
	row = best_row_any(&c->index->libraries, &c->libraries.v[0].pattern, sizeof(c->libraries.v[0]), soname);
	return row == NO_KEY ? NULL : &c->libraries.v[row];
}

const struct driver_rule *catalogue_driver(const struct catalogue *c, struct span file_name)
{
	size_t row;

	if (c->drivers.n == 0)
		return NULL;
	row = best_row_any(&c->index->drivers, &c->drivers.v[0].pattern, sizeof(c->drivers.v[0]), file_name);
	return row == NO_KEY ? NULL : &c->drivers.v[row];
}

const struct family_rule *catalogue_family(const struct catalogue *c, struct span symbol)
{
	const struct catalogue_index *x = c->index;
	uint64_t inner = 0;
	bool looked = false;

	if (symbol.n < 2 || symbol.n > INT32_MAX || !catalogue_may_start(c, symbol.p[0], symbol.p[1]))
		return NULL;
	for (size_t i = prefixes_find(&x->families, symbol); i != NO_KEY; i = x->families.v[i].up) {
		size_t row = x->families.v[i].row;
		regmatch_t m = {0, (regoff_t)symbol.n};

		if (x->inner_set[row] != INNER_SETS) {
			inner = looked ? inner : inner_find(&x->inner, symbol);
			looked = true;
			if (!(inner >> x->inner_set[row] & 1))
				continue;
		}
		if (regexec(&c->families.v[row].regex, (const char *)symbol.p, 0, &m, REG_STARTEND) == 0)
			return &c->families.v[x->lead[row]];
	}
	return NULL;
}

const struct tool_rule *catalogue_tool(const struct catalogue *c, struct span file_name)
{
	size_t lo = 0, hi = c->tools.n;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;
		int d = span_cmp(c->index->tools[mid]->file_name, file_name);

		if (d == 0)
			return c->index->tools[mid];
		if (d < 0)
			lo = mid + 1;
		else
			hi = mid;
	}
	return NULL;
}

const struct kernel_rule *catalogue_kernel(const struct catalogue *c, struct span file_name)
{
	for (size_t i = 0; i < c->kernels.n; i++)
		if (pattern_matches(c->kernels.v[i].pattern, file_name))
			return &c->kernels.v[i];
	return NULL;
}

const struct claim_rule *catalogue_claim(const struct catalogue *c, struct span by, struct span text)
{
	const struct prefix_index *x = &c->index->claims;
	size_t first = NO_KEY;

	for (size_t i = prefixes_find(x, text); i != NO_KEY; i = x->v[i].up) {
		const struct claim_rule *r = &c->claims.v[x->v[i].row];

		if (x->v[i].row < first && span_eq(r->by, by) && pattern_matches(r->pattern, text))
			first = x->v[i].row;
	}
	return first == NO_KEY ? NULL : &c->claims.v[first];
}

static bool is_backend_of(const struct family_rule *family, struct span backend)
{
	if (span_eq(family->backend, backend))
		return true;
	for (size_t i = 0; i < family->others.n; i++)
		if (span_eq(family->others.v[i], backend))
			return true;
	return false;
}

/* Does this needed library define the family? */
static bool defines_family(const struct family_rule *family, struct span needed, const struct library_rule *rule)
{
	for (size_t i = 0; i < family->libraries.n; i++)
		if (file_pattern_matches(family->libraries.v[i], needed) ||
		    (rule && file_pattern_matches(family->libraries.v[i], rule->pattern)))
			return true;
	return false;
}

static bool needs_met(const struct family_rule *family, const struct spans *needed)
{
	uint8_t buf[NAME_MAX_BYTES];
	struct span plain;

	for (size_t i = 0; needed && i < needed->n; i++)
		if (pattern_matches(family->needs, needed->v[i]) ||
		    (without_hash(needed->v[i], buf, &plain) && pattern_matches(family->needs, plain)))
			return true;
	return false;
}

struct span catalogue_family_backend(const struct catalogue *c, const struct family_rule *family,
                                     struct span version_library, const struct spans *needed, bool *sure)
{
	const struct library_rule *rule = catalogue_library(c, version_library);
	struct span seen = SPAN_NONE;
	bool two = false;

	*sure = true;
	if (family->needs.n && !needs_met(family, needed))
		return SPAN_NONE;
	if (rule)
		return rule->backend;
	for (size_t i = 0; needed && i < needed->n; i++) {
		rule = catalogue_library(c, needed->v[i]);
		if (defines_family(family, needed->v[i], rule))
			return rule ? rule->backend : family->backend;
		if (!rule || !is_backend_of(family, rule->backend))
			continue;
		two = two || (seen.n && !span_eq(seen, rule->backend));
		seen = rule->backend;
	}
	/* Another library of one of the backends tells too, as long as there is no second opinion. */
	if (seen.n && !two)
		return seen;
	*sure = false;
	return family->backend;
}
