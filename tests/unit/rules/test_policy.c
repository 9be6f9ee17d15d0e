/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

#include "policy_kit.h"

static struct policy read_policy(const char *source, const char *text)
{
	struct err e = ERR_INIT;
	struct policy p;

	if (kit_read(&p, source, text, &e) < 0)
		fail_msg("%s", e.text);
	return p;
}

static void says(struct span s, const char *text)
{
	assert_string_equal((const char *)s.p, text);
	assert_int_equal(s.n, strlen(text));
}

static void is_one(const struct spans *l, const char *text)
{
	assert_int_equal(l->n, 1);
	says(l->v[0], text);
}

/* Its parts are held against it one by one. */
static const char every_key[] = "version: 1\n"
                                "name: serve-rocm\n"
                                "backends:\n"
                                "  require: [rocm, [cuda, intel-gpu]]\n"
                                "  allow: [sycl, opencl]\n"
                                "  forbid: tpu\n"
                                "  others: off\n"
                                "classes:\n"
                                "  mi300: {backend: rocm, devices: ['gfx942:sramecc+:xnack-', gfx90a]}\n"
                                "  h100: {backend: cuda, devices: sm_90}\n"
                                "checks: {toolchain-shipped: fail, loading: \"warn\", baggage: off}\n"
                                "overrides:\n"
                                "  - match: {package: bitsandbytes, level: carried}\n"
                                "    checks: {backend-forbidden: off, targets: info}\n"
                                "    reason: one is loaded\n"
                                "waivers:\n"
                                "  - finding: toolchain-shipped\n"
                                "    match:\n"
                                "      path: \"**/nvidia/**\"\n"
                                "      package: triton\n"
                                "      image: ['*/serve:*', other]\n"
                                "      class: mi300\n"
                                "      backend: cuda\n"
                                "      target: sm_*\n"
                                "      level: [needed, mentioned]\n"
                                "      layer: 3\n"
                                "      fingerprint: 01234567012345670123456701234567\n"
                                "    reason: not called\n"
                                "    owner: ml-platform\n"
                                "    ticket: MLP-123\n"
                                "    expires: 2027-03-31\n";

static void an_alias_of_a_backend_is_its_id(void **state)
{
	struct policy p = read_policy("x.yaml", "version: 1\nbackends: {forbid: [xpu]}\noverrides:\n"
	                                        "  - {match: {backend: xpu}, checks: {backend-forbidden: warn}, reason: x}\n");

	is_one(&p.forbid, "intel-gpu");
	is_one(&p.overrides.v[0].match.backends, "intel-gpu");
}

static void name_and_backends_are_read_to_the_field(void **state)
{
	struct policy p = read_policy("policies/x.yaml", every_key);

	says(p.name, "serve-rocm");
	says(p.source, "policies/x.yaml");
	assert_int_equal(p.require.n, 2);
	is_one(&p.require.v[0], "rocm");
	assert_int_equal(p.require.v[1].n, 2);
	says(p.require.v[1].v[0], "cuda");
	says(p.require.v[1].v[1], "intel-gpu");
	assert_int_equal(p.allow.n, 2);
	says(p.allow.v[0], "sycl");
	says(p.allow.v[1], "opencl");
	is_one(&p.forbid, "tpu");
	assert_true(p.has_others);
	assert_int_equal(p.others, GRADE_OFF);
}

