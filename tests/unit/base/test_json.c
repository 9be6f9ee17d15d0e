/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <cmocka.h>

#include "base/json.h"

static struct limits limits;

static int fill_limits(void **state)
{
	limits_default(&limits);
	return 0;
}

/* From a block of exactly this size, so that reading beyond it is seen. */
static json *read_exactly(struct span s, struct err *e)
{
	uint8_t *copy = malloc(s.n ? s.n : 1);
	json *j;

	if (s.n)
		memcpy(copy, s.p, s.n);
	j = json_read((struct span){copy, s.n}, &limits, e);
	free(copy);
	return j;
}

static void check_refused(struct span s, enum err_code code)
{
	struct err e = ERR_INIT;
	json *j = read_exactly(s, &e);

	if (j || e.code != code)
		fail_msg("'%.*s' gives %d, '%s'", (int)s.n, s.p, e.code, e.text);
}

static void check_printed(const char *text, const char *want, int indent)
{
	struct outbuf out = outbuf_limited(100000);
	struct err e = ERR_INIT;
	json *j = read_exactly(span_of(text), &e);

	if (!j)
		fail_msg("'%s' is refused: %s", text, e.text);
	json_print(j, &out, indent);
	outbuf_char(&out, '\0');
	assert_false(out.failed);
	assert_string_equal((char *)out.p, want);
	outbuf_release(&out);
	json_free(j);
}

static void all_of_rfc_8259_is_read(void **state)
{
	static const char *const same[] = {
		"{}",
		"[]",
		"null",
		"true",
		"false",
		"0",
		"-1",
		"9007199254740991",
		"\"\"",
		"[[],{}]",
		"{\"a\":{\"b\":[1,2]},\"A\":\"x\"}",
		"\"\xc3\xa9\xf0\x9f\x98\x80\"",
		"\"\\\"\\\\\"",
		"[[[1],[2]],[[3]]]",
	};

	for (size_t i = 0; i < sizeof(same) / sizeof(*same); i++)
		check_printed(same[i], same[i], -1);
	check_printed(" \t\r\n{ \"k\" : [ 1 , 2.5e0 ] } \n", "{\"k\":[1,2.5]}", -1);
	check_printed("\"\\u00e9\\ud83d\\ude00\\/\"", "\"\xc3\xa9\xf0\x9f\x98\x80/\"", -1);
	check_printed("\"\\b\\f\\n\\r\\t\"", "\"\\u0008\\u000c\\u000a\\u000d\\u0009\"", -1);
	check_printed("[-0.5E+1,1e2]", "[-5,100]", -1);
}

static void what_is_not_json_is_refused(void **state)
{
	static const char *const bad[] = {
		"01",
		"1.",
		".5",
		"+1",
		"-",
		"1e",
		"0x1",
		"NaN",
		"tru",
		"True",
		"'a'",
		"{a:1}",
		"[1,]",
		"{\"a\":1,}",
		"[,1]",
		"[1 2]",
		"{\"a\"}",
		"{\"a\":}",
		"{1:2}",
		"{\"a\":1]",
		"[1}",
		"]",
		"}",
		"[] []",
		"1 x",
		"{}\xef\xbb\xbf",
		"\xef\xbb\xbf{}",
		"\"\x01\"",
		"\"\n\"",
		"\"\\x41\"",
		"\"\\u12g4\"",
		"\"\\u0000\"",
		"\"\\ud800\"",
		"\"\\ud800\\u0041\"",
		"\"\\udc00\"",
		"\"\xff\"",
		"\"\xc0\x80\"",
		"\"\xed\xa0\x80\"",
		"\"\xf4\x90\x80\x80\"",
		"\"\xe2\x82\"",
		"/**/1",
		"[1]//",
		"\f1",
	};

	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++)
		check_refused(span_of(bad[i]), ERR_FORMAT);
	check_refused(SPAN("{}\0"), ERR_FORMAT);
	check_refused(SPAN("\"a\0b\""), ERR_FORMAT);
}

static void every_cut_is_refused(void **state)
{
	static const struct span s = SPAN_INIT("{\"a\":[1,true,null,\"\\u00e9\xc3\xa9\"],\"b\":{\"c\":-1.5e3}}");
	struct err e = ERR_INIT;

	for (size_t n = 0; n < s.n; n++)
		assert_null(read_exactly(span_first(s, n), &e));
	check_refused(SPAN_NONE, ERR_TRUNCATED);
	check_refused(SPAN("[1"), ERR_TRUNCATED);
}

static void doubled_keys_are_refused_at_any_depth(void **state)
{
	check_refused(SPAN("{\"a\":1,\"b\":2,\"a\":3}"), ERR_FORMAT);
	check_refused(SPAN("{\"a\":1,\"\\u0061\":3}"), ERR_FORMAT);
	check_refused(SPAN("[0,[{\"k\":{}},{\"x\":[],\"y\":[{\"a\":0,\"a\":0}]}]]"), ERR_FORMAT);
	check_refused(SPAN("[[[[]]],{\"\":1,\"\":1}]"), ERR_FORMAT);
	check_printed("[{\"a\":1},{\"a\":1,\"A\":2}]", "[{\"a\":1},{\"a\":1,\"A\":2}]", -1);
}

