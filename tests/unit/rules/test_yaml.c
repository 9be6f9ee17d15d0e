/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/outbuf.h"
#include "rules/rows.h"
#include "rules/yaml.h"

static struct node *read_text(struct arena *mem, const char *text, struct err *e)
{
	struct limits limits;
	struct node *root;

	limits_default(&limits);
	return document_read(&root, "f.yaml", span_of(text), &limits, mem, e) < 0 ? NULL : root;
}

static void refused(const char *text, const char *message)
{
	struct arena mem = ARENA_INIT;
	struct err e = ERR_INIT;

	if (read_text(&mem, text, &e))
		fail_msg("accepted: %s", text);
	assert_string_equal(e.text, message);
	assert_int_equal(e.code, ERR_USAGE);
	arena_clear(&mem);
}

static void tree_keeps_order_places_and_quotes(void **state)
{
	struct arena mem = ARENA_INIT;
	struct err e = ERR_INIT;
	struct node *root = read_text(&mem, "a: {b: 'x'}\nlist:\n  - 1\n  - \"2\"\n", &e), *list;

	assert_non_null(root);
	assert_int_equal(root->kind, NODE_MAP);
	assert_int_equal(root->children, 2);
	assert_string_equal(root->first->key->text.p, "a");
	assert_string_equal(root->first->first->text.p, "x");
	assert_false(root->first->first->plain);
	list = root->last;
	assert_int_equal(list->kind, NODE_LIST);
	assert_int_equal(list->children, 2);
	assert_true(list->first->plain);
	assert_int_equal(list->last->line, 4);
	assert_int_equal(list->last->column, 5);
	assert_false(list->last->plain);
	arena_clear(&mem);
}

static void what_makes_yaml_surprising_is_refused(void **state)
{
	refused("a: &x 1\nb: *x\n", "f.yaml:1:4: anchors are not allowed");
	refused("a: &x {b: c}\n", "f.yaml:1:4: anchors are not allowed");
	refused("a: &x [b]\n", "f.yaml:1:4: anchors are not allowed");
	refused("a: *x\n", "f.yaml:1:4: aliases are not allowed");
	refused("a: !!str b\n", "f.yaml:1:4: tags are not allowed");
	refused("a: !x {b: c}\n", "f.yaml:1:4: tags are not allowed");
	refused("%TAG ! tag:x,2000:\n---\na: b\n", "f.yaml:1:1: tags are not allowed");
	refused("a: b\n---\nc: d\n", "f.yaml:2:1: a second document is not allowed");
	refused("a: \"x\\0y\"\n", "f.yaml:1:4: a NUL character is not allowed");
	refused("? [a]\n: b\n", "f.yaml:1:3: a key is a list");
	refused("{{a: b}: c}", "f.yaml:1:2: a key is a map");
}

static void doubled_keys_are_refused_where_the_first_one_stands(void **state)
{
	refused("a: 1\nb: 2\nb: 3\na: 4\n", "f.yaml:3:1: key 'b' stands here a second time");
	refused("x: {a: 1, a: 2}\n", "f.yaml:1:11: key 'a' stands here a second time");
	refused("- {a: 1, \"a\": 2}\n", "f.yaml:1:10: key 'a' stands here a second time");
}

static void broken_and_empty_documents_are_refused(void **state)
{
	refused("", "f.yaml:1:1: the document is empty");
	refused("# nothing\n", "f.yaml:1:1: the document is empty");
	refused("a: [b\n", "f.yaml:2:1: did not find expected ',' or ']'");
	refused("a: b: c\n", "f.yaml:1:5: mapping values are not allowed in this context");
	refused("a: 'b\n", "f.yaml:2:1: found unexpected end of stream");
}

