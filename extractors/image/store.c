/* SPDX-License-Identifier: Apache-2.0 */
#include "store.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "extractors/path.h"

#define MEMBERS_MAX 262144 /* more than any image has files of its own */
#define LINKS_MAX   8
#define NEEDS_MAX   56 /* a plan job is given no more files than the pool takes */

static bool is_outside(unsigned odd)
{
	return (odd & (PATH_ABSOLUTE | PATH_CLIMBS | PATH_NUL)) != 0;
}

static bool climbs_out(struct span raw)
{
	size_t depth = 0;

	while (raw.n) {
		struct span part = span_first(raw, span_find(raw, '/'));

		if (span_eq(part, SPAN(".."))) {
			if (depth-- == 0)
				return true;
		} else if (part.n && !span_eq(part, SPAN("."))) {
			depth++;
		}
		raw = span_after(raw, part.n + 1);
	}
	return false;
}

struct span image_member_name(struct arena *mem, struct span raw)
{
	unsigned odd;
	struct span name = path_normalise(mem, raw, &odd);

	return odd & PATH_NUL || (!(odd & PATH_ABSOLUTE) && climbs_out(raw)) ? SPAN_NONE : name;
}

static int by_name(const void *a, const void *b)
{
	const struct image_member *x = a, *y = b;
	int c = span_cmp(x->name, y->name);

	return c ? c : (x->place > y->place) - (x->place < y->place);
}

bool image_store_decides(const struct image_member *m)
{
	return m->kind != MEMBER_OTHER || m->size;
}

bool image_tar_has(const struct job_context *ctx, const struct source *src, struct span head, const struct span *names,
                   size_t n)
{
	struct arena scratch = ARENA_INIT;
	struct tar_walk w = {src->fd, src->size, 0, ctx->limits, &scratch};
	struct err e = ERR_INIT;
	struct image_member m;
	uint64_t found = 0;

	if (!tar_begins(head))
		return false;
	while (found + 1 != (uint64_t)1 << n && tar_walk_next(&w, &m, &e) == 0) {
		struct span name = image_member_name(&scratch, m.name);

		for (size_t i = 0; i < n; i++)
			if (image_store_decides(&m) && span_eq(name, names[i]))
				found |= (uint64_t)1 << i;
		arena_clear(&scratch);
	}
	arena_clear(&scratch);
	return found + 1 == (uint64_t)1 << n;
}

bool image_store_add(struct image_store *s, struct span name, struct image_member m)
{
	struct arena *mem = s->ctx->mem;

	if (s->seen == MEMBERS_MAX)
		return false;
	m.place = (uint32_t)s->seen++;
	name = image_member_name(mem, name);
	if (name.n == 0)
		return true;
	s->root |= span_starts(name, SPAN("usr/")) || span_starts(name, SPAN("etc/"));
	if (m.passed)
		return true;
	m.name = arena_copy(mem, name);
	m.link = m.kind == MEMBER_SYMLINK || m.kind == MEMBER_HARDLINK ? arena_copy(mem, m.link) : SPAN_NONE;
	*list_add(mem, &s->members) = m;
	return true;
}

void image_store_sort(struct image_store *s)
{
	if (s->members.n)
		qsort(s->members.v, s->members.n, sizeof(*s->members.v), by_name);
}

int image_store_tar(struct image_store *s, const struct source *src)
{
	struct arena scratch = ARENA_INIT, *mem = s->ctx->mem;
	struct tar_walk w = {src->fd, src->size, 0, s->ctx->limits, &scratch};
	struct err e = ERR_INIT;
	struct image_member m;
	int rc;

	s->fd = src->fd;
	while ((rc = tar_walk_next(&w, &m, &e)) == 0 && image_store_add(s, m.name, m))
		arena_clear(&scratch);
	arena_clear(&scratch);
	if (rc < 0)
		problem_err(&s->plan->problems, mem, PROBLEM_INCOMPLETE, FINDING_SCAN_INCOMPLETE, SPAN_NONE, &e);
	image_store_sort(s);
	return rc == 0 ? -1 : 0;
}

