/* SPDX-License-Identifier: Apache-2.0 */
/* The encoders are zlib, libzstd and liblz4: none of them decodes deflate, zlib or gzip for us. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <cmocka.h>
#include <lz4.h>
#include <lz4frame.h>
#include <zlib.h>
#include <zstd.h>

#include "base/codec.h"

#define PLAIN_BYTES 300000
#define ROOM        (PLAIN_BYTES + 1000)

static const enum codec all[] = {CODEC_DEFLATE, CODEC_ZLIB, CODEC_GZIP, CODEC_LZ4_BLOCK, CODEC_LZ4_FRAME, CODEC_ZSTD};
#define ALL (sizeof(all) / sizeof(*all))

static struct limits limits;
static uint8_t plain[PLAIN_BYTES], packed[ROOM], out[ROOM];

/* Text-like and random stretches: long and short matches, literals, stored blocks. */
static int make_plain(void **state)
{
	uint32_t r = 1;

	limits_default(&limits);
	for (size_t i = 0; i < PLAIN_BYTES; i++) {
		r = r * 1664525 + 1013904223;
		if (i / 20000 % 3 == 0)
			plain[i] = (uint8_t)(r >> 24);
		else if (i / 20000 % 3 == 1)
			plain[i] = "kernel "[(r >> 16) % 7];
		else
			plain[i] = i >= 1777 ? plain[i - 1777] : 0;
	}
	return 0;
}

static size_t pack_zlib(size_t n, int window_bits)
{
	z_stream z = {.next_in = plain, .avail_in = (uInt)n, .next_out = packed, .avail_out = ROOM};

	assert_int_equal(deflateInit2(&z, 6, Z_DEFLATED, window_bits, 8, Z_DEFAULT_STRATEGY), Z_OK);
	assert_int_equal(deflate(&z, Z_FINISH), Z_STREAM_END);
	deflateEnd(&z);
	return z.total_out;
}

static size_t pack_zstd(size_t n)
{
	ZSTD_CCtx *c = ZSTD_createCCtx();
	size_t rc;

	ZSTD_CCtx_setParameter(c, ZSTD_c_checksumFlag, 1);
	rc = ZSTD_compress2(c, packed, ROOM, plain, n);
	ZSTD_freeCCtx(c);
	return rc;
}

static size_t pack_lz4_frame(size_t n)
{
	LZ4F_preferences_t p = LZ4F_INIT_PREFERENCES;

	p.frameInfo.contentChecksumFlag = LZ4F_contentChecksumEnabled;
	p.frameInfo.contentSize = n;
	return LZ4F_compressFrame(packed, ROOM, plain, n, &p);
}

static struct span pack(enum codec c, size_t n)
{
	size_t got = c == CODEC_DEFLATE ? pack_zlib(n, -15)
		     : c == CODEC_ZLIB  ? pack_zlib(n, 15)
		     : c == CODEC_GZIP  ? pack_zlib(n, 31)
		     : c == CODEC_ZSTD  ? pack_zstd(n)
		     : c == CODEC_LZ4_FRAME
			     ? pack_lz4_frame(n)
			     : (size_t)LZ4_compress_default((const char *)plain, (char *)packed, (int)n, ROOM);

	assert_in_range(got, 1, ROOM);
	return (struct span){packed, got};
}

static void whole_gives_exactly_what_was_packed(void **state)
{
	static const size_t sizes[] = {0, 1, 12, 4096, 65536, PLAIN_BYTES};
	struct err e = ERR_INIT;
	size_t n;

	for (size_t i = 0; i < ALL; i++)
		for (size_t k = 0; k < 6; k++) {
			struct span in = pack(all[i], sizes[k]);

			assert_int_equal(codec_whole(all[i], &limits, in, out, sizes[k], &n, &e), 0);
			assert_int_equal(n, sizes[k]);
			assert_memory_equal(out, plain, n);
		}
}

static void whole_refuses_one_byte_too_many(void **state)
{
	struct err e = ERR_INIT;
	size_t n;

	for (size_t i = 0; i < ALL; i++) {
		struct span in = pack(all[i], 70000);

		assert_int_equal(codec_whole(all[i], &limits, in, out, 69999, &n, &e), -1);
		assert_int_equal(e.code, ERR_FORMAT);
	}
}

static void whole_takes_8_bytes_of_padding_and_no_more(void **state)
{
	struct err e = ERR_INIT;
	size_t n;

	for (size_t i = 0; i < ALL; i++) {
		struct span in = pack(all[i], 5000);

		memset(packed + in.n, 0, 9);
		in.n += 8;
		assert_int_equal(codec_whole(all[i], &limits, in, out, ROOM, &n, &e), 0);
		assert_int_equal(n, 5000);
		in.n++;
		assert_int_equal(codec_whole(all[i], &limits, in, out, ROOM, &n, &e), -1);
	}
}

