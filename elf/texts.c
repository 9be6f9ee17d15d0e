/* SPDX-License-Identifier: Apache-2.0 */
#include "elf/texts.h"

#include <stdlib.h>

#include "base/name_hash.h"
#include "elf/sections.h"

#define PLACES    4 /* of one text: where the first ones lie in code or symbol tables, a later one counts */
#define API_NAMES 3 /* fewer names of a family are chance */

struct text {
	struct span name;
	const struct library_rule *library; /* or else: */
	const struct family_rule *family;
	uint64_t at[PLACES];
	size_t places;
};

/* Every static copy of the CUDA runtime has these three (formats.md A.10). */
enum mark { MARK_SHM, MARK_VDPAU, MARK_EXPORT, MARK_COUNT };

struct texts {
	struct arena *mem;
	const struct job_context *ctx;
	LIST(struct text) v;
	uint32_t *slots; /* places in v, plus one, by name_hash */
	size_t slot_n;
	uint64_t key;
	bool full;
	bool marked[MARK_COUNT];
	uint64_t mark_at;
};

struct texts *texts_new(struct arena *scratch, const struct job_context *ctx)
{
	struct texts *t = arena_alloc(scratch, sizeof(*t));

	t->mem = scratch;
	t->ctx = ctx;
	t->key = name_hash_key();
	return t;
}

bool texts_full(const struct texts *t)
{
	return t->full;
}

static void take_mark(struct texts *t, uint64_t offset, struct span text)
{
	if (text.p[0] == '/' && span_starts(text, SPAN("/cudart.shm."))) {
		if (!t->marked[MARK_SHM])
			t->mark_at = offset;
		t->marked[MARK_SHM] = true;
	}
	if (span_eq(text, SPAN("cudaVDPAUSetVDPAUDevice")))
		t->marked[MARK_VDPAU] = true;
	if (span_eq(text, SPAN("cuGetExportTable")))
		t->marked[MARK_EXPORT] = true;
}

/* The slot of that name, or the free one where it belongs. */
static uint32_t *slot_of(const struct texts *t, struct span name)
{
	size_t i = name_hash(t->key, 0, name) & (t->slot_n - 1);

	while (t->slots[i] && !span_eq(t->v.v[t->slots[i] - 1].name, name))
		i = (i + 1) & (t->slot_n - 1);
	return &t->slots[i];
}

static void slots_grow(struct texts *t)
{
	t->slot_n = t->slot_n ? 2 * t->slot_n : 64;
	t->slots = arena_alloc(t->mem, t->slot_n * sizeof(*t->slots));
	for (size_t i = 0; i < t->v.n; i++)
		*slot_of(t, t->v.v[i].name) = (uint32_t)i + 1;
}

static bool is_soname(struct span text)
{
	return span_starts(text, SPAN("lib")) && memmem(text.p, text.n, ".so", 3) != NULL;
}

/* Nearly no text names anything: the catalogue is asked before the names that are kept. */
void texts_take(void *sink, uint64_t offset, struct span text)
{
	struct texts *t = sink;
	struct text new = {.name = text, .at = {offset}, .places = 1}, *old;
	uint32_t *slot;

	if (text.n == 0)
		return;
	take_mark(t, offset, text);
	if (is_soname(text))
		new.library = catalogue_library(t->ctx->catalogue, text);
	else
		new.family = catalogue_family(t->ctx->catalogue, text);
	if (!new.library && !new.family)
		return;
	if (4 * t->v.n >= 3 * t->slot_n)
		slots_grow(t);
	slot = slot_of(t, text);
	if (*slot) {
		old = &t->v.v[*slot - 1];
		if (old->places < PLACES)
			old->at[old->places++] = offset;
		return;
	}
	if (t->v.n >= t->ctx->limits->v[LIMIT_ELF_STRINGS]) {
		t->full = true;
		return;
	}
	new.name = arena_copy(t->mem, text);
	*list_add(t->mem, &t->v) = new;
	*slot = (uint32_t)t->v.n;
}

static bool is_cudart(const struct catalogue *c, struct span name)
{
	const struct library_rule *r = catalogue_library(c, name);

	return r && span_starts(r->pattern, SPAN("libcudart.so"));
}

