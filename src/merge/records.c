/* SPDX-License-Identifier: Apache-2.0 */
/*
 * RECORD against the files that are there. In a wheel every member must be listed; in a folder others may have put
 * files beside a package's, so only what is listed is compared.
 */
#include <stdlib.h>

#include "base/digest.h"
#include "parts.h"

/* A line of RECORD with the path that it means in the artifact. */
struct line {
	struct span path;
	bool inside; /* the path stays in the artifact */
	const struct record_line *as;
};

#define ROOT_BYTES_MAX ((uint64_t)256 << 20)

struct lines {
	struct line *v;
	size_t n, cap;
};

/* Lines that are odd in one way: how many, and the first. */
struct oddity {
	size_t n;
	struct span first;
};

struct oddities {
	struct oddity weak, none;
	struct oddity unread, other; /* a hash that could not be compared: no bytes, or not of ours */
};

bool record_path_resolve(struct arena *mem, struct span root, struct span written, struct span *out)
{
	size_t cap = root.n + written.n + 1, n = root.n, i = 0;
	uint8_t *p;

	if (written.n == 0 || written.p[0] == '/')
		return false;
	p = arena_alloc(mem, cap);
	if (root.n)
		memcpy(p, root.p, root.n);
	while (i < written.n) {
		struct span part = span_first(span_after(written, i), span_find(span_after(written, i), '/'));

		i += part.n + 1;
		if (part.n == 0 || span_eq(part, SPAN(".")))
			continue;
		if (span_eq(part, SPAN(".."))) {
			if (n == 0 || (n >= 2 && p[n - 2] == '!'))
				return false;
			for (n--; n && p[n - 1] != '/'; n--)
				;
			continue;
		}
		memcpy(p + n, part.p, part.n);
		n += part.n;
		p[n++] = '/';
	}
	if (n == 0)
		return false;
	*out = (struct span){p, n - 1};
	return true;
}

bool merge_record_path(struct merge *m, struct span root, struct span written, struct span *out)
{
	/* Every line brings its folder along: a small RECORD far down would fill the memory. */
	m->root_bytes += root.n;
	if (m->root_bytes <= ROOT_BYTES_MAX)
		return record_path_resolve(m->mem, root, written, out);
	if (!m->roots_told)
		problem_limit(&m->to->incomplete, m->mem, m->limits, LIMIT_METADATA_BYTES, root,
		              "the length of all paths in RECORD files");
	m->roots_told = true;
	return false;
}

/* RECORD and its signatures need no line, and their own lines no hash. */
static bool is_record_file(const struct package *p, struct span path)
{
	struct span rest;

	if (!span_starts(path, p->path) || path.n <= p->path.n || path.p[p->path.n] != '/')
		return false;
	rest = span_after(path, p->path.n + 1);
	return span_eq(rest, SPAN("RECORD")) || span_eq(rest, SPAN("RECORD.jws")) || span_eq(rest, SPAN("RECORD.p7s"));
}

static int line_cmp(const void *x, const void *y)
{
	return span_cmp(((const struct line *)x)->path, ((const struct line *)y)->path);
}

static bool lines_have(const struct lines *l, struct span path)
{
	struct line key = {.path = path};

	return l->n && bsearch(&key, l->v, l->n, sizeof(*l->v), line_cmp);
}

/* Installers compile Python files, list the results without hash, and images drop them again. */
static bool is_compiled(struct span path)
{
	return span_ends(path, SPAN(".pyc"));
}

static bool hash_is_weak(struct span hash)
{
	static const struct span good[] = {
	        SPAN_INIT("sha256="),   SPAN_INIT("sha384="),   SPAN_INIT("sha512="),  SPAN_INIT("sha3_256="),
	        SPAN_INIT("sha3_384="), SPAN_INIT("sha3_512="), SPAN_INIT("blake2b="), SPAN_INIT("blake2s="),
	};

	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++)
		if (span_starts(hash, good[i]))
			return false;
	return true;
}

static void oddity_count(struct oddity *o, struct span path)
{
	if (o->n++ == 0)
		o->first = path;
}

static struct lines lines_of(struct merge *m, const struct package *p)
{
	struct lines l = {NULL, 0, 0};

	for (size_t i = 0; i < p->record.n; i++) {
		struct line line = {.path = p->record.v[i].path, .as = &p->record.v[i]};

		if (line.path.n == 0 || line.path.p[line.path.n - 1] == '/')
			continue;
		line.inside = merge_record_path(m, p->root, line.path, &line.path);
		*list_add(m->mem, &l) = line;
	}
	return l;
}

static bool size_fits(struct merge *m, const struct entry *e, const struct record_line *as)
{
	struct entry content;

	return !merge_content(m, e, &content) || content.kind != ENTRY_FILE || content.bytes == as->size;
}

/* Every entry of that path may be meant: an archive can hold a name twice. */
static bool size_agrees(struct merge *m, const struct entry *e, const struct record_line *as)
{
	size_t i = merge_entry_place(m, e->path);

	for (; i < m->entries.n && span_eq(m->entries.v[i].path, e->path); i++)
		if (size_fits(m, &m->entries.v[i], as))
			return true;
	return size_fits(m, e, as);
}

/* With --verify only. What links and devices hold is nobody's promise. */
static void hash_compare(struct merge *m, struct package *p, const struct line *line, const struct entry *e,
                         struct oddities *odd)
{
	struct entry content;
	bool there = merge_content(m, e, &content);
	const struct file_digest *digest = there ? merge_digest(m, content.path) : NULL;
	struct span hash = line->as->hash;
	char text[DIGEST_BASE64];

