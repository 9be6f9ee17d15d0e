/* SPDX-License-Identifier: Apache-2.0 */
/* The names of an artifact, and which of them lie in archives. */
#include <stdlib.h>

#include "parts.h"

static int entry_cmp(const void *x, const void *y)
{
	const struct entry *a = x, *b = y;
	int c = span_cmp(a->path, b->path);

	c = c ? c : (int)a->kind - (int)b->kind;
	c = c ? c : by_number(a->bytes, b->bytes);
	return c ? c : span_cmp(a->target, b->target);
}

/* Of each the longest file that its path begins with: whatever begins a path stands before it. */
static void files_link(struct merge *m)
{
	size_t last = 0;

	m->up = arena_alloc(m->mem, (m->entries.n + 1) * sizeof(*m->up));
	for (size_t i = 0; i < m->entries.n; i++) {
		while (last && !span_starts(m->entries.v[i].path, m->entries.v[last - 1].path))
			last = m->up[last - 1];
		m->up[i] = (uint32_t)last;
		if (m->entries.v[i].kind == ENTRY_FILE || m->entries.v[i].kind == ENTRY_HARDLINK)
			last = i + 1;
	}
}

void merge_entries(struct merge *m, const struct facts *facts, size_t n)
{
	size_t kept = 0;

	for (size_t i = 0; i < n; i++) {
		struct entry_cursor c = {0};

		while (entries_next(&facts[i].entries, &c)) {
			struct entry *e = list_add(m->mem, &m->entries);

			*e = entries_entry(&facts[i].entries, &c);
			e->path = arena_copy(m->mem, e->path);
		}
		entries_done(&c);
	}
	if (m->entries.n)
		qsort(m->entries.v, m->entries.n, sizeof(*m->entries.v), entry_cmp);
	for (size_t i = 0; i < m->entries.n; i++)
		if (kept == 0 || entry_cmp(&m->entries.v[kept - 1], &m->entries.v[i]) != 0)
			m->entries.v[kept++] = m->entries.v[i];
	m->entries.n = kept;
	files_link(m);
}

void merge_entries_free(struct merge *m)
{
	free(m->last_folder.p);
	m->last_folder = (struct path_room){0};
}

bool merge_next(struct merge *m, struct merge_walk *w)
{
	if (w->i < m->entries.n) {
		w->e = m->entries.v[w->i++];
		return true;
	}
	w->beside = true;
	if (m->source && m->source->next(m->source_handle, w))
		return true;
	if (m->source)
		m->source->done(w);
	return false;
}

size_t merge_entry_place(const struct merge *m, struct span path)
{
	size_t low = 0, high = m->entries.n;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (span_cmp(m->entries.v[mid].path, path) < 0)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

bool merge_entry(struct merge *m, struct span path, struct entry *e)
{
	size_t i = merge_entry_place(m, path);

	if (i < m->entries.n && span_eq(m->entries.v[i].path, path)) {
		*e = m->entries.v[i];
		return true;
	}
	return m->source && m->source->find(m->source_handle, path, e);
}

bool merge_content(struct merge *m, const struct entry *e, struct entry *content)
{
	if (e->kind == ENTRY_HARDLINK)
		return merge_entry(m, e->target, content);
	*content = *e;
	return true;
}

/* The files that the folder's path begins with are the entry before it, or begin that one's path. */
static void archives_add(const struct merge *m, struct span folder, struct archive_parts *p)
{
	size_t at = merge_entry_place(m, folder), same = at ? span_common(m->entries.v[at - 1].path, folder) : 0;

	while (at) {
		const struct entry *e = &m->entries.v[at - 1];
		bool file = e->kind == ENTRY_FILE || e->kind == ENTRY_HARDLINK;

		/* A folder may be called "x!": only what is a file can be an archive. */
		if (file && e->path.n <= same && span_starts(span_after(folder, e->path.n), SPAN("!/")))
			archive_parts_add(p, e->path.n + 2);
		at = m->up[at - 1];
	}
}

static void folder_remember(struct merge *m, struct span folder)
{
	struct path_room *room = &m->last_folder;

	if (folder.n > room->cap) {
		room->cap = 2 * folder.n;
		room->p = realloc(room->p, room->cap);
		if (!room->p)
			out_of_memory();
	}
	if (folder.n)
		memcpy(room->p, folder.p, folder.n);
	room->n = folder.n;
}

struct archive_parts merge_archive_parts(struct merge *m, struct span path)
{
	struct span folder = span_first(path, path.n - span_base_name(path).n);

	if (span_eq(folder, (struct span){m->last_folder.p, m->last_folder.n}))
		return m->last_parts;
	m->last_parts = (struct archive_parts){0, 0};
	if (memmem(folder.p, folder.n, "!/", 2)) {
		archives_add(m, folder, &m->last_parts);
		if (m->source)
			m->source->archives(m->source_handle, folder, &m->last_parts);
	}
	folder_remember(m, folder);
	return m->last_parts;
}