static void classes_and_checks_are_read_to_the_field(void **state)
{
	struct policy p = read_policy("policies/x.yaml", every_key);

	assert_int_equal(p.classes.n, 2);
	says(p.classes.v[0].name, "mi300");
	says(p.classes.v[0].backend, "rocm");
	assert_int_equal(p.classes.v[0].devices.n, 2);
	says(p.classes.v[0].devices.v[0], "gfx942:sramecc+:xnack-");
	says(p.classes.v[0].devices.v[1], "gfx90a");
	says(p.classes.v[1].backend, "cuda");
	is_one(&p.classes.v[1].devices, "sm_90");
	assert_int_equal(p.checks.n, 3);
	assert_int_equal(p.checks.v[0].id, FINDING_TOOLCHAIN_SHIPPED);
	assert_int_equal(p.checks.v[0].grade, GRADE_FAIL);
	assert_int_equal(p.checks.v[1].id, FINDING_NONE);
	assert_int_equal(p.checks.v[1].family, FINDINGS_LOADING);
	assert_int_equal(p.checks.v[1].grade, GRADE_WARN);
	assert_int_equal(p.checks.v[2].family, FINDINGS_BAGGAGE);
	assert_int_equal(p.checks.v[2].grade, GRADE_OFF);
}

static void overrides_are_read_to_the_field(void **state)
{
	struct policy p = read_policy("policies/x.yaml", every_key);

	assert_int_equal(p.overrides.n, 1);
	is_one(&p.overrides.v[0].match.packages, "bitsandbytes");
	is_one(&p.overrides.v[0].match.levels, "carried");
	assert_int_equal(p.overrides.v[0].match.paths.n, 0);
	assert_int_equal(p.overrides.v[0].checks.n, 2);
	assert_int_equal(p.overrides.v[0].checks.v[0].id, FINDING_BACKEND_FORBIDDEN);
	assert_int_equal(p.overrides.v[0].checks.v[1].family, FINDINGS_TARGETS);
	assert_int_equal(p.overrides.v[0].checks.v[1].grade, GRADE_INFO);
	says(p.overrides.v[0].reason, "one is loaded");
}

static void waivers_are_read_to_the_field(void **state)
{
	struct policy p = read_policy("policies/x.yaml", every_key);
	const struct match *m;

	assert_int_equal(p.waivers.n, 1);
	assert_int_equal(p.waivers.v[0].finding, FINDING_TOOLCHAIN_SHIPPED);
	m = &p.waivers.v[0].match;
	is_one(&m->paths, "**/nvidia/**");
	is_one(&m->packages, "triton");
	assert_int_equal(m->images.n, 2);
	says(m->images.v[0], "*/serve:*");
	says(m->images.v[1], "other");
	is_one(&m->classes, "mi300");
	is_one(&m->backends, "cuda");
	is_one(&m->targets, "sm_*");
	assert_int_equal(m->levels.n, 2);
	says(m->levels.v[1], "mentioned");
	is_one(&m->layers, "3");
	is_one(&m->fingerprints, "01234567012345670123456701234567");
	says(p.waivers.v[0].reason, "not called");
	says(p.waivers.v[0].owner, "ml-platform");
	says(p.waivers.v[0].ticket, "MLP-123");
	says(p.waivers.v[0].expires, "2027-03-31");
	assert_int_equal(p.waivers.v[0].last_day, 20908);
}

static void the_least_policy_has_a_version(void **state)
{
	struct policy p = read_policy("a/cpu.yaml", "version: 1\n");

	says(p.name, "cpu");
	/* printf 'version: 1\n' | sha256sum */
	says(p.digest, "sha256:09bfcc6a14b83e2192b8673677725c84883ee9cd0c70e45c9ec09daa8f2b2847");
	assert_int_equal(p.require.n + p.allow.n + p.forbid.n + p.classes.n + p.checks.n + p.overrides.n + p.waivers.n,
	                 0);
	assert_false(p.has_others);
}

static void a_policy_is_named_after_its_file(void **state)
{
	static const char text[] = "version: 1\n";

	says(read_policy("cpu.yml", text).name, "cpu");
	says(read_policy("a.b/cpu", text).name, "cpu");
	says(read_policy("x/cpu.yaml.yaml", text).name, "cpu.yaml");
	says(read_policy("cpu.YAML", text).name, "cpu.YAML");
	says(read_policy("x/.yaml", text).name, ".yaml");
	says(read_policy("-", text).name, "-");
	says(read_policy("cpu.yaml", "{version: 1, name: '12'}").name, "12");
}

