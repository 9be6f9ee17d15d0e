/* SPDX-License-Identifier: Apache-2.0 */
/* Section headers: they only help. They name places, and tell text from code. */
#ifndef POSTERN_ELF_SECTIONS_H
#define POSTERN_ELF_SECTIONS_H

#include "elf/host.h"

/* Reads and checks the table; one that lies is a fault, and not used. */
void sections_read_table(struct host_elf *m);
/* Whether the dynamic section is where the sections say. After dynamic_read. */
void sections_check_dynamic(struct host_elf *m);
/* ".nv_fatbin"; "section[3]" without a name; "load[0]" where no section is; "@file" where no segment is either. */
struct span section_where(struct host_elf *m, uint64_t offset);
/* A copy of a section's name, made once; empty when it has none. */
struct span section_name(struct host_elf *m, size_t i);
/* The same question without a copy. */
bool section_name_starts(struct host_elf *m, size_t i, struct span with);
/* The name of the section there, empty when there is none. */
struct span section_name_at(struct host_elf *m, uint64_t offset);
/* False when a usable table says that these bytes are code, symbol names, or not loaded at all. */
bool section_may_hold_text(struct host_elf *m, uint64_t offset);

#endif
