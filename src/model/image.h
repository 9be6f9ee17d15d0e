/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A container image as its own JSON describes it: claims, checked where that is possible (digests, sizes). A plan job fills
 * it, the parent reads the layers by it, the inventory shows it. Plain data in a job's or run's arena.
 */
#ifndef POSTERN_MODEL_IMAGE_H
#define POSTERN_MODEL_IMAGE_H

#include "base/arena.h"

/* One layer, lowest first. */
struct layer_ref {
	struct span digest;  /* of the blob: "sha256:...", empty where the format has none */
	struct span diff_id; /* of the uncompressed layer, as the config says; empty when the counts differ */
	struct span path;    /* of the blob in the folder, or of its member in the tar */
	uint64_t offset;     /* where the blob's bytes begin in the artifact's file; 0 in a folder */
	uint64_t bytes;      /* of the blob, as it lies there; until the parent has looked, as its descriptor says */
	uint64_t there;      /* as it lies in a tar */
	bool missing;        /* there is no such blob, or it cannot be read as it is: `why` says more */
	struct span why;
	struct span declared; /* compression that its media type names; empty when that says nothing */
	bool has_step;       /* history lines up: */
	uint32_t step;       /* place in history, from 1 */
	struct span created_by; /* without secrets */
};

struct image_label {
	struct span name, value;
};

struct image {
	bool present;
	struct span reference;       /* the image's own name, when it carries one */
	struct span image_id;        /* digest of the config */
	struct span manifest_digest;
	struct span platform;        /* "linux/amd64" */
	struct spans env;            /* NAME=value, only names that matter (design.md 9) */
	struct spans entrypoint;
	LIST(struct image_label) labels;
	LIST(struct layer_ref) layers;
};

#endif
