/* SPDX-License-Identifier: Apache-2.0 */
/* What jobs found about the layers of an image, held against what its manifest and configuration claim. */
#include <stdarg.h>
#include <stdio.h>

#include "base/digest.h"
#include "parts.h"

void layer_problem(struct scan *s, struct reading *r, enum problem_grade grade, enum finding_id id, uint32_t layer,
                   const char *fmt, ...)
{
	struct problems *l = grade == PROBLEM_INCOMPLETE ? &r->to->incomplete : &r->to->anomalies;
	char text[400];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	problem_add(l, s->mem, grade, id, SPAN_NONE, "%s", text);
	l->v[l->n - 1].layer = layer;
}

void layer_keep(struct scan *s, struct reading *r, const struct scan_job *j, const struct facts *f)
{
	struct layer *l;

	(void)s;
	if (j->layer > r->to->layers.n)
		return;
	l = &r->to->layers.v[j->layer - 1];
	if (j->kind == WORK_HASH) {
		r->hashes.v[j->layer - 1] = f->digest;
		return;
	}
	l->compression = f->compression;
	l->unpacked = f->unpacked;
	r->tars.v[j->layer - 1] = f->digest;
}

/* Of the tar in the blob; the configuration names it. */
static void diff_id_check(struct scan *s, struct reading *r, uint32_t layer, struct span tar)
{
	const struct layer_ref *ref = &r->to->layers.v[layer - 1].ref;

	if (tar.n && ref->diff_id.n && digest_is_wide(tar) == digest_is_wide(ref->diff_id) &&
	    !span_eq(tar, ref->diff_id))
		layer_problem(s, r, PROBLEM_INCOMPLETE, FINDING_DIGEST_MISMATCH, layer,
		              "its content has not the digest that the configuration names");
}

static void layer_finish(struct scan *s, struct reading *r, uint32_t layer)
{
	struct layer *l = &r->to->layers.v[layer - 1];
	struct span hashed = r->hashes.v[layer - 1];
	bool plain = span_eq(l->compression, SPAN("none"));
	struct span tar = plain ? hashed : r->tars.v[layer - 1];
	/* A blob that nothing names is held by what is in it. */
	struct span found = l->ref.digest.n ? hashed : tar, claimed = l->ref.digest.n ? l->ref.digest : l->ref.diff_id;
	bool fits = found.n && span_eq(found, claimed);

	if (hashed.n && l->ref.digest.n && !fits)
		layer_problem(s, r, PROBLEM_INCOMPLETE, FINDING_DIGEST_MISMATCH, layer,
		              "its blob has not the digest that names it");
	else
		diff_id_check(s, r, layer, tar);
	l->verified = fits && l->ref.bytes == l->ref.there;
	if (l->compression.n && l->ref.declared.n && !span_eq(l->compression, l->ref.declared))
		layer_problem(s, r, PROBLEM_ANOMALY, FINDING_ARCHIVE_MALFORMED, layer,
		              "its media type names the compression %.*s, and it has %.*s", (int)l->ref.declared.n,
		              (const char *)l->ref.declared.p, (int)l->compression.n, (const char *)l->compression.p);
	/* From here on, what is there counts. */
	if (!l->ref.missing)
		l->ref.bytes = l->ref.there;
}

void layers_finish(struct scan *s, struct reading *r)
{
	for (size_t i = 0; i < r->to->layers.n; i++)
		layer_finish(s, r, (uint32_t)i + 1);
}
