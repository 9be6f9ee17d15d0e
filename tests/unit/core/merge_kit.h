/* SPDX-License-Identifier: Apache-2.0 */
/* Facts made by hand, for tests of the merge. */
#ifndef POSTERN_TEST_MERGE_KIT_H
#define POSTERN_TEST_MERGE_KIT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "merge/merge.h"

static struct arena mem;
static struct catalogue catalogue;
static struct limits limits;

static inline int kit_setup(void **state)
{
	struct library_rule *lib;

	(void)state;
	memset(&catalogue, 0, sizeof(catalogue));
	limits_default(&limits);
	list_add(&mem, &catalogue.backends)->id = SPAN("cuda");
	catalogue.backends.v[0].vendor = true;
	lib = list_add(&mem, &catalogue.libraries);
	lib->pattern = SPAN("libcudart.so*");
	lib->backend = SPAN("cuda");
	lib->component = SPAN("CUDA runtime");
	catalogue_index_build(&catalogue, &mem);
	return 0;
}

static inline int kit_teardown(void **state)
{
	(void)state;
	arena_clear(&mem);
	return 0;
}

static inline struct facts facts_new(void)
{
	return (struct facts){.mem = &mem};
}

static inline void file(struct facts *f, const char *path, uint64_t bytes)
{
	entries_add(&f->entries, &mem, &(struct entry){.path = span_of(path), .kind = ENTRY_FILE, .bytes = bytes});
}

/* A file and the object that it is; fill it at once. */
static inline struct object *object(struct facts *f, const char *path, enum object_type type, uint64_t bytes)
{
	struct object *o = list_add(&mem, &f->objects);

	file(f, path, bytes);
	o->path = span_of(path);
	o->type = type;
	o->bytes = bytes;
	return o;
}

static inline void code(struct object *o, const char *backend, const char *target, enum code_form form, uint64_t bytes)
{
	struct device_code *c = list_add(&mem, &o->device_code);

	c->backend = span_of(backend);
	c->target = span_of(target);
	c->form = form;
	c->container = SPAN("cubin");
	c->count = 1;
	c->bytes = bytes;
	object_evidence(o, &mem, c->backend, EVIDENCE_DEVICE_CODE, span_of(code_form_name(form)), STRENGTH_EMBEDDED);
}

static inline void hard(struct object *o, const char *backend, const char *value)
{
	object_evidence(o, &mem, span_of(backend), EVIDENCE_NEEDED, span_of(value), STRENGTH_HARD);
}

static inline struct package *package(struct facts *f, const char *name, const char *version, const char *path)
{
	struct package *p = list_add(&mem, &f->packages);

	p->name = span_of(name);
	p->version = span_of(version);
	p->path = span_of(path);
	return p;
}

static inline void record(struct package *p, const char *path, const char *hash, int64_t size)
{
	struct record_line *r = list_add(&mem, &p->record);

	p->has_record = true;
	r->path = span_of(path);
	r->hash = span_of(hash);
	r->has_size = size >= 0;
	r->size = size >= 0 ? (uint64_t)size : 0;
}

static inline void digest(struct facts *f, const char *path, struct span sha256)
{
	*list_add(&mem, &f->digests) = (struct file_digest){span_of(path), sha256};
}

static inline void hard_link(struct facts *f, const char *path, const char *target)
{
	struct entry e = {.path = span_of(path), .kind = ENTRY_HARDLINK, .target = span_of(target)};

	entries_add(&f->entries, &mem, &e);
}

static inline void claim(struct package *p, const char *backend, bool has_applies, bool applies)
{
	struct declares *d = list_add(&mem, &p->declares);

	d->backend = span_of(backend);
	d->by = SPAN("requires-dist");
	d->value = SPAN("x");
	d->has_applies = has_applies;
	d->applies = applies;
}

static inline struct artifact merged_verified(const char *name, const char *kind, const struct facts *f, size_t n)
{
	struct artifact a = {.name = span_of(name), .kind = span_of(kind), .verified = true};

	merge_artifact(&a, f, n, &catalogue, &limits, &mem);
	return a;
}

static inline struct artifact merged(const char *name, const char *kind, const struct facts *f, size_t n)
{
	struct artifact a = {.name = span_of(name), .kind = span_of(kind)};

	merge_artifact(&a, f, n, &catalogue, &limits, &mem);
	return a;
}

#define assert_span(s, text)                                                                                                    \
	do {                                                                                                                    \
		struct span assert_s = (s);                                                                                     \
		assert_int_equal(assert_s.n, strlen(text));                                                                     \
		assert_memory_equal(assert_s.p, text, assert_s.n);                                                              \
	} while (0)

#endif
