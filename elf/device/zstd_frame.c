/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Cubins in bare zstd frames, as some CUDA libraries keep them in their data. The frame's blocks are walked to its end;
 * it counts when its front inflates to a cubin.
 */
#include "elf/device/zstd_frame.h"

#include "base/codec.h"
#include "elf/device/cubin.h"
#include "elf/device/code.h"

#define BLOCK_HEADER   3
#define LITERALS       5  /* longest header of a block's literals */
#define FIRST_BYTES    26 /* the longest header of a frame, and those of its first block */
#define BLOCK_MAX      (1u << 17)
#define BLOCK_RAW      0
#define BLOCK_RLE      1
#define BLOCK_RESERVED 3
#define LITERALS_RAW   0
#define LITERALS_HUFF  2
#define CHECKSUM       4
#define ELF_LITERALS   6 /* that no earlier byte can give */

bool zstd_header(struct span front, struct zstd_header *h)
{
	static const uint8_t sizes[] = {0, 2, 4, 8}, ids[] = {0, 1, 2, 4};
	struct cursor c = cursor_over(front);
	uint32_t magic = cursor_u32(&c);
	uint8_t d = cursor_u8(&c);
	bool single = d & 0x20;
	unsigned n = d >> 6 == 0 && single ? 1 : sizes[d >> 6];

	cursor_skip(&c, (single ? 0u : 1u) + ids[d & 3]);
	h->size = cursor_uint(&c, n) + (n == 2 ? 256 : 0);
	h->has_size = n != 0;
	h->checksum = d & 4;
	h->dictionary = d & 3;
	h->length = c.at;
	return !c.bad && magic == 0xFD2FB528u && !(d & 0x08);
}

struct zstd_frame_state {
	struct zstd_header header;
	uint64_t at; /* where the next block begins, or the frame ends */
	bool begun, last, looked;
	bool all;           /* every byte so far is kept */
	struct cubin cubin; /* by the front */
};

/* Where the block of this header ends, from the header's start; 0 when there is no such block. */
static uint64_t block_length(uint32_t block)
{
	uint32_t kind = block >> 1 & 3, size = block >> 3;

	if (kind == BLOCK_RESERVED || size > BLOCK_MAX)
		return 0;
	return BLOCK_HEADER + (kind == BLOCK_RLE ? 1 : size);
}

bool zstd_first_block(struct span front, uint64_t *end)
{
	struct zstd_header h;
	struct cursor c;
	uint64_t length;

	if (!zstd_header(front, &h))
		return false;
	c = cursor_over(span_after(front, h.length));
	length = block_length((uint32_t)cursor_uint(&c, BLOCK_HEADER));
	*end = h.length + length;
	return !c.bad && length;
}

/* What stands first in a cubin, as far as s goes; nothing comes before it that it could repeat. */
static bool starts_as_elf(struct span s)
{
	static const struct span elf = SPAN_INIT("\x7f"
	                                         "ELF\2\1");

	return span_starts(s, span_first(elf, s.n));
}

/*
 * A block's first bytes (s, not always all that are wanted) against what a cubin needs: its literals start as a cubin does,
 * and fill no more than the block. It spares the decoder most of what only looks like a frame.
 */
static bool literals_good(struct span s, uint64_t block)
{
	static const uint8_t raw_bytes[] = {1, 2, 1, 3}, huffman_bytes[] = {3, 3, 4, 5}, huffman_bits[] = {10, 10, 14, 18};
	unsigned kind = s.n ? s.p[0] & 3 : 0, form = s.n ? s.p[0] >> 2 & 3 : 0;
	struct cursor c = cursor_over(s);
	uint64_t v, length, packed, mask;

	if (kind == LITERALS_RAW) {
		v = cursor_uint(&c, raw_bytes[form]);
		length = packed = form & 1 ? v >> 4 : v >> 3;
	} else if (kind == LITERALS_HUFF) {
		v = cursor_uint(&c, huffman_bytes[form]);
		mask = (1u << huffman_bits[form]) - 1;
		length = v >> 4 & mask;
		packed = v >> (4 + huffman_bits[form]) & mask;
	} else {
		return false; /* one byte again and again, or by a table that no block has set */
	}
	if (c.bad)
		return false;
	return length >= ELF_LITERALS && length <= BLOCK_MAX && packed && c.at + packed < block &&
	       (kind == LITERALS_HUFF || starts_as_elf(span_after(s, c.at)));
}

/* The first block can hold the start of a cubin; s: what is known of it, behind its header. */
static bool block_good(uint32_t block, struct span s)
{
	uint32_t kind = block >> 1 & 3, size = block >> 3;

	s = span_first(s, size);
	if (kind == BLOCK_RLE)
		return false;
	return kind == BLOCK_RAW ? size >= CODE_HEADER && starts_as_elf(s) : literals_good(s, size);
}

