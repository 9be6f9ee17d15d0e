/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A walker of our own over a zip archive: end records, central directory, local headers. It believes nothing: every
 * number is checked against the archive, and members are found by walking the directory, not by its count. Where
 * readers go different ways it goes zipfile's, since that is what installers use, and says so.
 */
#ifndef POSTERN_EXTRACTORS_STREAM_ZIP_DIRECTORY_H
#define POSTERN_EXTRACTORS_STREAM_ZIP_DIRECTORY_H

#include "base/arena.h"

struct zip_seen;

/* Where an archive lies: a range of a descriptor, or memory. */
struct zip_bytes {
	int fd;
	uint64_t start, size;
	const uint8_t *mem;    /* not NULL: all of it */
	struct zip_seen *seen; /* not NULL: it passed, and this is what was kept (zip_seen.h) */
};

/* Exactly n bytes at `at` of the archive; false when they are not there. */
bool zip_bytes_get(const struct zip_bytes *b, uint64_t at, void *to, size_t n);
/* As many of n bytes at `at` as can be had. */
size_t zip_bytes_some(const struct zip_bytes *b, uint64_t at, void *to, size_t n);

/* What the end records say, checked. */
struct zip_end {
	uint64_t at;           /* of the first end record: the zip64 one where there is one */
	uint64_t records_end;  /* behind the end record and its comment */
	uint64_t directory_at; /* where the directory is */
	uint64_t directory_bytes;
	uint64_t prefix; /* added to every offset, modulo 2^64 */
	uint64_t count;
	bool zip64;
	bool trailing;     /* bytes behind the archive, or a comment that is cut */
	bool passed_over;  /* a later end record that leads nowhere */
	bool second;       /* another archive that other readers would take */
	bool unsure_place; /* size and offset of the directory disagree */
};

/* 0 found, 1 there is none that can be used. */
int zip_end_find(const struct zip_bytes *b, struct zip_end *end);

/* One line of the directory. */
struct zip_member {
	struct span name; /* raw; points into the directory */
	uint64_t at;      /* of the local header, prefix added */
	uint64_t stored, size;
	uint32_t crc;
	uint16_t flags, method;
	uint16_t mode; /* of Unix; 0 when it was made elsewhere */
	bool extra_bad;
};

#define ZIP_LOCAL_BYTES 30 /* of a local header without name and extra fields */
#define ZIP_ENCRYPTED  0x0041u /* flags: traditional or strong encryption */
#define ZIP_DESCRIPTOR 0x0008u

struct zip_directory {
	struct zip_bytes bytes;
	struct zip_end end;
	struct span directory;
	void *map; /* of the directory, or NULL */
	size_t map_bytes;
	uint64_t *records; /* offsets in the directory */
	size_t n;
	bool damaged;  /* the directory cannot be read to its end */
	bool limited;  /* artifact-entries */
	bool odd_tail; /* something that is no member at its end */
};

/* 0, or 1 when there is no usable end record. What is damaged behind that is told in z. Close with zip_directory_close.
 */
int zip_directory_open(struct zip_directory *z, const struct zip_bytes *b, const struct limits *limits);
void zip_directory_close(struct zip_directory *z);
/* i < z->n */
void zip_member_at(const struct zip_directory *z, size_t i, struct zip_member *m);

enum zip_local_oddity { ZIP_LOCAL_NAME = 1, ZIP_LOCAL_METHOD = 2, ZIP_LOCAL_SIZE = 4, ZIP_LOCAL_EXTRA = 8 };

struct zip_local {
	uint64_t data; /* where the stored bytes begin */
	unsigned odd;  /* how it differs from the directory */
};

/* The local header of m; -1 when there is none, or its bytes do not fit into the archive. */
int zip_local_find(const struct zip_directory *z, const struct zip_member *m, struct zip_local *out, struct err *e);
/*
 * Reads the local header at the front of s, which stands at `at`: name and extra fields as far as s has them. False when it is
 * none.
 */
bool zip_local_parse(struct span s, uint64_t at, struct zip_member *m, uint64_t *data);
/* A descriptor says what m has: its header does not. */
bool zip_member_late(const struct zip_member *m);
/* A member as its local header at `at` describes it; name points into room. False when there is none. */
bool zip_local_member(const struct zip_directory *z, uint64_t at, uint64_t end, struct zip_member *m, uint8_t *room,
                      size_t room_bytes, uint64_t *data);
/* Bytes of the data descriptor that follows stored data, 0 when none is there. */
uint64_t zip_descriptor_bytes(const struct zip_directory *z, const struct zip_member *m, uint64_t at);

/* Takes what is 32 bits of ones from the zip64 field; false when an extra field lies. */
bool zip_extra_read(struct span extra, uint64_t *size, uint64_t *stored, uint64_t *at);

#endif
