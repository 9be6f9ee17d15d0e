/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Entries of a tar archive, front to back, by libarchive: the only place that sees it. It is fed from an unpack and told
 * of no compression, and of no format but tar. Names come as raw bytes.
 */
#ifndef POSTERN_EXTRACTORS_STREAM_TAR_H
#define POSTERN_EXTRACTORS_STREAM_TAR_H

#include "extractors/stream/unpack.h"
#include "model/facts.h"

struct archive;
struct archive_entry;

struct tar_entry {
	struct span name;   /* as written; lives until the next entry */
	struct span target; /* of a link, as written */
	enum entry_kind kind;
	uint64_t size;        /* of a file; holes count */
	bool sparse;          /* it has holes */
	const char *oddity;   /* NULL: none; what is odd about its header, until the next entry */
};

/* Bytes of a file: `zeros` of a hole, then the piece. */
struct tar_piece {
	uint64_t zeros;
	struct span bytes;
};

struct tar {
	struct unpack *from;
	struct archive *archive;
	struct archive_entry *header;
	struct span piece;   /* that libarchive has */
	uint64_t piece_at;   /* where it stands in the tar */
	uint64_t at, size;   /* of the file that is being read */
	uint64_t denied;     /* bytes that the last header claims for an entry that has none */
	uint64_t damaged;    /* blocks that were passed over, where a header should be */
	uint64_t excused;    /* of those, bytes of an entry that has none */
	uint64_t passed;     /* bytes behind the end marks */
	bool trailing;       /* some of them are not zero */
	bool opened, file_ended;
	char oddity[256];
};

/* Always followed by tar_close; `from` is the caller's, and lives longer. */
void tar_open(struct tar *t, struct unpack *from);
/*
 * 0 an entry, 1 the end (everything behind it was read too), -1 what follows cannot be read. The bytes of the entry
 * before must have been read or skipped.
 */
int tar_next(struct tar *t, struct tar_entry *entry, struct err *e);
/* The next bytes of the file: 0 some, 1 its end, -1 cut or damaged. */
int tar_read(struct tar *t, struct tar_piece *piece, struct err *e);
/* Passes over the rest of the file: skipped-run bytes at most with `passed`, those before. 0, or -1 as tar_read. */
int tar_skip(struct tar *t, uint64_t passed, struct err *e);
void tar_close(struct tar *t);

#endif
