/* SPDX-License-Identifier: Apache-2.0 */
/* The inventory as inventory.md says it, read back by the strict reader. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "base/json.h"
#include "reports/report.h"
#include "reports/sample_image.h"
#include "reports/sample_inventory.h"

static struct arena mem;
static struct inventory inv;

static int set_up(void **state)
{
	mem = (struct arena)ARENA_INIT;
	inv = (struct inventory){0};
	return 0;
}

static int tear_down(void **state)
{
	arena_clear(&mem);
	return 0;
}

static struct outbuf render(enum report_subject subject, bool pretty)
{
	struct report_options o = {.subject = subject, .pretty = pretty};
	struct outbuf out = outbuf_limited(1 << 20);

	report_by_name(SPAN("json"))->write(&inv, NULL, &o, &out);
	assert_false(out.failed);
	return out;
}

static bool holds(const struct outbuf *out, const char *text)
{
	return memmem(out->p, out->n, text, strlen(text)) != NULL;
}

/* Strictly one document, in compact form on one line. */
static void parses(const struct outbuf *out)
{
	struct limits limits;
	struct err e = ERR_INIT;
	json *j;

	limits_default(&limits);
	j = json_read(outbuf_span(out), &limits, &e);
	assert_non_null(j);
	json_free(j);
	assert_int_equal(out->p[out->n - 1], '\n');
}

static void members_stand_in_their_order_and_absent_ones_are_left_out(void **state)
{
	struct outbuf out;

	sample_wheel(&inv, &mem);
	out = render(REPORT_SCAN, false);
	parses(&out);
	assert_ptr_equal(memchr(out.p, '\n', out.n), out.p + out.n - 1);
	assert_true(span_starts(outbuf_span(&out),
	                        SPAN("{\"schema\":\"postern-inventory/1\",\"tool\":{\"name\":\"postern\",")));
	assert_true(holds(
	        &out,
	        "\"rules\":\"2026.12\"},\"artifacts\":[{\"name\":\"wheels/xformers-0.0.35-py39-none-manylinux_2_28_"
	        "x86_64.whl\",\"kind\":\"wheel\",\"file_digest\":\"sha256:"
	        "ccc73c7db9890224ab05f5fb60e2034f9e6c8672a10be0cf00e95cbbae3eda7c\",\"world\":\"open\","
	        "\"complete\":true,\"incomplete\":[],\"anomalies\":[],\"packages\":[{"));
	assert_true(holds(&out,
	                  "{\"path\":\"xformers/_C.so\",\"bytes\":8900000,\"visible\":true,\"type\":\"elf\","
	                  "\"package\":\"pypi:xformers@0.0.35+cu128\",\"build_id\":\"00ff\",\"elf\":{\"class\":64,"
	                  "\"endian\":\"little\",\"machine\":\"x86_64\",\"type\":\"dyn\","
	                  "\"needed\":[\"libcudart.so.12\",\"libc.so.6\"],\"runpath\":\"\"}"));
	assert_true(holds(&out, "\"value\":\"cuda-runtime\",\"strength\":\"hard\",\"count\":2,\"names\":[\"cudaFree\","
	                        "\"cudaMalloc\"]}"));
	assert_true(holds(&out, "\"form\":\"portable\",\"container\":\"fatbin\",\"where\":\".nv_fatbin\",\"codec\":"
	                        "\"lz4\",\"count\":11,"
	                        "\"bytes\":300000,\"offset\":4096,\"isa\":\"8.7\"}"));
	assert_true(holds(&out, "\"abi\":7,\"toolkit\":\"12.8\",\"kernels\":33}"));
	assert_true(holds(&out, "\"purl\":\"pkg:pypi/xformers@0.0.35%2Bcu128\""));
	assert_true(
	        holds(&out, "\"record\":{\"missing\":[],\"unlisted\":[\"xformers/extra.py\"],\"size_differs\":[]}"));
	/* A marker that was not evaluated says nothing about itself. */
	assert_true(holds(&out, "{\"name\":\"numpy\",\"spec\":\"; python_version < \\\"3.9\\\"\"}"));
	assert_true(holds(&out, "\"bytes\":{\"device_code\":8303000,\"carried\":8900000}"));
	assert_false(holds(&out, "null"));
	assert_false(holds(&out, "\"layer"));
	assert_false(holds(&out, "\"mismatch\""));
	outbuf_release(&out);
}

