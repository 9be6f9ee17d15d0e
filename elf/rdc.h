/* SPDX-License-Identifier: Apache-2.0 */
/* Bitcode of `clang -fgpu-rdc` in relocatable files: one section a target, and its name is the bundle id (formats.md B.2). */
#ifndef POSTERN_ELF_RDC_H
#define POSTERN_ELF_RDC_H

#include "elf/rows.h"

/* Adds one row a section to rows, in t->scratch. No magic tells them; their names do. */
void rdc_rows(const struct rows_target *t, struct device_codes *rows);

#endif
