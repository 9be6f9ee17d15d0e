/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Who owns a file: in a wheel the wheel's package owns every member; in a folder the package whose RECORD lists it;
 * what lies in an archive without a package of its own belongs to whoever owns the archive.
 */
#include <stdlib.h>

#include "base/checked.h"
#include "parts.h"

static char name_letter(uint8_t c)
{
	if (c >= 'A' && c <= 'Z')
		return (char)(c - 'A' + 'a');
	return c == '_' || c == '.' ? '-' : (char)c;
}

/* Does the file name begin with the dist-info folder's NAME-VERSION? Letters' case and the kind of dash do not count.
 */
static bool named_after(struct span file_name, struct span dist_info)
{
	struct span stem = span_base_name(dist_info);

	if (!span_ends(stem, SPAN(".dist-info")))
		return false;
	stem.n -= sizeof(".dist-info") - 1;
	if (stem.n == 0 || file_name.n <= stem.n || file_name.p[stem.n] != '-')
		return false;
	for (size_t i = 0; i < stem.n; i++)
		if (name_letter(stem.p[i]) != name_letter(file_name.p[i]))
			return false;
	return true;
}

static struct span archive_name(const struct merge *m, struct span root)
{
	if (root.n == 0)
		return span_base_name(m->to->name);
	return span_base_name(span_first(root, root.n - 2));
}

static bool is_archive_top(struct merge *m, struct span root)
{
	return root.n == 0 ? m->archive : merge_archive_part(m, root) == root.n;
}

static struct span top_root(const struct merge *m, size_t i)
{
	return m->to->packages.v[m->archive_tops.v[i]].root;
}

static size_t top_find(const struct merge *m, struct span root)
{
	size_t low = 0, high = m->archive_tops.n;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (span_cmp(top_root(m, mid), root) < 0)
			low = mid + 1;
		else
			high = mid;
	}
	if (low == m->archive_tops.n || !span_eq(top_root(m, low), root))
		return NO_OWNER;
	return m->archive_tops.v[low];
}

bool merge_owns_archive(const struct merge *m, size_t package)
{
	return top_find(m, m->to->packages.v[package].root) == package;
}

/* Packages are sorted by root, so the tops of archives come in order of root too. */
static void top_add(struct merge *m, size_t package)
{
	const struct package *p = &m->to->packages.v[package];
	size_t old = top_find(m, p->root);

	if (old == NO_OWNER) {
		*list_add(m->mem, &m->archive_tops) = package;
		return;
	}
	/* Two dist-infos in one wheel: the file's name chooses. */
	if (named_after(archive_name(m, p->root), m->to->packages.v[old].path) ||
	    !named_after(archive_name(m, p->root), p->path))
		return;
	for (size_t i = m->archive_tops.n; i-- > 0;)
		if (m->archive_tops.v[i] == old) {
			m->archive_tops.v[i] = package;
			return;
		}
}

static void claims_add(struct merge *m, size_t package)
{
	const struct package *p = &m->to->packages.v[package];
	struct claim c = {.package = package};

	for (size_t i = 0; i < p->record.n; i++)
		if (merge_record_path(m, p->root, p->record.v[i].path, &c.path))
			*list_add(m->mem, &m->claims) = c;
}

/* Packages are sorted by root: of one path the claim of the outermost package comes first, since its root is a
 * beginning. */
static int claim_cmp(const void *x, const void *y)
{
	const struct claim *a = x, *b = y;
	int c = span_cmp(a->path, b->path);

	return c ? c : (a->package > b->package) - (a->package < b->package);
}

/* The longest root of an archive that the path begins with belongs to it. */
static size_t top_of(const struct merge *m, struct span path)
{
	size_t low = 0, high = m->archive_tops.n, same;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (span_cmp(top_root(m, mid), path) <= 0)
			low = mid + 1;
		else
			high = mid;
	}
	/* It is the last one before the path, or one that this begins with. */
	same = low ? span_common(top_root(m, low - 1), path) : 0;
	while (low && (top_root(m, low - 1).n > same || top_root(m, low - 1).n == 0))
		low = m->top_up[low - 1];
	return low ? m->archive_tops.v[low - 1] : NO_OWNER;
}

static void tops_link(struct merge *m)
{
	size_t last = 0;

	m->top_up = arena_alloc(m->mem, (m->archive_tops.n + 1) * sizeof(*m->top_up));
	for (size_t i = 0; i < m->archive_tops.n; i++) {
		while (last && !span_starts(top_root(m, i), top_root(m, last - 1)))
			last = m->top_up[last - 1];
		m->top_up[i] = last;
		last = i + 1;
	}
}

size_t merge_owner(struct merge *m, struct span path, bool *inside)
{
	struct archive_parts parts = merge_archive_parts(m, path);
	size_t owner = parts.inner ? top_of(m, path) : NO_OWNER, low = 0, high = m->claims.n;

	if (inside)
		*inside = !parts.inner || (owner != NO_OWNER && m->to->packages.v[owner].root.n == parts.inner);
	if (owner != NO_OWNER)
		return owner;
	if (m->archive)
		return top_find(m, SPAN_NONE);
	if (parts.outer)
		path = span_first(path, parts.outer - 2);
	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (span_cmp(m->claims.v[mid].path, path) < 0)
			low = mid + 1;
		else
			high = mid;
	}
	return low < m->claims.n && span_eq(m->claims.v[low].path, path) ? m->claims.v[low].package : NO_OWNER;
}

static void packages_weigh(struct merge *m)
{
	struct merge_walk w = {0};

	while (m->to->packages.n && merge_next(m, &w)) {
		bool inside;
		size_t owner;

		if (w.e.kind != ENTRY_FILE)
			continue;
		owner = merge_owner(m, w.e.path, &inside);
		if (owner != NO_OWNER && inside)
			m->to->packages.v[owner].bytes = sum_capped(m->to->packages.v[owner].bytes, w.e.bytes);
	}
}

/* Shorter roots first, so that the claims of an outer package come before those of one that it carries inside. */
static int by_root(const void *x, const void *y)
{
	const struct package *a = x, *b = y;
	int c = span_cmp(a->root, b->root);

	return c ? c : span_cmp(a->path, b->path);
}

void merge_owners(struct merge *m)
{
	struct artifact *to = m->to;

	for (size_t i = 0; i < to->packages.n; i++) {
		struct package *p = &to->packages.v[i];

		p->root = span_first(p->path, p->path.n - span_base_name(p->path).n);
		p->id = arena_printf(m->mem, "pypi:%.*s@%.*s", (int)p->name.n, (const char *)p->name.p,
		                     (int)p->version.n, (const char *)p->version.p);
		p->bytes = 0;
	}
	if (to->packages.n)
		qsort(to->packages.v, to->packages.n, sizeof(*to->packages.v), by_root);
	for (size_t i = 0; i < to->packages.n; i++) {
		if (is_archive_top(m, to->packages.v[i].root))
			top_add(m, i);
		else
			claims_add(m, i);
	}
	if (m->claims.n)
		qsort(m->claims.v, m->claims.n, sizeof(*m->claims.v), claim_cmp);
	tops_link(m);
	packages_weigh(m);
}
