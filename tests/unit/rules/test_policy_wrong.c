/* SPDX-License-Identifier: Apache-2.0 */
/* Wrong policies, each with its whole message. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

#include "base/outbuf.h"
#include "policy_kit.h"
#include "stopwatch.h"

static void refused(const char *text, const char *message)
{
	struct err e = ERR_INIT;
	struct policy p;

	if (kit_read(&p, "p.yaml", text, &e) == 0)
		fail_msg("accepted: %s", text);
	assert_string_equal(e.text, message);
	assert_int_equal(e.code, ERR_USAGE);
}

/* What stands behind the version, on the second line. */
static void part_refused(const char *part, const char *message)
{
	char text[600];

	snprintf(text, sizeof(text), "version: 1\n%s\n", part);
	refused(text, message);
}

static void another_version_is_said_before_all_else(void **state)
{
	refused("", "p.yaml:1:1: the document is empty");
	refused("[version]", "p.yaml:1:1: this must be a map, not a list");
	refused("name: x\n", "p.yaml:1:1: key 'version' is missing");
	refused("nonsense: x\nversion: 2\n", "p.yaml:2:10: version '2' is not known, only version 1");
	refused("version: 1.0\n", "p.yaml:1:10: version '1.0' is not known, only version 1");
	refused("version: '1'\n", "p.yaml:1:10: this must be a number");
	refused("version: [1]\n", "p.yaml:1:10: this must be a number");
	refused("version:\n", "p.yaml:1:9: this must be a number");
}

static void an_unknown_key_names_the_nearest(void **state)
{
	part_refused("backend: {}", "p.yaml:2:1: unknown key 'backend', the nearest known one is 'backends'");
	part_refused("backends: {forbidden: cuda}",
	             "p.yaml:2:12: unknown key 'forbidden', the nearest known one is 'forbid'");
	part_refused("classes: {a: {backend: cuda, device: sm_90}}",
	             "p.yaml:2:30: unknown key 'device', the nearest known one is 'devices'");
	part_refused("overrides: [{match: {packages: a}, checks: {trust: off}, reason: r}]",
	             "p.yaml:2:22: unknown key 'packages', the nearest known one is 'package'");
	part_refused("overrides: [{match: {path: a}, check: {trust: off}, reason: r}]",
	             "p.yaml:2:32: unknown key 'check', the nearest known one is 'checks'");
	part_refused("waivers: [{finding: driver-baked, expire: 2027-03-31}]",
	             "p.yaml:2:35: unknown key 'expire', the nearest known one is 'expires'");
}

static void keys_of_later_are_refused_by_name(void **state)
{
	static const char *const top[] = {"applies_to", "extends", "run_on", "runtimes", "size"},
	                         *const in_class[] = {"capabilities", "driver", "platform", "provides"};
	char text[200], message[200];

	for (size_t i = 0; i < sizeof(top) / sizeof(*top); i++) {
		snprintf(text, sizeof(text), "%s: [a]", top[i]);
		snprintf(message, sizeof(message), "p.yaml:2:1: key '%s' is not supported yet", top[i]);
		part_refused(text, message);
	}
	for (size_t i = 0; i < sizeof(in_class) / sizeof(*in_class); i++) {
		snprintf(text, sizeof(text), "classes: {a: {%s: x, backend: cuda, devices: sm_90}}", in_class[i]);
		snprintf(message, sizeof(message), "p.yaml:2:15: key '%s' is not supported yet", in_class[i]);
		part_refused(text, message);
	}
}

static void doubled_keys_and_aliases_are_refused(void **state)
{
	part_refused("version: 1", "p.yaml:2:1: key 'version' stands here a second time");
	part_refused("classes:\n  a: {backend: cuda, devices: sm_90}\n  a: {backend: cuda, devices: sm_80}",
	             "p.yaml:4:3: key 'a' stands here a second time");
	part_refused("checks: {trust: off, trust: off}", "p.yaml:2:22: key 'trust' stands here a second time");
	part_refused("name: &a x", "p.yaml:2:7: anchors are not allowed");
	part_refused("name: *a", "p.yaml:2:7: aliases are not allowed");
	part_refused("classes: {a: {backend: cuda, devices: [sm_90, sm_80, sm_90]}}",
	             "p.yaml:2:54: device 'sm_90' stands here a second time");
}

