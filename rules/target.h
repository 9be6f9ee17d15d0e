/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Will this device code run on that device, without knowing its driver? (backends.md 1.2, 2.2; design.md 6.) A pure function of
 * target names: rules/target.c knows how the vendors' tools spell them, the tables are rows in it, never code for one GPU.
 */
#ifndef POSTERN_RULES_TARGET_H
#define POSTERN_RULES_TARGET_H

#include "model/finding.h"

/* Is it a device of this backend: "sm_90", "gfx942", "gfx90a:sramecc+:xnack-"? A name of code that is no device is not. */
bool target_is_device(struct span backend, struct span device);
/*
 * The answer of one image: native, native-family, jit, unknown (*why is then a clause that says why), or none. form: stubs,
 * relocatable and intermediate code are never support.
 */
enum answer target_image(struct span backend, struct span target, enum code_form form, struct span device, const char **why);
/* Of one unit that holds these targets (native with kernels, and portable code): its best image's. */
enum answer target_unit(struct span backend, const struct spans *targets, struct span device, const char **why);
/*
 * Of a file or store: its best unit's. *served: units whose answer is native, native-family or jit, of *units. not-needed when it
 * has no device code of this backend.
 */
enum answer target_object(const struct object *o, struct span backend, struct span device, uint64_t *served, uint64_t *units, const char **why);
enum answer target_store(const struct store *s, struct span backend, struct span device, const char **why);

#endif
