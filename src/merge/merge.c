/* SPDX-License-Identifier: Apache-2.0 */
#include "merge.h"

#include <stdlib.h>

#include "base/checked.h"
#include "layers.h"

/* Sorts, and keeps one of equal elements: how many are left. */
static size_t sort_unique(void *list, size_t n, size_t size, int (*cmp)(const void *, const void *))
{
	uint8_t *v = list;
	size_t kept = 0;

	if (n == 0)
		return 0;
	qsort(v, n, size, cmp);
	for (size_t i = 1; i < n; i++)
		if (cmp(v + kept * size, v + i * size) != 0 && ++kept != i)
			memcpy(v + kept * size, v + i * size, size);
	return kept + 1;
}

static int digest_cmp(const void *x, const void *y)
{
	return span_cmp(((const struct file_digest *)x)->path, ((const struct file_digest *)y)->path);
}

static void digests_join(struct merge *m, const struct facts *facts, size_t n)
{
	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; k < facts[i].digests.n; k++)
			*list_add(m->mem, &m->digests) = facts[i].digests.v[k];
	if (m->digests.n)
		qsort(m->digests.v, m->digests.n, sizeof(*m->digests.v), digest_cmp);
}

const struct file_digest *merge_digest(const struct merge *m, struct span path)
{
	struct file_digest key = {.path = path};

	return m->digests.n ? bsearch(&key, m->digests.v, m->digests.n, sizeof(*m->digests.v), digest_cmp) : NULL;
}

static int package_cmp(const void *x, const void *y)
{
	const struct package *a = x, *b = y;
	int c = span_cmp(a->path, b->path);

	c = c ? c : by_number(a->layer, b->layer);
	c = c ? c : span_cmp(a->name, b->name);
	return c ? c : span_cmp(a->version, b->version);
}

static void packages_join(struct merge *m, const struct facts *facts, size_t n)
{
	struct artifact *to = m->to;

	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; k < facts[i].packages.n; k++)
			*list_add(m->mem, &to->packages) = facts[i].packages.v[k];
	to->packages.n = sort_unique(to->packages.v, to->packages.n, sizeof(*to->packages.v), package_cmp);
}

static int problem_cmp(const void *x, const void *y)
{
	const struct problem *a = x, *b = y;
	int c = span_cmp(a->path, b->path);

	c = c ? c : by_number(a->layer, b->layer);
	c = c ? c : span_cmp(span_of(finding_name(a->id)), span_of(finding_name(b->id)));
	c = c ? c : span_cmp(a->reason, b->reason);
	return c ? c : (int)a->limit - (int)b->limit;
}

static void problems_join(struct merge *m, const struct facts *facts, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		for (size_t k = 0; k < facts[i].problems.n; k++) {
			const struct problem *p = &facts[i].problems.v[k];
			bool odd = p->grade == PROBLEM_ANOMALY;

			*list_add(m->mem, odd ? &m->to->anomalies : &m->to->incomplete) = *p;
		}
	}
}

static void files_count(struct merge *m)
{
	struct artifact *to = m->to;
	struct merge_walk w = {0};

	while (merge_next(m, &w)) {
		if (w.e.kind == ENTRY_FILE || w.e.kind == ENTRY_HARDLINK)
			to->files++;
		/* What lies in an archive is already in the archive's bytes. */
		if (w.e.kind == ENTRY_FILE && merge_archive_part(m, w.e.path) == 0)
			to->bytes = sum_capped(to->bytes, w.e.bytes);
	}
	for (size_t i = 0; i < to->objects.n; i++)
		to->elf_files += to->objects.v[i].type == OBJECT_ELF;
}

static void stored_drop(struct merge *m)
{
	size_t kept = 0;

	for (size_t i = 0; i < m->to->objects.n; i++)
		if (!m->stored[i])
			m->to->objects.v[kept++] = m->to->objects.v[i];
	m->to->objects.n = kept;
}

