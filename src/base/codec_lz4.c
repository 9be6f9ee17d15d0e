/* SPDX-License-Identifier: Apache-2.0 */
#include <lz4frame.h>

#include "base/codec_row.h"
#include "base/cursor.h"

#define TRAILING_ZEROS_MAX 8
#define MATCH_MIN          4

static void *frame_open(const struct limits *l)
{
	LZ4F_dctx *d = NULL;

	if (LZ4F_isError(LZ4F_createDecompressionContext(&d, LZ4F_VERSION)))
		out_of_memory();
	return d;
}

static int frame_step(void *state, const struct limits *l, struct codec_io *io, struct err *e)
{
	size_t in_n = io->in.n, rc;

	io->n = io->cap;
	rc = LZ4F_decompress(state, io->out, &io->n, io->in.p, &in_n, NULL);
	if (LZ4F_isError(rc)) {
		io->n = 0;
		if (strcmp(LZ4F_getErrorName(rc), "ERROR_allocation_failed") == 0)
			out_of_memory();
		return err_set(e, ERR_FORMAT, 0, "lz4 frame is damaged");
	}
	io->in = span_after(io->in, in_n);
	return rc == 0 ? 1 : 0;
}

static void frame_close(void *state)
{
	LZ4F_freeDecompressionContext(state);
}

const struct codec_row codec_lz4_frame = {"lz4", frame_open, frame_step, frame_close, NULL, NULL};

/* A length of 4 bits goes on in bytes as long as they are 255. */
static uint64_t block_length(struct cursor *c, unsigned nibble)
{
	uint64_t n = nibble;
	uint8_t more;

	if (nibble < 15)
		return n;
	do {
		more = cursor_u8(c);
		n += more;
	} while (more == 255);
	return n;
}

static bool is_zero(struct span s)
{
	bool zero = true;

	for (size_t i = 0; i < s.n; i++)
		zero = zero && s.p[i] == 0;
	return zero;
}

/* n bytes that repeat those `offset` before them; each copy has twice as many to take from. */
static void block_match(uint8_t *to, size_t offset, size_t n)
{
	const uint8_t *from = to - offset;

	while (n > offset) {
		memcpy(to, from, offset);
		to += offset;
		n -= offset;
		offset *= 2;
	}
	memcpy(to, from, n);
}

#define SHORT_LITERALS 14 /* at most, and its match at most 4 bytes longer: lengths without more bytes */
#define SHORT_MATCH    (SHORT_LITERALS + MATCH_MIN)
#define SHORT_ROOM     (3 + 2 * SHORT_MATCH)

/* Short sequences, as nearly all are, as long as both ends are far: copies of one size, whose rest is written over. */
static size_t short_sequences(struct cursor *c, uint8_t *out, size_t out_cap, size_t n)
{
	while (c->s.n - c->at > SHORT_ROOM && out_cap - n > SHORT_ROOM) {
		const uint8_t *p = c->s.p + c->at;
		size_t literals = p[0] >> 4, match = p[0] & 15, offset;

		if (literals > SHORT_LITERALS || match > SHORT_LITERALS)
			break;
		offset = p[1 + literals] | (size_t)p[2 + literals] << 8;
		if (offset < SHORT_MATCH || offset > n + literals)
			break;
		memcpy(out + n, p + 1, SHORT_MATCH);
		n += literals;
		memcpy(out + n, out + n - offset, SHORT_MATCH);
		n += match + MATCH_MIN;
		c->at += 3 + literals;
	}
	return n;
}

enum block_end { BLOCK_END, BLOCK_CUT, BLOCK_FULL, BLOCK_DAMAGED };

/*
 * Read here, because liblz4 does not say how much came out of a block that is cut inside a length, and takes offset 0,
 * which shows what lay in the output before. A block does not know its end: up to `padding` zeros may follow where it
 * can have ended, since an offset of 0 is none.
 */
static enum block_end block_decode(struct span in, size_t padding, uint8_t *out, size_t out_cap, size_t *out_n)
{
	struct cursor c = cursor_over(in);
	size_t n = *out_n = 0;

	for (;;) {
		uint64_t literals, match, offset;
		size_t left, room;
		struct span s;
		uint8_t token;

		n = short_sequences(&c, out, out_cap, n);
		token = cursor_u8(&c);
		literals = block_length(&c, token >> 4);
		left = cursor_left(&c);
		room = out_cap - n;
		s = cursor_take(&c, literals < left ? literals : left);
		if (s.n)
			memcpy(out + n, s.p, s.n < room ? s.n : room);
		*out_n = n += s.n < room ? s.n : room;
		if (s.n > room)
			return BLOCK_FULL;
		if (c.bad || s.n < literals)
			return BLOCK_CUT;
		if (cursor_left(&c) <= padding && is_zero(span_after(in, in.n - cursor_left(&c))))
			return BLOCK_END;
		offset = cursor_u16(&c);
		match = block_length(&c, token & 15) + MATCH_MIN;
		if (c.bad)
			return BLOCK_CUT;
		if (offset == 0 || offset > n)
			return BLOCK_DAMAGED;
		room = out_cap - n;
		block_match(out + n, (size_t)offset, match < room ? (size_t)match : room);
		*out_n = n += match < room ? (size_t)match : room;
		if (match > room)
			return BLOCK_FULL;
	}
}

int lz4_block_front(struct span in, uint8_t *out, size_t out_cap, size_t *out_n, struct err *e)
{
	if (block_decode(in, 0, out, out_cap, out_n) == BLOCK_DAMAGED && *out_n == 0)
		return err_set(e, ERR_FORMAT, 0, "lz4 block is damaged");
	return 0;
}

int lz4_block_whole(struct span in, uint8_t *out, size_t out_cap, size_t *out_n, struct err *e)
{
	enum block_end end = block_decode(in, TRAILING_ZEROS_MAX, out, out_cap, out_n);

	if (end == BLOCK_END)
		return 0;
	if (end == BLOCK_CUT)
		return err_set(e, ERR_TRUNCATED, 0, "lz4 block ends too early");
	if (end == BLOCK_FULL)
		return err_set(e, ERR_FORMAT, 0, "lz4 block has more than %zu bytes", out_cap);
	return err_set(e, ERR_FORMAT, 0, "lz4 block is damaged");
}
