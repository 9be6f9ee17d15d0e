/* SPDX-License-Identifier: Apache-2.0 */
/* Which manifest of an index is meant: by name, then by platform; indexes in indexes are gone through once each. */
#include "parts.h"
#include "extractors/path.h"

#define MANIFESTS_MAX 4096 /* descriptors looked at; all are compared with each other */
#define PLATFORMS_MAX 64   /* images read for '--all-platforms' */
#define PROBES_MAX    32   /* manifests opened to tell images from charts */

struct node {
	struct descriptor d;
	uint64_t depth;
	bool outside; /* named, but there is no such blob */
};

struct nodes {
	struct node *v;
	size_t n, cap;
};

void choice_add(struct arena *mem, struct spans *l, struct span name)
{
	for (size_t i = 0; i < l->n; i++)
		if (span_eq(l->v[i], name))
			return;
	spans_add(mem, l, name);
}

void choice_refuse(struct image_store *s, const char *of, const char *option, const struct spans *names)
{
	struct arena *mem = s->ctx->mem;
	struct span list = SPAN_NONE;

	for (size_t i = 0; i < names->n && list.n < 400; i++)
		list = arena_printf(mem, "%.*s%s%.*s", (int)list.n, (const char *)list.p, i ? ", " : "",
		                    SHOWN(names->v[i]));
	s->plan->usage = true;
	s->plan->refused =
	        arena_printf(mem, "%s; choose one with '%s': %.*s", of, option, (int)list.n, (const char *)list.p);
}

static void told(struct image_store *s, enum finding_id id, const char *what)
{
	problem_add(&s->plan->problems, s->ctx->mem, PROBLEM_INCOMPLETE, id, SPAN_NONE, "%s", what);
}

/* Descriptors of an index go to the end of the list, each digest once, attestations and unknown types left out. */
static void nodes_add(struct image_store *s, struct nodes *l, const json *list, uint64_t depth, bool names)
{
	for (const json *j = json_is_list(list) ? json_first(list) : NULL; j; j = json_next(j)) {
		struct descriptor d;
		bool known = false;

		descriptor_read(s->ctx->mem, j, &d);
		if (media_kind(d.media_type) == MEDIA_OTHER || d.attestation)
			continue;
		/* The same image under a second name is no second image. */
		for (size_t i = 0; i < l->n && !known; i++)
			known = span_eq(l->v[i].d.digest, d.digest) && (!names || span_eq(l->v[i].d.name, d.name));
		if (known)
			continue;
		if (l->n == MANIFESTS_MAX) {
			told(s, FINDING_SCAN_INCOMPLETE, "its indexes name more than 4096 manifests");
			return;
		}
		*list_add(s->ctx->mem, l) = (struct node){.d = d, .depth = depth};
	}
}

/* A manifest whose configuration is empty is a chart or the like: no image to choose. Without its bytes, it may be. */
static bool may_be_image(struct image_store *s, const struct descriptor *d)
{
	struct problems keep = s->plan->problems;
	bool image = true;
	struct span text;
	struct err e = ERR_INIT;
	json *j;

	if (media_kind(d->media_type) == MEDIA_INDEX || d->flaw.n || blob_text(s, d, "manifest", &text) != BLOB_READ) {
		s->plan->problems = keep;
		return true;
	}
	s->plan->problems = keep;
	j = json_read(text, s->ctx->limits, &e);
	if (j)
		image = !span_eq(member_text(s->ctx->mem, json_member(j, "config"), "mediaType"),
		                 SPAN("application/vnd.oci.empty.v1+json"));
	json_free(j);
	return image;
}

static bool is_named(const struct descriptor *d, struct span name)
{
	return span_eq(d->name, name) || span_eq(d->reference, name);
}

