/* SPDX-License-Identifier: Apache-2.0 */
/* What a file's name, or the name it gives itself, says about it. Pure look-ups in the catalogue. */
#ifndef POSTERN_MODEL_NAMES_H
#define POSTERN_MODEL_NAMES_H

#include "model/catalogue.h"
#include "model/object.h"

/*
 * Adds vendor-library (bundled), driver-file (host) and toolchain (tool) evidence to o from the last part of o->path and from
 * soname (empty: none). A driver's file in a folder "stubs" is a driver-stub; one in "compat" stays a driver-file. A placeholder
 * (o->type) may also have the name of device code. True when anything was added.
 */
bool names_evidence(struct object *o, struct arena *mem, const struct catalogue *c, struct span soname);

#endif
