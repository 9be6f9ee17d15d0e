/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What was odd or not read, as the inventory lists it. Problems of one id in one package, or in one folder that no
 * package owns, are one finding.
 */
#include <stdlib.h>

#include "rules/checks/parts.h"

struct trouble {
	const struct problem *p;
	bool incomplete;
	struct span package, folder;
};

struct troubles {
	struct trouble *v;
	size_t n, cap;
};

static int object_path_cmp(const void *x, const void *y)
{
	return span_cmp(((const struct object *)x)->path, ((const struct object *)y)->path);
}

static int package_path_cmp(const void *x, const void *y)
{
	return span_cmp(((const struct package *)x)->path, ((const struct package *)y)->path);
}

/* A wheel's only package owns all of it; else the file itself or the folder of a package's metadata tells. */
static struct span package_of(const struct artifact *a, struct span path)
{
	struct object object = {.path = path}, *o = NULL;
	struct package package = {0}, *p;

	if (a->packages.n == 1 && span_eq(a->kind, SPAN("wheel")))
		return a->packages.v[0].id;
	if (a->objects.n && path.n)
		o = bsearch(&object, a->objects.v, a->objects.n, sizeof(object), object_path_cmp);
	if (o && o->package.n)
		return o->package;
	for (size_t n = path.n; n && a->packages.n; n--) {
		if (path.p[n - 1] != '/')
			continue;
		package.path = span_first(path, n - 1);
		p = bsearch(&package, a->packages.v, a->packages.n, sizeof(package), package_path_cmp);
		if (p)
			return p->id;
	}
	return SPAN_NONE;
}

/* Layers and the image itself stand for themselves. */
static int group_cmp(const struct trouble *a, const struct trouble *b)
{
	int c = (int)a->p->id - (int)b->p->id;

	c = c ? c : (int)b->incomplete - (int)a->incomplete;
	c = c ? c : (a->p->path.n > 0) - (b->p->path.n > 0);
	if (c == 0 && a->p->path.n == 0)
		return (a->p->layer > b->p->layer) - (a->p->layer < b->p->layer);
	c = c ? c : span_cmp(a->package, b->package);
	return c || a->package.n ? c : span_cmp(a->folder, b->folder);
}

static int trouble_cmp(const void *x, const void *y)
{
	const struct trouble *a = x, *b = y;
	int c = group_cmp(a, b);

	c = c ? c : span_cmp(a->p->path, b->p->path);
	c = c ? c : (a->p->layer > b->p->layer) - (a->p->layer < b->p->layer);
	return c ? c : span_cmp(a->p->reason, b->p->reason);
}

static void troubles_add(const struct check_input *in, const struct problems *from, bool incomplete, struct troubles *l)
{
	for (size_t i = 0; i < from->n; i++) {
		struct trouble *t = list_add(in->mem, l);
		struct span path = from->v[i].path;
		size_t n = path.n - span_base_name(path).n;

		t->p = &from->v[i];
		t->incomplete = incomplete;
		t->package = path.n ? package_of(in->artifact, path) : SPAN_NONE;
		t->folder = span_first(path, n ? n - 1 : 0);
	}
}

static const char *remedy_of(enum finding_id id, bool incomplete)
{
	switch (id) {
	case FINDING_DIGEST_MISMATCH:
		return "fetch the artifact again: its bytes are not those that were published";
	case FINDING_RECORD_MISMATCH:
		return "install the package again, and change none of its files afterwards";
	case FINDING_LAYER_MERGE_AMBIGUOUS:
		return "build the image so that no layer has this: engines unpack it differently";
	case FINDING_ELF_INCONSISTENT:
		return "build the file again, or ask who brought it";
	case FINDING_ARCHIVE_MALFORMED:
		return "make the archive again with a tool that keeps to the format";
	default:
		return incomplete ? "make it readable and scan again: what was not read is no pass"
		                  : "nothing has to be done where it is a test's own data";
	}
}

static struct span message_of(const struct check_input *in, const struct trouble *t, size_t n, struct span what)
{
	struct span reason = t->p->reason, first;

	if (t->p->path.n)
		first = arena_printf(in->mem, "'%.*s': %.*s", SPAN_ARG(t->p->path), SPAN_ARG(reason));
	else if (t->p->layer)
		first = arena_printf(in->mem, "layer %u: %.*s", t->p->layer - 1, SPAN_ARG(reason));
	else
		first = reason;
	return n == 1 ? first
	              : arena_printf(in->mem, "%.*s; and %zu more in %.*s", SPAN_ARG(first), n - 1, SPAN_ARG(what));
}

/* n of one group. */
static void trouble_tell(const struct check_input *in, struct judged *out, const struct trouble *t, size_t n)
{
	struct span what = t->package.n   ? check_package(in->mem, t->package)
	                   : t->p->path.n ? t->folder
	                                  : SPAN("the artifact");
	struct check_group g = {.package = t->package, .path = t->p->path, .layer = t->p->layer};
	enum limit_id limit = LIMIT_NONE;
	struct finding *f;

	for (size_t i = 0; i < n; i++) {
		if (!span_eq(t[i].p->path, g.path))
			g.path = SPAN_NONE;
		if (t[i].p->layer != g.layer)
			g.layer = 0;
		limit = limit == LIMIT_NONE ? t[i].p->limit : limit;
	}
	f = check_finding(in, out, t->p->id, &g);
	f->incomplete = t->incomplete;
	f->not_waivable =
	        t->p->id == FINDING_DIGEST_MISMATCH || (t->p->id == FINDING_SCAN_INCOMPLETE && limit != LIMIT_NONE);
	for (size_t i = 0; i < n; i++)
		*list_add(in->mem, &f->evidence) = (struct proof){t[i].p->path,   t[i].p->layer,  SPAN("problem"),
		                                                  t[i].p->reason, STRENGTH_COUNT, NULL};
	check_proofs_sort(&f->evidence);
	f->message = message_of(in, t, n, what.n ? what : SPAN("the top folder"));
	f->remedy = span_of(remedy_of(f->id, f->incomplete));
	if (f->incomplete && limit != LIMIT_NONE)
		f->remedy =
		        arena_printf(in->mem, "scan again with a higher limit: --limit %s=N", limit_row(limit)->name);
}

static void run_trust(const struct check_input *in, struct judged *out)
{
	struct troubles l = {NULL, 0, 0};
	size_t from = 0;

	troubles_add(in, &in->artifact->incomplete, true, &l);
	troubles_add(in, &in->artifact->anomalies, false, &l);
	if (l.n == 0)
		return;
	qsort(l.v, l.n, sizeof(*l.v), trouble_cmp);
	for (size_t i = 1; i <= l.n; i++) {
		if (i < l.n && group_cmp(&l.v[i], &l.v[from]) == 0)
			continue;
		trouble_tell(in, out, l.v + from, i - from);
		from = i;
	}
}

const struct check_family checks_trust = {.name = "trust", .run = run_trust};
