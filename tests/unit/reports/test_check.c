/* SPDX-License-Identifier: Apache-2.0 */
/* Judgements for people, at 80 columns, and for programs. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/json.h"
#include "reports/report.h"
#include "reports/sample_judgement.h"

static struct arena mem;
static struct catalogue catalogue;
static struct inventory inv;
static struct policy policy;
static struct judgement judgement;

static int set_up(void **state)
{
	(void)state;
	inv = (struct inventory){0};
	policy = (struct policy){0};
	judgement = (struct judgement){0};
	catalogue.version = SPAN("2026.12");
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	arena_clear(&mem);
	return 0;
}

static struct span render(const char *format, struct report_options o)
{
	struct outbuf out = outbuf_limited(1 << 20);
	struct span s;

	o.subject = REPORT_CHECK;
	report_by_name(span_of(format))->write_judgement(&judgement, &catalogue, &o, &out);
	assert_false(out.failed);
	s = arena_printf(&mem, "%.*s", (int)out.n, (const char *)out.p);
	outbuf_release(&out);
	return s;
}

static void expect(struct report_options o, const char *want)
{
	struct span s = render("text", o);

	s = arena_printf(&mem, "%.*s%c", (int)s.n, (const char *)s.p, 0);
	assert_string_equal((const char *)s.p, want);
}

static bool holds(struct span s, const char *part)
{
	return memmem(s.p, s.n, part, strlen(part)) != NULL;
}

static const struct report_options plain = {.width = 80};

static void packages_that_share_a_fault_are_one_block(void **state)
{
	(void)state;
	sample_judgement(&judgement, &inv, &policy, &mem);
	expect(plain, "FAIL  serve.tar: 3 fails, 1 warns, 1 to know, 1 waived   (rocm7, mi300)\n"
	              "will it run: mi300 none\n"
	              "\n"
	              "x cuda is carried, and forbidden here                          backend-forbidden\n"
	              "  cupy-cuda12x 13.6.0, nvidia-cufft-cu12 11.4.1 and 1 more: 3 files, 1.14 GB\n"
	              "  layer 1, step 3: RUN pip install -r requirements.txt\n"
	              "  -> leave out cupy-cuda12x 13.6.0, nvidia-cufft-cu12 11.4.1, torchvision 0.23.0\n"
	              "\n"
	              "! nothing in onnxruntime-rocm 1.22.2 runs on gfx950               target-missing\n"
	              "  onnxruntime/capi/provider.so: device-code gfx942\n"
	              "  layer 0, step 1: ADD x /\n"
	              "  -> take a build for gfx950\n"
	              "\n"
	              "i 'x\\x1b[2J.zip': its directory lies                           archive-malformed\n"
	              "\n"
	              "- triton 3.4.0 brings tools of cuda: ptxas                     toolchain-shipped\n"
	              "  triton/bin/ptxas: toolchain ptxas\n"
	              "  waived until 2027-03-31 by ml: ptxas is not called\n"
	              "\n"
	              "note: class 'h100' is of cuda, which nothing here needs or carries\n"
	              "\n"
	              "start with step 3: its layer brought everything that fails\n");
}

static void packages_of_several_layers_name_none(void **state)
{
	struct span s;

	(void)state;
	sample_judgement(&judgement, &inv, &policy, &mem);
	judgement.artifacts.v[0].findings.v[0].layer = 1;
	s = render("text", plain);
	assert_false(holds(s, "  layer 1, step 3"));
	assert_true(holds(s, "start with the first; 'postern rules backend-forbidden'"));
}

static void what_was_not_read_is_no_pass(void **state)
{
	struct judged *to = sample_judged(&judgement, &inv, &policy, &mem);
	struct artifact *a = inv.artifacts.v;
	struct finding *f = sample_finding(to, &mem, FINDING_OBJECT_UNREADABLE, GRADE_FAIL, "", 0);

	(void)state;
	f->message = SPAN("layer 1: the gzip stream ends at byte 31337");
	f->incomplete = true;
	a->complete = false;
	problem_add(&a->incomplete, &mem, PROBLEM_INCOMPLETE, FINDING_OBJECT_UNREADABLE, SPAN_NONE,
	            "the gzip stream ends at byte 31337");
	a->incomplete.v[0].layer = 2;
	to->verdict = judgement.verdict = VERDICT_INCOMPLETE;
	expect(plain, "INCOMPLETE  serve.tar was not read to its end; nothing read so far fails   (rocm7)\n"
	              "\n"
	              "  layer 1: the gzip stream ends at byte 31337\n"
	              "\n"
	              "exit status 3: this is not a pass\n");
}

static void a_pass_says_so_and_several_have_one_answer(void **state)
{
	struct judged one;

	(void)state;
	one = *sample_judged(&judgement, &inv, &policy, &mem);
	expect(plain, "PASS  serve.tar: nothing found   (rocm7)\n\nnothing has to be done\n");
	policy.source = SPAN_NONE;
	*list_add(&mem, &judgement.artifacts) = one;
	expect(plain, "PASS  2 artifacts: 2 pass   (no policy)\n"
	              "\n"
	              "PASS  serve.tar: nothing found\n"
	              "\n"
	              "PASS  serve.tar: nothing found\n"
	              "\n"
	              "nothing fails without a policy: --policy FILE says what is allowed\n");
}

static void verbose_cuts_and_joins_nothing(void **state)
{
	struct span s;

	(void)state;
	sample_judgement(&judgement, &inv, &policy, &mem);
	s = render("text", (struct report_options){.width = 80, .verbose = true, .utf8 = true});
	assert_true(holds(s, "pypi:torchvision@0.23.0 brings"));
	assert_true(holds(s, "  torchvision/_C.so: vendor-library libcublas.so.12\n"));
	assert_true(holds(s, "\xe2\x86\x92 install the rocm build"));
	assert_false(holds(s, "\033[2J"));
}

static void colour_marks_the_grade_only(void **state)
{
	struct span s;

	(void)state;
	sample_judgement(&judgement, &inv, &policy, &mem);
	s = render("text", (struct report_options){.width = 80, .colour = true});
	assert_true(span_starts(s, SPAN("\033[1;31mFAIL\033[0m  serve.tar")));
	assert_true(holds(s, "\n\033[1;33m!\033[0m nothing in onnxruntime-rocm"));
}

static void the_result_has_its_members_in_order(void **state)
{
	struct limits limits;
	struct err e = ERR_INIT;
	struct span s;
	json *j;

	(void)state;
	sample_judgement(&judgement, &inv, &policy, &mem);
	sample_proof(&judgement.artifacts.v[0].findings.v[0], &mem, "cupy/x.so", 2, "needed", "libcudart.so.12",
	             STRENGTH_HARD);
	s = render("json", plain);
	limits_default(&limits);
	j = json_read(s, &limits, &e);
	assert_non_null(j);
	json_free(j);
	assert_true(holds(s, "\"rules\":\"2026.12\"},\"inventory\":{\"digest\":\"sha256:5555"));
	assert_true(
	        holds(s, "\"policy\":{\"name\":\"rocm7\",\"source\":\"policies/rocm7.yaml\",\"digest\":\"sha256:4444"));
	assert_true(holds(
	        s, "\"},\"judged_on\":\"2026-12-01\",\"fail_on\":\"fail\",\"verdict\":\"fail\",\"counts\":{\"fail\":3,"
	           "\"warn\":1,\"info\":1,\"waived\":1,\"known\":0},\"waivers_unused\":[{\"finding\":\"toolchain-"
	           "shipped\",\"reason\":\"ptxas is not called\",\"owner\":\"ml\",\"expires\":\"2027-03-31\"}],"
	           "\"overrides\":[{\"reason\":\"by design\",\"count\":2}],\"notes\":[\"class 'h100' is of cuda, "
	           "which nothing here needs or carries\"],\"artifacts\":[{\"name\":\"in/serve.tar\","
	           "\"reference\":\"registry/app:1.4\",\"verdict\":\"fail\",\"summary\":{"));
	assert_true(holds(
	        s, "\"classes\":[{\"class\":\"mi300\",\"answer\":\"none\",\"objects\":[{\"path\":\"onnxruntime/capi/"
	           "provider.so\",\"answer\":\"native\",\"partial\":[292,609]}]}],\"findings\":[{"));
	/* One file: its path and its layer. Several, or a package: the step of their common layer only. */
	assert_true(holds(s,
	                  "\"path\":\"onnxruntime/capi/provider.so\",\"layer\":0,\"step\":1,\"created_by\":\"ADD x /\","
	                  "\"package\":\"pypi:onnxruntime-rocm@1.22.2\",\"bytes\":5000,\"evidence\":[{\"object\":"));
	assert_true(holds(
	        s, "or leave it out\",\"step\":3,\"created_by\":\"RUN /bin/sh -c pip install -r requirements.txt # "
	           "buildkit\",\"package\":\"pypi:cupy-cuda12x@13.6.0\","));
	assert_true(holds(
	        s, "\"kind\":\"problem\",\"value\":\"its directory lies\"}],\"chain\":[],\"fingerprint\":\"0123"));
	assert_true(holds(
	        s, "\"waiver\":{\"reason\":\"ptxas is not called\",\"owner\":\"ml\",\"expires\":\"2027-03-31\"}}"));
	assert_true(holds(s, "x\\\\x1b[2J.zip"));
	policy.source = SPAN_NONE;
	assert_false(holds(render("json", plain), "\"policy\""));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
	        TEST(packages_that_share_a_fault_are_one_block),
	        TEST(packages_of_several_layers_name_none),
	        TEST(what_was_not_read_is_no_pass),
	        TEST(a_pass_says_so_and_several_have_one_answer),
	        TEST(verbose_cuts_and_joins_nothing),
	        TEST(colour_marks_the_grade_only),
	        TEST(the_result_has_its_members_in_order),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