static void a_wrong_type_is_named(void **state)
{
	part_refused("backends: [cuda]", "p.yaml:2:11: 'backends' must be a map");
	part_refused("classes: []", "p.yaml:2:10: 'classes' must be a map");
	part_refused("classes: {a: cuda}", "p.yaml:2:14: this must be a map, not a single value");
	part_refused("waivers: {}", "p.yaml:2:10: 'waivers' must be a list");
	part_refused("overrides:", "p.yaml:2:11: 'overrides' must be a list");
	part_refused("overrides: [a]", "p.yaml:2:13: this must be a map, not a single value");
	part_refused("name: [a]", "p.yaml:2:7: this must be text, not a list");
	part_refused("name: 12", "p.yaml:2:7: '12' is not text, put it in quotes");
	part_refused("name:", "p.yaml:2:6: this must be text, not nothing");
	part_refused("checks: {trust: [off]}", "p.yaml:2:17: this must be text, not a list");
	part_refused("checks: {trust: }", "p.yaml:2:17: this must be text, not nothing");
	part_refused("backends: {forbid: {cuda: x}}", "p.yaml:2:20: this must be text, not a map");
	part_refused("backends: {forbid: [[cuda]]}", "p.yaml:2:21: this must be text, not a list");
	part_refused("backends: {require: [[[cuda]]]}", "p.yaml:2:23: this must be text, not a list");
	part_refused("backends: {allow: }", "p.yaml:2:19: this must be text, not nothing");
	part_refused("classes: {a: {backend: cuda, devices: {sm_90: 1}}}", "p.yaml:2:39: this must be text, not a map");
	part_refused("classes: {'': {backend: cuda, devices: sm_90}}", "p.yaml:2:11: this must be text, not nothing");
}

static void an_unknown_backend_names_the_nearest(void **state)
{
	part_refused("backends: {forbid: [cude]}",
	             "p.yaml:2:21: 'cude' is no backend, the nearest known one is 'cuda'");
	part_refused("backends: {require: [[cuda, rcom]]}",
	             "p.yaml:2:29: 'rcom' is no backend, the nearest known one is 'rocm'");
	part_refused("backends: {allow: CUDA}", "p.yaml:2:19: 'CUDA' is no backend, the nearest known one is 'cuda'");
	part_refused("classes: {a: {backend: vulcan, devices: x}}",
	             "p.yaml:2:24: 'vulcan' is no backend, the nearest known one is 'vulkan'");
	/* What people call it, where no letters are alike. */
	part_refused("backends: {forbid: nvidia}",
	             "p.yaml:2:20: 'nvidia' is no backend, the nearest known one is 'cuda'");
	part_refused("backends: {forbid: amd}", "p.yaml:2:20: 'amd' is no backend, the nearest known one is 'rocm'");
	part_refused("backends: {forbid: huawei}",
	             "p.yaml:2:20: 'huawei' is no backend, the nearest known one is 'ascend'");
}

static void an_unknown_finding_family_or_grade_names_the_nearest(void **state)
{
	part_refused("checks: {target-mising: fail}",
	             "p.yaml:2:10: 'target-mising' is no finding or family, the nearest known one is 'target-missing'");
	part_refused("checks: {load: fail}",
	             "p.yaml:2:10: 'load' is no finding or family, the nearest known one is 'loading'");
	part_refused("checks: {'': fail}", "p.yaml:2:10: this must be text, not nothing");
	part_refused("checks: {trust: warning}", "p.yaml:2:17: 'warning' is no grade, the nearest known one is 'warn'");
	part_refused("checks: {trust: Fail}", "p.yaml:2:17: 'Fail' is no grade, the nearest known one is 'fail'");
	part_refused("backends: {others: of}", "p.yaml:2:20: 'of' is no grade, the nearest known one is 'off'");
	part_refused("overrides: [{match: {path: a}, reason: r, checks: {trusts: off}}]",
	             "p.yaml:2:52: 'trusts' is no finding or family, the nearest known one is 'trust'");
	part_refused("waivers: [{finding: driver-backed, match: {path: a}, reason: r, owner: o, expires: 2027-03-31}]",
	             "p.yaml:2:21: 'driver-backed' is no finding, the nearest known one is 'driver-baked'");
	part_refused("waivers: [{finding: baggage, match: {path: a}, reason: r, owner: o, expires: 2027-03-31}]",
	             "p.yaml:2:21: 'baggage' is a family, and a waiver names one finding");
}

