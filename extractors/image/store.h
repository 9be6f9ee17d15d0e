/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The files of an image, by name: members of a tar that can be read in place, or files of a folder that the parent
 * opened. A folder's file that was not opened yet is asked for; the plan is then made again with it.
 */
#ifndef POSTERN_EXTRACTORS_IMAGE_STORE_H
#define POSTERN_EXTRACTORS_IMAGE_STORE_H

#include "extractors/extractor.h"

enum member_kind { MEMBER_FILE, MEMBER_SYMLINK, MEMBER_HARDLINK, MEMBER_OTHER };

struct image_member {
	struct span name; /* as image_member_name has it; members that have none are not listed */
	struct span link; /* as it stands */
	uint64_t offset, size;
	enum member_kind kind;
	uint32_t place;   /* order in the archive */
	bool passed;      /* nobody looks for it, and it is not listed */
	struct span kept; /* of a tar that passed: its bytes, where kept.p is set */
};

struct image_store {
	const struct job_context *ctx;
	struct plan *plan; /* needs and problems go there */
	bool folder;
	/* A tar: sorted by name, then place. fd < 0: it passed, and what was kept of it is here. */
	int fd;
	LIST(struct image_member) members;
	size_t seen; /* members, listed or not */
	bool root;   /* some are in folders of a root file system */
	bool missed; /* a document was asked for that had passed */
	/* A folder. */
	const struct source *files;
	size_t n;
	struct span absent; /* paths that are not there, one a line */
};

enum store_answer { STORE_THERE, STORE_ABSENT, STORE_ASKED };

struct store_file {
	struct span name;
	int fd;
	uint64_t offset, size;
	struct span kept;
};

/* Where who unpacks an archive puts it below the top: "/a" and "b/../a" are "a". Empty for what climbs out. */
struct span image_member_name(struct arena *mem, struct span raw);
/* Walks the headers of a tar. -1 when it is none, or holds more than an image's files. A cut or damaged one is a
 * problem. */
int image_store_tar(struct image_store *s, const struct source *src);
/*
 * Members of a tar that passes are added one by one, and sorted when all are there. False: the store has more than an
 * image's files. name, as it stands in the tar, is copied, as the member's link is.
 */
bool image_store_add(struct image_store *s, struct span name, struct image_member m);
void image_store_sort(struct image_store *s);
/*
 * May this member, by its name, make a tar an image? Who loads images follows links, takes "/manifest.json" for the file at the
 * top, and knows ways to write a file that are not known here; so whatever may have bytes counts.
 */
bool image_store_decides(const struct image_member *m);
/* Is there one of that name that has bytes, and is no file that can be read? */
bool image_store_odd(struct image_store *s, struct span name);
/* True when the tar has a member of that name that decides; for bids. */
bool image_tar_has(const struct job_context *ctx, const struct source *src, struct span head, const struct span *names,
                   size_t n);
/* name: as JSON says it. Links inside a tar are followed. */
enum store_answer image_store_find(struct image_store *s, struct span name, struct store_file *out);
/* All bytes of a JSON document: of at most json-bytes. */
int image_store_text(struct image_store *s, const struct store_file *f, struct span *text, struct err *e);

/* tar.c: one header of a tar after the other. */
struct tar_walk {
	int fd;
	uint64_t size, at;
	const struct limits *limits;
	struct arena *mem; /* names of the last member; cleared by the caller */
};
/* The next member: 1 at the end; -1 and e when the archive is damaged or cut there. */
int tar_walk_next(struct tar_walk *w, struct image_member *m, struct err *e);
/* Does a tar header with a right checksum stand at the front? */
bool tar_begins(struct span head);

#endif
