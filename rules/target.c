/* SPDX-License-Identifier: Apache-2.0 */
#include "rules/target/parts.h"

static const struct target_vendor *const vendors[] = {&target_cuda, &target_rocm};

#define VENDORS (sizeof(vendors) / sizeof(vendors[0]))

/* Targets where they stand: spans of a list, or members of its rows. */
struct target_list {
	const void *first;
	size_t n, step;
};

static struct span target_at(const struct target_list *l, size_t i)
{
	return *(const struct span *)(const void *)((const uint8_t *)l->first + i * l->step);
}

static const struct target_vendor *vendor_of(struct span backend)
{
	for (size_t i = 0; i < VENDORS; i++)
		if (span_eq(vendors[i]->backend, backend))
			return vendors[i];
	return NULL;
}

/* The vendor whose tools make this name, or NULL. */
static const struct target_vendor *vendor_by_code(struct span target)
{
	for (size_t i = 0; i < VENDORS; i++)
		if (vendors[i]->is_code(target))
			return vendors[i];
	return NULL;
}

bool target_is_device(struct span backend, struct span device)
{
	const struct target_vendor *v = vendor_of(backend);

	if (v)
		return v->is_device(device);
	/* Nothing is known about such names but that people write them. */
	for (size_t i = 0; i < device.n; i++)
		if (device.p[i] <= ' ' || device.p[i] >= 0x7f)
			return false;
	return device.n != 0;
}

static enum answer image_answer(const struct target_vendor *v, struct span target, enum code_form form,
                                struct span device, unsigned setting, const char **why)
{
	const struct target_vendor *by = vendor_by_code(target);

	if (form != FORM_NATIVE && form != FORM_PORTABLE && form != FORM_UNKNOWN)
		return ANSWER_NONE;
	if (form == FORM_UNKNOWN)
		return target_unknown(why, "the code is of a kind that is not known");
	if (!v && span_eq(target, device))
		return form == FORM_PORTABLE ? ANSWER_JIT : ANSWER_NATIVE;
	if (!v)
		return target_unknown(why, "the targets of this backend are not known");
	if (by && by != v)
		return ANSWER_NONE;
	return v->answer(target, form, device, setting, why);
}

static enum code_form form_by_name(const struct target_vendor *v, struct span target)
{
	enum code_form form = v ? v->form(target) : FORM_NATIVE;

	/* The list says that it is native or portable code, whatever its name says. */
	return form == FORM_UNKNOWN ? FORM_NATIVE : form;
}

/* The best image decides. *form: of the only one; else names tell. */
static enum answer best_answer(const struct target_vendor *v, const struct target_list *l, const enum code_form *form,
                               struct span device, unsigned setting, const char **why)
{
	enum answer best = ANSWER_NONE;

	for (size_t i = 0; i < l->n && best != ANSWER_NATIVE; i++) {
		struct span target = target_at(l, i);
		const char *clause = NULL;
		enum answer a =
		        image_answer(v, target, form ? *form : form_by_name(v, target), device, setting, &clause);

		if (a == ANSWER_UNKNOWN && best > ANSWER_UNKNOWN)
			*why = clause;
		best = a < best ? a : best;
	}
	return best;
}

/*
 * A device whose name leaves settings open is served when every setting is, be it by different images, and not when
 * none is. What serves only some is unknown.
 */
static enum answer open_answer(const struct target_vendor *v, const struct target_list *l, const enum code_form *form,
                               struct span device, const char **why)
{
	unsigned settings = v ? v->settings(device) : 1;
	enum answer best = ANSWER_NONE, worst = ANSWER_NATIVE;
	const char *clause = NULL;

	if (v && !v->is_device(device))
		return target_unknown(why, "the device is not known");
	for (unsigned s = 0; s < settings; s++) {
		const char *why_so = NULL;
		enum answer a = best_answer(v, l, form, device, s, &why_so);

		if (a == ANSWER_UNKNOWN)
			clause = why_so;
		best = a < best ? a : best;
		worst = a > worst ? a : worst;
	}
	if (worst < ANSWER_UNKNOWN || best == ANSWER_NONE)
		return worst;
	return target_unknown(why, clause ? clause : "it depends on a feature that the device's name leaves open");
}

enum answer target_image(struct span backend, struct span target, enum code_form form, struct span device,
                         const char **why)
{
	struct target_list l = {&target, 1, sizeof(target)};

	return open_answer(vendor_of(backend), &l, &form, device, why);
}

enum answer target_unit(struct span backend, const struct spans *targets, struct span device, const char **why)
{
	struct target_list l = {targets->v, targets->n, sizeof(*targets->v)};