static void some_findings_cannot_be_waived(void **state)
{
	static const char *const ids[] = {"scan-incomplete", "digest-mismatch", "waiver-expired", "waiver-unused"};
	char text[200], message[200];

	for (size_t i = 0; i < sizeof(ids) / sizeof(*ids); i++) {
		snprintf(text, sizeof(text),
		         "waivers: [{finding: %s, match: {path: a}, reason: r, owner: o, expires: 2027-03-31}]",
		         ids[i]);
		snprintf(message, sizeof(message), "p.yaml:2:21: '%s' cannot be waived", ids[i]);
		part_refused(text, message);
	}
}

static void a_device_is_one_of_its_backend(void **state)
{
	part_refused(
	        "classes: {a: {backend: cuda, devices: [sm_90, gfx942]}}",
	        "p.yaml:2:47: 'gfx942' is no device of 'cuda': its target is needed, as the vendor's tools spell it");
	part_refused(
	        "classes: {a: {backend: rocm, devices: MI300X}}",
	        "p.yaml:2:39: 'MI300X' is no device of 'rocm': its target is needed, as the vendor's tools spell it");
	part_refused("classes: {a: {backend: cuda, devices: ''}}",
	             "p.yaml:2:39: '' is no device of 'cuda': its target is needed, as the vendor's tools spell it");
	part_refused("classes: {a: {backend: cuda, devices: []}}", "p.yaml:2:39: class 'a' must have a device");
	part_refused("classes: {a: {backend: cuda}}", "p.yaml:2:14: key 'devices' is missing");
	part_refused("classes: {a: {devices: sm_90}}", "p.yaml:2:14: key 'backend' is missing");
}

static void a_bad_date_or_glob_is_named(void **state)
{
	part_refused("waivers: [{expires: 2027-02-30}]",
	             "p.yaml:2:21: '2027-02-30' is no date of the calendar, such as 2027-03-31");
	part_refused("waivers: [{expires: tomorrow}]",
	             "p.yaml:2:21: 'tomorrow' is no date of the calendar, such as 2027-03-31");
	part_refused("waivers: [{expires: [2027-03-31]}]", "p.yaml:2:21: this must be a date, such as 2027-03-31");
	part_refused("waivers: [{expires: }]", "p.yaml:2:21: this must be a date, such as 2027-03-31");
	part_refused("overrides: [{match: {path: ''}, reason: r, checks: {trust: off}}]",
	             "p.yaml:2:28: a glob must not be empty");
	part_refused("overrides: [{match: {path: [a, '']}, reason: r, checks: {trust: off}}]",
	             "p.yaml:2:32: a glob must not be empty");
	part_refused("overrides: [{match: {path: []}, reason: r, checks: {trust: off}}]",
	             "p.yaml:2:28: a list of globs must not be empty");
	part_refused("overrides: [{match: {path: 'a\\'}, reason: r, checks: {trust: off}}]",
	             "p.yaml:2:28: glob 'a\\' ends with a backslash");
	part_refused("overrides: [{match: {path: [[a]]}, reason: r, checks: {trust: off}}]",
	             "p.yaml:2:29: this must be text, not a list");
	part_refused("overrides: [{match: {class: no}, reason: r, checks: {trust: off}}]",
	             "p.yaml:2:29: 'no' is not text, put it in quotes");
	part_refused("overrides: [{match: {path: [a, /opt/**]}, reason: r, checks: {trust: off}}]",
	             "p.yaml:2:32: '/opt/**' fits nothing, for paths of an artifact do not start with '/'");
	part_refused("overrides: [{match: {level: [needed, carries]}, reason: r, checks: {trust: off}}]",
	             "p.yaml:2:38: 'carries' is no level, the nearest known one is 'carried'");
	part_refused("overrides: [{match: {backend: cude}, reason: r, checks: {trust: off}}]",
	             "p.yaml:2:31: 'cude' is no backend, the nearest known one is 'cuda'");
}

