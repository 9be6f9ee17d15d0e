/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Targets of AMD: code is for one gfx, or generic for a list of them. Features (sramecc, xnack) that code names must be
 * set so on the device; code that names none runs either way.
 */
#include "parts.h"

#define COUNT(table) (sizeof(table) / sizeof((table)[0]))

enum feature { FEATURE_SRAMECC, FEATURE_XNACK, FEATURES };
enum setting { SETTING_OPEN, SETTING_ON, SETTING_OFF };

static const struct span feature_names[FEATURES] = {SPAN_INIT("sramecc"), SPAN_INIT("xnack")};

static const struct gfx {
	struct span name;
	bool has[FEATURES];
} gfxs[] = {
#define GFX(name, sramecc, xnack) {SPAN_INIT(name), {sramecc, xnack}},
#include "rows.def"
};

static const struct {
	struct span generic, member;
	unsigned since;
} generics[] = {
#define GFX_GENERIC(generic, member, since) {SPAN_INIT(generic), SPAN_INIT(member), since},
#include "rows.def"
};

/* "gfx90a:sramecc+:xnack-" */
struct target_id {
	struct span name;
	enum setting set[FEATURES];
};

static const struct gfx *gfx_of(struct span name)
{
	for (size_t i = 0; i < COUNT(gfxs); i++)
		if (span_eq(gfxs[i].name, name))
			return &gfxs[i];
	return NULL;
}

/* A target whose features nobody knows may have all of them. */
static bool may_have(struct span name, enum feature f)
{
	const struct gfx *g = gfx_of(name);

	return !g || g->has[f];
}

static bool feature_read(struct span word, struct target_id *id)
{
	for (size_t f = 0; f < FEATURES; f++) {
		if (word.n != feature_names[f].n + 1 || !span_starts(word, feature_names[f]) ||
		    id->set[f] != SETTING_OPEN)
			continue;
		id->set[f] = word.p[word.n - 1] == '+' ? SETTING_ON : SETTING_OFF;
		return word.p[word.n - 1] == '+' || word.p[word.n - 1] == '-';
	}
	return false;
}

static bool id_read(struct span s, struct target_id *id)
{
	struct span rest = span_after(s, span_find(s, ':'));

	*id = (struct target_id){.name = span_first(s, span_find(s, ':'))};
	while (rest.n) {
		struct span word = span_after(rest, 1);

		word = span_first(word, span_find(word, ':'));
		rest = span_after(rest, 1 + word.n);
		if (!feature_read(word, id))
			return false;
	}
	return span_starts(id->name, SPAN("gfx"));
}

static bool is_digit(uint8_t c)
{
	return c >= '0' && c <= '9';
}

static bool is_hex(uint8_t c)
{
	return is_digit(c) || (c >= 'a' && c <= 'f');
}

/* "gfx", the major number of one or two digits, minor and stepping of one each. */
static bool is_gfx(struct span name)
{
	struct span s = span_after(name, 3);

	return span_starts(name, SPAN("gfx")) && (s.n == 3 || s.n == 4) && s.p[0] != '0' && is_digit(s.p[0]) &&
	       is_digit(s.p[s.n - 3]) && is_hex(s.p[s.n - 2]) && is_hex(s.p[s.n - 1]);
}

/* Digits that name the major number: of "gfx90a" and "gfx9-4-generic" 1, of "gfx1100" and "gfx11-generic" 2. */
static size_t major_digits(struct span name)
{
	size_t n = 0;

	if (is_gfx(name))
		return name.n - 5;
	while (3 + n < name.n && is_digit(name.p[3 + n]))
		n++;
	return n;
}

static bool same_major(struct span a, struct span b)
{
	size_t n = 3 + major_digits(a);

	return major_digits(b) + 3 == n && span_eq(span_first(a, n), span_first(b, n));
}

static bool rocm_is_device(struct span device)
{
	struct target_id id;

	if (!id_read(device, &id) || !is_gfx(id.name))
		return false;
	for (size_t f = 0; f < FEATURES; f++)
		if (id.set[f] != SETTING_OPEN && !may_have(id.name, (enum feature)f))
			return false;
	return true;
}

static bool rocm_is_code(struct span target)
{
	return span_starts(target, SPAN("gfx")) || span_starts(target, SPAN("amdgcn"));
}

static enum code_form rocm_form(struct span target)
{
	if (span_eq(target, SPAN("amdgcnspirv")))
		return FORM_PORTABLE;
	return span_starts(target, SPAN("gfx")) ? FORM_NATIVE : FORM_UNKNOWN;
}

static bool is_open(const struct target_id *device, size_t f)
{
	return device->set[f] == SETTING_OPEN && may_have(device->name, (enum feature)f);
}

static unsigned rocm_settings(struct span device)
{
	struct target_id id;
	unsigned n = 1;

	if (!id_read(device, &id))
		return n;
	for (size_t f = 0; f < FEATURES; f++)
		n *= is_open(&id, f) ? 2 : 1;
	return n;
}

/* Features that the device's name leaves open are set as the bits of the number say. */
static void set_open(struct target_id *device, unsigned setting)
{
	for (size_t f = 0; f < FEATURES; f++) {
		if (!is_open(device, f))
			continue;
		device->set[f] = setting & 1 ? SETTING_ON : SETTING_OFF;
		setting >>= 1;
	}
}

static enum answer generic_answer(struct span generic, struct span device, const char **why)
{
	bool known = false;

	for (size_t i = 0; i < COUNT(generics); i++) {
		if (!span_eq(generics[i].generic, generic))
			continue;
		known = true;
		if (!span_eq(generics[i].member, device))
			continue;
		/* Facts do not hold the version of a generic code object; the first has all that there is so far. */
		return generics[i].since <= 1 ? ANSWER_NATIVE_FAMILY
		                              : target_unknown(why, "the version of the generic code is not known");
	}
	if (!same_major(generic, device) || (known && gfx_of(device)))
		return ANSWER_NONE;
	return target_unknown(why, "whether the generic target covers the device is not known");
}

static enum answer name_answer(struct span code, struct span device, const char **why)
{
	if (span_eq(code, device))
		return ANSWER_NATIVE;
	if (span_ends(code, SPAN("-generic")))
		return generic_answer(code, device, why);
	if (is_gfx(code) || !span_starts(code, device))
		return ANSWER_NONE;
	/* "gfx1250-strict" */
	return target_unknown(why, "what kind of code for the device this is is not known");
}

static enum answer rocm_answer(struct span target, enum code_form form, struct span device, unsigned setting,
                               const char **why)
{
	struct target_id code, id;
	enum answer answer;

	if (form == FORM_PORTABLE && span_eq(target, SPAN("amdgcnspirv")))
		return ANSWER_JIT;
	if (form != FORM_NATIVE || !id_read(target, &code) || !id_read(device, &id))
		return target_unknown(why, "its target is not known");
	answer = name_answer(code.name, id.name, why);
	set_open(&id, setting);
	for (size_t f = 0; f < FEATURES; f++)
		if (code.set[f] != SETTING_OPEN && code.set[f] != id.set[f])
			return ANSWER_NONE;
	return answer;
}

const struct target_vendor target_rocm = {
        .backend = SPAN_INIT("rocm"),
        .is_device = rocm_is_device,
        .is_code = rocm_is_code,
        .form = rocm_form,
        .settings = rocm_settings,
        .answer = rocm_answer,
};
