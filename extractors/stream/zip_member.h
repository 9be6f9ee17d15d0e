/* SPDX-License-Identifier: Apache-2.0 */
/* The bytes of one member, inflated piece by piece and held against size and checksum. Nothing is believed or written.
 */
#ifndef POSTERN_EXTRACTORS_STREAM_ZIP_MEMBER_H
#define POSTERN_EXTRACTORS_STREAM_ZIP_MEMBER_H

#include "base/codec.h"
#include "extractors/stream/zip_front.h"

#define ZIP_PIECE (256u << 10)

/* Rooms that one stream after the other uses. */
struct zip_rooms {
	uint8_t in[128u << 10];
	uint8_t out[ZIP_PIECE];
};

struct zip_stream {
	const struct zip_bytes *bytes; /* where they lie; NULL: they pass in front */
	struct zip_front *front;
	const struct limits *limits;
	struct zip_rooms *rooms;
	struct zip_member m;        /* once it ended: as a descriptor says, too */
	struct codec_stream *codec; /* NULL: stored */
	uint64_t data;              /* where its stored bytes begin */
	uint64_t at, left;          /* of those that were not taken yet; left is UINT64_MAX while nobody knows */
	bool late;                  /* size and sum stand behind the bytes: m.size is UINT64_MAX until then */
	bool ending_sought;         /* only what follows tells where it ends */
	struct zip_ending ending;
	struct span in;
	uint64_t unused; /* stored bytes behind the compressed stream */
	size_t again;    /* bytes that the next piece begins with once more */
	uint64_t given;  /* plain bytes so far */
	uint32_t crc;
	bool ended, failed, endless; /* endless: no end was found, all that came is its bytes */
	struct err fault;
};

/* m may die; data is where its stored bytes begin. -1: encrypted, or a method that is not read. End with
 * zip_stream_end. */
int zip_stream_begin(struct zip_stream *s, const struct zip_bytes *bytes, const struct zip_member *m, uint64_t data,
                     struct zip_rooms *rooms, const struct limits *limits, struct err *e);
/* The same of a member whose header just passed. After zip_stream_end its bytes, and a descriptor, have passed. */
int zip_stream_begin_front(struct zip_stream *s, struct zip_front *front, const struct zip_member *m,
                           struct zip_rooms *rooms, const struct limits *limits, struct err *e);
/*
 * The next bytes, in *out until the next call: exactly most (at most ZIP_PIECE) of them, or fewer at the end. 1 at the
 * end, -1 when the stream is damaged or above inflated-member.
 */
int zip_stream_next(struct zip_stream *s, size_t most, struct span *out, struct err *e);
/* The piece that was given last is given again, as part of the next one. */
void zip_stream_again(struct zip_stream *s, struct span piece);
void zip_stream_end(struct zip_stream *s);

enum zip_verdict {
	ZIP_SOUND,
	ZIP_ODD,   /* size or end is not as told, but the checksum holds: e says how */
	ZIP_WRONG, /* e says how */
};

/* Of a stream that was read to its end. */
enum zip_verdict zip_stream_verdict(const struct zip_stream *s, struct err *e);

#endif
