/* SPDX-License-Identifier: Apache-2.0 */
/* For tests of the search and the device-code readers: bytes in, one line a unit, row, fault and oddity out. */
#ifndef POSTERN_TESTS_DEVICE_ROWS_H
#define POSTERN_TESTS_DEVICE_ROWS_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/codec.h"
#include "base/outbuf.h"
#include "elf/search/search.h"

static struct arena mem;
static struct limits limits;
static char lines[1 << 16];
static struct search *searches[4096]; /* what they found is looked at later */
static size_t n_searches;

__attribute__((unused)) static int setup(void **state)
{
	(void)state;
	limits_default(&limits);
	return 0;
}

__attribute__((unused)) static int teardown(void **state)
{
	(void)state;
	while (n_searches)
		search_free(searches[--n_searches]);
	arena_clear(&mem);
	return 0;
}

/* What it found is looked at until the end. */
static inline struct search *freed_later(struct search *s)
{
	if (n_searches == sizeof(searches) / sizeof(searches[0]))
		abort();
	return searches[n_searches++] = s;
}

/* Bytes that a test puts together; every number little-endian. */
struct bytes {
	uint8_t *v;
	size_t n, cap;
};

static inline void put(struct bytes *b, const void *p, size_t n)
{
	for (size_t i = 0; i < n; i++)
		*list_add(&mem, b) = ((const uint8_t *)p)[i];
}

static inline void put_number(struct bytes *b, uint64_t v, unsigned size)
{
	for (unsigned i = 0; i < size; i++)
		*list_add(&mem, b) = (uint8_t)(v >> 8 * i);
}

static inline void put_zeros(struct bytes *b, size_t n)
{
	while (n--)
		*list_add(&mem, b) = 0;
}

static inline void set_number(struct bytes *b, size_t at, uint64_t v, unsigned size)
{
	for (unsigned i = 0; i < size; i++)
		b->v[at + i] = (uint8_t)(v >> 8 * i);
}

/* A fixture by its name; those that lie packed are unpacked. */
__attribute__((unused)) static struct bytes fixture(const char *name)
{
	static uint8_t raw[1 << 20], out[1 << 20];
	struct err e = ERR_INIT;
	struct bytes b = {0};
	char path[512];
	size_t n, m = 0;
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", FIXTURES, name);
	f = fopen(path, "rb");
	if (f) {
		n = fread(raw, 1, sizeof(raw), f);
		put(&b, raw, n);
	} else {
		snprintf(path, sizeof(path), "%s/%s.zst", FIXTURES, name);
		f = fopen(path, "rb");
		assert_non_null(f);
		n = fread(raw, 1, sizeof(raw), f);
		assert_int_equal(codec_whole(CODEC_ZSTD, &limits, (struct span){raw, n}, out, sizeof(out), &m, &e), 0);
		put(&b, out, m);
	}
	fclose(f);
	assert_true(b.n > 0);
	return b;
}

static inline void say(const char *fmt, ...) PRINTF_LIKE(1, 2);
static inline void say(const char *fmt, ...)
{
	size_t n = strlen(lines);
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(lines + n, sizeof(lines) - n, fmt, ap);
	va_end(ap);
}

#define SHOWN(s) (int)(s).n, (const char *)(s).p

static inline void say_text(void *sink, uint64_t offset, struct span text)
{
	(void)sink;
	say("text %llu %.*s\n", (unsigned long long)offset, SHOWN(text));
}

static inline void say_row(const struct device_code *c)
{
	say("row %s|%.*s|%.*s=%llu %.*s", code_form_name(c->form), SHOWN(c->target), SHOWN(c->codec),
	    (unsigned long long)c->count, SHOWN(c->container));
	if (c->declared.n)
		say(" declared=%.*s", SHOWN(c->declared));
	if (c->mismatch)
		say(" mismatch");
	if (c->isa.n)
		say(" isa=%.*s", SHOWN(c->isa));
	if (c->toolkit.n)
		say(" toolkit=%.*s", SHOWN(c->toolkit));
	if (c->abi)
		say(" abi=%u", c->abi);
	if (c->opened)
		say(" kernels=%llu", (unsigned long long)c->kernels);
	say(" bytes=%llu offset=%llu\n", (unsigned long long)c->bytes, (unsigned long long)c->offset);
}

static inline void say_image(struct found_image image)
{
	say_row(&image.code);
}

static inline void say_faults(const char *what, const struct found_fault *v, size_t n)
{
	for (size_t i = 0; i < n; i++)
		say("%s %s %.*s %llu%s%s\n", what, v[i].grade == PROBLEM_INCOMPLETE ? "incomplete" : "anomaly",
		    SHOWN(v[i].format), (unsigned long long)v[i].offset, v[i].limit ? " " : "",
		    limit_row(v[i].limit)->name);
}

static inline void feed_pieces(struct search *s, const struct bytes *b, size_t piece)
{
	for (size_t at = 0; at < b->n; at += piece ? piece : b->n)
		search_feed(s, at, (struct span){b->v + at, piece && b->n - at > piece ? piece : b->n - at});
}

/* Searches b, which comes in by `feed`, and fills `lines`. */
static inline const struct found *rows_fed(const struct bytes *b, enum search_step step,
                                           void (*feed)(struct search *s, const struct bytes *b, size_t piece),
                                           size_t piece)
{
	struct catalogue catalogue = {0};
	struct job_context ctx = {.mem = &mem, .limits = &limits, .catalogue = &catalogue};
	struct search *s;
	struct found *f;

	catalogue_index_build(&catalogue, &mem);
	lines[0] = '\0';
	s = freed_later(search_begin(&ctx, step, b->n, say_text, NULL));
	feed(s, b, piece);
	f = search_end(s, b->n);
	for (size_t i = 0; i < f->units.n; i++) {
		const struct found_unit *u = &f->units.v[i];

		say("%s %.*s %llu-%llu\n", u->unit ? "unit" : "alone", SHOWN(u->format), (unsigned long long)u->offset,
		    (unsigned long long)u->end);
		for (size_t k = 0; k < u->images; k++)
			say_image(found_image_at(f, u->first + k));
	}
	say_faults("fault", f->faults.v, f->faults.n);
	say_faults("oddity", f->oddities.v, f->oddities.n);
	return f;
}

/* In pieces, or at once with 0. */
static inline const struct found *rows_in_pieces(const struct bytes *b, enum search_step step, size_t piece)
{
	return rows_fed(b, step, feed_pieces, piece);
}

/* As a file by itself when it is one, else as a linked host file. */
__attribute__((unused)) static const struct found *rows_of(const struct bytes *b)
{
	enum object_type type;
	bool file = search_is_device_file((struct span){b->v, b->n < 4096 ? b->n : 4096}, &type);

	return rows_in_pieces(b, file ? SEARCH_FILE : SEARCH_LINKED, 0);
}

#define assert_line(text)                                                                                              \
	do {                                                                                                           \
		if (!strstr(lines, text))                                                                              \
			fail_msg("no '%s' in:\n%s", text, lines);                                                      \
	} while (0)
#define assert_no_line(text)                                                                                           \
	do {                                                                                                           \
		if (strstr(lines, text))                                                                               \
			fail_msg("'%s' in:\n%s", text, lines);                                                         \
	} while (0)

/* Of a case of the damaged device code: the grade of its problem ("read" when it has none). */
__attribute__((unused)) static const char *grade(void)
{
	return strstr(lines, " incomplete ") ? "incomplete" : strstr(lines, " anomaly ") ? "anomaly" : "read";
}

#endif
