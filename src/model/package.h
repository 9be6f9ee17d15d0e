/* SPDX-License-Identifier: Apache-2.0 */
/* A Python package as its own metadata describes it: claims, never facts. Plain data in a job's or run's arena. */
#ifndef POSTERN_MODEL_PACKAGE_H
#define POSTERN_MODEL_PACKAGE_H

#include "base/arena.h"

/* A backend that the metadata names, and how. */
struct declares {
	struct span backend;
	struct span by;    /* "local-version", "requires-dist", "name", "classifier", "variant" */
	struct span value; /* as it stands: "+rocm6.4", "nvidia-cublas-cu12" */
	bool applies;      /* an extra only offers */
	bool has_applies;  /* false: a marker that is not evaluated */
};

struct requires {
	struct span name; /* normalised: lower case, runs of -_. as one - */
	struct span spec; /* what follows the name, with the marker */
	bool applies;
	bool has_applies;
};

/* A line of RECORD. */
struct record_line {
	struct span path; /* as written */
	struct span hash; /* "sha256=..." or "" */
	bool has_size;
	uint64_t size;
};

struct package {
	struct span name;    /* normalised */
	struct span version; /* as METADATA says */
	struct span path;    /* the .dist-info folder, as in the artifact */
	struct spans tags;   /* sorted; compressed sets spread out */
	bool has_purelib, purelib;
	struct span variant; /* label of the file name's sixth part; empty: none */
	LIST(struct declares) declares;
	LIST(struct requires) requires;
	bool has_record;
	LIST(struct record_line) record; /* in the file's order */
	/* Filled by the merge. */
	uint32_t layer; /* from 1; 0 where there are no layers */
	bool hidden;    /* by a later layer */
	struct span id;   /* "pypi:torch@2.9.0+rocm6.4" */
	struct span root; /* folder that holds the package: RECORD paths count from it; "x.whl!/" inside archives */
	uint64_t bytes;
	struct spans record_missing, record_unlisted, record_size_differs, record_hash_differs;
};

#endif
