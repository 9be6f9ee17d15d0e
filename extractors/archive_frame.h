/* SPDX-License-Identifier: Apache-2.0 */
/* Private to archive*.c: the stack of archives that are being read. */
#ifndef POSTERN_EXTRACTORS_ARCHIVE_FRAME_H
#define POSTERN_EXTRACTORS_ARCHIVE_FRAME_H

#include "extractors/archive.h"
#include "extractors/packages/package_parts.h"
#include "extractors/stream/zip_check.h"
#include "extractors/stream/zip_member.h"

/* One archive that is open. */
struct frame {
	struct zip_directory zip;
	struct zip_names names;
	struct span path;   /* of the archive; empty for the artifact itself */
	struct span prefix; /* of its members' paths: "" or path and "!/" */
	struct span name;   /* of the file */
	unsigned depth;
	size_t next, end;       /* members still to read */
	struct zip_check check; /* in slice 0 */
	size_t next_hidden;
	bool first; /* slice 0 */
	bool wheel;
	bool conda; /* a package whose files lie in compressed tars */
	void *memory; /* a mapping with its bytes, when they had to be inflated */
	size_t memory_bytes;
	struct package_parts packages;
};

struct archive {
	const struct job_context *ctx;
	struct facts *facts;
	struct zip_rooms *rooms;
	LIST(struct frame *) stack;
	uint64_t held; /* bytes of inflated archives on the stack: at most object-ranges */
};

/*
 * Opens an archive on top of the stack. memory (NULL: none), a mapping of so many bytes, becomes the frame's when this
 * succeeds. 1 when src is no archive.
 */
int archive_push(struct archive *a, const struct archive_source *src, void *memory, size_t memory_bytes);
/* Reads member i of f: may push an archive. */
void archive_member(struct archive *a, struct frame *f, size_t i);
/* Reads a local entry that is in no directory. */
void archive_hidden(struct archive *a, struct frame *f, const struct zip_hidden *h);
/* Fills f->check and tells what is odd about the archive as a whole. */
void archive_check(struct archive *a, struct frame *f);
/* Reads metadata files of packages into f->packages. */
void archive_packages(struct archive *a, struct frame *f);
/* A part of the archive cannot be read: incomplete in an artifact or a wheel, an anomaly in an archive that lies in
 * one. */
void archive_fault(struct archive *a, struct frame *f, enum finding_id id, struct span path, const struct err *e);

#define PASSAGE_SMALL (64u << 10) /* up to this a member is always read to its end */

/* One member on its way. */
struct passage {
	struct archive *a;
	struct frame *f;
	struct zip_member m;
	struct span path; /* in the artifact */
	bool hidden;      /* in no directory: nothing that an installer takes */
	struct zip_stream stream;
	struct digest *digest; /* of the bytes so far; NULL: nobody asked for it */
};

/* zip_stream_next, and the digest goes along. */
int passage_next(struct passage *p, size_t most, struct span *piece, struct err *e);
void passage_unreadable(struct passage *p, const struct err *e);
/* A member that begins like an archive; piece is what its stream gave first. */
void passage_nested(struct passage *p, struct span piece);
/* A compressed tar of a conda package, read where it is stored. */
void passage_tar(struct passage *p);

#endif
