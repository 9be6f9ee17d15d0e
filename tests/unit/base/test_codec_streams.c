/* SPDX-License-Identifier: Apache-2.0 */
/* A stream that is used again is a new one. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <cmocka.h>
#include <lz4frame.h>
#include <zlib.h>
#include <zstd.h>

#include "base/codec.h"

#define BYTES 200000

static uint8_t plain[BYTES], packed[BYTES + 1000], damaged[BYTES + 1000], out[BYTES];
static struct limits limits;

static int fill(void **state)
{
	limits_default(&limits);
	for (size_t i = 0; i < BYTES; i++)
		plain[i] = (uint8_t)(i * i >> 7 ^ i / 900);
	return 0;
}

static struct span pack(enum codec c)
{
	uLongf n = sizeof(packed);

	if (c == CODEC_ZSTD)
		return (struct span){packed, ZSTD_compress(packed, sizeof(packed), plain, BYTES, 3)};
	if (c == CODEC_LZ4_FRAME)
		return (struct span){packed, LZ4F_compressFrame(packed, sizeof(packed), plain, BYTES, NULL)};
	assert_int_equal(compress2(packed, &n, plain, BYTES, 6), Z_OK);
	return (struct span){packed, n};
}

static void each_use_starts_afresh(void **state)
{
	static const enum codec all[] = {CODEC_ZLIB, CODEC_LZ4_FRAME, CODEC_ZSTD, CODEC_ZLIB};
	struct codec_streams kept = {{NULL}};
	struct err e = ERR_INIT;
	size_t n;

	for (size_t i = 0; i < 4; i++) {
		struct span in = pack(all[i]), bad = {damaged, in.n};

		memcpy(damaged, in.p, in.n);
		damaged[in.n / 2] ^= 0x55;
		assert_int_equal(codec_streams_whole(&kept, all[i], &limits, in, out, BYTES, &n, &e), 0);
		assert_int_equal(n, BYTES);
		(void)codec_streams_whole(&kept, all[i], &limits, bad, out, BYTES, &n, &e);
		assert_int_equal(codec_streams_front(&kept, all[i], &limits, in, out, 777, &n, &e), 0);
		assert_int_equal(n, 777);
		memset(out, 0, BYTES);
		assert_int_equal(codec_streams_whole(&kept, all[i], &limits, in, out, BYTES, &n, &e), 0);
		assert_int_equal(n, BYTES);
		assert_memory_equal(out, plain, BYTES);
	}
	codec_streams_clear(&kept);
}

static void one_that_is_in_use_is_not_given_twice(void **state)
{
	struct codec_streams kept = {{NULL}};
	struct err e = ERR_INIT;
	struct codec_stream *a = codec_streams_take(&kept, CODEC_ZSTD, &limits, &e);
	struct codec_stream *b = codec_streams_take(&kept, CODEC_ZSTD, &limits, &e);

	assert_ptr_not_equal(a, b);
	codec_streams_give(&kept, a);
	codec_streams_give(&kept, b);
	assert_ptr_equal(codec_streams_take(&kept, CODEC_ZSTD, &limits, &e), a);
	codec_streams_give(&kept, a);
	codec_streams_trim(&kept);
	assert_non_null(kept.kept[CODEC_ZSTD]);
	codec_streams_clear(&kept);
	assert_null(kept.kept[CODEC_ZSTD]);
	assert_null(codec_streams_take(&kept, CODEC_LZ4_BLOCK, &limits, &e));
}

/* A window of 128 MiB, of which a small front needs nothing. */
static void a_small_front_is_that_of_the_whole_whatever_the_window(void **state)
{
	ZSTD_CCtx *c = ZSTD_createCCtx();
	struct codec_streams kept = {{NULL}};
	struct err e = ERR_INIT;
	ZSTD_inBuffer from = {plain, BYTES, 0};
	ZSTD_outBuffer to = {packed, sizeof(packed), 0};
	size_t n;

	ZSTD_CCtx_setParameter(c, ZSTD_c_windowLog, 27);
	ZSTD_CCtx_setParameter(c, ZSTD_c_checksumFlag, 1);
	assert_int_equal(ZSTD_compressStream2(c, &to, &from, ZSTD_e_end), 0);
	ZSTD_freeCCtx(c);
	for (size_t cap = 1; cap <= 1 << 17; cap *= 2) {
		struct span in = {packed, to.pos};

		assert_int_equal(codec_streams_front(&kept, CODEC_ZSTD, &limits, in, out, cap, &n, &e), 0);
		assert_int_equal(n, cap);
		assert_memory_equal(out, plain, n);
	}
	codec_streams_clear(&kept);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(each_use_starts_afresh),
	        cmocka_unit_test(one_that_is_in_use_is_not_given_twice),
	        cmocka_unit_test(a_small_front_is_that_of_the_whole_whatever_the_window),
	};

	return cmocka_run_group_tests(tests, fill, NULL);
}
