/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <stdio.h>
#include <cmocka.h>

#include "base/arena.h"
#include "base/digest.h"
#include "base/text.h"

static void check(void (*escape)(struct outbuf *, struct span), struct span in, const char *want)
{
	struct outbuf out = outbuf_limited(1000);

	escape(&out, in);
	outbuf_char(&out, '\0');
	assert_string_equal((char *)out.p, want);
	outbuf_release(&out);
}

static void valid_utf8_stays_and_every_other_byte_is_escaped(void **state)
{
	check(text_sanitised, SPAN("a/b c~"), "a/b c~");
	check(text_sanitised, SPAN("\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80\xf4\x8f\xbf\xbf"),
	      "\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80\xf4\x8f\xbf\xbf");
	check(text_sanitised, SPAN("\x80z\xff"), "\\x80z\\xff");
	check(text_sanitised, SPAN("\xc3"), "\\xc3");
	check(text_sanitised, SPAN("\xe2\x82z"), "\\xe2\\x82z");
	check(text_sanitised, SPAN("\xc0\x80\xe0\x80\xaf"), "\\xc0\\x80\\xe0\\x80\\xaf");
	check(text_sanitised, SPAN("\xed\xa0\x80"), "\\xed\\xa0\\x80");
	check(text_sanitised, SPAN("\xf4\x90\x80\x80\xf8"), "\\xf4\\x90\\x80\\x80\\xf8");
	check(text_sanitised, SPAN_NONE, "");
}

static void control_bytes_and_backslashes_are_escaped(void **state)
{
	check(text_sanitised, SPAN("\0\x1b[2J\r\n\x7f"), "\\x00\\x1b[2J\\x0d\\x0a\\x7f");
	check(text_sanitised, SPAN("\xc2\x80\xc2\x9b\xc2\x9f\xc2\xa0"), "\\xc2\\x80\\xc2\\x9b\\xc2\\x9f\xc2\xa0");
	check(text_sanitised, SPAN("a\\x41\\"), "a\\\\x41\\\\");
}

static void only_terminals_are_spared_unseen_characters(void **state)
{
	static const char *const unseen[] = {"\xe2\x80\x8b", "\xe2\x80\xaa", "\xe2\x80\xae",
					     "\xe2\x81\xa6", "\xe2\x81\xa9", "\xef\xbb\xbf"};

	for (size_t i = 0; i < 6; i++) {
		char want[16];

		snprintf(want, sizeof(want), "\\x%02x\\x%02x\\x%02x", (uint8_t)unseen[i][0], (uint8_t)unseen[i][1],
			 (uint8_t)unseen[i][2]);
		check(text_sanitised, span_of(unseen[i]), unseen[i]);
		check(text_for_terminal, span_of(unseen[i]), want);
	}
	check(text_for_terminal, SPAN("\xd7\xa9 \xe2\x80\xa6\n"), "\xd7\xa9 \xe2\x80\xa6\\x0a");
}

static void digest_is_sha256(void **state)
{
	/* FIPS 180-2, appendix B.1 and B.2. */
	static const char abc[] = "sha256:ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
	static const char two[] = "sha256:248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1";
	struct arena mem = ARENA_INIT;
	uint8_t sum[DIGEST_BYTES];
	struct digest *d = digest_new();
	char base64[DIGEST_BASE64];

	digest_add(d, SPAN("a"));
	digest_add(d, SPAN_NONE);
	digest_add(d, SPAN("bc"));
	digest_end(d, sum);
	assert_true(span_eq(digest_text(&mem, sum), span_of(abc)));
	digest_base64(base64, sum);
	assert_memory_equal(base64, "ungWv48Bz-pBQUDeXa4iI7ADYaOWF3qctBD_YfIAFa0", DIGEST_BASE64);
	d = digest_new();
	digest_add(d, SPAN("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"));
	digest_end(d, sum);
	assert_true(span_eq(digest_text(&mem, sum), span_of(two)));
	arena_clear(&mem);
}

static void check_restored(struct span in, struct span want)
{
	struct outbuf out = outbuf_limited(1000);

	assert_true(text_restored(&out, in));
	assert_true(span_eq(outbuf_span(&out), want));
	outbuf_release(&out);
}

static void sanitised_text_gives_its_bytes_back(void **state)
{
	static const char *const bad[] = {"\\", "a\\n", "\\x", "\\x1", "\\x1g", "\\xFF", "\\X41", "\\\\\\", "\\u0041"};
	uint8_t all[256];
	struct outbuf out = outbuf_limited(10000);

	check_restored(SPAN_NONE, SPAN_NONE);
	check_restored(SPAN("a\xc3\xa9"), SPAN("a\xc3\xa9"));
	check_restored(SPAN("\\x00\\x1b[2J\\\\x0d\\xff"), SPAN("\0\x1b[2J\\x0d\xff"));
	for (size_t i = 0; i < sizeof(all); i++)
		all[i] = (uint8_t)i;
	text_sanitised(&out, (struct span){all, sizeof(all)});
	check_restored(outbuf_span(&out), (struct span){all, sizeof(all)});
	outbuf_release(&out);
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		out.failed = false;
		assert_false(text_restored(&out, span_of(bad[i])));
		outbuf_release(&out);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(valid_utf8_stays_and_every_other_byte_is_escaped),
		cmocka_unit_test(control_bytes_and_backslashes_are_escaped),
		cmocka_unit_test(only_terminals_are_spared_unseen_characters),
		cmocka_unit_test(sanitised_text_gives_its_bytes_back),
		cmocka_unit_test(digest_is_sha256),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