static void limits_hold_above_their_value(void **state)
{
	struct outbuf b = outbuf_limited(1 << 20);
	struct err e = ERR_INIT;
	json *j;

	for (unsigned depth = 64; depth <= 65; depth++) {
		for (unsigned i = 0; i < 2 * depth; i++)
			outbuf_char(&b, i < depth ? '[' : ']');
		j = read_exactly(outbuf_span(&b), &e);
		assert_int_equal(j != NULL, depth == 64);
		json_free(j);
		outbuf_release(&b);
	}
	assert_int_equal(e.limit, LIMIT_JSON_DEPTH);
	limits.v[LIMIT_JSON_NODES] = 3;
	json_free(j = read_exactly(SPAN("[1,2]"), &e));
	assert_non_null(j);
	assert_null(read_exactly(SPAN("[1,2,3]"), &e));
	assert_int_equal(e.limit, LIMIT_JSON_NODES);
	limits.v[LIMIT_JSON_BYTES] = 4;
	assert_null(read_exactly(SPAN("[1,2]"), &e));
	assert_int_equal(e.limit, LIMIT_JSON_BYTES);
	limits_default(&limits);
}

static void many_keys_take_no_square_of_time(void **state)
{
	struct outbuf b = outbuf_limited(4 << 20);
	struct err e = ERR_INIT;
	json *j;

	for (int i = 0; i < 190000; i++)
		outbuf_printf(&b, "%c\"%d\":1", i ? ',' : '{', i);
	outbuf_char(&b, '}');
	j = read_exactly(outbuf_span(&b), &e);
	assert_non_null(j);
	json_free(j);
	outbuf_release(&b);
}

static void members_are_found_by_exact_case(void **state)
{
	struct err e = ERR_INIT;
	json *j = read_exactly(SPAN("{\"Name\":1,\"name\":\"x\",\"l\":[\"a\",\"b\"]}"), &e);
	const json *item = json_first(json_member(j, "l"));
	struct span s;

	assert_true(json_is_object(j) && json_is_list(json_member(j, "l")));
	assert_true(json_string(json_member(j, "name"), &s) && span_eq(s, SPAN("x")));
	assert_false(json_string(json_member(j, "Name"), &s));
	assert_null(json_member(j, "NAME"));
	assert_true(json_string(json_next(item), &s) && span_eq(s, SPAN("b")));
	assert_null(json_next(json_next(item)));
	assert_null(json_first(json_member(j, "name")));
	json_free(j);
}

static json *make_value(void)
{
	json *j = json_object(), *list = json_list();
	struct span names[] = {SPAN_INIT("p"), SPAN_INIT("q\"")};
	struct spans l = {names, 2, 2};

	json_add_text(j, "text", SPAN("a\\b\n\xff\xc2\x85\xc3\xa9\"\0"));
	json_add_word(j, "word", "x");
	json_add_uint(j, "n", 9007199254740991);
	json_add_uint(j, "over", UINT64_MAX);
	json_add_bool(j, "yes", true);
	json_push(list, json_object());
	json_push_text(list, SPAN("z"));
	json_add(j, "list", list);
	json_add(j, "none", json_list());
	json_add_texts(j, "names", &l);
	return j;
}

static void writing_is_exact(void **state)
{
	static const char compact[] =
		"{\"text\":\"a\\\\\\\\b\\\\x0a\\\\xff\\\\xc2\\\\x85\xc3\xa9\\\"\\\\x00\",\"word\":\"x\",\"n\":"
		"9007199254740991,"
		"\"over\":9007199254740991,\"yes\":true,\"list\":[{},\"z\"],\"none\":[],\"names\":[\"p\",\"q\\\"\"]}";
	struct outbuf out = outbuf_limited(10000);
	json *j = make_value();

	json_print(j, &out, -1);
	assert_true(span_eq(outbuf_span(&out), span_of(compact)));
	outbuf_release(&out);
	json_free(j);
	check_printed("{\"a\":[1,{\"b\":[]}],\"c\":{}}",
		      "{\n  \"a\": [\n    1,\n    {\n      \"b\": []\n    }\n  ],\n  \"c\": {}\n}", 0);
	check_printed("[1,2]", "[\n        1,\n        2\n      ]", 3);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_of_rfc_8259_is_read),
		cmocka_unit_test(what_is_not_json_is_refused),
		cmocka_unit_test(every_cut_is_refused),
		cmocka_unit_test(doubled_keys_are_refused_at_any_depth),
		cmocka_unit_test(limits_hold_above_their_value),
		cmocka_unit_test(many_keys_take_no_square_of_time),
		cmocka_unit_test(members_are_found_by_exact_case),
		cmocka_unit_test(writing_is_exact),
	};

	return cmocka_run_group_tests(tests, fill_limits, NULL);
}
