/* SPDX-License-Identifier: Apache-2.0 */
/* What the fuzz entries share. Each is one file with one function over (bytes, length); see CMakeLists.txt for how to run it. */
#ifndef POSTERN_TESTS_FUZZ_H
#define POSTERN_TESTS_FUZZ_H

#include "elf/inspect.h"
#include "model/facts.h"
#include "model/job.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Default limits, the compiled-in rule data and the ELF reader, made at the first call; the arena is empty. */
const struct job_context *fuzz_context(void);
/* Empty facts in the context's arena. */
struct facts fuzz_facts(const struct job_context *ctx);
bool fuzz_has_problem(const struct facts *f, const struct problem *p);

#endif