static void what_is_empty_says_nothing(void **state)
{
	struct policy p =
	        read_policy("x", "{version: 1, backends: {require: [], allow: [], forbid: []}, classes: {}, checks: {},"
	                         " overrides: [], waivers: []}");

	assert_int_equal(p.require.n + p.allow.n + p.forbid.n + p.classes.n + p.checks.n + p.overrides.n + p.waivers.n,
	                 0);
	p = read_policy("x", "{version: 1, backends: {}}");
	assert_false(p.has_others);
}

static void a_backend_may_stand_in_several_lists(void **state)
{
	struct policy p =
	        read_policy("x", "{version: 1, backends: {require: cuda, allow: cuda, forbid: [cuda], others: fail}}");

	is_one(&p.require.v[0], "cuda");
	is_one(&p.allow, "cuda");
	is_one(&p.forbid, "cuda");
	assert_int_equal(p.others, GRADE_FAIL);
}

static void a_ticket_may_be_missing_and_words_may_be_quoted(void **state)
{
	struct policy p = read_policy(
	        "x",
	        "{version: 1, checks: {\"trust\": 'off'}, waivers: [{finding: 'driver-baked', match: {backend: 'cu*'},"
	        " reason: r, owner: o, expires: '2024-02-29'}]}");

	assert_int_equal(p.checks.v[0].family, FINDINGS_TRUST);
	assert_int_equal(p.waivers.v[0].ticket.n, 0);
	assert_int_equal(p.waivers.v[0].last_day, 19782);
}

/* Every id and family can be graded, and every finding waived but for those that say that nothing is sure. */
static void every_finding_can_be_named(void **state)
{
	char text[300];
	struct policy p;
	struct err e = ERR_INIT;

	for (int i = 1; i < FINDING_COUNT; i++) {
		enum finding_id id = (enum finding_id)i;
		bool never = id == FINDING_SCAN_INCOMPLETE || id == FINDING_DIGEST_MISMATCH ||
		             id == FINDING_WAIVER_EXPIRED || id == FINDING_WAIVER_UNUSED;

		snprintf(text, sizeof(text), "{version: 1, checks: {%s: info}}", finding_name(id));
		assert_int_equal(read_policy("x", text).checks.v[0].id, id);
		snprintf(text, sizeof(text),
		         "{version: 1, waivers: [{finding: %s, match: {path: a}, reason: r, owner: o, expires: "
		         "2027-01-01}]}",
		         finding_name(id));
		assert_int_equal(kit_read(&p, "x", text, &e), never ? -1 : 0);
	}
	for (int i = 1; i < FINDING_FAMILY_COUNT; i++) {
		snprintf(text, sizeof(text), "{version: 1, checks: {%s: info}}",
		         finding_family_name((enum finding_family)i));
		assert_int_equal(read_policy("x", text).checks.v[0].family, i);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(an_alias_of_a_backend_is_its_id),
	        cmocka_unit_test(name_and_backends_are_read_to_the_field),
	        cmocka_unit_test(classes_and_checks_are_read_to_the_field),
	        cmocka_unit_test(overrides_are_read_to_the_field),
	        cmocka_unit_test(waivers_are_read_to_the_field),
	        cmocka_unit_test(the_least_policy_has_a_version),
	        cmocka_unit_test(a_policy_is_named_after_its_file),
	        cmocka_unit_test(what_is_empty_says_nothing),
	        cmocka_unit_test(a_backend_may_stand_in_several_lists),
	        cmocka_unit_test(a_ticket_may_be_missing_and_words_may_be_quoted),
	        cmocka_unit_test(every_finding_can_be_named),
	};

	return cmocka_run_group_tests(tests, kit_setup, kit_teardown);
}
