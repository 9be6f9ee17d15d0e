/* SPDX-License-Identifier: Apache-2.0 */
/* What members brought as they passed, told as the directory says. */
#include "staging.h"
#include "extractors/path.h"

/* A member that is being told. */
struct settling {
	struct staging *st;
	struct passage *p;
	struct staged *r, *end; /* end: where the next one begins */
};

static struct span renamed(const struct settling *s, struct span path)
{
	if (span_eq(s->p->path, s->r->path) || !span_starts(path, s->r->path))
		return path;
	return path_join(s->p->a->ctx->mem, s->p->path, span_after(path, s->r->path.n));
}

static void entries_settle(const struct settling *s)
{
	const struct entries *from = &s->st->facts.entries;
	struct entry_cursor c = {.next = s->r->entries};

	while (c.next < s->end->entries && entries_next(from, &c) && c.at < s->end->entries) {
		struct entry e = entries_entry(from, &c);

		e.path = renamed(s, e.path);
		if (e.kind == ENTRY_HARDLINK)
			e.target = renamed(s, e.target);
		entries_add(&s->p->a->facts->entries, s->p->a->ctx->mem, &e);
	}
	entries_done(&c);
}

static void found_settle(const struct settling *s)
{
	struct arena *mem = s->p->a->ctx->mem;
	struct facts *to = s->p->a->facts;

	for (size_t i = s->r->objects; i < s->end->objects; i++) {
		struct object *o = list_add(mem, &to->objects);

		*o = s->st->facts.objects.v[i];
		o->path = renamed(s, o->path);
	}
	for (size_t i = s->r->packages; i < s->end->packages; i++) {
		struct package *k = list_add(mem, &to->packages);

		*k = s->st->facts.packages.v[i];
		k->path = renamed(s, k->path);
	}
}

/* A member that no installer writes has no digest; what lies in it does. */
static void digests_settle(const struct settling *s, bool own)
{
	struct facts *to = s->p->a->facts;

	for (size_t i = s->r->digests; i < s->end->digests; i++) {
		struct file_digest d = s->st->facts.digests.v[i];
		bool is_own = span_eq(d.path, s->r->path);

		if (is_own ? s->p->hidden : own)
			continue;
		d.path = renamed(s, d.path);
		*list_add(s->p->a->ctx->mem, &to->digests) = d;
	}
}

static void problems_settle(const struct settling *s, size_t from)
{
	struct arena *mem = s->p->a->ctx->mem;

	for (size_t i = from; i < s->end->problems; i++) {
		struct problem *k = list_add(mem, &s->p->a->facts->problems);

		*k = s->st->facts.problems.v[i];
		k->path = renamed(s, k->path);
	}
	for (size_t i = s->r->faults; i < s->end->faults; i++) {
		const struct staged_fault *f = &s->st->faults.v[i];
		struct err e = {.code = f->code, .limit = f->limit};

		if (f->text.n)
			memcpy(e.text, f->text.p, f->text.n < sizeof(e.text) ? f->text.n : sizeof(e.text) - 1);
		passage_unreadable(s->p, &e);
	}
}

static void settle(const struct settling *s)
{
	bool dropped = s->r->tar && !s->p->f->conda;

	s->r->used = true;
	if (s->r->fewer)
		s->p->m.size = s->r->size;
	if (!dropped) {
		entries_settle(s);
		found_settle(s);
	}
	digests_settle(s, dropped);
	problems_settle(s, dropped ? s->r->tar_problems : s->r->problems);
}

/* The entry that stands where the directory says, or NULL. */
static const struct zip_passed *passed(struct staging *st, const struct zip_member *m, struct staged **r)
{
	const struct zip_passed *z = zip_seen_entry(&st->seen, m->at);

	*r = z ? &st->list.v[z - st->seen.entries.v] : NULL;
	return z;
}

/* It was read just as the directory would have it read. */
static bool agrees(const struct zip_passed *z, const struct zip_member *m)
{
	return z->m.method == m->method && z->m.stored == m->stored && z->m.size == m->size && z->m.crc == m->crc &&
	       ((z->m.flags ^ m->flags) & ZIP_ENCRYPTED) == 0;
}

/* Another name changes only where the facts stand. */
static bool name_matters(const struct passage *p, const struct zip_passed *z, const struct staged *r)
{
	struct span folder;

	return !p->hidden && !span_eq(z->m.name, p->m.name) &&
	       (r->nested || r->text_kept || package_file_of(p->m.name, &folder) != PACKAGE_NONE);
}

bool staging_tell(struct passage *p, uint64_t data)
{
	struct staging *st = p->f->staged;
	struct err e = ERR_INIT;
	struct staged *r;
	const struct zip_passed *z = passed(st, &p->m, &r);

	if (!z && zip_seen_piece(&st->seen, data, p->m.stored).n == p->m.stored)
		return false;
	if (!z)
		err_set(&e, ERR_FORMAT, data, "no member stood there as the archive passed");
	else if (!agrees(z, &p->m))
		err_set(&e, ERR_FORMAT, data,
		        "its local header promised other bytes than the directory, and they had passed");
	else if (p->f->conda && z - st->seen.entries.v >= CONDA_MEMBERS)
		err_set(&e, ERR_FORMAT, data, "it passed when nothing said any more that this is a conda package");
	else if (name_matters(p, z, r))
		err_set(&e, ERR_FORMAT, data, "it passed under the name '%.*s'", SHOWN(z->m.name));
	else if (r->used && !p->hidden)
		err_set(&e, ERR_FORMAT, data, "its bytes had passed as those of another member");
	if (e.code)
		passage_unreadable(p, &e);
	else
		settle(&(struct settling){st, p, r, r + 1});
	return true;
}

enum staged_link staging_link(struct passage *p, struct span *target)
{
	struct staging *st = p->f->staged;
	struct err e = ERR_INIT;
	struct staged *r;
	const struct zip_passed *z = passed(st, &p->m, &r);

	if (!z)
		return STAGED_READ_ON;
	if (!agrees(z, &p->m) || r->faults < (r + 1)->faults)
		return STAGED_NONE;
	if (r->link_over) {
		err_set(&e, ERR_FORMAT, z->data, "it is a symbolic link whose target was not kept as it passed");
		passage_unreadable(p, &e);
	}
	*target = r->link;
	return r->link_kept ? STAGED_LINK : STAGED_NONE;
}

bool staging_text(struct archive *a, struct frame *f, const struct zip_member *m, struct span path, struct span *text)
{
	struct staged *r;
	const struct zip_passed *z = passed(f->staged, m, &r);

	*text = SPAN_NONE;
	if (!z)
		return false;
	if (!agrees(z, m) || !span_eq(z->m.name, m->name))
		return true; /* told where the member is */
	if (r->text_over)
		problem_limit(&a->facts->problems, a->ctx->mem, a->ctx->limits, LIMIT_OBJECT_RANGES, path,
		              "a metadata file among many");
	if (r->text_kept)
		*text = r->text;
	return true;
}

void staging_end(struct archive *a, struct frame *f)
{
	struct staging *st = f->staged;
	struct err e = ERR_INIT;

	if (!st->seen.missed)
		return;
	err_set(&e, ERR_FORMAT, 0, "the directory leads into bytes of members, which had passed");
	archive_fault(a, f, FINDING_ARCHIVE_MALFORMED, f->path, &e);
}
