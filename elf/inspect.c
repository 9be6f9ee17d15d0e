/* SPDX-License-Identifier: Apache-2.0 */
#include "elf/inspect.h"

#include <elf.h>

#include "base/checked.h"
#include "elf/ar.h"
#include "elf/dynamic.h"
#include "elf/lfs.h"
#include "elf/rows.h"
#include "elf/sections.h"
#include "elf/symbols.h"
#include "elf/texts.h"
#include "model/names.h"

#define WINDOW ((size_t)4 << 20) /* of a mapped file, handed to the search at once */

enum file_kind { KIND_NONE, KIND_ELF, KIND_AR, KIND_LOOSE, KIND_LFS };

struct inspection {
	struct job_context ctx;
	struct job_context inner; /* the same, with the file's own arena: for what dies with it */
	struct arena scratch;
	struct span path;
	uint64_t size; /* as claimed */
	const uint8_t *map;
	uint64_t at;    /* bytes that have passed */
	uint8_t *front; /* of a stream, until its kind is known */
	size_t front_n, front_want;
	bool started, overrun;
	enum file_kind kind;
	enum object_type type; /* of a loose file */
	uint64_t content_bytes; /* of a Git LFS pointer */
	struct search *search;
	struct sieve *sieve;
	uint64_t learn_at; /* where the program headers end; UINT64_MAX when they are of no use to the sieve */
	struct texts *texts;
	struct ar *ar;
};

static bool is_elf(struct span front)
{
	return span_starts(front, (struct span){(const uint8_t *)ELFMAG, SELFMAG});
}

static bool wants(struct span front)
{
	enum object_type type;

	return is_elf(front) || ar_starts(front) || search_is_device_file(front, &type) || lfs_starts(front);
}

/* The ELF file that has passed so far. */
static struct host_elf host_over(struct inspection *i, struct object *o, struct problems *problems)
{
	struct host_elf m = {
	        .ctx = &i->ctx, .scratch = &i->scratch, .sieve = i->sieve, .object = o, .problems = problems};

	return m;
}

/* The program headers have passed: what they name is kept, too. */
static void learn(struct inspection *i)
{
	struct object nobody = {.path = i->path};
	struct problems nothing = {NULL, 0, 0};
	struct host_elf m = host_over(i, &nobody, &nothing);

	m.ctx = &i->inner;
	i->learn_at = UINT64_MAX;
	if (!host_open(&m))
		return;
	for (size_t k = 0; k < m.segments_n; k++) {
		const struct elf_segment *p = &m.segments[k];

		if (p->type == PT_DYNAMIC || p->type == PT_NOTE || p->type == PT_INTERP)
			sieve_keep(i->sieve, p->offset, p->filesz);
		if (p->type == PT_DYNAMIC)
			sieve_keep(i->sieve, host_view(&m, p->vaddr).offset, p->filesz);
	}
}

static void start_elf(struct inspection *i, struct span front)
{
	struct elf_layout l = {.wide = true, .big = false};
	struct elf_header h;
	uint64_t end;
	bool linked;

	if (front.n > EI_DATA) {
		l.wide = front.p[EI_CLASS] != ELFCLASS32;
		l.big = front.p[EI_DATA] == ELFDATA2MSB;
	}
	linked = header_read(l, front, &h) && (h.type == ET_DYN || h.type == ET_EXEC);
	i->kind = KIND_ELF;
	i->sieve = sieve_begin(&i->scratch, i->ctx.limits, i->size, i->map, i->ctx.room);
	i->texts = texts_new(&i->scratch, &i->ctx);
	i->search = search_begin(&i->inner, linked ? SEARCH_LINKED : SEARCH_LOOSE, i->size, texts_take, i->texts);
	i->learn_at = UINT64_MAX;
	if (linked && sum_u64(h.phoff, (uint64_t)h.phnum * h.phentsize, &end) && end >= header_bytes(l) &&
	    end <= sieve_head(i->sieve))
		i->learn_at = end;
}