	return open_answer(vendor_of(backend), &l, NULL, device, why);
}

/*
 * Sets do not say of which backend they are, and a file may hold code of two. A unit is this backend's when one of its
 * names is, and everybody's when none is any vendor's: unknown code may serve.
 */
static bool unit_is_of(const struct target_vendor *v, const struct unit_set *set)
{
	bool other = false;

	for (size_t i = 0; i < set->targets.n; i++) {
		const struct target_vendor *by = vendor_by_code(set->targets.v[i]);

		if (by && by == v)
			return true;
		other = other || by;
	}
	return !other;
}

/* A row that may be support without being part of a unit: open text of PTX that has a kernel in it, and what is not
 * known. */
static bool is_open_row(const struct device_code *c)
{
	if (c->form == FORM_UNKNOWN)
		return true;
	return c->form == FORM_PORTABLE && !(c->opened && c->kernels == 0) &&
	       (span_eq(c->container, SPAN("ptx")) || span_eq(c->container, SPAN("spirv")));
}

static bool is_code_row(const struct device_code *c)
{
	return is_open_row(c) || c->form == FORM_NATIVE ||
	       (c->form == FORM_PORTABLE && !span_eq(c->container, SPAN("ptx")) &&
	        !span_eq(c->container, SPAN("spirv")));
}

/* The best row's, of all code or only of what is part of no unit; not-needed when there is none. */
static enum answer rows_answer(const struct object *o, struct span backend, struct span device, bool open_only,
                               const char **why)
{
	enum answer best = ANSWER_NOT_NEEDED;

	for (size_t i = 0; i < o->device_code.n; i++) {
		const struct device_code *c = &o->device_code.v[i];
		const char *clause = NULL;
		enum answer a;

		if (!span_eq(c->backend, backend) || !(open_only ? is_open_row(c) : is_code_row(c)))
			continue;
		a = target_image(backend, c->target, c->form, device, &clause);
		if (a == ANSWER_UNKNOWN && best > ANSWER_UNKNOWN)
			*why = clause;
		best = a < best ? a : best;
	}
	return best;
}

static bool has_backend(const struct object *o, struct span backend, bool *sole)
{
	bool any = false;

	*sole = true;
	for (size_t i = 0; i < o->device_code.n; i++) {
		bool same = span_eq(o->device_code.v[i].backend, backend);

		any = any || same;
		*sole = *sole && same;
	}
	return any;
}

enum answer target_object(const struct object *o, struct span backend, struct span device, uint64_t *served,
                          uint64_t *units, const char **why)
{
	const struct target_vendor *v = vendor_of(backend);
	enum answer best = ANSWER_NONE, open;
	const char *clause = NULL;
	bool sole;

	*served = *units = 0;
	if (!has_backend(o, backend, &sole))
		return ANSWER_NOT_NEEDED;
	for (size_t i = 0; i < o->unit_sets.n; i++) {
		const struct unit_set *set = &o->unit_sets.v[i];
		const char *why_so = NULL;
		enum answer a;

		if (!sole && !unit_is_of(v, set))
			continue;
		a = target_unit(backend, &set->targets, device, &why_so);
		*units += set->count;
		*served += a < ANSWER_UNKNOWN ? set->count : 0;
		if (a == ANSWER_UNKNOWN && best > ANSWER_UNKNOWN)
			clause = why_so;
		best = a < best ? a : best;
	}
	/*
	 * A file that has only stubs, relocatable or intermediate code holds nothing that a device could run, and
	 * nothing that it would be missed in: the link step that comes after makes the code, in another file.
	 */
	if (*units == 0)
		return rows_answer(o, backend, device, false, why);
	if (best < ANSWER_UNKNOWN)
		return best;
	open = rows_answer(o, backend, device, true, &clause);
	if (open < ANSWER_UNKNOWN)
		return target_unknown(why, "only PTX text that lies open in the file would serve it");
	*why = clause;
	return open < best ? open : best;
}

enum answer target_store(const struct store *s, struct span backend, struct span device, const char **why)
{
	const struct target_vendor *v = vendor_of(backend);
	struct target_list l = {s->targets.n ? &s->targets.v[0].target : NULL, s->targets.n, sizeof(s->targets.v[0])};
	bool any = false;

	for (size_t i = 0; i < l.n && !any; i++) {
		enum code_form form = form_by_name(v, target_at(&l, i));

		any = form == FORM_NATIVE || form == FORM_PORTABLE;
	}
	if (!span_eq(s->backend, backend) || !any)
		return ANSWER_NOT_NEEDED;
	return open_answer(v, &l, NULL, device, why);
}
