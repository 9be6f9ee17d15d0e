/* SPDX-License-Identifier: Apache-2.0 */
#include <zstd.h>
#include <zstd_errors.h>

#include "base/codec_row.h"

#define WINDOW_LOG_MIN 10
#define WINDOW_LOG_MAX 31

/* zstd takes powers of two only: the one at or below the limit. */
static int window_log(uint64_t limit)
{
	int log = WINDOW_LOG_MIN;

	while (log < WINDOW_LOG_MAX && (uint64_t)1 << (log + 1) <= limit)
		log++;
	return log;
}

static void *zstd_open(const struct limits *l)
{
	ZSTD_DCtx *d = ZSTD_createDCtx();

	if (!d || ZSTD_isError(ZSTD_DCtx_setParameter(d, ZSTD_d_windowLogMax, window_log(l->v[LIMIT_ZSTD_WINDOW]))))
		out_of_memory();
	return d;
}

static int zstd_step(void *state, const struct limits *l, struct codec_io *io, struct err *e)
{
	ZSTD_inBuffer in = {io->in.p, io->in.n, 0};
	ZSTD_outBuffer out = {io->out, io->cap, 0};
	size_t rc = ZSTD_decompressStream(state, &out, &in);

	io->n = out.pos;
	io->in = span_after(io->in, in.pos);
	switch (ZSTD_getErrorCode(rc)) {
	case ZSTD_error_no_error:
		return rc == 0 ? 1 : 0;
	case ZSTD_error_frameParameter_windowTooLarge:
		return err_limit(e, LIMIT_ZSTD_WINDOW, l, "the window of a zstd frame");
	case ZSTD_error_memory_allocation:
		out_of_memory();
	case ZSTD_error_checksum_wrong:
		return err_set(e, ERR_FORMAT, 0, "checksum of a zstd frame is wrong");
	case ZSTD_error_dictionary_wrong:
		return err_set(e, ERR_UNSUPPORTED, 0, "zstd frame needs a dictionary");
	default:
		return err_set(e, ERR_FORMAT, 0, "zstd frame is damaged");
	}
}

static void zstd_close(void *state)
{
	ZSTD_freeDCtx(state);
}

const struct codec_row codec_zstd = {"zstd", zstd_open, zstd_step, zstd_close};
