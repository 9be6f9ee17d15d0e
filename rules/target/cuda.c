/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Compute capabilities. Final code runs on parts of its major number whose minor is no lower, Tegra parts take only
 * what is built for them; `a` is for one part, `f` for a family; PTX is for everything that is not older.
 */
#include "parts.h"

#define COUNT(table)  (sizeof(table) / sizeof((table)[0]))
#define DEVICE_DIGITS 3
#define CODE_DIGITS   5 /* the field of a fatbin has 16 bits in use */

enum place { PLACE_UNSURE, PLACE_DESKTOP, PLACE_TEGRA };

static const struct part {
	unsigned number;
	enum place place;
	unsigned family;
} parts[] = {
#define CUDA_PART(number, place, family) {number, PLACE_##place, family},
#include "rows.def"
};

static const struct {
	unsigned was, is;
} renamed[] = {
#define CUDA_RENAMED(was, is) {was, is},
#include "rows.def"
};

/* "sm_90a", "compute_90", "lto_75", "sm_90 (suffix unknown)" */
struct cuda_code {
	enum code_form form;
	unsigned number;
	char suffix; /* 0, 'a', 'f'; '?': it is not known */
};

static struct part part_of(unsigned number)
{
	for (size_t i = 0; i < COUNT(parts); i++)
		if (parts[i].number == number)
			return parts[i];
	return (struct part){number, PLACE_UNSURE, 0};
}

/* What follows the digits goes to *rest. */
static bool number_read(struct span s, size_t digits, unsigned *number, struct span *rest)
{
	size_t n = 0;

	*number = 0;
	while (n < s.n && n < digits && s.p[n] >= '0' && s.p[n] <= '9')
		*number = *number * 10 + (unsigned)(s.p[n++] - '0');
	*rest = span_after(s, n);
	return n >= 2 && s.p[0] != '0';
}

static bool code_read(struct span target, struct cuda_code *c)
{
	static const struct {
		struct span prefix;
		enum code_form form;
	} kinds[] = {
	        {SPAN_INIT("sm_"), FORM_NATIVE},
	        {SPAN_INIT("compute_"), FORM_PORTABLE},
	        {SPAN_INIT("lto_"), FORM_INTERMEDIATE},
	};
	struct span rest;
	size_t i = 0;

	while (i < COUNT(kinds) && !span_starts(target, kinds[i].prefix))
		i++;
	if (i == COUNT(kinds) || !number_read(span_after(target, kinds[i].prefix.n), CODE_DIGITS, &c->number, &rest))
		return false;
	c->form = kinds[i].form;
	c->suffix = '?';
	if (rest.n == 0)
		c->suffix = '\0';
	else if (rest.n == 1 && (rest.p[0] == 'a' || rest.p[0] == 'f'))
		c->suffix = (char)rest.p[0];
	else
		return span_eq(rest, SPAN(" (suffix unknown)"));
	return true;
}

static bool device_read(struct span device, unsigned *number)
{
	struct span rest;

	return span_starts(device, SPAN("sm_")) && number_read(span_after(device, 3), DEVICE_DIGITS, number, &rest) &&
	       rest.n == 0;
}

static bool cuda_is_device(struct span device)
{
	unsigned number;

	return device_read(device, &number);
}

static bool cuda_is_code(struct span target)
{
	struct cuda_code c;

	return code_read(target, &c);
}

static enum code_form cuda_form(struct span target)
{
	struct cuda_code c;

	return code_read(target, &c) ? c.form : FORM_UNKNOWN;
}

static unsigned cuda_settings(struct span device)
{
	return 1;
}

/* Same major, the device's minor is higher. */
static enum answer newer_minor(const struct part *code, const struct part *device, const char **why)
{
	if (code->place == PLACE_UNSURE || device->place == PLACE_UNSURE)
		return target_unknown(
		        why, "whether parts of one major number run each other's code is not known for these two");
	if (code->place == PLACE_DESKTOP && device->place == PLACE_DESKTOP)
		return ANSWER_NATIVE;
	return target_unknown(why, "a Tegra part is only sure to run code that is built for exactly it");
}

/* Code of the suffix f, no newer than the device. */
static enum answer of_family(const struct part *code, const struct part *device, const char **why)
{
	if (code->number == device->number)
		return ANSWER_NATIVE_FAMILY;
	if (code->family && device->family)
		return code->family == device->family ? ANSWER_NATIVE_FAMILY : ANSWER_NONE;
	if (code->number / 10 != device->number / 10)
		return ANSWER_NONE;
	return target_unknown(why, "whether the device is of the code's family is not known");
}

/* Code of another suffix or none, no newer than the device. */
static enum answer of_part(const struct cuda_code *c, const struct part *code, const struct part *device,
                           const char **why)
{
	bool same_major = code->number / 10 == device->number / 10;

	/* Whatever its suffix is, it runs on the part that it names. */
	if (code->number == device->number)
		return ANSWER_NATIVE;
	if (c->suffix == 'a' || (!same_major && c->form == FORM_NATIVE))
		return ANSWER_NONE;
	if (c->suffix == '?')
		return target_unknown(why, "whether the code is for one part only cannot be told");
	return newer_minor(code, device, why);
}

static enum answer cuda_answer(struct span target, enum code_form form, struct span device, unsigned setting,
                               const char **why)
{
	struct cuda_code c;
	struct part code, part;
	enum answer answer;
	unsigned number = 0;

	if (!code_read(target, &c) || c.form != form || !device_read(device, &number))
		return target_unknown(why, "its target is not known");
	for (size_t i = 0; i < COUNT(renamed); i++)
		if (c.number == renamed[i].was && number == renamed[i].is)
			c.number = number;
	if (number < c.number)
		return ANSWER_NONE;
	if (form == FORM_PORTABLE && c.suffix == '\0')
		return ANSWER_JIT;
	code = part_of(c.number);
	part = part_of(number);
	answer = c.suffix == 'f' ? of_family(&code, &part, why) : of_part(&c, &code, &part, why);
	return answer < ANSWER_JIT && form == FORM_PORTABLE ? ANSWER_JIT : answer;
}

const struct target_vendor target_cuda = {
        .backend = SPAN_INIT("cuda"),
        .is_device = cuda_is_device,
        .is_code = cuda_is_code,
        .form = cuda_form,
        .settings = cuda_settings,
        .answer = cuda_answer,
};