static void what_was_not_read_is_said_with_limit_and_place(void **state)
{
	struct outbuf out;

	sample_folder(&inv, &mem);
	*list_add(&mem, &inv.artifacts.v[0].incomplete) = (struct problem){
	        .grade = PROBLEM_INCOMPLETE,
	        .id = FINDING_SCAN_INCOMPLETE,
	        .limit = LIMIT_JOB_SECONDS,
	        .reason = SPAN("too slow"),
	};
	out = render(REPORT_SCAN, false);
	parses(&out);
	assert_true(holds(
	        &out, "\"complete\":false,\"incomplete\":[{\"id\":\"object-unreadable\",\"path\":\"kernels/broken.so\","
	              "\"reason\":\"section header table ends at 71234, file at 4096\"},{\"id\":\"scan-incomplete\","
	              "\"limit\":\"job-seconds\",\"reason\":\"too slow\"}]"));
	/* Control bytes of a name never stand as they are. */
	assert_true(holds(&out, "\"path\":\"tools/\\\\x1b[2Jodd.so\""));
	assert_true(holds(&out, "\"stores\":[{\"path\":\"kernels/data\",\"kind\":\"kernel-files\",\"backend\":\"rocm\","
	                        "\"package\":\"pypi:kernels@1.0\",\"files\":812,\"bytes\":75000000,"
	                        "\"targets\":[{\"target\":\"gfx942\",\"files\":812,\"bytes\":75000000}]}]"));
	outbuf_release(&out);
}

static void pretty_is_the_same_document(void **state)
{
	struct outbuf flat, pretty, squeezed = outbuf_limited(1 << 20);
	bool text = false;

	sample_wheel(&inv, &mem);
	sample_folder(&inv, &mem);
	flat = render(REPORT_SCAN, false);
	pretty = render(REPORT_SCAN, true);
	parses(&pretty);
	assert_true(holds(&pretty, "\n  \"artifacts\": [\n    {\n      \"name\": "));
	for (size_t i = 0; i < pretty.n; i++) {
		if (pretty.p[i] == '"' && (i == 0 || pretty.p[i - 1] != '\\'))
			text = !text;
		if (text || (pretty.p[i] != ' ' && pretty.p[i] != '\n' && pretty.p[i] != '\t'))
			outbuf_char(&squeezed, (char)pretty.p[i]);
	}
	outbuf_char(&squeezed, '\n');
	assert_int_equal(squeezed.n, flat.n);
	assert_memory_equal(squeezed.p, flat.p, flat.n);
	outbuf_release(&flat);
	outbuf_release(&pretty);
	outbuf_release(&squeezed);
}

static void targets_list_files_and_stores_and_what_was_not_read(void **state)
{
	struct outbuf out;

	sample_folder(&inv, &mem);
	out = render(REPORT_TARGETS, false);
	parses(&out);
	assert_true(span_starts(outbuf_span(&out), SPAN("{\"schema\":\"postern-targets/1\",")));
	assert_true(holds(&out, "\"complete\":false"));
	assert_true(holds(&out, "\"files\":[{\"artifact\":\"site-packages\",\"path\":\"kernels/"
	                        "data\",\"device_code\":[],\"stores\":[{"));
	assert_true(holds(&out, "{\"artifact\":\"site-packages\",\"path\":\"kernels/"
	                        "libk.so\",\"device_code\":[{\"backend\":\"rocm\","));
	/* A file without device code has no row unless it was asked for by name. */
	assert_false(holds(&out, "tools/ptxas"));
	outbuf_release(&out);
}

