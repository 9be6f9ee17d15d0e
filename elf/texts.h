/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whole strings of a file that name an accelerator library or API function, or mark a static CUDA runtime. They are
 * gathered while the file passes, and become evidence when its imports and sections are known.
 */
#ifndef POSTERN_ELF_TEXTS_H
#define POSTERN_ELF_TEXTS_H

#include "elf/host.h"

struct texts;

struct texts *texts_new(struct arena *scratch, const struct job_context *ctx);
/* A search_text; sink is a struct texts. */
void texts_take(void *sink, uint64_t offset, struct span text);
/* Marks of a static CUDA runtime. needed may be NULL. own: the file's own name for itself. */
void texts_static_runtime(const struct texts *t, struct object *o, struct arena *mem, const struct spans *needed,
                          struct span own);
/* Sonames beside a dlopen import, API names beside a dlsym import. No text is taken afterwards. */
void texts_evidence(struct texts *t, struct host_elf *m);
/* True when more texts were there than are kept. */
bool texts_full(const struct texts *t);

#endif
