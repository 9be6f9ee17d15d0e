/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What one job found: a pure function of the bytes it was given and of the rule data. A worker builds it in an arena,
 * src/workers/facts.c turns it into canonical bytes and back, the merge joins the facts of all jobs of an artifact.
 */
#ifndef POSTERN_MODEL_FACTS_H
#define POSTERN_MODEL_FACTS_H

#include "model/entries.h"
#include "model/image.h"
#include "model/object.h"
#include "model/package.h"
#include "model/problem.h"

/* Of a regular file that was read from its first byte to its last: with --verify only. */
struct file_digest {
	struct span path;
	struct span sha256; /* DIGEST_BYTES bytes */
};

/* How an artifact is to be read: filled by a plan job only. */
struct plan {
	struct span extractor; /* name of the row in extractors/list.def; empty: not a plan */
	struct span kind;      /* what inventory.md calls the artifact */
	uint32_t slices;       /* jobs that read it, at least 1 */
	struct span refused;   /* not empty: there is nothing to scan here, and why */
	struct spans needs;    /* a folder's files that the plan has to see: asked again with them opened. Paths below blobs/ only */
	uint32_t images;       /* with all platforms: how many there are to ask for, one after the other; else 0 */
	struct image image;    /* present: one read job a layer instead of slices */
	bool usage;            /* with refused: the caller has to choose (exit 2) */
	struct problems problems; /* while planning only: extract_plan moves them to the facts' */
};

struct facts {
	struct arena *mem;
	struct plan plan;
	struct span digest; /* "sha256:..." of a hash job */
	struct span compression; /* of a layer: "none", "gzip", "zstd"; empty else */
	uint64_t unpacked;       /* bytes of a layer's tar */
	uint32_t layer;          /* set by the parent, not part of the bytes: from 1, 0 where there are no layers */
	struct entries entries;
	LIST(struct object) objects;
	LIST(struct package) packages;
	LIST(struct file_digest) digests;
	struct problems problems;
};

#endif