static void an_empty_file_asked_for_by_name_has_a_row(void **state)
{
	struct artifact *a = sample_artifact(&inv, &mem, "./lib/libx.so", "file");
	struct object *o = list_add(&mem, &a->objects);
	struct outbuf out;

	o->path = SPAN("libx.so");
	out = render(REPORT_TARGETS, false);
	parses(&out);
	assert_true(holds(&out, "\"files\":[{\"artifact\":\"./lib/libx.so\",\"path\":\"./lib/"
	                        "libx.so\",\"device_code\":[],\"stores\":[]}]"));
	outbuf_release(&out);
}

static void integers_end_where_every_reader_can_hold_them(void **state)
{
	struct outbuf out;

	sample_wheel(&inv, &mem);
	inv.artifacts.v[0].bytes = UINT64_MAX;
	inv.artifacts.v[0].objects.v[0].bytes = UINT64_MAX;
	out = render(REPORT_SCAN, false);
	parses(&out);
	assert_true(holds(&out, "\"elf\":1,\"bytes\":9007199254740991,"));
	assert_true(holds(&out, "\"path\":\"xformers/_C.so\",\"bytes\":9007199254740991,"));
	outbuf_release(&out);
}

/* Layers count from 0 (inventory.md), in the model from 1. */
static void an_image_has_layers_from_0_on(void **state)
{
	struct outbuf out;

	sample_image(&inv, &mem);
	out = render(REPORT_SCAN, false);
	parses(&out);
	assert_true(holds(&out, "\"kind\":\"docker-archive\",\"reference\":\"registry/app:1.4-rocm\",\"image_id\":"
	                        "\"sha256:3333\",\"platform\":\"linux/amd64\",\"world\":\"closed\","));
	assert_true(holds(&out, "{\"id\":\"object-unreadable\",\"path\":\"opt/x.so\",\"layer\":0,\"reason\":\"cut\"}"));
	assert_true(holds(
	        &out, "\"merge\":\"overlay\",\"ambiguous\":[\"lib\"],\"config\":{\"env\":[\"LD_LIBRARY_PATH=/opt/x\"],"
	              "\"entrypoint\":[],\"labels\":{\"a\\\\x0a\":\"b\"}},\"layers\":[{\"index\":0,\"digest\":"));
	assert_true(holds(&out,
	                  "\"verified\":true,\"compression\":\"gzip\",\"bytes\":1000,\"unpacked\":3000,\"created_by\":"
	                  "\"RUN /bin/sh -c pip install bnb==1.0 # buildkit\",\"step\":3},{\"index\":2,"));
	assert_true(holds(&out, "{\"path\":\"opt/bnb/a.so\",\"layer\":1,\"bytes\":211000000,\"visible\":false,\"hidden_by\":2,"));
	assert_true(holds(&out, "{\"path\":\"opt/bnb/a.so\",\"layer\":2,\"bytes\":211000000,\"visible\":true,"));
	assert_true(holds(&out, "\"path\":\"bnb-1.0.dist-info\",\"layer\":1,\"visible\":false,"));
	assert_true(holds(&out,
	                  "\"packages\":[\"pypi:bnb@2.0\"],\"layers\":[2],\"bytes\":{\"device_code\":90000,\"carried\":"
	                  "211000000,\"lower_layers\":211000000},"));
	outbuf_release(&out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test_setup_teardown(members_stand_in_their_order_and_absent_ones_are_left_out, set_up,
	                                        tear_down),
	        cmocka_unit_test_setup_teardown(what_was_not_read_is_said_with_limit_and_place, set_up, tear_down),
	        cmocka_unit_test_setup_teardown(pretty_is_the_same_document, set_up, tear_down),
	        cmocka_unit_test_setup_teardown(targets_list_files_and_stores_and_what_was_not_read, set_up, tear_down),
	        cmocka_unit_test_setup_teardown(an_empty_file_asked_for_by_name_has_a_row, set_up, tear_down),
	        cmocka_unit_test_setup_teardown(integers_end_where_every_reader_can_hold_them, set_up, tear_down),
	        cmocka_unit_test_setup_teardown(an_image_has_layers_from_0_on, set_up, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
