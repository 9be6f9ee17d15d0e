/* SPDX-License-Identifier: Apache-2.0 */
/* Which findings a policy's match means: every key must fit, of a key's list one entry. */
#include "parts.h"

#include <stdio.h>

#include "base/outbuf.h"

static bool some_fits(const struct spans *globs, struct span text)
{
	for (size_t i = 0; i < globs->n; i++)
		if (glob_matches(globs->v[i], text))
			return true;
	return false;
}

/* A package by name, by name and version, or by its whole id. */
static bool package_fits(const struct spans *globs, struct span id)
{
	struct span with_version = span_after(id, span_find(id, ':') + 1);
	struct span name = span_first(with_version, span_find(with_version, '@'));

	if (id.n == 0)
		return false;
	return some_fits(globs, name) || some_fits(globs, with_version) || some_fits(globs, id);
}

static bool image_fits(const struct spans *globs, const struct artifact *a)
{
	return some_fits(globs, a->name) || (a->image.reference.n && some_fits(globs, a->image.reference));
}

/*
 * A finding of several files, or of one that has several names, is meant only when all of them are: a waiver must never
 * cover what it does not name.
 */
static bool path_fits(const struct spans *globs, const struct finding *f)
{
	if (f->path.n && !some_fits(globs, f->path))
		return false;
	for (size_t i = 0; i < f->evidence.n; i++) {
		const struct proof *p = &f->evidence.v[i];
		/* Proofs of one file stand side by side. */
		size_t links = p->links && (i == 0 || p->links != p[-1].links) ? p->links->n : 0;

		/* A package's claims lie elsewhere than the only file that is meant. */
		if (f->path.n == 0 && !some_fits(globs, p->object))
			return false;
		for (size_t k = 0; k < links; k++)
			if (!some_fits(globs, p->links->v[k]))
				return false;
	}
	return f->path.n || f->evidence.n;
}

/* By number, from 0 as in every report, or by digest. */
static bool one_layer_fits(const struct spans *globs, const struct artifact *a, uint32_t layer)
{
	const struct layer *l = layer && layer <= a->layers.n ? &a->layers.v[layer - 1] : NULL;
	char number[16];

	if (layer == 0)
		return false;
	snprintf(number, sizeof(number), "%u", layer - 1);
	if (some_fits(globs, span_of(number)))
		return true;
	return l && ((l->ref.digest.n && some_fits(globs, l->ref.digest)) ||
	             (l->ref.diff_id.n && some_fits(globs, l->ref.diff_id)));
}

static bool layer_fits(const struct spans *globs, const struct artifact *a, const struct finding *f)
{
	if (f->layer)
		return one_layer_fits(globs, a, f->layer);
	for (size_t i = 0; i < f->evidence.n; i++)
		if (!one_layer_fits(globs, a, f->evidence.v[i].layer))
			return false;
	return f->evidence.n > 0;
}

static bool text_fits(const struct spans *globs, struct span text)
{
	return text.n && some_fits(globs, text);
}

bool match_fits(const struct match *m, const struct artifact *a, const struct finding *f)
{
	if (m->fingerprints.n && !text_fits(&m->fingerprints, f->fingerprint))
		return false;
	if (m->backends.n && !text_fits(&m->backends, f->backend))
		return false;
	if (m->classes.n && !text_fits(&m->classes, f->class_name))
		return false;
	if (m->targets.n && !text_fits(&m->targets, f->target))
		return false;
	if (m->levels.n && !(f->has_level && text_fits(&m->levels, span_of(level_name(f->level)))))
		return false;
	if (m->packages.n && !package_fits(&m->packages, f->package))
		return false;
	if (m->images.n && !image_fits(&m->images, a))
		return false;
	if (m->layers.n && !layer_fits(&m->layers, a, f))
		return false;
	return !m->paths.n || path_fits(&m->paths, f);
}

struct span match_words(const struct match *m, struct arena *mem)
{
	const struct {
		const char *name;
		const struct spans *l;
	} keys[] = {
	        {"package", &m->packages}, {"path", &m->paths},       {"image", &m->images},
	        {"class", &m->classes},    {"backend", &m->backends}, {"target", &m->targets},
	        {"level", &m->levels},     {"layer", &m->layers},     {"fingerprint", &m->fingerprints},
	};
	struct outbuf all = outbuf_limited(SIZE_MAX / 2);
	struct span words;

	for (size_t i = 0; i < sizeof(keys) / sizeof(*keys); i++)
		for (size_t k = 0; k < keys[i].l->n; k++)
			outbuf_printf(&all, "%s%s '%.*s'", all.n ? k ? " or " : ", " : "", keys[i].name,
			              (int)keys[i].l->v[k].n, (const char *)keys[i].l->v[k].p);
	if (all.failed)
		out_of_memory();
	words = arena_copy(mem, outbuf_span(&all));
	outbuf_release(&all);
	return words;
}
