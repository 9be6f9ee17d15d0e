/* SPDX-License-Identifier: Apache-2.0 */
/* Descriptors of an OCI image, and the small blobs they name. */
#include "base/digest.h"
#include "parts.h"
#include "extractors/path.h"

struct span member_text(struct arena *mem, const json *object, const char *name)
{
	struct span s = SPAN_NONE;

	if (!json_string(json_member(object, name), &s))
		return SPAN_NONE;
	return arena_copy(mem, s);
}

enum media_kind media_kind(struct span t)
{
	if (span_eq(t, SPAN("application/vnd.oci.image.index.v1+json")) ||
	    span_eq(t, SPAN("application/vnd.docker.distribution.manifest.list.v2+json")))
		return MEDIA_INDEX;
	if (span_eq(t, SPAN("application/vnd.oci.image.manifest.v1+json")) ||
	    span_eq(t, SPAN("application/vnd.docker.distribution.manifest.v2+json")) ||
	    span_eq(t, SPAN("application/vnd.docker.distribution.manifest.v1+json")) ||
	    span_eq(t, SPAN("application/vnd.docker.distribution.manifest.v1+prettyjws")))
		return MEDIA_MANIFEST;
	return MEDIA_OTHER;
}

void descriptor_read(struct arena *mem, const json *j, struct descriptor *d)
{
	const json *notes = json_member(j, "annotations"), *platform = json_member(j, "platform");

	*d = (struct descriptor){.media_type = member_text(mem, j, "mediaType"),
	                         .digest = member_text(mem, j, "digest"),
	                         .reference = member_text(mem, notes, "org.opencontainers.image.ref.name"),
	                         .name = member_text(mem, notes, "io.containerd.image.name"),
	                         .data = member_text(mem, j, "data")};
	if (!d->name.n)
		d->name = d->reference;
	d->has_urls = json_first(json_member(j, "urls")) != NULL;
	d->has_data = json_string(json_member(j, "data"), &(struct span){0});
	platform_read(mem, platform, &d->platform);
	d->attestation =
	        json_member(notes, "vnd.docker.reference.type") ||
	        (span_eq(d->platform.os, SPAN("unknown")) && span_eq(d->platform.architecture, SPAN("unknown")));
	if (!digest_is_exact(d->digest))
		d->flaw = arena_printf(mem, "its digest '%.*s' is neither sha256 nor sha512 as they are written",
		                       SHOWN(d->digest));
	else if (!json_uint(json_member(j, "size"), &d->size))
		d->flaw = SPAN("its size is no number of bytes");
}

struct span blob_path(struct arena *mem, struct span digest)
{
	size_t colon = span_find(digest, ':');
	struct span hex = span_after(digest, colon + 1);

	return arena_printf(mem, "blobs/%.*s/%.*s", (int)colon, (const char *)digest.p, (int)hex.n,
	                    (const char *)hex.p);
}

static int base64_digit(uint8_t c)
{
	static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	const char *at = c ? memchr(digits, c, sizeof(digits) - 1) : NULL;

	return at ? (int)(at - digits) : -1;
}

static bool base64_decode(struct arena *mem, struct span s, struct span *out)
{
	uint8_t *to = arena_alloc(mem, s.n / 4 * 3 + 3);
	uint32_t bits = 0;
	size_t n = 0;

	for (unsigned i = 0; i < 2 && s.n && s.p[s.n - 1] == '='; i++)
		s.n--;
	for (size_t i = 0; i < s.n; i++) {
		int digit = base64_digit(s.p[i]);

		if (digit < 0)
			return false;
		bits = bits << 6 | (uint32_t)digit;
		if (i % 4)
			to[n++] = (uint8_t)(bits >> (6 - 2 * (i % 4)));
	}
	*out = (struct span){to, n};
	return s.n % 4 != 1;
}

static void lost(struct image_store *s, enum finding_id id, struct span path, const char *what, const char *why)
{
	problem_add(&s->plan->problems, s->ctx->mem, PROBLEM_INCOMPLETE, id, path, "the %s %s", what, why);
}

enum blob_answer blob_text(struct image_store *s, const struct descriptor *d, const char *what, struct span *text)
{
	struct arena *mem = s->ctx->mem;
	struct span path = blob_path(mem, d->digest);
	struct store_file f;
	struct err e = ERR_INIT;
	enum store_answer there;

	if (d->has_data) {
		if (!base64_decode(mem, d->data, text)) {
			lost(s, FINDING_DIGEST_MISMATCH, path, what,
			     "stands in its descriptor, and is no base64 there");
			return BLOB_LOST;
		}
	} else {
		there = image_store_find(s, path, &f);
		if (there == STORE_ASKED)
			return BLOB_ASKED;
		if (there == STORE_ABSENT) {
			lost(s, FINDING_SCAN_INCOMPLETE, path, what, "is not there");
			return BLOB_LOST;
		}
		if (f.size == d->size && image_store_text(s, &f, text, &e) < 0) {
			err_wrap(&e, "the %s", what);
			problem_err(&s->plan->problems, mem, PROBLEM_INCOMPLETE, FINDING_OBJECT_UNREADABLE, path, &e);
			return BLOB_LOST;
		}
		if (f.size != d->size)
			text->n = (size_t)f.size;
	}
	if (text->n != d->size)
		problem_add(&s->plan->problems, mem, PROBLEM_INCOMPLETE, FINDING_DIGEST_MISMATCH, path,
		            "the %s has %zu bytes, and its descriptor says %llu", what, text->n,
		            (unsigned long long)d->size);
	else if (!span_eq(digest_bytes(mem, *text, digest_is_wide(d->digest)), d->digest))
		lost(s, FINDING_DIGEST_MISMATCH, path, what, "has not the digest that names it");
	else
		return BLOB_READ;
	return BLOB_LOST;
}
