/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The parent's half of reading a folder: it walks the tree and opens regular files, and looks at none of their bytes. Sorted
 * bytewise by path, iterative, symbolic links recorded and never followed, one file system, no /proc, /sys or /dev of a root.
 * Files are opened with O_NOFOLLOW | O_NONBLOCK below descriptors of their folders.
 */
#ifndef POSTERN_EXTRACTORS_DIRECTORY_H
#define POSTERN_EXTRACTORS_DIRECTORY_H

#include "extractors/extractor.h"

/* Called with one slice of opened files after the other; the descriptors become the callee's. -1 stops the walk. */
typedef int directory_slice(void *sink, const struct slice *s, struct err *e);

/*
 * Walks the folder. Entries of every kind and problems (a folder that cannot be opened, limits) go to facts in order of path;
 * files to slices of at most 64 files. closed: set when the folder has etc and usr at its top. -1 when root cannot be read.
 */
int directory_walk(const struct limits *limits, int root, struct facts *facts, bool *closed, directory_slice *each, void *sink,
                   struct err *e);

#endif