static void whole_refuses_every_cut_and_front_gives_what_came_before_it(void **state)
{
	struct err e = ERR_INIT;
	size_t n, last;

	for (size_t i = 0; i < ALL; i++) {
		struct span in = pack(all[i], 3000);

		last = 0;
		for (size_t cut = 0; cut < in.n; cut++) {
			uint8_t *copy = malloc(cut ? cut : 1); /* so that reading beyond the cut is seen */

			memcpy(copy, in.p, cut);
			assert_int_equal(codec_whole(all[i], &limits, (struct span){copy, cut}, out, ROOM, &n, &e), -1);
			assert_int_equal(codec_front(all[i], &limits, (struct span){copy, cut}, out, ROOM, &n, &e), 0);
			assert_true(n >= last && n <= 3000);
			assert_memory_equal(out, plain, n);
			last = n;
			free(copy);
		}
		/* All but the checks at the end: only a block of its own can hold bytes back. */
		assert_true(last >= 2900 || all[i] == CODEC_ZSTD || all[i] == CODEC_LZ4_FRAME);
	}
}

static void front_gives_a_prefix_of_any_length(void **state)
{
	static const size_t caps[] = {0, 1, 64, 65, 4095, 65536, 140000};
	struct err e = ERR_INIT;
	size_t n;

	for (size_t i = 0; i < ALL; i++) {
		struct span in = pack(all[i], PLAIN_BYTES);

		for (size_t k = 0; k < 7; k++) {
			memset(out, 0xee, caps[k] + 1);
			assert_int_equal(codec_front(all[i], &limits, in, out, caps[k], &n, &e), 0);
			assert_int_equal(n, caps[k]);
			assert_memory_equal(out, plain, n);
			assert_int_equal(out[n], 0xee);
		}
	}
}

static void streams_end_at_their_last_byte_however_they_are_cut(void **state)
{
	static const size_t in_steps[] = {1, 3, 7, 1000, ROOM}, out_steps[] = {1, 5, 4096, ROOM};
	struct err e = ERR_INIT;

	for (size_t i = 0; i < ALL; i++) {
		for (size_t k = 0; k < 20 && all[i] != CODEC_LZ4_BLOCK; k++) {
			struct codec_stream *s = codec_stream_new(all[i], &limits, &e);
			struct span in = pack(all[i], 100000);
			size_t at = 0, total = 0, n, end = in.n;
			int rc = 0;

			memset(packed + in.n, 0xa5, 100);
			while (rc == 0) {
				size_t give = end + 100 - at < in_steps[k % 5] ? end + 100 - at : in_steps[k % 5];
				size_t room = ROOM - total < out_steps[k / 5] ? ROOM - total : out_steps[k / 5];
				struct span piece = {packed + at, give};

				rc = codec_stream_step(s, &piece, out + total, room, &n, &e);
				at += give - piece.n;
				total += n;
				assert_true(give > 0);
			}
			assert_int_equal(rc, 1);
			assert_int_equal(at, end);
			assert_int_equal(total, 100000);
			assert_memory_equal(out, plain, total);
			codec_stream_free(s);
		}
	}
}

/* Room that is full while the front of a block's header waits for the rest of it: nothing may go back then. */
static void a_header_that_is_cut_survives_full_room(void **state)
{
	static uint8_t bytes[30000], tight[40000], back[30001];
	z_stream z = {.next_in = bytes, .avail_in = sizeof(bytes), .next_out = tight, .avail_out = sizeof(tight)};
	struct limits l;

	limits_default(&l);
	for (size_t i = 0; i < sizeof(bytes); i++)
		bytes[i] = (uint8_t)(i * i / 97 % (5 + i / 700));
	assert_int_equal(deflateInit2(&z, 9, Z_DEFLATED, -15, 1, Z_DEFAULT_STRATEGY), Z_OK);
	assert_int_equal(deflate(&z, Z_FINISH), Z_STREAM_END);
	for (size_t first = 1; first < z.total_out; first++) {
		struct err e = ERR_INIT;
		struct codec_stream *s = codec_stream_new(CODEC_DEFLATE, &l, &e);
		struct span in = {tight, first};
		size_t done = 0, n, at = first;
		int rc = 0;

		while (rc == 0) {
			if (in.n == 0 && at < z.total_out) {
				in = (struct span){tight + at, z.total_out - at};
				at = z.total_out;
			}
			rc = codec_stream_step(s, &in, back + done, done ? sizeof(back) - done : 64, &n, &e);
			done += n;
		}
		assert_int_equal(rc, 1);
		assert_int_equal(done, sizeof(bytes));
		assert_memory_equal(back, bytes, sizeof(bytes));
		codec_stream_free(s);
	}
	deflateEnd(&z);
}

static void a_wrong_check_sum_or_length_is_refused(void **state)
{
	static const struct {
		enum codec codec;
		size_t from_end;
	} checks[] = {{CODEC_ZLIB, 1}, {CODEC_ZLIB, 4}, {CODEC_GZIP, 1},
		      {CODEC_GZIP, 8}, {CODEC_ZSTD, 1}, {CODEC_LZ4_FRAME, 1}};
	struct err e = ERR_INIT;
	size_t n;

	for (size_t i = 0; i < 6; i++) {
		struct span in = pack(checks[i].codec, 5000);

		packed[in.n - checks[i].from_end] ^= 0x10;
		assert_int_equal(codec_whole(checks[i].codec, &limits, in, out, ROOM, &n, &e), -1);
		assert_int_equal(e.code, ERR_FORMAT);
	}
}