static enum reader_answer frame_start(struct reader *r)
{
	return r->file_size - r->start < FIRST_BYTES ? READER_NOT : reader_want(r, r->start, FIRST_BYTES);
}

/* All that can be told from the first bytes. */
static bool frame_good(struct span front, struct zstd_header *h)
{
	struct cursor c = cursor_over(front);
	uint32_t block;

	if (!zstd_header(front, h) || h->dictionary || (h->has_size && h->size < CODE_HEADER))
		return false;
	cursor_skip(&c, h->length);
	block = (uint32_t)cursor_uint(&c, BLOCK_HEADER);
	return !c.bad && block_length(block) && block_good(block, span_after(front, c.at));
}

/* The header of the block at st->at: moves on to what follows it. */
static bool block_pass(struct zstd_frame_state *st, struct span header)
{
	struct cursor c = cursor_over(header);
	uint32_t block = (uint32_t)cursor_uint(&c, BLOCK_HEADER);
	uint64_t length = block_length(block);

	if (!length)
		return false;
	st->last = block & 1;
	st->at += length;
	if (st->last && st->header.checksum)
		st->at += CHECKSUM;
	return true;
}

/* The first block inflates to a cubin, or this is none of ours. */
static bool look(struct reader *r, struct zstd_frame_state *st)
{
	uint8_t *out = reader_scratch(r, CODE_FRONT);
	struct err err = ERR_INIT;
	size_t n = 0;

	st->looked = true;
	return codec_streams_front(r->codecs, CODEC_ZSTD, r->ctx->limits, reader_kept(r), out, CODE_FRONT, &n, &err) == 0 &&
	       cubin_read((struct span){out, n}, false, &st->cubin);
}

static enum reader_answer frame_done(struct reader *r, struct zstd_frame_state *st)
{
	const struct limits *l = r->ctx->limits;
	struct err err = ERR_INIT;
	size_t n = 0;

	r->end = st->at;
	if (st->all && st->header.has_size && st->header.size && st->header.size <= reader_payload_max(r)) {
		uint8_t *out = reader_scratch(r, (size_t)reader_payload_max(r));

		if (codec_streams_whole(r->codecs, CODEC_ZSTD, l, reader_kept(r), out, (size_t)st->header.size, &n, &err) < 0)
			return READER_NOT;
		(void)cubin_read((struct span){out, n}, true, &st->cubin);
	}
	cubin_image(r, &st->cubin, SPAN("zstd"), r->start, r->end - r->start);
	return READER_DONE;
}

/* The next range: all of it while it is kept, else the next block's header only. */
static enum reader_answer frame_want(struct reader *r, struct zstd_frame_state *st)
{
	uint64_t most = reader_payload_max(r), kept = r->start + r->kept.n, to = st->at;

	/* Behind the first block a header more is wanted, so that each step brings the walk on. */
	if (st->looked && !st->last)
		to += BLOCK_HEADER;
	if (st->looked && (to - r->start > most || !st->header.has_size || st->header.size > most))
		st->all = false;
	if (!st->all)
		return st->last ? frame_done(r, st) : reader_want(r, st->at, BLOCK_HEADER);
	if (to == kept)
		return frame_done(r, st);
	return reader_want(r, kept, to - kept < most ? to - kept : most);
}

static enum reader_answer frame_feed(struct reader *r, struct span bytes)
{
	struct zstd_frame_state *st = r->state;
	struct span kept;

	if (!st->begun) {
		st->begun = st->all = true;
		if (!frame_good(bytes, &st->header))
			return READER_NOT;
		st->at = r->start + st->header.length;
		if (!block_pass(st, span_after(bytes, st->header.length)))
			return READER_NOT;
		reader_keep(r, bytes);
		/* A first block that is so small holds no header of a cubin. */
		return st->at <= r->start + FIRST_BYTES ? READER_NOT : frame_want(r, st);
	}
	if (st->all)
		reader_keep(r, bytes);
	kept = reader_kept(r);
	if (!st->looked) {
		if (r->start + kept.n < st->at)
			return frame_want(r, st);
		if (!look(r, st))
			return READER_NOT;
	} else if (st->all && r->start + kept.n < st->at + (st->last ? 0 : BLOCK_HEADER)) {
		return frame_want(r, st);
	} else if (!st->last) {
		struct span header = st->all ? span_after(kept, (size_t)(st->at - r->start)) : bytes;

		if (!block_pass(st, header))
			return READER_NOT;
	}
	if (st->at > r->file_size)
		return READER_NOT;
	return frame_want(r, st);
}

const struct device_format device_zstd_frame = {
        .name = "zstd_frame",
        .type = OBJECT_CUBIN,
        .magics = {SPAN_INIT("\x28\xb5\x2f\xfd")},
        .payload = true,
        .state_bytes = sizeof(struct zstd_frame_state),
        .start = frame_start,
        .feed = frame_feed,
};
