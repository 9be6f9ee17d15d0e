/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A tar of files, plain or compressed: a layer of an image, or a root file system of its own. Entries are told as they
 * stand in it, whiteouts too; what they mean to other layers is for the merge.
 */
#ifndef POSTERN_EXTRACTORS_LAYER_H
#define POSTERN_EXTRACTORS_LAYER_H

#include "extractors/stream/flow.h"
#include "model/job.h"

/*
 * Reads all of `from`. Fills facts->compression and facts->unpacked. A path that stands twice in the tar means the last one;
 * what was there before is told below "duplicate-N!/", with N the number of those that follow it.
 */
void layer_read(const struct job_context *ctx, struct flow *from, struct facts *facts);
/* A tar that lies in another archive, `depth` deep: its entries stand below "path!/". */
void layer_read_inner(const struct job_context *ctx, struct flow *from, struct span path, unsigned depth,
                      struct facts *facts);

#endif
