/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What stays of an archive that passed as a stream: every byte that is no member's (headers, gaps, directory, end records),
 * its last 66 KiB, and where directory records may begin. The readers of directories ask it as they ask a file; what had
 * passed is gone, and `missed` says that somebody asked for it.
 */
#ifndef POSTERN_EXTRACTORS_STREAM_ZIP_SEEN_H
#define POSTERN_EXTRACTORS_STREAM_ZIP_SEEN_H

#include "extractors/stream/zip_directory.h"

#define ZIP_SEEN_LAST (66u << 10) /* room for an end record and its comment */

/* Bytes that are kept. */
struct zip_run {
	uint64_t at;
	struct span bytes;
};

/* A local entry as it passed. */
struct zip_passed {
	struct zip_member m; /* as its header says, and what follows its bytes */
	uint64_t data;       /* where those begin */
};

struct zip_seen {
	struct arena mem;
	uint64_t room;             /* bytes that may still be kept */
	bool full;                 /* not all was kept that should be */
	bool missed;               /* somebody asked for what is gone */
	uint64_t size;             /* of the archive so far */
	LIST(struct zip_run) runs; /* by place */
	LIST(struct zip_passed) entries; /* by place */
	LIST(uint64_t) records;    /* where a mark of a directory record stands */
	uint8_t *tail;             /* the last run: from behind the last member on */
	uint64_t tail_at;
	size_t tail_n, tail_room;
	uint8_t *last; /* ZIP_SEEN_LAST bytes */
	size_t last_n;
};

/* most: bytes that it may hold. zip_seen_close must follow. */
void zip_seen_open(struct zip_seen *s, uint64_t most);
void zip_seen_close(struct zip_seen *s);
/* The next bytes of the archive, each of them once. */
void zip_seen_note(struct zip_seen *s, struct span piece);
/* Bytes at `at`, behind all that were kept before. The copy, or nothing when there is no room. */
struct span zip_seen_keep(struct zip_seen *s, uint64_t at, struct span bytes);
/* The same for what follows the last member: it stays in one piece. */
void zip_seen_keep_tail(struct zip_seen *s, uint64_t at, struct span bytes);
/* A new entry; NULL when there is no room. */
struct zip_passed *zip_seen_entry_add(struct zip_seen *s);

/* The entry whose header stands at `at`, or NULL. */
const struct zip_passed *zip_seen_entry(const struct zip_seen *s, uint64_t at);
/* As many bytes as there are at `at`, at most n. */
size_t zip_seen_get(const struct zip_seen *s, uint64_t at, void *to, size_t n);
/* Bytes that stand in one piece, or nothing. */
struct span zip_seen_piece(const struct zip_seen *s, uint64_t at, uint64_t n);
/* Does a directory record begin there? */
bool zip_seen_record(struct zip_seen *s, uint64_t at);

#endif
