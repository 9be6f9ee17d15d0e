/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a finding is called from one build to the next: versions and hashes in names do not count, so that a team's list
 * of known findings outlives a rebuild.
 */
#include "base/digest.h"
#include "parts.h"

#define HEX_RUN 7 /* letters and digits from which on a word of hex digits is a hash */

static bool is_digit(uint8_t c)
{
	return c >= '0' && c <= '9';
}

static bool is_hex(uint8_t c)
{
	return is_digit(c) || (c >= 'a' && c <= 'f');
}

static bool is_word(uint8_t c)
{
	return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/* Bytes of the hash that s starts with ("1a2b3c4d", git's "g1a2b3c4"), the whole word; 0: none. */
static size_t hash_length(struct span s)
{
	size_t n = s.n && s.p[0] == 'g' ? 1 : 0, from = n;
	bool digit = false;

	for (; n < s.n && is_hex(s.p[n]); n++)
		digit = digit || is_digit(s.p[n]);
	return digit && n - from >= HEX_RUN && (n == s.n || !is_word(s.p[n])) ? n : 0;
}

/* Bytes of the version that s starts with: "3", "2.9.0". */
static size_t version_length(struct span s)
{
	size_t n = 0;

	while (n < s.n && is_digit(s.p[n]))
		n++;
	while (n && n + 1 < s.n && s.p[n] == '.' && is_digit(s.p[n + 1]))
		for (n++; n < s.n && is_digit(s.p[n]);)
			n++;
	return n;
}

static void add_masked(struct digest *d, struct span path)
{
	struct span name = span_base_name(path);
	size_t hash_at = path.n, at, i = 0;

	/* The vendoring tools' hash may be of letters only. */
	if (library_name_hash(name, &at))
		hash_at = path.n - name.n + at;
	while (i < path.n) {
		struct span rest = span_after(path, i);
		bool begins = i == 0 || !is_word(path.p[i - 1]);
		size_t n = begins ? hash_length(rest) : 0;

		if (i == hash_at) {
			i += 9;
			continue;
		}
		n = n ? n : version_length(rest);
		digest_add(d, n ? SPAN("#") : span_first(rest, 1));
		i += n ? n : 1;
	}
}

/* A zero byte ends each part, so that none runs into the next. */
static void add_part(struct digest *d, struct span s)
{
	digest_add(d, s);
	digest_add(d, (struct span){(const uint8_t *)"", 1});
}

/* The folder of the files that no package owns. */
static struct span place_of(const struct finding *f)
{
	struct span path;
	size_t n;

	if (f->path.n || f->package.n || f->evidence.n == 0)
		return f->path;
	path = f->evidence.v[0].object;
	n = path.n - span_base_name(path).n;
	return span_first(path, n);
}

struct span fingerprint_of(const struct finding *f, struct span extra, struct arena *mem)
{
	struct digest *d = digest_new();
	struct span with_version = span_after(f->package, span_find(f->package, ':') + 1), text;
	uint8_t sum[DIGEST_BYTES];

	if (!d)
		out_of_memory();
	add_part(d, span_of(finding_name(f->id)));
	add_part(d, f->backend);
	add_part(d, f->class_name);
	add_part(d, f->target);
	add_part(d, span_first(with_version, span_find(with_version, '@')));
	add_masked(d, place_of(f));
	add_part(d, SPAN_NONE);
	add_part(d, extra);
	digest_end(d, sum);
	text = digest_text(mem, sum);
	return span_first(span_after(text, sizeof("sha256:") - 1), 32);
}