/* The first bytes are known: what is it? */
static void start(struct inspection *i, struct span front)
{
	i->started = true;
	if (search_is_device_file(front, &i->type)) {
		i->kind = KIND_LOOSE;
		i->search = search_begin(&i->inner, SEARCH_FILE, i->size, NULL, NULL);
	} else if (ar_starts(front)) {
		i->kind = KIND_AR;
		i->ar = ar_begin(&i->scratch, i->ctx.limits, i->size);
		i->texts = texts_new(&i->scratch, &i->ctx);
		i->search = search_begin(&i->inner, SEARCH_LOOSE, i->size, texts_take, i->texts);
	} else if (is_elf(front)) {
		start_elf(i, front);
	} else if (lfs_starts(front)) {
		i->kind = KIND_LFS;
		i->content_bytes = lfs_content_bytes(front);
	}
}

/* The next n bytes of the file. */
struct piece {
	const uint8_t *p; /* NULL: they are zeros */
	uint64_t n;
};

static void pass_bytes(struct inspection *i, struct span bytes)
{
	if (i->sieve)
		sieve_put(i->sieve, bytes);
	if (i->ar)
		ar_feed(i->ar, i->at, bytes);
	if (i->search)
		search_feed(i->search, i->at, bytes);
}

static void pass_hole(struct inspection *i, uint64_t n)
{
	if (i->sieve)
		sieve_skip(i->sieve, n);
	if (i->ar)
		ar_skip(i->ar, i->at, n);
	if (i->search)
		search_skip(i->search, i->at, n);
}

static void pass_piece(struct inspection *i, struct piece x)
{
	if (x.p)
		pass_bytes(i, (struct span){x.p, (size_t)x.n});
	else
		pass_hole(i, x.n);
	i->at += x.n;
}

/* Cut where the program headers end: what they name may follow at once. */
static void pass(struct inspection *i, struct piece x)
{
	while (i->kind == KIND_ELF && i->learn_at <= i->at + x.n) {
		uint64_t n = i->learn_at > i->at ? i->learn_at - i->at : 0;

		if (n)
			pass_piece(i, (struct piece){x.p, n});
		x.p = x.p ? x.p + n : NULL;
		x.n -= n;
		learn(i);
	}
	if (x.n)
		pass_piece(i, x);
}

static void *begin(const struct job_context *ctx, struct span path, uint64_t size, const uint8_t *map)
{
	struct inspection *i = arena_alloc(ctx->mem, sizeof(*i));

	i->ctx = *ctx;
	i->inner = *ctx;
	i->inner.mem = &i->scratch;
	i->path = path;
	i->size = size;
	i->map = map;
	i->front_want = size < READER_FRONT ? (size_t)size : READER_FRONT;
	if (map)
		start(i, (struct span){map, i->front_want});
	else
		i->front = arena_alloc(&i->scratch, READER_FRONT);
	return i;
}

static bool take(struct inspection *i, struct piece x)
{
	uint64_t left = i->size - i->at - (i->started ? 0 : i->front_n), n;

	if (x.n > left) {
		i->overrun = true;
		x.n = left;
	}
	if (!i->started) {
		n = i->front_want - i->front_n;
		n = x.n < n ? x.n : n;
		if (x.p && n)
			memcpy(i->front + i->front_n, x.p, (size_t)n); /* else zeros, as it came */
		i->front_n += (size_t)n;
		if (i->front_n < i->front_want)
			return true;
		x.p = x.p ? x.p + n : NULL;
		x.n -= n;
		start(i, (struct span){i->front, i->front_n});
		pass(i, (struct piece){i->front, i->front_n});
	}
	pass(i, x);
	return i->kind != KIND_NONE;
}

static bool feed(void *handle, struct span bytes)
{
	return take(handle, (struct piece){bytes.p, bytes.n});
}

static bool feed_zeros(void *handle, uint64_t n)
{
	return take(handle, (struct piece){NULL, n});
}

static void header_facts(struct host_elf *m)
{
	struct elf_facts *f = &m->object->elf;

	if (!m->header_known)
		return;
	f->present = true;
	f->class_bits = m->layout.wide ? 64 : 32;
	f->big_endian = m->layout.big;
	f->machine = machine_name(m->ctx->mem, m->header.machine);
	f->type = elf_type_name(m->ctx->mem, m->header.type);
}

