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

/* Room for one path, malloc'ed; whoever has it frees p. */
struct path_room {
	uint8_t *p;
	size_t cap, n; /* n: bytes of the folder's path that stands there, and the slash */
	uint32_t folder; /* plus one; 0: none */
};

/* A walk over all entries; zeros begin. merge_done ends it, when it was not walked to its end. */
struct merge_walk {
	struct entry e; /* its path lives until the next one comes */
	bool beside;    /* it comes from the source */
	size_t i;       /* in m->entries: behind the entry */
	/* Of the source: */
	struct entry_cursor c;
	size_t at;
	uint32_t content, first;
	struct path_room room, target;
};

/* Bytes of a path up to and with the "!/" of the innermost archive it lies in, and of the outermost; 0: it lies in none. */
struct archive_parts {
	size_t inner, outer;
};

static inline void archive_parts_add(struct archive_parts *p, size_t part)
{
	p->inner = part > p->inner ? part : p->inner;
	p->outer = p->outer && p->outer < part ? p->outer : part;
}

/* Entries that are not in m->entries, but somewhere where they take less room. */
struct source_kind {
	bool (*next)(void *source, struct merge_walk *w);
	void (*done)(struct merge_walk *w);
	/* What stands under that path; its texts live until the next call. */
	bool (*find)(void *source, struct span path, struct entry *e);
	/* Adds the archives in which a folder lies. Its path has the slash behind it. */
	void (*archives)(void *source, struct span folder, struct archive_parts *p);
};

struct merge {
	struct artifact *to;
	struct arena *mem;
	const struct catalogue *catalogue;
	const struct limits *limits;
	bool hidden;  /* files of one layer that later ones hide: entries without a layer are of others */
	bool archive; /* the artifact is a wheel or zip: its top is an archive's top */
	LIST(struct entry) entries;  /* sorted by path; equal ones once */
	uint32_t *up;                /* of each: the longest file that its path begins with, plus one */
	const struct source_kind *source; /* NULL: m->entries are all */
	void *source_handle;
	LIST(struct claim) claims;   /* of packages in folders: sorted by path, the outermost package first */
	LIST(struct file_digest) digests; /* sorted by path */
	LIST(size_t) archive_tops;   /* packages that own a whole archive, sorted by root */
	size_t *top_up;              /* of each: the longest other one that its root begins with, plus one */
	size_t *owners;              /* package of each object, or NO_OWNER */
	bool *stored;                /* objects that are part of a store */
	/* The last answer of merge_archive_part: paths come in order, so most lie in the folder of the one before. */
	struct path_room last_folder;
	struct archive_parts last_parts;
	uint64_t root_bytes; /* that RECORD lines brought along */
	bool roots_told;
};

static inline int by_number(uint64_t a, uint64_t b)
{
	return (a > b) - (a < b);
}

/* entries.c: what names there are. */
void merge_entries(struct merge *m, const struct facts *facts, size_t n);
void merge_entries_free(struct merge *m);
bool merge_next(struct merge *m, struct merge_walk *w);
/* Index of the first of m->entries whose path is not before this one. */
size_t merge_entry_place(const struct merge *m, struct span path);
/* The first entry of that path, if there is one. */
bool merge_entry(struct merge *m, struct span path, struct entry *e);
struct archive_parts merge_archive_parts(struct merge *m, struct span path);
/* Of the innermost one. */
static inline size_t merge_archive_part(struct merge *m, struct span path)
{
	return merge_archive_parts(m, path).inner;
}

/* objects.c: fills to->objects, sorted by path. */
void merge_objects(struct merge *m, const struct facts *facts, size_t n);
void merge_objects_sort(struct merge *m);
/* owners.c: roots and ids; after it merge_owner answers. */
void merge_owners(struct merge *m);
/* Index of the package that owns the path. *inside (may be NULL): not by way of an archive that holds it. */
size_t merge_owner(struct merge *m, struct span path, bool *inside);
/* True when the package owns all of the archive at whose top it lies: of several there, one does. */
bool merge_owns_archive(const struct merge *m, size_t package);
/* The entry that has the content: of a hard link that of its first name. */
bool merge_content(struct merge *m, const struct entry *e, struct entry *content);
/* The digest of a file, or NULL: it was not hashed. */
const struct file_digest *merge_digest(const struct merge *m, struct span path);
/* records.c: RECORD against the files that are there. */
void merge_records(struct merge *m);
/* A RECORD path as a path of the artifact; false when it is absolute or leads out. */
bool record_path_resolve(struct arena *mem, struct span root, struct span written, struct span *out);
/* The same, within what one artifact may have of such paths; above it false, which is told. */
bool merge_record_path(struct merge *m, struct span root, struct span written, struct span *out);
/* stores.c: kernel-files stores; fills stored. */
void merge_stores(struct merge *m);
/* summary.c: levels and sums. */
void merge_summary(struct merge *m);
/* hidden.c: what later layers hide joins the rest: it is shipped, but makes no level. */
void merge_hidden(struct artifact *to, const struct artifact *part, struct arena *mem);
/* No layers are shown: there is only one. */
void layers_forget(struct artifact *a);

#endif