static void nothing_that_must_be_there_may_be_missing(void **state)
{
	part_refused("overrides: [{match: {path: a}, checks: {trust: off}}]", "p.yaml:2:13: key 'reason' is missing");
	part_refused("overrides: [{match: {path: a}, reason: r}]", "p.yaml:2:13: key 'checks' is missing");
	part_refused("overrides: [{checks: {trust: off}, reason: r}]", "p.yaml:2:13: key 'match' is missing");
	part_refused("overrides: [{match: {}, checks: {trust: off}, reason: r}]",
	             "p.yaml:2:21: 'match' must have a key, or it would fit everything");
	part_refused("overrides: [{match: {path: a}, checks: {}, reason: r}]",
	             "p.yaml:2:40: 'checks' of an override must have a key, or it would change nothing");
	part_refused("waivers:\n  - {finding: driver-baked, match: {path: a}, reason: r, owner: o}",
	             "p.yaml:3:5: key 'expires' is missing");
	part_refused("waivers:\n  - {finding: driver-baked, match: {path: a}, reason: r, expires: 2027-03-31}",
	             "p.yaml:3:5: key 'owner' is missing");
	part_refused("waivers:\n  - {finding: driver-baked, match: {path: a}, owner: o, expires: 2027-03-31}",
	             "p.yaml:3:5: key 'reason' is missing");
	part_refused("waivers:\n  - {finding: driver-baked, reason: r, owner: o, expires: 2027-03-31}",
	             "p.yaml:3:5: key 'match' is missing");
	part_refused("waivers:\n  - {match: {path: a}, reason: r, owner: o, expires: 2027-03-31}",
	             "p.yaml:3:5: key 'finding' is missing");
	part_refused("waivers:\n  - {finding: driver-baked, match: {}, reason: r, owner: o, expires: 2027-03-31}",
	             "p.yaml:3:36: 'match' must have a key, or it would fit everything");
	part_refused("backends: {require: [cuda, []]}",
	             "p.yaml:2:28: a list of which one backend must be there must not be empty");
}

static void limits_have_their_names(void **state)
{
	struct outbuf text = outbuf_limited(1 << 21);
	char glob[GLOB_BYTES + 2];

	memset(glob, 'a', sizeof(glob));
	glob[GLOB_BYTES + 1] = '\0';
	outbuf_printf(&text, "{version: 1, overrides: [{match: {path: %s}, reason: r, checks: {trust: off}}]}%c", glob, 0);
	refused((const char *)text.p, "p.yaml:1:41: a glob has 4097 bytes, 4096 are allowed");
	outbuf_release(&text);
	text = outbuf_limited(1 << 21);
	outbuf_printf(&text, "version: 1\nname: %*s%c", 1 << 20, "x", 0);
	refused((const char *)text.p, "p.yaml: yaml-bytes is 1048576, and the file goes above it");
	outbuf_release(&text);
	refused("{version: 1, name: [[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[",
	        "p.yaml:1:51: yaml-depth is 32, and the nesting goes above it");
}

static void many_devices_must_not_cost_their_square(void **state)
{
	struct outbuf text = outbuf_limited(1 << 20);
	struct err e = ERR_INIT;
	struct policy p;
	double start;

	outbuf_printf(&text, "{version: 1, classes: {a: {backend: tpu, devices: [");
	for (int i = 0; i < 100000; i++)
		outbuf_printf(&text, "v%d,", i);
	outbuf_printf(&text, "]}}}%c", 0);
	start = stopwatch();
	assert_int_equal(kit_read(&p, "p.yaml", (const char *)text.p, &e), 0);
	assert_faster(start, 2);
	assert_int_equal(p.classes.v[0].devices.n, 100000);
	outbuf_release(&text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(another_version_is_said_before_all_else),
	        cmocka_unit_test(an_unknown_key_names_the_nearest),
	        cmocka_unit_test(keys_of_later_are_refused_by_name),
	        cmocka_unit_test(doubled_keys_and_aliases_are_refused),
	        cmocka_unit_test(a_wrong_type_is_named),
	        cmocka_unit_test(an_unknown_backend_names_the_nearest),
	        cmocka_unit_test(an_unknown_finding_family_or_grade_names_the_nearest),
	        cmocka_unit_test(some_findings_cannot_be_waived),
	        cmocka_unit_test(a_device_is_one_of_its_backend),
	        cmocka_unit_test(a_bad_date_or_glob_is_named),
	        cmocka_unit_test(nothing_that_must_be_there_may_be_missing),
	        cmocka_unit_test(limits_have_their_names),
	        cmocka_unit_test(many_devices_must_not_cost_their_square),
	};

	return cmocka_run_group_tests(tests, kit_setup, kit_teardown);
}
