/* SPDX-License-Identifier: Apache-2.0 */
/* Private to archive*.c: the stack of archives that are being read. */
#ifndef POSTERN_EXTRACTORS_ARCHIVE_FRAME_H
#define POSTERN_EXTRACTORS_ARCHIVE_FRAME_H

#include "archive.h"
#include "extractors/packages/package_parts.h"
#include "extractors/stream/zip_check.h"
#include "extractors/stream/zip_member.h"

struct staging;

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
	struct staging *staged; /* what its members brought as it passed, or NULL */
	struct package_parts packages;
};

struct archive {
	const struct job_context *ctx;
	struct facts *facts;
	struct zip_rooms *rooms;
	LIST(struct frame *) stack;
	unsigned streams; /* archives around it that pass */
	uint64_t held; /* bytes of inflated archives on the stack: at most object-ranges */
};

/*
 * Opens an archive on top of the stack. memory (NULL: none), a mapping of so many bytes, becomes the frame's when this
 * succeeds. 1 when src is no archive.
 */
int archive_push(struct archive *a, const struct archive_source *src, void *memory, size_t memory_bytes);
/* Reads all archives of the stack, and those in them. */
void archive_run(struct archive *a);
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

#define CONDA_MEMBERS 16          /* a conda package has no more */
#define PASSAGE_SMALL (64u << 10) /* up to this a member is always read to its end */

/* One member on its way. */
struct passage {
	struct archive *a;
	struct frame *f;
	struct zip_member m;
	struct span path; /* in the artifact */
	bool hidden;      /* in no directory: nothing that an installer takes */
	bool fewer;       /* bytes than were promised: m.size is what it has */
	struct staging *staging; /* it passes, and what it brings is put there; or NULL */
	struct zip_stream stream;
	struct digest *digest; /* of the bytes so far; NULL: nobody asked for it */
};

/* Reads the member, whose stream was begun. */
void passage_read(struct passage *p);
/* The digest of a member without bytes. */
void passage_empty(struct passage *p);
/* True when the bytes are those that were promised, or odd in a way that loses none; else it was told. */
bool passage_sound(struct passage *p);
/* Reads on to the end, or to where more came than was promised. 1 at the end, -1 damaged. */
int passage_over(struct passage *p, int rc, struct err *e);

/* zip_stream_next, and the digest goes along. */
int passage_next(struct passage *p, size_t most, struct span *piece, struct err *e);
void passage_unreadable(struct passage *p, const struct err *e);

/* A member that was inflated as a whole. */
struct inflated {
	uint8_t *p;
	size_t room, n;
	bool failed, wrong;
	struct err fault;
};

/* False when it is above object-ranges, which is told. */
bool passage_inflate(struct passage *p, struct span piece, struct inflated *out);
void inflated_free(struct inflated *in);

/* The bytes of a member from `piece` on, which came last. */
struct passage_flow {
	struct flow flow;
	struct passage *p;
};

void passage_flow_open(struct passage_flow *f, struct passage *p, struct span piece);
/* A member that begins like an archive; piece is what its stream gave first. */
void passage_nested(struct passage *p, struct span piece);
/* A compressed tar of a conda package. */
void passage_tar(struct passage *p, struct span piece);
/* What a member can have at most, whatever it claims. */
uint64_t member_bound(const struct zip_member *m);

/* Members that passed: see staging.h. */
void staging_fault(struct passage *p, const struct err *e);
void staging_bytes(struct passage *p, struct span fresh);
/* False when the member did not pass, and its bytes are kept: it is to be read as any other. Else all is told. */
bool staging_tell(struct passage *p, uint64_t data);
void staging_tar(struct passage *p);
void staging_nested(struct passage *p);
enum staged_link { STAGED_LINK, STAGED_NONE, STAGED_READ_ON };
enum staged_link staging_link(struct passage *p, struct span *target);
/* All bytes of a metadata file: true when it passed, and then text is what there is of it. */
bool staging_text(struct archive *a, struct frame *f, const struct zip_member *m, struct span path, struct span *text);
/* All members were told. */
void staging_end(struct archive *a, struct frame *f);

#endif
