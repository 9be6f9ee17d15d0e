/* SPDX-License-Identifier: Apache-2.0 */
/* deflate, zlib and gzip by ISA-L. */
#include <isa-l/crc.h>
#include <isa-l/igzip_lib.h>
#include <stdlib.h>

#include "base/codec_row.h"

#define PIECE_MAX ((size_t)1 << 30) /* ISA-L counts in 32 bits */

static struct inflate_state *inflate_open(uint32_t wrapper)
{
	/* Zeroed: a damaged stream must never show what lay in this memory before. */
	struct inflate_state *s = calloc(1, sizeof(*s));

	if (!s)
		out_of_memory();
	isal_inflate_init(s);
	s->crc_flag = wrapper;
	return s;
}

static void inflate_again(void *state, const struct limits *l)
{
	struct inflate_state *s = state;
	uint32_t wrapper = s->crc_flag;

	memset(s, 0, sizeof(*s));
	isal_inflate_init(s);
	s->crc_flag = wrapper;
}

static void *deflate_open(const struct limits *l)
{
	return inflate_open(ISAL_DEFLATE);
}

static void *zlib_open(const struct limits *l)
{
	return inflate_open(ISAL_ZLIB);
}

static void *gzip_open(const struct limits *l)
{
	return inflate_open(ISAL_GZIP);
}

/*
 * ISA-L reads up to 8 bytes ahead. What it did not use goes back, so that the rest of the input is exact; it reads them
 * again when it goes on. Only bytes of this step can go back, and older ones cannot be left: they were part of a cut
 * symbol.
 */
static void give_back(struct inflate_state *s, size_t eaten)
{
	uint32_t ahead = s->read_in_length > 0 ? (uint32_t)s->read_in_length / 8 : 0;

	if (s->tmp_in_size) /* the front of a block header that was cut: it stands behind those */
		return;
	if (ahead > eaten)
		ahead = (uint32_t)eaten;
	s->next_in -= ahead;
	s->avail_in += ahead;
	s->read_in_length -= (int32_t)(ahead * 8);
	s->read_in &= ((uint64_t)1 << s->read_in_length) - 1;
}

static int inflate_step(void *state, const struct limits *l, struct codec_io *io, struct err *e)
{
	struct inflate_state *s = state;
	uint32_t in_n = (uint32_t)(io->in.n < PIECE_MAX ? io->in.n : PIECE_MAX);
	uint32_t out_n = (uint32_t)(io->cap < PIECE_MAX ? io->cap : PIECE_MAX);
	int rc;

	s->next_in = (uint8_t *)io->in.p;
	s->avail_in = in_n;
	s->next_out = io->out;
	s->avail_out = out_n;
	rc = isal_inflate(s);
	if (s->block_state == ISAL_BLOCK_FINISH || s->avail_out == 0)
		give_back(s, in_n - s->avail_in);
	io->n = out_n - s->avail_out;
	io->in = span_after(io->in, in_n - s->avail_in);
	if (rc == ISAL_NEED_DICT)
		return err_set(e, ERR_UNSUPPORTED, 0, "deflate stream needs a dictionary");
	if (rc == ISAL_INCORRECT_CHECKSUM)
		return err_set(e, ERR_FORMAT, 0, "checksum of a deflate stream is wrong");
	if (rc < 0)
		return err_set(e, ERR_FORMAT, 0, "deflate stream is damaged");
	return s->block_state == ISAL_BLOCK_FINISH ? 1 : 0;
}

const struct codec_row codec_deflate = {"deflate", deflate_open, inflate_step, free, inflate_again, NULL};
const struct codec_row codec_zlib = {"zlib", zlib_open, inflate_step, free, inflate_again, NULL};
const struct codec_row codec_gzip = {"gzip", gzip_open, inflate_step, free, inflate_again, NULL};

uint32_t codec_crc32(uint32_t crc, struct span s)
{
	return s.n ? crc32_gzip_refl(crc, s.p, s.n) : crc;
}
