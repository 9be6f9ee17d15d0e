/* SPDX-License-Identifier: Apache-2.0 */
/* Images in tars, after the OCI image specification: blobs, and descriptors that name them. Include cmocka.h first. */
#ifndef POSTERN_TESTS_IMAGE_MAKER_H
#define POSTERN_TESTS_IMAGE_MAKER_H

#include "base/digest.h"
#include "extractors/fake_job.h"
#include "extractors/tar_maker.h"

#define OCI    "application/vnd.oci.image."
#define CONFIG OCI "config.v1+json"
#define EMPTY  "{\"architecture\":\"%s\",\"os\":\"linux\",\"rootfs\":{\"type\":\"layers\",\"diff_ids\":[]}}"

struct made {
	struct fake_job *job;
	struct tarball tar;
};

static inline struct made made_new(void **state)
{
	struct made m = {*state, tarball_new()};

	tar_file(&m.tar, "oci-layout", SPAN("{\"imageLayoutVersion\":\"1.0.0\"}"));
	return m;
}

/* Adds a blob; its descriptor without the closing brace. */
static inline const char *made_blob(struct made *m, const char *type, const char *text)
{
	struct arena *mem = &m->job->mem;
	struct span digest = digest_bytes(mem, span_of(text), false);
	struct span name = arena_printf(mem, "blobs/sha256/%.64s%c", (const char *)digest.p + 7, 0);

	tar_file(&m->tar, (const char *)name.p, span_of(text));
	return (const char *)arena_printf(mem, "{\"mediaType\":\"%s\",\"digest\":\"%.71s\",\"size\":%zu%c", type,
	                                  (const char *)digest.p, strlen(text), 0)
	        .p;
}

static inline const char *made_print(struct made *m, const char *fmt, const char *a, const char *b)
{
	char text[4096];

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
	snprintf(text, sizeof(text), fmt, a, b);
#pragma GCC diagnostic pop
	return (const char *)arena_copy(&m->job->mem, (struct span){(const uint8_t *)text, strlen(text) + 1}).p;
}

/* A manifest with this configuration and these layers (JSON). */
static inline const char *made_manifest(struct made *m, const char *config, const char *layers)
{
	const char *c = made_blob(m, CONFIG, config);

	return made_blob(m, OCI "manifest.v1+json",
	                 made_print(m, "{\"schemaVersion\":2,\"config\":%s},\"layers\":[%s]}", c, layers));
}

/* An image without layers for an architecture; its descriptor says so when `said`. */
static inline const char *made_platform(struct made *m, const char *architecture, const char *more)
{
	const char *d = made_manifest(m, made_print(m, EMPTY, architecture, ""), "");

	return made_print(m, made_print(m, "%s,\"platform\":{\"os\":\"linux\",\"architecture\":\"%%s\"%s}}", d, more),
	                  architecture, "");
}

static inline void made_plan(struct made *m)
{
	struct span bytes = tar_end(&m->tar);
	int fd = fake_file(bytes);
	struct source src = {.fd = fd, .size = bytes.n};

	m->job->facts = (struct facts){.mem = &m->job->mem};
	extract_plan(&m->job->ctx, &src, &m->job->facts);
	close(fd);
	free(m->tar.p);
}

/* index.json goes last: its place is free. */
static inline const struct plan *made_index(struct made *m, const char *manifests)
{
	tar_file(&m->tar, "index.json",
	         span_of(made_print(m, "{\"schemaVersion\":2,\"manifests\":[%s]%s}", manifests, "")));
	made_plan(m);
	return &m->job->facts.plan;
}

static inline bool text_has(struct span s, const char *word)
{
	return s.n && memmem(s.p, s.n, word, strlen(word)) != NULL;
}

#endif