static void bytes_that_are_no_text_are_named_with_their_place(void **state)
{
	refused("a: \xff\n", "f.yaml:1:4: invalid leading UTF-8 octet");
	refused("a: 1\nb: \xc3\xa9\xc3\xa9\x01\n", "f.yaml:2:6: control characters are not allowed");
	refused("a: 1\nname: caf\xe9\n", "f.yaml:2:10: incomplete UTF-8 octet sequence");
	refused("\xef\xbb\xbf" "a: \xff\n", "f.yaml:1:4: invalid leading UTF-8 octet");
}

static void a_mark_of_utf_8_in_front_is_no_text(void **state)
{
	struct arena mem = ARENA_INIT;
	struct err e = ERR_INIT;
	struct node *root = read_text(&mem, "\xef\xbb\xbfversion: 1\nname: x\n", &e);

	assert_non_null(root);
	assert_string_equal(root->first->key->text.p, "version");
	assert_int_equal(root->children, 2);
	assert_int_equal(root->first->key->column, 1);
	arena_clear(&mem);
}

static void nesting_stops_at_yaml_depth(void **state)
{
	struct arena mem = ARENA_INIT;
	struct err e = ERR_INIT;
	char text[70000];

	memset(text, '[', sizeof(text));
	memset(text + 32, ']', 32);
	text[64] = '\0';
	assert_non_null(read_text(&mem, text, &e));
	memset(text, '[', sizeof(text));
	text[sizeof(text) - 1] = '\0';
	assert_null(read_text(&mem, text, &e));
	assert_string_equal(e.text, "f.yaml:1:33: yaml-depth is 32, and the nesting goes above it");
	arena_clear(&mem);
}

static void size_stops_above_yaml_bytes(void **state)
{
	struct arena mem = ARENA_INIT;
	struct err e = ERR_INIT;
	struct limits limits;
	struct node *root;

	limits_default(&limits);
	limits.v[LIMIT_YAML_BYTES] = 4;
	assert_int_equal(document_read(&root, "f.yaml", SPAN("a: b"), &limits, &mem, &e), 0);
	assert_int_equal(document_read(&root, "f.yaml", SPAN("a: b\n"), &limits, &mem, &e), -1);
	assert_string_equal(e.text, "f.yaml: yaml-bytes is 4, and the file goes above it");
	arena_clear(&mem);
}

/* Many keys must not cost the square of their number. */
static void many_keys_are_read(void **state)
{
	struct arena mem = ARENA_INIT;
	struct err e = ERR_INIT;
	struct outbuf text = outbuf_limited(1 << 20);
	struct node *root;

	for (int i = 0; i < 100000; i++)
		outbuf_printf(&text, "%d:\n", i);
	outbuf_char(&text, '\0');
	root = read_text(&mem, (const char *)text.p, &e);
	assert_non_null(root);
	assert_int_equal(root->children, 100000);
	outbuf_release(&text);
	arena_clear(&mem);
}

struct sample {
	struct span text;
	struct spans texts;
	bool flag;
	const struct node *map, *list;
};

static const struct row_key sample_keys[] = {
	{"flag", KEY_FLAG, false, offsetof(struct sample, flag)},
	{"list", KEY_LIST, false, offsetof(struct sample, list)},
	{"map", KEY_MAP, false, offsetof(struct sample, map)},
	{"text", KEY_TEXT, true, offsetof(struct sample, text)},
	{"texts", KEY_TEXTS, false, offsetof(struct sample, texts)},
};

static void row_says(const char *text, const char *message)
{
	struct arena mem = ARENA_INIT;
	struct err e = ERR_INIT;
	struct node *root = read_text(&mem, text, &e);
	struct sample s;
	int rc;

	memset(&s, 0, sizeof(s));
	assert_non_null(root);
	rc = row_read(&s, root, sample_keys, sizeof(sample_keys) / sizeof(sample_keys[0]), &mem, &e);
	assert_int_equal(rc, message[0] ? -1 : 0);
	assert_string_equal(e.text, message);
	arena_clear(&mem);
}

