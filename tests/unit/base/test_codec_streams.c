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

/*
 * Two blocks, the second with a header of its own Huffman codes, by zlib (level 9, Z_HUFFMAN_ONLY, Z_SYNC_FLUSH between). Where
 * the input ends in that header just as the room for output is full, the library below keeps bytes of it.
 */
static void a_block_header_may_be_cut_where_the_output_is_full(void **state)
{
	static const uint8_t member[66] =
	        "\x1f\x8b\x08\x00\x00\x00\x00\x00\x02\x03\x2a\xc8\x2f\x2e\x49\x2d\xca\x53\x00\x00\x00\x00\xff\xff\x05"
	        "\xc1\xa1\x01\x00\x00\x0c\x83\xb0\x5b\x11\x08\x54\xd5\xfe\x5f\xc2\xc2\x75\x63\x64\x50\xe5\xc1\x91\xc0\x10"
	        "\x9b\xba\x10\x08\x3d\xcd\xf9\xe4\x20\x60\x6c\x44\x00\x00";
	static const char text[] = "postern aoiaeoiuoaoaieiaaiiiieuaauaieaaaoaeaeioeeeoiaeaaaiaeeueeieoe";
	size_t bytes = sizeof(text) - 1;

	for (size_t cut = 1; cut < sizeof(member); cut++)
		for (size_t room = 1; room <= bytes; room++) {
			struct err e = ERR_INIT;
			struct codec_stream *s = codec_stream_new(CODEC_GZIP, &limits, &e);
			struct span in = {member, cut}, rest;
			size_t total = 0, n = 0;
			int rc = codec_stream_step(s, &in, out, room, &total, &e);

			rest = (struct span){member + cut - in.n, sizeof(member) - cut + in.n};
			while (rc == 0 && (rest.n || n)) {
				rc = codec_stream_step(s, &rest, out + total, BYTES - total, &n, &e);
				total += n;
			}
			assert_string_equal(e.text, "");
			assert_int_equal(rc, 1);
			assert_int_equal(total, bytes);
			assert_memory_equal(out, text, bytes);
			codec_stream_free(s);
		}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(a_block_header_may_be_cut_where_the_output_is_full),
	        cmocka_unit_test(each_use_starts_afresh),
	        cmocka_unit_test(one_that_is_in_use_is_not_given_twice),
	        cmocka_unit_test(a_small_front_is_that_of_the_whole_whatever_the_window),
	};

	return cmocka_run_group_tests(tests, fill, NULL);
}
