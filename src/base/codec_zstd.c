/* SPDX-License-Identifier: Apache-2.0 */
#include <zstd.h>
#include <zstd_errors.h>

#include "base/codec_row.h"
#include "base/cursor.h"

#define WINDOW_LOG_MIN 10
#define WINDOW_LOG_MAX 31
#define NARROW_WINDOW  ((size_t)1 << 17) /* no block inflates to more */

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

static void zstd_reset(void *state, const struct limits *l)
{
	ZSTD_DCtx *d = state;

	(void)ZSTD_DCtx_reset(d, ZSTD_reset_session_only);
	if (ZSTD_isError(ZSTD_DCtx_setParameter(d, ZSTD_d_windowLogMax, window_log(l->v[LIMIT_ZSTD_WINDOW]))))
		out_of_memory();
}

static size_t zstd_held(const void *state)
{
	return ZSTD_sizeof_DCtx(state);
}

const struct codec_row codec_zstd = {"zstd", zstd_open, zstd_step, zstd_close, zstd_reset, zstd_held};

int zstd_narrow(const struct limits *l, struct span *in, size_t out_cap, uint8_t header[ZSTD_NARROW_HEADER], size_t *n,
                struct err *e)
{
	static const uint8_t narrow[ZSTD_NARROW_HEADER] = {0x28, 0xb5, 0x2f, 0xfd, 0, (17 - WINDOW_LOG_MIN) << 3};
	struct cursor c = cursor_over(*in);
	uint32_t magic = cursor_u32(&c);
	uint8_t d = cursor_u8(&c), w = d & 0x20 ? 0 : cursor_u8(&c);
	unsigned size = d >> 6 ? 1u << (d >> 6) : d >> 5 & 1;
	uint64_t window = (uint64_t)1 << (WINDOW_LOG_MIN + (w >> 3)), whole;

	*n = 0;
	window += window / 8 * (w & 7);
	whole = cursor_uint(&c, size) + (size == 2 ? 256 : 0);
	if (d & 0x20)
		window = whole;
	/* Not one that zstd would take, one with a dictionary, or one that gives more than a window of 128 KiB holds. */
	if (c.bad || magic != 0xFD2FB528u || d & 0x0b || out_cap > NARROW_WINDOW)
		return 0;
	if (window > (uint64_t)1 << window_log(l->v[LIMIT_ZSTD_WINDOW]) && (size == 0 || whole > out_cap))
		return err_limit(e, LIMIT_ZSTD_WINDOW, l, "the window of a zstd frame");
	memcpy(header, narrow, sizeof(narrow));
	*n = sizeof(narrow);
	*in = span_after(*in, c.at);
	return 0;
}
