/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>
#include <cmocka.h>

#include "base/json_reader.h"
#include "base/scoped.h"

static struct limits limits;
static struct json_reader in;

static int fill_limits(void **state)
{
	limits_default(&limits);
	return 0;
}

static int file_with(struct span s)
{
	int fd = memfd_create("document", MFD_CLOEXEC);

	assert_true(fd >= 0 && write(fd, s.p, s.n) == (ssize_t)s.n && lseek(fd, 0, SEEK_SET) == 0);
	return fd;
}

/* Walks the document's object and the lists in it; "s" is skipped. What was read goes to out. */
static int walk_list(struct outbuf *out, struct err *e)
{
	json *j;
	int rc;

	if (json_reader_enter(&in, '[', e) < 0)
		return -1;
	while ((rc = json_reader_element(&in, e)) == 0) {
		j = json_reader_value(&in, e);
		if (!j)
			return -1;
		json_print(j, out, -1);
		outbuf_char(out, ';');
		json_free(j);
	}
	return rc < 0 ? -1 : 0;
}

static int walk(struct outbuf *out, struct err *e)
{
	struct span name;
	json *j;
	int rc;

	if (json_reader_enter(&in, '{', e) < 0)
		return -1;
	while ((rc = json_reader_member(&in, &name, e)) == 0) {
		outbuf_put(out, name);
		outbuf_char(out, '=');
		if (span_starts(name, SPAN("s"))) {
			rc = json_reader_skip(&in, e);
		} else if (span_starts(name, SPAN("l"))) {
			rc = walk_list(out, e);
		} else {
			j = json_reader_value(&in, e);
			rc = j ? 0 : -1;
			if (j)
				json_print(j, out, -1);
			json_free(j);
		}
		if (rc < 0)
			return -1;
		outbuf_char(out, '.');
	}
	return rc < 0 || json_reader_end(&in, e) < 0 ? -1 : 0;
}

static int walk_text(struct span text, struct outbuf *out, struct err *e)
{
	scoped_fd int fd = file_with(text);
	int rc;

	json_reader_init(&in, fd, LIMIT_INVENTORY_BYTES, &limits);
	rc = walk(out, e);
	json_reader_release(&in);
	return rc;
}

static void check_walked(struct span text, const char *want)
{
	struct outbuf out = outbuf_limited(1 << 20);
	struct err e = ERR_INIT;

	if (walk_text(text, &out, &e) < 0)
		fail_msg("'%.*s' is refused: %s", (int)(text.n < 200 ? text.n : 200), text.p, e.text);
	outbuf_char(&out, '\0');
	assert_string_equal((char *)out.p, want);
	outbuf_release(&out);
}

static struct err check_refused(struct span text, enum err_code code)
{
	struct outbuf out = outbuf_limited(1 << 20);
	struct err e = ERR_INIT;

	if (walk_text(text, &out, &e) == 0 || e.code != code)
		fail_msg("'%.*s' gives %d, '%s'", (int)(text.n < 200 ? text.n : 200), text.p, e.code, e.text);
	outbuf_release(&out);
	return e;
}

static const struct span sample = SPAN_INIT("{\"a\":[1, {\"b\" : \"]}\\\"\\\\\"}],\"l\":[],\"l2\":[true "
                                            ",\"x\\u00e9,\",[[]], -1.5e0],\"s\":[[1],{}],\"s2\":\"y\",\"z\":null}\n");
static const char sample_walked[] = "a=[1,{\"b\":\"]}\\\"\\\\\"}].l=.l2=true;\"x\xc3\xa9,\";[[]];-1.5;.s=.s2=.z=null.";

static void members_and_elements_come_one_at_a_time(void **state)
{
	check_walked(sample, sample_walked);
	check_walked(SPAN(" { } "), "");
	check_walked(SPAN("\t{\"\\u0061\"\n:\r1}"), "a=1.");
}

static void a_token_may_lie_across_two_reads(void **state)
{
	struct outbuf text = outbuf_limited(1 << 20);

	for (size_t before = JSON_READER_BYTES - sample.n; before <= JSON_READER_BYTES; before++) {
		text.n = 0;
		for (size_t i = 0; i < before; i++)
			outbuf_char(&text, ' ');
		outbuf_put(&text, sample);
		check_walked(outbuf_span(&text), sample_walked);
	}
	outbuf_release(&text);
}

static void every_cut_is_refused(void **state)
{
	for (size_t n = 0; n + 1 < sample.n; n++)
		assert_int_equal(check_refused(span_first(sample, n), ERR_TRUNCATED).at, n);
}

static void what_is_not_json_is_refused_with_its_byte(void **state)
{
	static const struct {
		const char *text;
		uint64_t at;
	} bad[] = {
	        {"[]", 0},
	        {"\"a\"", 0},
	        {"\xef\xbb\xbf{}", 0},
	        {"{,}", 1},
	        {"{1:2}", 1},
	        {"{\"a\":1,}", 7},
	        {"{\"a\" 1}", 5},
	        {"{\"a\":}", 5},
	        {"{\"a\":,\"b\":1}", 5},
	        {"{\"a\":1 2}", 7},
	        {"{\"a\":1}}", 7},
	        {"{\"a\":1} x", 8},
	        {"{\"a\":01}", 6},
	        {"{\"a\":tru}", 5},
	        {"{\"a\":[1}]}", 7},
	        {"{\"a\":{]}", 6},
	        {"{\"a\":\"\\x41\"}", 7},
	        {"{\"a\":\"\xff\"}", 6},
	        {"{\"a\\u0000\":1}", 9},
	        {"{\"l\":{}}", 5},
	        {"{\"l\":[1,]}", 8},
	        {"{\"l\":[,1]}", 6},
	        {"{\"l\":[1}", 7},
	        {"{\"l\":[1 2]}", 8},
	        {"{\"s\":[1,]}", 8},
	        {"{\"s\":[1 2]}", 8},
	        {"{\"s\":[[1}]]}", 8},
	        {"{\"s\":{\"a\":nul}}", 10},
	};

	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		struct err e = check_refused(span_of(bad[i].text), ERR_FORMAT);

		if (e.at < bad[i].at || e.at > bad[i].at + 1)
			fail_msg("'%s' names byte %d: %s", bad[i].text, (int)e.at, e.text);
	}
	check_refused(SPAN("{\"a\":1\0}"), ERR_FORMAT);
}

