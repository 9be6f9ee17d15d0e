/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Joins the facts of all jobs of one artifact: owners of files, record comparison, stores, levels, summary. Pure; the result
 * does not depend on how the artifact was cut into jobs.
 */
#ifndef POSTERN_MERGE_MERGE_H
#define POSTERN_MERGE_MERGE_H

#include "model/catalogue.h"
#include "model/inventory.h"

/*
 * facts: n sets in job order. to: name, kind, digest, closed, verified and problems of the parent are already filled. Everything that
 * is kept points into the facts, which must live as long as mem.
 */
void merge_artifact(struct artifact *to, const struct facts *facts, size_t n, const struct catalogue *catalogue,
                    const struct limits *limits, struct arena *mem);

#endif