/* Images by other names go. 1: refused, or asked. */
static int by_name(struct image_store *s, struct nodes *l)
{
	struct arena *mem = s->ctx->mem;
	struct span asked = s->ctx->image;
	struct spans names = {0}, digests = {0};
	size_t kept = 0;

	for (size_t i = 0; i < l->n && !asked.n; i++)
		choice_add(mem, &digests, l->v[i].d.digest);
	if (digests.n > 1) {
		for (size_t i = 0; i < l->n; i++)
			if (i >= PROBES_MAX || may_be_image(s, &l->v[i].d))
				l->v[kept++] = l->v[i];
		if (s->plan->needs.n)
			return 1;
		l->n = kept ? kept : 1;
	}
	digests.n = kept = 0;
	for (size_t i = 0; i < l->n; i++) {
		choice_add(mem, &names, l->v[i].d.name.n ? l->v[i].d.name : SPAN("(no name)"));
		choice_add(mem, &digests, l->v[i].d.digest);
		if (asked.n && is_named(&l->v[i].d, asked))
			l->v[kept++] = l->v[i];
	}
	if (asked.n) {
		l->n = kept;
		if (kept == 0)
			choice_refuse(s, "no image in it has the name that '--image' gives", "--image", &names);
		return kept == 0;
	}
	if (names.n > 1 && digests.n > 1) {
		choice_refuse(s, "it holds several images", "--image", &names);
		return 1;
	}
	return 0;
}

/* Indexes in the list are opened, and what they name is added behind them. 1: something could not be had. */
static int indexes_open(struct image_store *s, struct nodes *l)
{
	for (size_t i = 0; i < l->n; i++) {
		struct node at = l->v[i];
		struct span text;
		size_t before = l->n;
		json *j;

		if (media_kind(at.d.media_type) != MEDIA_INDEX)
			continue;
		if (at.d.flaw.n) {
			s->plan->refused = arena_printf(s->ctx->mem, "an image index in it is not usable: %.*s",
			                                (int)at.d.flaw.n, (const char *)at.d.flaw.p);
			return 1;
		}
		if (at.depth > s->ctx->limits->v[LIMIT_INDEX_DEPTH]) {
			problem_limit(&s->plan->problems, s->ctx->mem, s->ctx->limits, LIMIT_INDEX_DEPTH, SPAN_NONE,
			              "an image index in an index");
			return 1;
		}
		if (blob_text(s, &at.d, "image index", &text) != BLOB_READ)
			return 1;
		j = image_document(s, text, blob_path(s->ctx->mem, at.d.digest));
		if (!j)
			return 1;
		nodes_add(s, l, json_member(j, "manifests"), at.depth + 1, false);
		json_free(j);
		for (size_t k = before; k < l->n; k++)
			l->v[k].d.name = at.d.name;
	}
	return 0;
}

/* The platform that a manifest's configuration names, for descriptors that name none. False: it could not be read. */
static bool platform_find(struct image_store *s, struct descriptor *d)
{
	struct problems keep = s->plan->problems;
	struct descriptor config;
	struct err e = ERR_INIT;
	struct span text;
	json *j = NULL;
	bool read = false;

	if (d->platform.os.n)
		return true;
	if (d->flaw.n || blob_text(s, d, "manifest", &text) != BLOB_READ)
		goto out;
	j = json_read(text, s->ctx->limits, &e);
	descriptor_read(s->ctx->mem, json_member(j, "config"), &config);
	json_free(j);
	if (config.flaw.n || !config_is_image(config.media_type) ||
	    blob_text(s, &config, "configuration", &text) != BLOB_READ)
		goto out;
	j = json_read(text, s->ctx->limits, &e);
	read = json_is_object(j);
	platform_read(s->ctx->mem, j, &d->platform);
	json_free(j);
out:
	s->plan->problems = keep;
	return read;
}

/* Of several manifests, those that are not there are no choice unless they are asked for. */
static void presence_find(struct image_store *s, struct node *n)
{
	struct store_file f;

	n->outside = !n->d.flaw.n && !n->d.has_data &&
	             image_store_find(s, blob_path(s->ctx->mem, n->d.digest), &f) == STORE_ABSENT;
}