static void doubled_names_are_refused_wherever_they_are(void **state)
{
	check_refused(SPAN("{\"a\":1,\"b\":2,\"\\u0061\":3}"), ERR_FORMAT);
	check_refused(SPAN("{\"a\":{\"x\":1,\"x\":1}}"), ERR_FORMAT);
	check_refused(SPAN("{\"l\":[{\"x\":1,\"x\":1}]}"), ERR_FORMAT);
	check_refused(SPAN("{\"s\":[{\"x\":1,\"x\":1}]}"), ERR_FORMAT);
	check_walked(SPAN("{\"a\":1,\"A\":{\"a\":1}}"), "a=1.A={\"a\":1}.");
}

static void a_limit_counts_for_the_document_and_for_each_value(void **state)
{
	struct err e;

	limits.v[LIMIT_INVENTORY_BYTES] = sample.n;
	check_walked(sample, sample_walked);
	limits.v[LIMIT_INVENTORY_BYTES] = sample.n - 1;
	e = check_refused(sample, ERR_LIMIT);
	assert_int_equal(e.limit, LIMIT_INVENTORY_BYTES);
	limits_default(&limits);

	limits.v[LIMIT_JSON_BYTES] = 4;
	check_walked(SPAN("{\"l\":[\"ab\",\"cd\",1234]}"), "l=\"ab\";\"cd\";1234;.");
	assert_int_equal(check_refused(SPAN("{\"l\":[\"abc\"]}"), ERR_LIMIT).limit, LIMIT_JSON_BYTES);
	assert_int_equal(check_refused(SPAN("{\"s\":[12345]}"), ERR_LIMIT).limit, LIMIT_JSON_BYTES);
	assert_int_equal(check_refused(SPAN("{\"a\":1,\"b\":1,\"c\":1,\"dd\":1}"), ERR_LIMIT).limit, LIMIT_JSON_BYTES);
	limits_default(&limits);

	limits.v[LIMIT_JSON_NODES] = 2;
	check_walked(SPAN("{\"l\":[1,2,3,[4]]}"), "l=1;2;3;[4];.");
	assert_int_equal(check_refused(SPAN("{\"l\":[[1,2]]}"), ERR_LIMIT).limit, LIMIT_JSON_NODES);
	assert_int_equal(check_refused(SPAN("{\"a\":1,\"b\":1,\"c\":1}"), ERR_LIMIT).limit, LIMIT_JSON_NODES);
	limits_default(&limits);

	limits.v[LIMIT_JSON_DEPTH] = 2;
	check_walked(SPAN("{\"l\":[[[]]],\"a\":{\"b\":{}}}"), "l=[[]];.a={\"b\":{}}.");
	assert_int_equal(check_refused(SPAN("{\"l\":[[[[]]]]}"), ERR_LIMIT).limit, LIMIT_JSON_DEPTH);
	assert_int_equal(check_refused(SPAN("{\"s\":[[[[]]]]}"), ERR_LIMIT).limit, LIMIT_JSON_DEPTH);
	limits_default(&limits);
}

static void a_value_may_be_longer_than_a_read(void **state)
{
	struct outbuf text = outbuf_limited(1 << 20), want = outbuf_limited(1 << 20);

	outbuf_text(&text, "{\"v\":\"");
	outbuf_text(&want, "v=\"");
	for (int i = 0; i < 3 * JSON_READER_BYTES; i++) {
		outbuf_char(&text, (char)('a' + i % 26));
		outbuf_char(&want, (char)('a' + i % 26));
	}
	outbuf_text(&text, "\"}");
	outbuf_text(&want, "\".");
	outbuf_char(&want, '\0');
	check_walked(outbuf_span(&text), (char *)want.p);
	outbuf_release(&text);
	outbuf_release(&want);
}

static void what_the_system_refuses_is_said(void **state)
{
	scoped_fd int fd = open("/", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	struct outbuf out = outbuf_limited(100);
	struct err e = ERR_INIT;

	json_reader_init(&in, fd, LIMIT_INVENTORY_BYTES, &limits);
	assert_int_equal(walk(&out, &e), -1);
	assert_int_equal(e.code, ERR_IO);
	json_reader_release(&in);
	outbuf_release(&out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(members_and_elements_come_one_at_a_time),
	        cmocka_unit_test(a_token_may_lie_across_two_reads),
	        cmocka_unit_test(every_cut_is_refused),
	        cmocka_unit_test(what_is_not_json_is_refused_with_its_byte),
	        cmocka_unit_test(doubled_names_are_refused_wherever_they_are),
	        cmocka_unit_test(a_limit_counts_for_the_document_and_for_each_value),
	        cmocka_unit_test(a_value_may_be_longer_than_a_read),
	        cmocka_unit_test(what_the_system_refuses_is_said),
	};

	return cmocka_run_group_tests(tests, fill_limits, NULL);
}
