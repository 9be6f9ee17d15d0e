/* SPDX-License-Identifier: Apache-2.0 */
/* What the dynamic section says, read as glibc and musl read it: by address, to DT_NULL, sizes not believed. */
#ifndef POSTERN_ELF_DYNAMIC_H
#define POSTERN_ELF_DYNAMIC_H

#include "elf/host.h"

/* needed, soname, rpath, runpath, the tables' places, and evidence of needs. Nothing when there is no dynamic section.
 */
void dynamic_read(struct host_elf *m);
/* Version needs and definitions (elf/versions.c). After dynamic_read. */
void versions_read(struct host_elf *m);
/* Interpreter, build id, dlopen notes (elf/notes.c). */
void notes_read(struct host_elf *m);

#endif