/* Everything of one view of an artifact. */
static void view_merge(struct merge *m, const struct facts *facts, size_t n)
{
	struct artifact *to = m->to;

	m->archive = span_eq(to->kind, SPAN("wheel")) || span_eq(to->kind, SPAN("zip"));
	merge_entries(m, facts, n);
	merge_objects(m, facts, n);
	packages_join(m, facts, n);
	digests_join(m, facts, n);
	problems_join(m, facts, n);
	m->owners = arena_alloc(m->mem, (to->objects.n + 1) * sizeof(*m->owners));
	m->stored = arena_alloc(m->mem, (to->objects.n + 1) * sizeof(*m->stored));
	merge_owners(m);
	for (size_t i = 0; i < to->objects.n; i++) {
		m->owners[i] = merge_owner(m, to->objects.v[i].path, NULL);
		if (m->owners[i] != NO_OWNER)
			to->objects.v[i].package = to->packages.v[m->owners[i]].id;
	}
	if (!m->hidden) {
		merge_records(m);
		files_count(m);
	}
	merge_stores(m);
	merge_summary(m);
	stored_drop(m);
	merge_entries_free(m);
}

/* The facts of all layers as one tree, and then what later layers hide of each. */
static void layers_merge(struct merge *m, const struct facts *facts, size_t n, bool plain)
{
	struct arena scratch = ARENA_INIT;
	struct layering l = {.m = m, .scratch = &scratch, .plain = plain};
	struct layer_view v;
	struct facts *all = arena_alloc(m->mem, (n + 1) * sizeof(*all));
	size_t all_n = 1;

	layers_sort(&l, facts, n);
	layers_apply(&l);
	layers_view(&l, &v);
	all[0] = v.shown;
	for (size_t i = 0; i < n && !plain; i++)
		if (facts[i].layer == 0)
			all[all_n++] = facts[i];
	m->entries.v = v.members.v;
	m->entries.n = v.members.n;
	m->entries.cap = v.members.cap;
	m->source = l.tree.full ? NULL : &tree_source;
	m->source_handle = &v;
	view_merge(m, all, all_n);
	for (size_t i = 0; i < v.n; i++) {
		struct artifact part = {.name = m->to->name, .kind = m->to->kind};
		struct merge h = {.to = &part, .mem = m->mem, .catalogue = m->catalogue, .limits = m->limits};

		struct set_view set = {&v, &l.sets[i]};

		h.hidden = true;
		h.source = &set_source;
		h.source_handle = &set;
		if (!v.hides[i])
			continue;
		view_merge(&h, &v.hidden[i], 1);
		merge_hidden(m->to, &part, m->mem);
	}
	names_free(&v);
	tree_free(&l.tree);
	arena_clear(&scratch);
	spans_sort_unique(&m->to->ambiguous);
	if (plain)
		layers_forget(m->to);
	merge_objects_sort(m);
}

void merge_artifact(struct artifact *to, const struct facts *facts, size_t n, const struct catalogue *catalogue,
                    const struct limits *limits, struct arena *mem)
{
	struct merge m = {.to = to, .mem = mem, .catalogue = catalogue, .limits = limits};
	bool layered = false, plain = span_eq(to->kind, SPAN("rootfs-tar"));

	for (size_t i = 0; i < n; i++)
		layered = layered || facts[i].layer;
	if (layered || plain)
		layers_merge(&m, facts, n, plain);
	else
		view_merge(&m, facts, n);
	if (to->packages.n)
		qsort(to->packages.v, to->packages.n, sizeof(*to->packages.v), package_cmp);
	to->incomplete.n = sort_unique(to->incomplete.v, to->incomplete.n, sizeof(*to->incomplete.v), problem_cmp);
	to->anomalies.n = sort_unique(to->anomalies.v, to->anomalies.n, sizeof(*to->anomalies.v), problem_cmp);
	to->complete = !to->refused && to->incomplete.n == 0;
}
