/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A tar of files, plain or compressed: a layer of an image, or a root file system of its own. Entries are told as they
 * stand in it, whiteouts too; what they mean to other layers is for the merge.
 */
#ifndef POSTERN_EXTRACTORS_LAYER_LAYER_H
#define POSTERN_EXTRACTORS_LAYER_LAYER_H

#include "extractors/stream/tar.h"
#include "model/job.h"

/*
 * Reads all of `from`. Fills facts->compression and facts->unpacked. A path that stands twice in the tar means the last one;
 * what was there before is told below "duplicate-N!/", with N the number of those that follow it.
 */
void layer_read(const struct job_context *ctx, struct flow *from, struct facts *facts);

enum layer_look { LOOK_PASS, LOOK_KEEP, LOOK_READ };

/* Somebody else who looks at the entries of a tar while they pass: an image may be in it. */
struct layer_visitor {
	/* An entry begins; front: the first bytes of a file, fewer than READER_FRONT only when there are no more. */
	enum layer_look (*look)(struct layer_visitor *v, const struct tar_entry *t, struct span front);
	/* After LOOK_KEEP: all of the file, in ctx->mem. Not called when the file is cut. */
	void (*keep)(struct layer_visitor *v, struct span bytes);
	/* After LOOK_READ: the file. What is left of it is passed over. */
	void (*read)(struct layer_visitor *v, struct flow *from);
	/* The entry is over. whole: all of it came. */
	void (*end)(struct layer_visitor *v, bool whole);
};

/* layer_read with a visitor; NULL: none. */
void layer_read_visited(const struct job_context *ctx, struct flow *from, struct layer_visitor *v, struct facts *facts);
/* A tar that lies in another archive, `depth` deep: its entries stand below "path!/". */
void layer_read_inner(const struct job_context *ctx, struct flow *from, struct span path, unsigned depth,
                      struct facts *facts);

#endif
