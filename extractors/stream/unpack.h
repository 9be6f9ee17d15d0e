/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Bytes of a flow, inflated when its first bytes say gzip (any number of members) or zstd (any number of
 * frames, with some to be skipped among them). One level only: what comes out is given as it is.
 */
#ifndef POSTERN_EXTRACTORS_STREAM_UNPACK_H
#define POSTERN_EXTRACTORS_STREAM_UNPACK_H

#include "base/codec.h"
#include "base/digest.h"
#include "extractors/stream/flow.h"

#define UNPACK_PIECE (256u << 10)

struct unpack {
	const struct limits *limits;
	struct flow *from;
	uint64_t taken; /* bytes of it so far */
	bool dry;       /* it has no more */
	enum codec codec;        /* CODEC_NONE, CODEC_GZIP or CODEC_ZSTD */
	struct codec_stream *stream;
	struct span in; /* taken and not used yet */
	uint8_t *in_room, *out_room;
	uint64_t given;    /* bytes out */
	struct digest *digest; /* of those; NULL: nobody asked for it. unpack_close drops it */
	uint64_t trailing; /* bytes behind the last compressed stream */
	bool padding;      /* all of those are zero */
	bool ended, failed;
	struct err fault;
};

/* CODEC_NONE, CODEC_GZIP or CODEC_ZSTD, by the first bytes. */
enum codec unpack_codec(struct span front);
/* Looks at the first bytes; from lives longer. -1 when they cannot be read. unpack_close must follow in any case. */
int unpack_open(struct unpack *u, struct flow *from, const struct limits *limits, struct err *e);
/*
 * The next bytes, UNPACK_PIECE but for the last; they live until the next call. 0 there are some, 1 the end, and every
 * checksum holds, -1 cut (ERR_TRUNCATED), damaged, or above a limit: what came before it was given.
 */
int unpack_next(struct unpack *u, struct span *out, struct err *e);
void unpack_close(struct unpack *u);

#endif
