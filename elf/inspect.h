/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One ELF file, ar archive, loose device file or Git LFS pointer, read once from front to back, becomes an object with its
 * problems. The same rule holds for a mapped file and for a stream (design.md 5): what is kept is the head, the tail and what
 * PT_DYNAMIC, PT_NOTE and PT_INTERP name; every byte is searched; the rest is dropped. So both give the same facts, byte for
 * byte.
 */
#ifndef POSTERN_ELF_INSPECT_H
#define POSTERN_ELF_INSPECT_H

#include "model/job.h"

extern const struct file_reader elf_reader;

#endif
