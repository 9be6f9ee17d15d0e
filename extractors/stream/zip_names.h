/* SPDX-License-Identifier: Apache-2.0 */
/* What the members of one archive are to one another by name and by place: doubles, children of files, shared bytes. */
#ifndef POSTERN_EXTRACTORS_STREAM_ZIP_NAMES_H
#define POSTERN_EXTRACTORS_STREAM_ZIP_NAMES_H

#include "extractors/stream/zip_directory.h"

struct zip_name {
	struct span path; /* normalised */
	uint32_t index;   /* in the directory */
	bool folder;
};

/* One of several members with one path. */
struct zip_double {
	uint32_t index;
	uint32_t later; /* so many members of this path come after it: 0 for the one that counts */
};

struct zip_place {
	uint64_t at; /* of the local header */
	uint32_t index;
	uint32_t first; /* lowest index of those that are this very member under another name; index itself for one */
};

struct zip_names {
	struct arena mem;         /* of paths that had to be changed */
	struct zip_name *names;   /* sorted by path, index */
	struct zip_place *places; /* sorted by at, index */
	uint32_t *firsts;         /* by index: see zip_place.first */
	size_t n;
	LIST(struct zip_double) doubles; /* by index */
};

/* z must stay open as long. */
void zip_names_build(struct zip_names *l, const struct zip_directory *z);
void zip_names_free(struct zip_names *l);
/* How many later members have the path of member i. */
uint32_t zip_names_later(const struct zip_names *l, uint32_t i);
/* True when some member lies below this path. */
bool zip_names_below(const struct zip_names *l, struct span path);

/* A folder, by a slash at the end of its name, or by its mode when it has no bytes. */
bool zip_member_folder(const struct zip_member *m);

#endif