/* The last of that name, as who unpacks the archive has it. Readers that take the first see another image. */
static const struct image_member *member_find(struct image_store *s, struct span name)
{
	size_t low = 0, high = s->members.n;
	const struct image_member *m;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (span_cmp(s->members.v[mid].name, name) <= 0)
			low = mid + 1;
		else
			high = mid;
	}
	m = low ? &s->members.v[low - 1] : NULL;
	if (!m || !span_eq(m->name, name))
		return NULL;
	/* What is named by its digest is checked by it. */
	if (low > 1 && span_eq(m[-1].name, name) && !span_starts(name, SPAN("blobs/")))
		problem_add(&s->plan->problems, s->ctx->mem, PROBLEM_INCOMPLETE, FINDING_ARCHIVE_MALFORMED, name,
		            "'%.*s' stands in the archive twice; readers differ in which one they take", SHOWN(name));
	return m;
}

bool image_store_odd(struct image_store *s, struct span name)
{
	const struct image_member *m = s->folder ? NULL : member_find(s, name);

	return m && m->kind == MEMBER_OTHER && image_store_decides(m);
}

static enum store_answer tar_find(struct image_store *s, struct span name, struct store_file *out)
{
	for (unsigned steps = 0; steps <= LINKS_MAX; steps++) {
		const struct image_member *m = member_find(s, name);
		struct span folder;
		unsigned odd;

		if (!m || m->kind == MEMBER_OTHER)
			return STORE_ABSENT;
		if (m->kind == MEMBER_FILE) {
			*out = (struct store_file){name, s->fd, m->offset, m->size, m->kept};
			return STORE_THERE;
		}
		folder = m->kind == MEMBER_SYMLINK && m->link.n && m->link.p[0] != '/' ? path_folder(name) : SPAN_NONE;
		if (folder.n)
			folder = path_join(s->ctx->mem, folder, SPAN("/"));
		name = path_normalise(s->ctx->mem, path_join(s->ctx->mem, folder, m->link), &odd);
	}
	return STORE_ABSENT;
}

static bool is_line_of(struct span lines, struct span name)
{
	while (lines.n) {
		struct span line = span_first(lines, span_find(lines, '\n'));

		if (span_eq(line, name))
			return true;
		lines = span_after(lines, line.n + 1);
	}
	return false;
}

static enum store_answer folder_find(struct image_store *s, struct span name, struct store_file *out)
{
	for (size_t i = 0; i < s->n; i++) {
		if (!span_eq(s->files[i].path, name))
			continue;
		*out = (struct store_file){name, s->files[i].fd, 0, s->files[i].size, SPAN_NONE};
		return STORE_THERE;
	}
	/* Of other files the parent opens those at the top, when it opens the folder. */
	if (!span_starts(name, SPAN("blobs/")) || is_line_of(s->absent, name))
		return STORE_ABSENT;
	for (size_t i = 0; i < s->plan->needs.n; i++)
		if (span_eq(s->plan->needs.v[i], name))
			return STORE_ASKED;
	if (s->plan->needs.n + s->n >= NEEDS_MAX) {
		problem_add(&s->plan->problems, s->ctx->mem, PROBLEM_INCOMPLETE, FINDING_SCAN_INCOMPLETE, name,
		            "more than %d files would be needed to tell which image is meant", NEEDS_MAX);
		return STORE_ABSENT;
	}
	spans_add(s->ctx->mem, &s->plan->needs, name);
	return STORE_ASKED;
}

enum store_answer image_store_find(struct image_store *s, struct span name, struct store_file *out)
{
	unsigned odd;

	/* Problems keep the name, and it may lie in a JSON document that does not live as long. */
	name = arena_copy(s->ctx->mem, path_normalise(s->ctx->mem, name, &odd));
	if (is_outside(odd) || name.n == 0)
		return STORE_ABSENT;
	return s->folder ? folder_find(s, name, out) : tar_find(s, name, out);
}

int image_store_text(struct image_store *s, const struct store_file *f, struct span *text, struct err *e)
{
	uint8_t *room;
	size_t n = 0;

	if (f->size > s->ctx->limits->v[LIMIT_JSON_BYTES])
		return err_limit(e, LIMIT_JSON_BYTES, s->ctx->limits, "a JSON document");
	*text = f->kept;
	if (f->kept.p)
		return 0;
	s->missed |= f->fd < 0;
	if (f->fd < 0)
		return err_set(e, ERR_UNSUPPORTED, 0, "it passed by, and did not look like a document of an image");
	room = arena_alloc(s->ctx->mem, (size_t)f->size + 1);
	while (n < f->size) {
		ssize_t got = pread(f->fd, room + n, (size_t)f->size - n, (off_t)(f->offset + n));

		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			return err_set(e, ERR_IO, 0, "it cannot be read: %s",
			               got < 0 ? strerror(errno) : "it became shorter");
		n += (size_t)got;
	}
	*text = (struct span){room, n};
	return 0;
}
