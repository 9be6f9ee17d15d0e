/* SPDX-License-Identifier: Apache-2.0 */
/* Inventories that contradict themselves, or are made to cost more than they weigh. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>
#include <cmocka.h>

#include "base/outbuf.h"
#include "base/scoped.h"
#include "inventory/read.h"

#define HEAD "{\"schema\":\"postern-inventory/1\",\"tool\":{\"name\":\"postern\",\"version\":\"0.0.7\"},\"artifacts\":["

static struct arena mem;

static int tear_down(void **state)
{
	arena_clear(&mem);
	return 0;
}

static int read_text(struct inventory *inv, struct span text, struct err *e)
{
	scoped_fd int fd = memfd_create("inventory", MFD_CLOEXEC);
	struct limits limits;

	limits_default(&limits);
	assert_true(fd >= 0 && write(fd, text.p, text.n) == (ssize_t)text.n && lseek(fd, 0, SEEK_SET) == 0);
	return inventory_read(inv, fd, &limits, &mem, e);
}

static void refused_with(const char *artifacts, const char *why)
{
	struct outbuf text = outbuf_limited(1 << 24);
	struct inventory inv = {.rules_version = SPAN_NONE};
	struct err e = ERR_INIT;

	outbuf_text(&text, HEAD);
	outbuf_text(&text, artifacts);
	outbuf_text(&text, "]}");
	if (read_text(&inv, outbuf_span(&text), &e) == 0 || e.code != ERR_FORMAT || !strstr(e.text, why))
		fail_msg("'%s', not '%s'", e.text, why);
	outbuf_release(&text);
}

static void an_inventory_without_artifacts_lends_no_pass(void **state)
{
	refused_with("", "there is no artifact in it");
}

#define ARTIFACT_FRONT                                                                                                 \
	"{\"name\":\"x\",\"world\":\"open\",\"complete\":true,\"incomplete\":[],\"anomalies\":[],\"packages\":[],"     \
	"\"objects\":["
#define SUMMARY(level)                                                                                                 \
	"],\"stores\":[],\"summary\":{\"files\":1,\"elf\":1,\"bytes\":1,\"backends\":[{\"backend\":\"cuda\","          \
	"\"level\":\"" level "\",\"undeclared\":false,\"objects\":1,\"packages\":[],\"bytes\":{\"device_code\":0,"     \
	                     "\"carried\":0},\"targets\":[]}]}}"
#define OBJECT(strength)                                                                                               \
	"{\"path\":\"a\",\"bytes\":1,\"visible\":true,\"type\":\"elf\",\"evidence\":[{\"backend\":\"cuda\",\"kind\":"  \
	"\"needed\","                                                                                                  \
	"\"value\":\"libcudart.so.13\",\"strength\":\"" strength "\"}],\"device_code\":[]}"

/* As some do who make inventories smaller: what was left out would pass. */
static void a_summary_without_its_objects_is_refused(void **state)
{
	static const char *const good[] = {ARTIFACT_FRONT OBJECT("hard") SUMMARY("needed"),
	                                   ARTIFACT_FRONT OBJECT("soft") SUMMARY("mentioned"),
	                                   ARTIFACT_FRONT SUMMARY("mentioned")};

	for (size_t i = 0; i < sizeof(good) / sizeof(*good); i++) {
		struct outbuf text = outbuf_limited(1 << 16);
		struct inventory inv = {.rules_version = SPAN_NONE};
		struct err e = ERR_INIT;

		outbuf_text(&text, HEAD);
		outbuf_text(&text, good[i]);
		outbuf_text(&text, "]}");
		if (read_text(&inv, outbuf_span(&text), &e) < 0)
			fail_msg("refused: %s", e.text);
		assert_int_equal(inv.artifacts.n, 1);
		outbuf_release(&text);
	}
	refused_with(ARTIFACT_FRONT SUMMARY("needed"), "the summary says that 'cuda' is needed, and no object");
	refused_with(ARTIFACT_FRONT SUMMARY("carried"), "the summary says that 'cuda' is carried, and no object");
	refused_with(ARTIFACT_FRONT OBJECT("soft") SUMMARY("needed"), "the summary says that 'cuda' is needed");
	refused_with(ARTIFACT_FRONT OBJECT("declared") SUMMARY("carried"), "the summary says that 'cuda' is carried");
}

/* Checks look through a file once for each backend that it has to do with. */
static void a_file_of_very_many_backends_is_refused(void **state)
{
	struct outbuf text = outbuf_limited(1 << 20);

	outbuf_text(&text, ARTIFACT_FRONT
	            "{\"path\":\"a\",\"bytes\":1,\"visible\":true,\"type\":\"elf\",\"device_code\":[],\"evidence\":[");
	for (int i = 0; i < 258; i++)
		outbuf_printf(&text,
		              "%s{\"backend\":\"b%03d\",\"kind\":\"needed\",\"value\":\"v\",\"strength\":\"hard\"}",
		              i ? "," : "", i);
	outbuf_text(&text, "]}],\"stores\":[],\"summary\":{\"files\":1,\"elf\":1,\"bytes\":1,\"backends\":[]}}");
	outbuf_char(&text, '\0');
	refused_with((char *)text.p, "go from one backend to another more than 256 times");
	outbuf_release(&text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test_teardown(an_inventory_without_artifacts_lends_no_pass, tear_down),
	        cmocka_unit_test_teardown(a_summary_without_its_objects_is_refused, tear_down),
	        cmocka_unit_test_teardown(a_file_of_very_many_backends_is_refused, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
