/* SPDX-License-Identifier: Apache-2.0 */
/* Members as a directory lists them. */
#include <sys/stat.h>

#include "frame.h"
#include "extractors/path.h"

static void passage_begin(struct passage *p, uint64_t data)
{
	struct err e = ERR_INIT;

	if (p->f->staged && staging_tell(p, data))
		return;
	if (zip_stream_begin(&p->stream, &p->f->zip.bytes, &p->m, data, p->a->rooms, p->a->ctx->limits, &e))
		passage_unreadable(p, &e);
	else
		passage_read(p);
	zip_stream_end(&p->stream);
}

void archive_hidden(struct archive *a, struct frame *f, const struct zip_hidden *h)
{
	struct passage p = {.a = a, .f = f, .m = h->m, .hidden = true};
	unsigned odd;
	struct span name = path_normalise(a->ctx->mem, h->m.name, &odd);

	name = span_first(name, (size_t)a->ctx->limits->v[LIMIT_PATH_BYTES]);
	p.path = path_join(a->ctx->mem, f->prefix, path_join(a->ctx->mem, SPAN("hidden-local!/"), name));
	passage_begin(&p, h->data);
}

static void entry_add(struct passage *p, enum entry_kind kind, struct span target)
{
	struct entry e = {.path = p->path,
	                  .kind = kind,
	                  .bytes = kind == ENTRY_FILE ? p->m.size : 0,
	                  .target = target};

	entries_add(&p->a->facts->entries, p->a->ctx->mem, &e);
}

/*
 * A symbolic link by its mode. Installers know none and write a file: what is no plausible target is read as one. True
 * when it was a link.
 */
static bool link_read(struct passage *p, uint64_t data)
{
	struct err e = ERR_INIT;
	struct span target = SPAN_NONE;
	bool done = false;

	if (p->m.size > p->a->ctx->limits->v[LIMIT_PATH_BYTES])
		return false;
	switch (p->f->staged ? staging_link(p, &target) : STAGED_READ_ON) {
	case STAGED_LINK:
		entry_add(p, ENTRY_SYMLINK, target);
		return true;
	case STAGED_NONE:
		return false;
	case STAGED_READ_ON:
		break;
	}
	if (zip_stream_begin(&p->stream, &p->f->zip.bytes, &p->m, data, p->a->rooms, p->a->ctx->limits, &e) == 0 &&
	    zip_stream_next(&p->stream, ZIP_PIECE, &target, &e) >= 0 && p->stream.ended &&
	    zip_stream_verdict(&p->stream, &e) != ZIP_WRONG && span_find(target, 0) == target.n &&
	    !(target.n && p->a->ctx->reader->wants(target))) {
		entry_add(p, ENTRY_SYMLINK, target);
		done = true;
	}
	zip_stream_end(&p->stream);
	return done;
}

/* The path in the artifact; false when there is nothing to read under it. */
static bool path_make(struct passage *p, size_t i)
{
	struct arena *mem = p->a->ctx->mem;
	struct span before = p->f->prefix;
	uint32_t later = zip_names_later(&p->f->names, (uint32_t)i);
	unsigned odd;
	struct span path = path_normalise(mem, p->m.name, &odd);
	enum limit_id limit = path_limit(p->a->ctx->limits, path);

	if (path.n == 0)
		return false; /* the root: installers cannot write it, archive_check tells it */
	if (later)
		before = path_join(mem, before, arena_printf(mem, "duplicate-%u!/", later));
	p->path = path_join(mem, before, limit ? span_first(path, 256) : path);
	if (limit)
		problem_limit(&p->a->facts->problems, mem, p->a->ctx->limits, limit, p->path,
		              "the name that begins so");
	return limit == LIMIT_NONE;
}

void archive_member(struct archive *a, struct frame *f, size_t i)
{
	struct passage p = {.a = a, .f = f};
	struct err e = ERR_INIT;
	struct zip_local local;

	zip_member_at(&f->zip, i, &p.m);
	if (!path_make(&p, i))
		return;
	if (zip_member_folder(&p.m)) {
		entry_add(&p, ENTRY_FOLDER, SPAN_NONE);
		return;
	}
	if (p.m.size == 0 && p.m.stored == 0 && p.m.crc == 0 && (p.m.mode & S_IFMT) != S_IFLNK) {
		entry_add(&p, ENTRY_FILE, SPAN_NONE);
		passage_empty(&p);
		return;
	}
	if (zip_local_find(&f->zip, &p.m, &local, &e)) {
		entry_add(&p, ENTRY_FILE, SPAN_NONE);
		passage_unreadable(&p, &e);
		return;
	}
	if ((p.m.mode & S_IFMT) == S_IFLNK && link_read(&p, local.data))
		return;
	if (f->names.firsts[i] == i)
		passage_begin(&p, local.data);
	entry_add(&p, ENTRY_FILE, SPAN_NONE); /* its size is known now */
}