void texts_static_runtime(const struct texts *t, struct object *o, struct arena *mem, const struct spans *needed,
                          struct span own)
{
	struct evidence *e;

	for (int i = 0; i < MARK_COUNT; i++)
		if (!t->marked[i])
			return;
	if (is_cudart(t->ctx->catalogue, own) || is_cudart(t->ctx->catalogue, span_base_name(o->path)))
		return;
	for (size_t i = 0; needed && i < needed->n; i++)
		if (is_cudart(t->ctx->catalogue, needed->v[i]))
			return;
	e = object_evidence(o, mem, SPAN("cuda"), EVIDENCE_STATIC_RUNTIME, SPAN("cudart"), STRENGTH_EMBEDDED);
	e->has_offset = true;
	e->offset = t->mark_at;
}

/* The first place of a text that is neither code nor a symbol's name. */
static bool place_of(struct host_elf *m, const struct text *x, uint64_t *at)
{
	for (size_t i = 0; i < x->places; i++) {
		*at = x->at[i];
		if (*at - m->dynstr_at < m->dynstr_n || !section_may_hold_text(m, *at))
			continue;
		return true;
	}
	return false;
}

static void library_evidence(struct host_elf *m, const struct text *x, uint64_t at)
{
	struct arena *mem = m->ctx->mem;
	struct evidence *e = object_evidence(m->object, mem, x->library->backend, EVIDENCE_DLOPEN,
	                                     arena_copy(mem, x->name), STRENGTH_SOFT);

	e->confidence = CONFIDENCE_MEDIUM;
	e->has_offset = true;
	e->offset = at;
}

/* API names of one family, in the order of the first one's name. */
struct api_group {
	const struct family_rule *family;
	struct spans names;
	uint64_t at;
};

struct api_groups {
	struct api_group *v;
	size_t n, cap;
};

static void api_add(struct texts *t, struct api_groups *groups, const struct text *x, uint64_t at)
{
	struct api_group *g = NULL;

	for (size_t i = 0; i < groups->n && !g; i++)
		if (groups->v[i].family == x->family)
			g = &groups->v[i];
	if (!g) {
		g = list_add(t->mem, groups);
		g->family = x->family;
		g->at = at;
	}
	g->at = at < g->at ? at : g->at;
	spans_add(t->mem, &g->names, x->name);
}

static void api_evidence(struct texts *t, struct host_elf *m, const struct api_group *g)
{
	struct arena *mem = m->ctx->mem;
	struct evidence *e;
	struct span backend;
	bool sure;

	if (g->names.n < API_NAMES)
		return;
	backend = catalogue_family_backend(t->ctx->catalogue, g->family, SPAN_NONE, &m->needed_known, &sure);
	if (backend.n == 0)
		return;
	e = object_evidence(m->object, mem, backend, EVIDENCE_API_NAME, g->family->name, STRENGTH_SOFT);
	e->confidence = sure ? CONFIDENCE_MEDIUM : CONFIDENCE_LOW;
	e->has_offset = true;
	e->offset = g->at;
	for (size_t i = 0; i < g->names.n; i++)
		spans_add(mem, &e->names, arena_copy(mem, g->names.v[i]));
}

static int by_name(const void *x, const void *y)
{
	const struct text *a = x, *b = y;

	return span_cmp(a->name, b->name);
}

void texts_evidence(struct texts *t, struct host_elf *m)
{
	struct api_groups groups = {NULL, 0, 0};
	uint64_t at;

	if (t->full)
		host_limit(m, LIMIT_ELF_STRINGS, "its accelerator names kept as text");
	if (t->v.n)
		qsort(t->v.v, t->v.n, sizeof(*t->v.v), by_name);
	for (size_t i = 0; i < t->v.n; i++) {
		const struct text *x = &t->v.v[i];

		if (!(x->library ? m->imports_dlopen : m->imports_dlsym) || !place_of(m, x, &at))
			continue;
		if (x->library)
			library_evidence(m, x, at);
		else
			api_add(t, &groups, x, at);
	}
	for (size_t i = 0; i < groups.n; i++)
		api_evidence(t, m, &groups.v[i]);
}