static void end_elf(struct inspection *i, struct facts *facts, struct object *o, const struct found *found)
{
	struct host_elf m = host_over(i, o, &facts->problems);
	struct rows_target rows = {&i->ctx, &i->scratch, o, &facts->problems, &m, SPAN_NONE, false};
	bool open = host_open(&m), linked = m.header.type == ET_DYN || m.header.type == ET_EXEC;

	header_facts(&m);
	if (m.header_known && m.header.type != ET_CORE)
		sections_read_table(&m);
	if (open && linked && !m.unreadable) {
		dynamic_read(&m);
		sections_check_dynamic(&m);
		versions_read(&m);
		symbols_inspect(&m);
		notes_read(&m);
	}
	names_evidence(o, i->ctx.mem, i->ctx.catalogue, o->elf.soname);
	rows_add(&rows, found);
	texts_static_runtime(i->texts, o, i->ctx.mem, &m.needed_known, o->elf.soname);
	texts_evidence(i->texts, &m);
	host_close(&m);
}

static void end_ar(struct inspection *i, struct facts *facts, struct object *o, const struct found *found)
{
	struct rows_target rows = {&i->ctx, &i->scratch, o, &facts->problems, NULL, SPAN("(ar)"), false};
	bool deep;
	struct span fault = ar_end(i->ar, &deep);

	o->type = OBJECT_ARCHIVE;
	names_evidence(o, i->ctx.mem, i->ctx.catalogue, SPAN_NONE);
	rows_add(&rows, found);
	texts_static_runtime(i->texts, o, i->ctx.mem, NULL, SPAN_NONE);
	if (texts_full(i->texts))
		problem_limit(&facts->problems, i->ctx.mem, i->ctx.limits, LIMIT_ELF_STRINGS, i->path,
		              "its accelerator names kept as text");
	if (deep)
		problem_limit(&facts->problems, i->ctx.mem, i->ctx.limits, LIMIT_NESTED_CONTAINERS, i->path,
		              "archives inside one another");
	if (fault.n)
		problem_add(&facts->problems, i->ctx.mem, PROBLEM_ANOMALY, FINDING_ARCHIVE_MALFORMED, i->path, "%.*s",
		            (int)fault.n, (const char *)fault.p);
}

/* False when it is no device code after all: nothing to list. */
static bool end_loose(struct inspection *i, struct facts *facts, struct object *o, const struct found *found)
{
	struct rows_target rows = {&i->ctx, &i->scratch, o, &facts->problems, NULL, SPAN("@file"), true};

	o->type = i->type;
	rows_add(&rows, found);
	return found->units.n || found->faults.n || found->oddities.n;
}

/* False when nothing hangs on the file that is not there. */
static bool end_lfs(struct inspection *i, struct object *o)
{
	o->type = OBJECT_LFS_POINTER;
	o->content_bytes = i->content_bytes;
	return names_evidence(o, i->ctx.mem, i->ctx.catalogue, SPAN_NONE);
}

/* A stream's short front, or a whole mapping, has not passed yet. */
static void pass_rest(struct inspection *i)
{
	if (!i->map && !i->started) {
		start(i, (struct span){i->front, i->front_n});
		pass(i, (struct piece){i->front, i->front_n});
	}
	while (i->map && i->at < i->size) {
		uint64_t left = i->size - i->at;

		pass(i, (struct piece){i->map + i->at, left < WINDOW ? left : WINDOW});
	}
}

static void end(void *handle, struct facts *facts, bool whole)
{
	struct inspection *i = handle;
	struct object o = {.path = i->path};
	const struct found *found;
	bool list = true;

	pass_rest(i);
	o.bytes = i->at;
	found = i->search ? search_end(i->search, i->at) : NULL;
	if (i->sieve)
		sieve_close(i->sieve);
	if (i->kind == KIND_ELF)
		end_elf(i, facts, &o, found);
	else if (i->kind == KIND_AR)
		end_ar(i, facts, &o, found);
	else if (i->kind == KIND_LFS)
		list = end_lfs(i, &o);
	else
		list = i->kind == KIND_LOOSE && end_loose(i, facts, &o, found);
	if (i->overrun && whole)
		problem_add(&facts->problems, i->ctx.mem, PROBLEM_INCOMPLETE, FINDING_OBJECT_UNREADABLE, i->path,
		            "the file has more bytes than its size says");
	if (list) {
		object_sort(&o, i->ctx.mem);
		*list_add(i->ctx.mem, &facts->objects) = o;
	}
	if (i->sieve)
		sieve_free(i->sieve);
	search_free(i->search);
	arena_clear(&i->scratch);
}

const struct file_reader elf_reader = {wants, begin, feed, feed_zeros, end};
