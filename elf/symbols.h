/* SPDX-License-Identifier: Apache-2.0 */
/* Dynamic symbols of an ELF file. */
#ifndef POSTERN_ELF_SYMBOLS_H
#define POSTERN_ELF_SYMBOLS_H

#include "elf/host.h"

/* As the hash tables imply it, else as sections say; not yet held against the file's size. */
uint64_t symbols_count(struct host_elf *m);
/* Evidence of families, stubs, PyInit_*, imports of dlopen and dlsym. After versions_read. */
void symbols_inspect(struct host_elf *m);

#endif
