/* SPDX-License-Identifier: Apache-2.0 */
/* What the steps of one merge share. Private to merge*.c. */
#ifndef POSTERN_MERGE_PARTS_H
#define POSTERN_MERGE_PARTS_H

#include "merge.h"

#define NO_OWNER SIZE_MAX

/* A path that a package's RECORD claims. */
struct claim {
	struct span path;
	size_t package; /* index in to->packages */
};

struct merge {
	struct artifact *to;
	struct arena *mem;
	const struct catalogue *catalogue;
	const struct limits *limits;
	bool hidden;  /* files of one layer that later ones hide: entries without a layer are of others */
	bool archive; /* the artifact is a wheel or zip: its top is an archive's top */
	LIST(struct entry) entries;  /* sorted by path; equal ones once */
	LIST(struct claim) claims;   /* of packages in folders: sorted by path, the outermost package first */
	LIST(struct file_digest) digests; /* sorted by path */
	LIST(size_t) archive_tops;   /* packages that own a whole archive, sorted by root */
	size_t *owners;              /* package of each object, or NO_OWNER */
	bool *stored;                /* objects that are part of a store */
	/* The last answer of merge_archive_part: paths come in order, so most lie in the folder of the one before. */
	struct span last_folder;
	size_t last_part;
	uint64_t root_bytes; /* that RECORD lines brought along */
	bool roots_told;
};

static inline int by_number(uint64_t a, uint64_t b)
{
	return (a > b) - (a < b);
}

/* Index of the first entry whose path is not before this one. */
size_t merge_entry_place(const struct merge *m, struct span path);
/* The first entry of that path, or NULL. */
const struct entry *merge_entry(const struct merge *m, struct span path);
/* Bytes of path up to and with the "!/" of the innermost archive it lies in; 0: it lies in none. */
size_t merge_archive_part(struct merge *m, struct span path);

/* merge_objects.c: fills to->objects, sorted by path. */
void merge_objects(struct merge *m, const struct facts *facts, size_t n);
void merge_objects_sort(struct merge *m);
/* merge_owners.c: roots and ids; after it merge_owner answers. */
void merge_owners(struct merge *m);
/* Index of the package that owns the path. *inside (may be NULL): not by way of an archive that holds it. */
size_t merge_owner(struct merge *m, struct span path, bool *inside);
/* True when the package owns all of the archive at whose top it lies: of several there, one does. */
bool merge_owns_archive(const struct merge *m, size_t package);
/* The entry that has the content: of a hard link that of its first name. */
const struct entry *merge_content(const struct merge *m, const struct entry *e);
/* The digest of a file, or NULL: it was not hashed. */
const struct file_digest *merge_digest(const struct merge *m, struct span path);
/* merge_records.c: RECORD against the files that are there. */
void merge_records(struct merge *m);
/* A RECORD path as a path of the artifact; false when it is absolute or leads out. */
bool record_path_resolve(struct arena *mem, struct span root, struct span written, struct span *out);
/* The same, within what one artifact may have of such paths; above it false, which is told. */
bool merge_record_path(struct merge *m, struct span root, struct span written, struct span *out);
/* merge_stores.c: kernel-files stores; fills stored. */
void merge_stores(struct merge *m);
/* merge_summary.c: levels and sums. */
void merge_summary(struct merge *m);
/* merge_hidden.c: what later layers hide joins the rest: it is shipped, but makes no level. */
void merge_hidden(struct artifact *to, const struct artifact *part, struct arena *mem);
/* No layers are shown: there is only one. */
void layers_forget(struct artifact *a);

#endif