static void damage_never_leaves_the_buffers(void **state)
{
	struct err e = ERR_INIT;
	uint32_t r = 7;
	size_t n;

	for (size_t i = 0; i < ALL; i++)
		for (size_t k = 0; k < 300; k++) {
			struct span in = pack(all[i], 2500);
			uint8_t *room = malloc(2000);

			for (int flips = 0; flips < 3; flips++) {
				r = r * 1664525 + 1013904223;
				packed[(r >> 8) % in.n] ^= (uint8_t)(1u << (r & 7));
			}
			(void)codec_front(all[i], &limits, in, room, 2000, &n, &e);
			assert_true(n <= 2000);
			(void)codec_whole(all[i], &limits, in, room, 2000, &n, &e);
			assert_true(n <= 2000);
			free(room);
		}
}

static void a_window_above_the_limit_names_it(void **state)
{
	/* A frame header of RFC 8878: no content size, window 2^28, then an empty last raw block. */
	static const uint8_t frame[] = {0x28, 0xb5, 0x2f, 0xfd, 0x00, 18 << 3, 0x01, 0x00, 0x00};
	static const struct span in = {frame, sizeof(frame)};
	struct limits raised = limits;
	struct err e = ERR_INIT;
	size_t n;

	assert_int_equal(codec_front(CODEC_ZSTD, &limits, in, out, 100, &n, &e), -1);
	assert_int_equal(e.code, ERR_LIMIT);
	assert_int_equal(e.limit, LIMIT_ZSTD_WINDOW);
	raised.v[LIMIT_ZSTD_WINDOW] = (uint64_t)1 << 28;
	assert_int_equal(codec_whole(CODEC_ZSTD, &raised, in, out, 100, &n, &e), 0);
	assert_int_equal(n, 0);
}

/* Offset 0 would copy what lay in the buffer before. */
static void an_lz4_match_lies_in_what_came_out(void **state)
{
	static const struct span zero = SPAN_INIT("\x10"
						  "a\0\0\x50"
						  "hello"),
				 beyond = SPAN_INIT("\x10"
						    "a\2\0\x50"
						    "hello");
	static const struct span good = SPAN_INIT("\x10"
						  "a\1\0\x50"
						  "hello");
	struct err e = ERR_INIT;
	size_t n;

	assert_int_equal(codec_whole(CODEC_LZ4_BLOCK, &limits, zero, out, ROOM, &n, &e), -1);
	assert_int_equal(codec_whole(CODEC_LZ4_BLOCK, &limits, beyond, out, ROOM, &n, &e), -1);
	assert_int_equal(codec_front(CODEC_LZ4_BLOCK, &limits, zero, out, ROOM, &n, &e), 0);
	assert_int_equal(n, 1);
	assert_int_equal(codec_whole(CODEC_LZ4_BLOCK, &limits, good, out, ROOM, &n, &e), 0);
	assert_true(n == 10 && memcmp(out, "aaaaahello", 10) == 0);
}

static void crc_is_that_of_zip(void **state)
{
	assert_int_equal(codec_crc32(0, SPAN("123456789")), 0xcbf43926);
	assert_int_equal(codec_crc32(codec_crc32(0, SPAN("12345")), SPAN("6789")), 0xcbf43926);
	assert_int_equal(codec_crc32(7, SPAN_NONE), 7);
}

static void names_are_those_of_reports(void **state)
{
	static const char *const names[CODEC_COUNT] = {"none", "deflate", "zlib", "gzip", "lz4", "lz4", "zstd"};

	for (int c = 0; c < CODEC_COUNT; c++)
		assert_string_equal(codec_name((enum codec)c), names[c]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(whole_gives_exactly_what_was_packed),
		cmocka_unit_test(whole_refuses_one_byte_too_many),
		cmocka_unit_test(whole_takes_8_bytes_of_padding_and_no_more),
		cmocka_unit_test(whole_refuses_every_cut_and_front_gives_what_came_before_it),
		cmocka_unit_test(front_gives_a_prefix_of_any_length),
		cmocka_unit_test(streams_end_at_their_last_byte_however_they_are_cut),
		cmocka_unit_test(a_header_that_is_cut_survives_full_room),
	        cmocka_unit_test(a_wrong_check_sum_or_length_is_refused),
		cmocka_unit_test(damage_never_leaves_the_buffers),
		cmocka_unit_test(a_window_above_the_limit_names_it),
		cmocka_unit_test(an_lz4_match_lies_in_what_came_out),
		cmocka_unit_test(crc_is_that_of_zip),
		cmocka_unit_test(names_are_those_of_reports),
	};

	return cmocka_run_group_tests(tests, make_plain, NULL);
}