static void row_takes_every_kind(void **state)
{
	struct arena mem = ARENA_INIT;
	struct err e = ERR_INIT;
	struct node *root = read_text(&mem, "{text: t, texts: [a, '1'], flag: true, map: {x: y}, list: [z]}", &e);
	struct sample s;

	memset(&s, 0, sizeof(s));
	assert_int_equal(row_read(&s, root, sample_keys, sizeof(sample_keys) / sizeof(sample_keys[0]), &mem, &e), 0);
	assert_string_equal(s.text.p, "t");
	assert_int_equal(s.texts.n, 2);
	assert_string_equal(s.texts.v[1].p, "1");
	assert_true(s.flag);
	assert_string_equal(s.map->first->key->text.p, "x");
	assert_string_equal(s.list->first->text.p, "z");
	arena_clear(&mem);
	row_says("{text: t, texts: one, flag: false}", "");
}

static void unknown_key_names_the_nearest(void **state)
{
	row_says("text: t\ntext2: u\n", "f.yaml:2:1: unknown key 'text2', the nearest known one is 'text'");
	row_says("{text: t, lsit: [a]}", "f.yaml:1:11: unknown key 'lsit', the nearest known one is 'list'");
	row_says("{text: t, Map: {}}", "f.yaml:1:11: unknown key 'Map', the nearest known one is 'map'");
	row_says("{text: t, txts: a}", "f.yaml:1:11: unknown key 'txts', the nearest known one is 'texts'");
	row_says("{text: t, map: {}, '': x}", "f.yaml:1:20: unknown key '', the nearest known one is 'map'");
}

static void wrong_types_are_named_with_their_place(void **state)
{
	row_says("flag: true\n", "f.yaml:1:1: key 'text' is missing");
	row_says("[text]\n", "f.yaml:1:1: this must be a map, not a list");
	row_says("text\n", "f.yaml:1:1: this must be a map, not a single value");
	row_says("text: 12.6\n", "f.yaml:1:7: '12.6' is not text, put it in quotes");
	row_says("text: -1e5\n", "f.yaml:1:7: '-1e5' is not text, put it in quotes");
	row_says("text: No\n", "f.yaml:1:7: 'No' is not text, put it in quotes");
	row_says("text: null\n", "f.yaml:1:7: 'null' is not text, put it in quotes");
	row_says("text:\n", "f.yaml:1:6: this must be text, not nothing");
	row_says("text: ''\n", "f.yaml:1:7: this must be text, not nothing");
	row_says("text: [a]\n", "f.yaml:1:7: this must be text, not a list");
	row_says("{text: t, texts: [a, {b: c}]}", "f.yaml:1:22: this must be text, not a map");
	row_says("{text: t, texts: [a, 3]}", "f.yaml:1:22: '3' is not text, put it in quotes");
	row_says("{text: t, flag: yes}", "f.yaml:1:17: this must be true or false");
	row_says("{text: t, flag: 'true'}", "f.yaml:1:17: this must be true or false");
	row_says("{text: t, flag: [true]}", "f.yaml:1:17: this must be true or false");
	row_says("{text: t, map: [a]}", "f.yaml:1:16: 'map' must be a map");
	row_says("{text: t, list: a}", "f.yaml:1:17: 'list' must be a list");
	row_says("{text: '12.6'}", "");
	row_says("{text: 12th}", "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(tree_keeps_order_places_and_quotes),
		cmocka_unit_test(what_makes_yaml_surprising_is_refused),
		cmocka_unit_test(doubled_keys_are_refused_where_the_first_one_stands),
		cmocka_unit_test(broken_and_empty_documents_are_refused),
		cmocka_unit_test(bytes_that_are_no_text_are_named_with_their_place),
		cmocka_unit_test(a_mark_of_utf_8_in_front_is_no_text),
		cmocka_unit_test(nesting_stops_at_yaml_depth),
		cmocka_unit_test(size_stops_above_yaml_bytes),
		cmocka_unit_test(many_keys_are_read),
		cmocka_unit_test(row_takes_every_kind),
		cmocka_unit_test(unknown_key_names_the_nearest),
		cmocka_unit_test(wrong_types_are_named_with_their_place),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