	if (!span_starts(hash, SPAN("sha256="))) {
		if (!hash_is_weak(hash))
			oddity_count(&odd->other, line->path);
		return;
	}
	if (!digest || digest->sha256.n != DIGEST_BYTES) {
		if (there && content.kind == ENTRY_FILE)
			oddity_count(&odd->unread, line->path);
		return;
	}
	hash = span_after(hash, sizeof("sha256=") - 1);
	while (hash.n && hash.p[hash.n - 1] == '=')
		hash.n--;
	digest_base64(text, digest->sha256.p);
	if (!span_eq(hash, (struct span){(const uint8_t *)text, sizeof(text)}))
		spans_add(m->mem, &p->record_hash_differs, line->path);
}

static void line_compare(struct merge *m, struct package *p, const struct line *line, bool whole, struct oddities *odd)
{
	struct entry e;

	if (!line->inside || !merge_entry(m, line->path, &e) || e.kind == ENTRY_FOLDER) {
		/* What an installer put outside of the folder that we were given is not missing. */
		if (whole || (line->inside && !is_compiled(line->path)))
			spans_add(m->mem, &p->record_missing, line->path);
		return;
	}
	if (is_record_file(p, line->path))
		return;
	if (line->as->has_size && !size_agrees(m, &e, line->as))
		spans_add(m->mem, &p->record_size_differs, line->path);
	if (m->to->verified && line->as->hash.n)
		hash_compare(m, p, line, &e, odd);
}

static void unlisted_find(struct merge *m, struct package *p, const struct lines *l)
{
	for (size_t i = merge_entry_place(m, p->root); i < m->entries.n; i++) {
		const struct entry *e = &m->entries.v[i];

		if (!span_starts(e->path, p->root))
			break;
		if ((e->kind != ENTRY_FILE && e->kind != ENTRY_HARDLINK && e->kind != ENTRY_SYMLINK) ||
		    is_record_file(p, e->path) || lines_have(l, e->path))
			continue;
		if (merge_archive_part(m, e->path) == p->root.n)
			spans_add(m->mem, &p->record_unlisted, e->path);
	}
}

static struct span counted(struct merge *m, size_t n, const char *one, const char *many)
{
	return n == 1 ? arena_printf(m->mem, "1 file %s", one) : arena_printf(m->mem, "%zu files %s", n, many);
}

static void mismatch_tell(struct merge *m, const struct package *p)
{
	struct span record = arena_printf(m->mem, "%.*s/RECORD", (int)p->path.n, (const char *)p->path.p);
	struct span parts[4];
	size_t n = 0;

	if (p->record_missing.n)
		parts[n++] = counted(m, p->record_missing.n, "is listed and not there", "are listed and not there");
	if (p->record_unlisted.n)
		parts[n++] = counted(m, p->record_unlisted.n, "is there and not listed", "are there and not listed");
	if (p->record_size_differs.n)
		parts[n++] = counted(m, p->record_size_differs.n, "has another size", "have another size");
	if (p->record_hash_differs.n)
		parts[n++] = counted(m, p->record_hash_differs.n, "has another hash", "have another hash");
	for (size_t i = 1; i < n; i++)
		parts[0] = arena_printf(m->mem, "%.*s, %.*s", (int)parts[0].n, (const char *)parts[0].p,
		                        (int)parts[i].n, (const char *)parts[i].p);
	if (n)
		problem_add(&m->to->anomalies, m->mem, PROBLEM_ANOMALY, FINDING_RECORD_MISMATCH, record, "%.*s",
		            (int)parts[0].n, (const char *)parts[0].p);
}

static void oddity_tell(struct merge *m, const struct package *p, const struct oddity *o, const char *what)
{
	struct span record = arena_printf(m->mem, "%.*s/RECORD", (int)p->path.n, (const char *)p->path.p);

	if (o->n)
		problem_add(&m->to->anomalies, m->mem, PROBLEM_ANOMALY, FINDING_RECORD_MISMATCH, record,
		            "%zu line%s %s: '%.*s'%s", o->n, o->n == 1 ? "" : "s", what,
		            (int)(o->first.n < 256 ? o->first.n : 256), (const char *)o->first.p,
		            o->n == 1 ? "" : " first");
}

static void record_compare(struct merge *m, size_t package)
{
	struct package *p = &m->to->packages.v[package];
	bool whole = merge_owns_archive(m, package);
	struct lines l = lines_of(m, p);
	struct oddities odd = {0};

	for (size_t i = 0; i < l.n; i++) {
		line_compare(m, p, &l.v[i], whole, &odd);
		if (is_record_file(p, l.v[i].path) || (!whole && is_compiled(l.v[i].path)))
			continue;
		if (l.v[i].as->hash.n == 0)
			oddity_count(&odd.none, l.v[i].path);
		else if (hash_is_weak(l.v[i].as->hash))
			oddity_count(&odd.weak, l.v[i].path);
	}
	if (l.n)
		qsort(l.v, l.n, sizeof(*l.v), line_cmp);
	if (whole)
		unlisted_find(m, p, &l);
	spans_sort_unique(&p->record_missing);
	spans_sort_unique(&p->record_unlisted);
	spans_sort_unique(&p->record_size_differs);
	spans_sort_unique(&p->record_hash_differs);
	mismatch_tell(m, p);
	oddity_tell(m, p, &odd.weak, "with a hash weaker than sha256");
	oddity_tell(m, p, &odd.none, "without a hash");
	oddity_tell(m, p, &odd.other, "with a hash that is not sha256, and was not compared");
	oddity_tell(m, p, &odd.unread, "whose file was not hashed");
}

void merge_records(struct merge *m)
{
	for (size_t i = 0; i < m->to->packages.n; i++)
		if (m->to->packages.v[i].has_record)
			record_compare(m, i);
}
