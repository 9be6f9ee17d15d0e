/* SPDX-License-Identifier: Apache-2.0 */
/* Private to walk.c and files.c. */
#ifndef POSTERN_EXTRACTORS_DIRECTORY_WALK_H
#define POSTERN_EXTRACTORS_DIRECTORY_WALK_H

#include <sys/types.h>

#include "extractors/directory.h"

struct walk_file {
	struct span path;
	dev_t device;
	ino_t inode;
	uint64_t bytes;
	bool linked; /* has further names somewhere */
};

struct walk {
	const struct limits *limits;
	int root;
	struct facts *facts;
	bool *closed;
	dev_t device;         /* of the root */
	struct spans folders; /* still to walk, in the order found */
	LIST(struct walk_file) files;
	bool limited;
};

/* A folder below the root, no link followed on the way; -1 and errno. */
int walk_open_folder(const struct walk *w, struct span path);
/* Opens w->files, which are sorted by path, and hands them out in slices. */
int walk_hand_out(struct walk *w, directory_slice *each, void *sink, struct err *e);

#endif