/* What the manifests of a list have to offer. */
struct offer {
	struct platform asked; /* of '--platform'; empty: linux/amd64, or the only one */
	struct spans names;
	const struct node *only, *match;
	size_t there;
};

static void offer_add(struct image_store *s, struct offer *o, struct node *n, bool several)
{
	bool asked = o->asked.os.n > 0, known = true, fits;

	if (several)
		presence_find(s, n);
	if (several || asked)
		known = platform_find(s, &n->d);
	choice_add(s->ctx->mem, &o->names, platform_choice(s->ctx->mem, &n->d.platform));
	fits = asked ? platform_fits(&o->asked, &n->d.platform) : platform_is_default(&n->d.platform);
	/* As the only one it is read as far as that goes: what could not be read may have said it, and is told. */
	fits = fits || (!several && !known);
	if (!n->outside)
		o->only = n;
	o->there += !n->outside;
	/* One that is not there is taken only when it was asked for, and no other fits. */
	if (fits && (!n->outside || asked) && (!o->match || (o->match->outside && !n->outside)))
		o->match = n;
}

/* All that the index names, also what is not there: who asks for all wants to know. */
static int by_number(struct image_store *s, const struct nodes *l, struct descriptor *d)
{
	uint32_t n = 0;

	for (size_t i = 0; i < l->n; i++) {
		if (media_kind(l->v[i].d.media_type) != MEDIA_MANIFEST)
			continue;
		if (n == s->ctx->nth)
			*d = l->v[i].d;
		if (n++ == PLATFORMS_MAX) {
			told(s, FINDING_SCAN_INCOMPLETE, "it names more than 64 images; choose with '--platform'");
			return 1;
		}
	}
	s->plan->images = n;
	return n > s->ctx->nth ? 0 : 2;
}

static int by_platform(struct image_store *s, struct nodes *l, struct descriptor *d)
{
	struct offer o = {0};

	if (s->ctx->all_platforms)
		return by_number(s, l, d);
	if (s->ctx->platform.n)
		platform_parse(s->ctx->platform, &o.asked);
	for (size_t i = 0; i < l->n; i++)
		if (media_kind(l->v[i].d.media_type) == MEDIA_MANIFEST)
			offer_add(s, &o, &l->v[i], l->n > 1);
	if (s->plan->needs.n)
		return 1;
	if (!o.names.n)
		return 2;
	if (!o.match && o.asked.os.n) {
		platform_refuse(s, &o.names);
		return 1;
	}
	if (!o.match && o.there > 1) {
		choice_refuse(s, "it has several platforms, and linux/amd64 is none of them", "--platform", &o.names);
		return 1;
	}
	if (!o.match && !o.only) {
		told(s, FINDING_SCAN_INCOMPLETE, "none of the manifests that it names is there");
		return 3;
	}
	*d = o.match ? o.match->d : o.only->d;
	return 0;
}

int oci_choose(struct image_store *s, struct span index, struct descriptor *d)
{
	struct nodes l = {0};
	struct err e = ERR_INIT;
	json *j = json_read(index, s->ctx->limits, &e);
	int rc;

	if (!j) {
		err_wrap(&e, "index.json");
		if (e.code == ERR_LIMIT)
			problem_err(&s->plan->problems, s->ctx->mem, PROBLEM_INCOMPLETE, FINDING_SCAN_INCOMPLETE,
			            SPAN("index.json"), &e);
		else
			s->plan->refused = arena_printf(s->ctx->mem, "%s", e.text);
		return 1;
	}
	nodes_add(s, &l, json_member(j, "manifests"), 1, true);
	json_free(j);
	if (l.n == 0)
		return 2;
	rc = by_name(s, &l);
	rc = rc ? rc : indexes_open(s, &l);
	return rc ? rc : by_platform(s, &l, d);
}
