/* SPDX-License-Identifier: Apache-2.0 */
/* Names of members as paths of the artifact: no leading slash, no "." or "..", clamped at the root, bytes kept as they
 * are. */
#ifndef POSTERN_EXTRACTORS_PATH_H
#define POSTERN_EXTRACTORS_PATH_H

#include "base/arena.h"

enum path_oddity {
	PATH_ABSOLUTE = 1,
	PATH_CLIMBS = 2, /* has ".." */
	PATH_NUL = 4,
	PATH_UNTIDY = 8,  /* empty or "." components */
	PATH_FOLDER = 16, /* ends with a slash: no oddity of its own */
	PATH_ODD = PATH_ABSOLUTE | PATH_CLIMBS | PATH_NUL | PATH_UNTIDY
};

/* What is odd about a name: enum path_oddity, added up. */
unsigned path_oddities(struct span raw);
/* The normal form: a part of raw where raw has it already, else new bytes in mem. Empty for the root itself. */
struct span path_normalise(struct arena *mem, struct span raw, unsigned *odd);
/* path-bytes or path-depth when the path is above it, else LIMIT_NONE. */
enum limit_id path_limit(const struct limits *limits, struct span path);
/* before and path in one piece, in mem. */
struct span path_join(struct arena *mem, struct span before, struct span path);
/* Everything before the last slash; empty when there is none. */
struct span path_folder(struct span path);

/* For "%.*s": enough of a name for a message. */
#define SHOWN(s) (int)((s).n < 200 ? (s).n : 200), (s).p ? (const char *)(s).p : ""

#endif
