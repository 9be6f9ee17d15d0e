/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What is in the artifacts: the merge fills it, rules judge it, reports write it (inventory.md). Plain data; everything lives
 * in one arena of the run, and strings point into the facts' bytes, which live as long.
 */
#ifndef POSTERN_MODEL_INVENTORY_H
#define POSTERN_MODEL_INVENTORY_H

#include "model/facts.h"

/* A target of a store or of a backend's summary. */
struct target_sum {
	struct span target;
	enum code_form form; /* summary only */
	uint64_t objects;    /* summary: objects that have it */
	uint64_t files;      /* store: files of it */
	uint64_t count, bytes;
};

struct store {
	struct span path;
	struct span kind; /* "kernel-files" */
	struct span backend;
	struct span package; /* id, or empty */
	uint32_t layer;      /* from 1; 0 where there are no layers */
	bool hidden;         /* by a later layer */
	uint32_t hidden_by;  /* the last layer that hides one of its files */
	uint64_t files, bytes;
	LIST(struct target_sum) targets;
};

/* A layer as it was read. */
struct layer {
	struct layer_ref ref;
	bool verified; /* the blob was hashed, and its digest is the one that the manifest names */
	struct span compression;
	uint64_t unpacked;
};

enum level { LEVEL_MENTIONED, LEVEL_CARRIED, LEVEL_NEEDED, LEVEL_COUNT };

struct backend_sum {
	struct span backend;
	enum level level;
	bool undeclared; /* bytes against the package's own claims */
	uint64_t objects;
	struct spans packages; /* ids, sorted */
	uint64_t device_code_bytes, carried_bytes;
	uint64_t hidden_bytes; /* carried by files that a later layer hides */
	LIST(uint32_t) layers; /* that bring it, from 1, sorted */
	LIST(struct target_sum) targets;
};

struct artifact {
	struct span name;     /* as given */
	struct span kind;     /* "file", "directory", "wheel", "zip" */
	struct span digest;   /* of a file; empty for folders and with --no-digests */
	bool closed;          /* world */
	bool verified;        /* files were hashed, for RECORD to be held against them */
	bool complete;        /* starts as false, and is earned */
	bool refused;         /* nothing to scan; `incomplete` says why */
	bool usage;           /* refused, since the caller has to choose: of images, of platforms */
	struct image image;         /* present: of an image */
	LIST(struct layer) layers;  /* lowest first */
	struct spans ambiguous;     /* paths on which engines differ, sorted */
	struct problems incomplete, anomalies;
	LIST(struct package) packages;
	LIST(struct object) objects;
	LIST(struct store) stores;
	uint64_t files, elf_files, bytes; /* bytes: of regular files */
	LIST(struct backend_sum) backends;
	uint64_t shared_bytes; /* carried by files of two and more backends */
};

struct inventory {
	struct span rules_version;
	struct span tool_version; /* of the postern that scanned; empty: this one */
	LIST(struct artifact) artifacts;
};

const char *level_name(enum level l);
/* Do these first bytes say that it is an inventory as JSON? */
bool inventory_begins(struct span front);

#endif
