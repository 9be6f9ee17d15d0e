/* SPDX-License-Identifier: Apache-2.0 */
/* The bytes of one member, inflated piece by piece and held against size and checksum. Nothing is believed or written.
 */
#ifndef POSTERN_EXTRACTORS_STREAM_ZIP_MEMBER_H
#define POSTERN_EXTRACTORS_STREAM_ZIP_MEMBER_H

#include "base/codec.h"
#include "extractors/stream/zip_directory.h"

#define ZIP_PIECE (256u << 10)

/* Rooms that one stream after the other uses. */
struct zip_rooms {
	uint8_t in[128u << 10];
	uint8_t out[ZIP_PIECE];
};

struct zip_stream {
	const struct zip_directory *zip;
	const struct limits *limits;
	struct zip_rooms *rooms;
	struct zip_member m;
	struct codec_stream *codec; /* NULL: stored */
	uint64_t at, left;          /* stored bytes not taken yet */
	struct span in;
	uint64_t given; /* plain bytes so far */
	uint32_t crc;
	bool ended, failed;
	struct err fault;
};

/* m may die; data is where its stored bytes begin. -1: encrypted, or a method that is not read. End with
 * zip_stream_end. */
int zip_stream_begin(struct zip_stream *s, const struct zip_directory *z, const struct zip_member *m, uint64_t data,
                     struct zip_rooms *rooms, const struct limits *limits, struct err *e);
/*
 * The next bytes, in *out until the next call: exactly most (at most ZIP_PIECE) of them, or fewer at the end. 1 at the
 * end, -1 when the stream is damaged or above inflated-member.
 */
int zip_stream_next(struct zip_stream *s, size_t most, struct span *out, struct err *e);
void zip_stream_end(struct zip_stream *s);

enum zip_verdict {
	ZIP_SOUND,
	ZIP_ODD,   /* size or end is not as told, but the checksum holds: e says how */
	ZIP_WRONG, /* e says how */
};

/* Of a stream that was read to its end. */
enum zip_verdict zip_stream_verdict(const struct zip_stream *s, struct err *e);

#endif
