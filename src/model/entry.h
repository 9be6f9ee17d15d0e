/* SPDX-License-Identifier: Apache-2.0 */
/* One name in an artifact, told as a whole. Lists of many are kept by model/entries.h. */
#ifndef POSTERN_MODEL_ENTRY_H
#define POSTERN_MODEL_ENTRY_H

#include "base/arena.h"

enum entry_kind { ENTRY_FILE, ENTRY_FOLDER, ENTRY_SYMLINK, ENTRY_HARDLINK, ENTRY_SPECIAL, ENTRY_KIND_COUNT };

/* Paths are normalised: no leading slash, no "." or "..", names inside archives joined by "!/". */
struct entry {
	struct span path;
	enum entry_kind kind;
	uint64_t bytes;     /* of a file */
	/* Of a link, as it stands; of a hard link the path of the first name. In a layer "0:0" of the character device that
	 * overlay takes for a whiteout, and "opaque" of a folder with the attribute trusted.overlay.opaque=y. */
	struct span target;
	uint32_t order; /* place in a layer's tar, from 1; 0 elsewhere */
	/* Filled by the merge: */
	uint32_t layer;     /* that brought it, from 1; 0 where there are no layers */
	uint32_t hidden_by; /* a later layer; 0: it is visible */
};

#endif
