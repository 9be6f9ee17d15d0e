/* SPDX-License-Identifier: Apache-2.0 */
#include "extractors/stream/zip_names.h"

#include <stdlib.h>
#include <sys/stat.h>

#include "extractors/path.h"

#define NO_FIRST UINT32_MAX

bool zip_member_folder(const struct zip_member *m)
{
	if (m->name.n && m->name.p[m->name.n - 1] == '/')
		return true;
	/* Installers go by the slash alone and write a file where there is none, so one with bytes is a file. */
	return (m->mode & S_IFMT) == S_IFDIR && m->size == 0 && m->stored == 0;
}

static int by_path(const void *a, const void *b)
{
	const struct zip_name *x = a, *y = b;
	int c = span_cmp(x->path, y->path);

	return c ? c : (x->index > y->index) - (x->index < y->index);
}

static int by_place(const void *a, const void *b)
{
	const struct zip_place *x = a, *y = b;

	if (x->at != y->at)
		return x->at > y->at ? 1 : -1;
	return (x->index > y->index) - (x->index < y->index);
}

static int by_index(const void *a, const void *b)
{
	const struct zip_double *x = a, *y = b;

	return (x->index > y->index) - (x->index < y->index);
}

static void *room_for(size_t n, size_t size)
{
	void *p = calloc(n ? n : 1, size);

	if (!p)
		out_of_memory();
	return p;
}

/* The same bytes, read in the same way. */
static bool same_member(const struct zip_directory *z, uint32_t i, uint32_t k)
{
	struct zip_member a, b;

	zip_member_at(z, i, &a);
	zip_member_at(z, k, &b);
	return a.stored == b.stored && a.size == b.size && a.crc == b.crc && a.flags == b.flags &&
	       a.method == b.method && a.mode == b.mode && !zip_member_folder(&a) && !zip_member_folder(&b);
}

/*
 * Members of one place: each is the one before it, when nothing but the name differs. Those without a path (NO_FIRST)
 * are never read, so they stand for nobody.
 */
static void firsts_find(struct zip_names *l, const struct zip_directory *z)
{
	const struct zip_place *before = NULL;

	for (size_t i = 0; i < l->n; i++) {
		struct zip_place *p = &l->places[i];
		bool has_path = p->first != NO_FIRST;

		p->first = p->index;
		if (has_path && before && before->at == p->at && same_member(z, before->index, p->index))
			p->first = before->first;
		if (has_path)
			before = p;
		l->firsts[p->index] = p->first;
	}
}

static void doubles_find(struct zip_names *l)
{
	size_t end;

	for (size_t i = 0; i < l->n; i = end) {
		end = i + 1;
		while (end < l->n && span_eq(l->names[end].path, l->names[i].path))
			end++;
		for (size_t k = i; end - i > 1 && k < end; k++) {
			struct zip_double *d = list_add(&l->mem, &l->doubles);

			d->index = l->names[k].index;
			d->later = (uint32_t)(end - 1 - k);
		}
	}
	if (l->doubles.n)
		qsort(l->doubles.v, l->doubles.n, sizeof(*l->doubles.v), by_index);
}

void zip_names_build(struct zip_names *l, const struct zip_directory *z)
{
	*l = (struct zip_names){.mem = ARENA_INIT, .n = z->n};
	l->names = room_for(z->n, sizeof(*l->names));
	l->places = room_for(z->n, sizeof(*l->places));
	l->firsts = room_for(z->n, sizeof(*l->firsts));
	for (size_t i = 0; i < z->n; i++) {
		struct zip_member m;
		unsigned odd;

		zip_member_at(z, i, &m);
		l->names[i] =
		        (struct zip_name){path_normalise(&l->mem, m.name, &odd), (uint32_t)i, zip_member_folder(&m)};
		l->places[i] = (struct zip_place){m.at, (uint32_t)i, l->names[i].path.n ? (uint32_t)i : NO_FIRST};
	}
	qsort(l->names, l->n, sizeof(*l->names), by_path);
	qsort(l->places, l->n, sizeof(*l->places), by_place);
	firsts_find(l, z);
	doubles_find(l);
}

void zip_names_free(struct zip_names *l)
{
	free(l->names);
	free(l->places);
	free(l->firsts);
	arena_clear(&l->mem);
	*l = (struct zip_names){0};
}

uint32_t zip_names_later(const struct zip_names *l, uint32_t i)
{
	struct zip_double key = {i, 0};
	const struct zip_double *d =
	        l->doubles.n ? bsearch(&key, l->doubles.v, l->doubles.n, sizeof(key), by_index) : NULL;

	return d ? d->later : 0;
}

/* How `path` stands to what begins with below and a slash. */
static int against_below(struct span path, struct span below)
{
	int c = span_cmp(span_first(path, below.n), below);

	if (c == 0 && path.n == below.n)
		return -1;
	if (c == 0 && path.p[below.n] != '/')
		return path.p[below.n] < '/' ? -1 : 1;
	return c;
}

bool zip_names_below(const struct zip_names *l, struct span path)
{
	size_t low = 0, high = l->n;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		int c = against_below(l->names[middle].path, path);

		if (c == 0)
			return true;
		if (c < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return false;
}
