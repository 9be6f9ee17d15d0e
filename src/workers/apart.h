/* SPDX-License-Identifier: Apache-2.0 */
/* How a worker reads a layer of an artifact that passes once: the two ways of job_context.layer_apart. */
#ifndef POSTERN_WORKERS_APART_H
#define POSTERN_WORKERS_APART_H

#include "model/job.h"

/* In a process of its own, which dies with this one. */
struct span layer_apart(const struct job_context *ctx, struct flow *from, size_t most, struct err *e);
/* In this one: with -j0. */
struct span layer_here(const struct job_context *ctx, struct flow *from, size_t most, struct err *e);

#endif
