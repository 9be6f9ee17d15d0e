/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>
#include <cmocka.h>

#include "base/scoped.h"
#include "core/inventory_refusals.h"
#include "core/inventory_sample.h"
#include "inventory/read.h"
#include "reports/report.h"

static struct limits limits;
static struct arena mem;

static int set_up(void **state)
{
	limits_default(&limits);
	return 0;
}

static int tear_down(void **state)
{
	arena_clear(&mem);
	return 0;
}

static int read_text(struct inventory *inv, struct span text, struct err *e)
{
	scoped_fd int fd = memfd_create("inventory", MFD_CLOEXEC);

	assert_true(fd >= 0 && write(fd, text.p, text.n) == (ssize_t)text.n && lseek(fd, 0, SEEK_SET) == 0);
	return inventory_read(inv, fd, &limits, &mem, e);
}

static struct inventory read_good(struct span text)
{
	struct inventory inv = {.rules_version = SPAN_NONE};
	struct err e = ERR_INIT;

	if (read_text(&inv, text, &e) < 0)
		fail_msg("refused: %s", e.text);
	return inv;
}

static struct outbuf write_again(const struct inventory *inv)
{
	struct report_options o = {.subject = REPORT_SCAN};
	struct outbuf out = outbuf_limited(1 << 20);

	report_json.write(inv, NULL, &o, &out);
	assert_false(out.failed);
	return out;
}

static void check_text(struct span got, const char *want)
{
	if (!span_eq(got, span_of(want)))
		fail_msg("'%.*s', not '%s'", (int)got.n, got.p, want);
}

static void an_inventory_read_and_written_again_has_the_same_bytes(void **state)
{
	struct inventory inv = read_good(span_of(sample_inventory));
	struct outbuf out = write_again(&inv);

	outbuf_char(&out, '\0');
	assert_string_equal((char *)out.p, sample_inventory);
	outbuf_release(&out);
}

static void what_is_said_of_an_artifact_lands_in_its_field(void **state)
{
	struct inventory inv = read_good(span_of(sample_inventory));
	const struct artifact *file = &inv.artifacts.v[0], *a = &inv.artifacts.v[1];

	check_text(inv.tool_version, "0.0.7");
	check_text(inv.rules_version, "2026.11");
	assert_true(inv.artifacts.n == 2 && file->refused && !file->image.present && !file->verified && !a->refused);
	assert_true(a->closed && !a->complete && a->image.present && a->verified);
	assert_true(file->incomplete.v[0].grade == PROBLEM_INCOMPLETE && file->incomplete.v[0].layer == 0);
	assert_true(a->incomplete.v[0].id == FINDING_SCAN_INCOMPLETE && a->incomplete.v[0].limit == LIMIT_ELF_NAMES);
	assert_true(a->incomplete.v[0].layer == 2 && a->anomalies.v[0].grade == PROBLEM_ANOMALY &&
	            !a->anomalies.v[0].limit);
	check_text(a->incomplete.v[0].path, "opt/\xffx.so");
	check_text(a->ambiguous.v[1], "usr\\x");
	check_text(a->image.labels.v[0].name, "k\n");
	check_text(a->image.labels.v[0].value, "v\"\xc3\xa9");
	check_text(a->image.entrypoint.v[1], "");
	assert_true(a->layers.n == 2 && a->layers.v[0].verified && a->layers.v[0].ref.has_step &&
	            a->layers.v[0].ref.step == 7);
	assert_true(!a->layers.v[1].ref.has_step && a->layers.v[1].ref.bytes == 9007199254740991);
	assert_true(a->files == 50 && a->elf_files == 51 && a->bytes == 52 && a->shared_bytes == 53);
	check_text(a->digest, "sha256:cc");
	check_text(a->image.manifest_digest, "sha256:bb");
}

static void packages_land_in_their_fields(void **state)
{
	struct inventory inv = read_good(span_of(sample_inventory));
	const struct package *p = &inv.artifacts.v[1].packages.v[0];

	assert_true(p->layer == 2 && !p->hidden && p->bytes == 123 && p->has_record && p->has_purelib && !p->purelib);
	assert_true(p->declares.v[0].has_applies && p->declares.v[0].applies);
	assert_true(p->requires.v[0].has_applies && !p->requires.v[0].applies && !p->requires.v[1].has_applies);
	check_text(p->record_unlisted.v[0], "u");
	check_text(p->record_size_differs.v[0], "s");
	check_text(p->requires.v[0].spec, "==3.5.0; platform_system == \"Linux\"");
}

static void objects_land_in_their_fields(void **state)
{
	struct inventory inv = read_good(span_of(sample_inventory));
	const struct object *o = &inv.artifacts.v[1].objects.v[0], *next = &inv.artifacts.v[1].objects.v[1];

	assert_true(o->layer == 2 && o->hidden && o->hidden_by == 4 && o->type == OBJECT_ELF && o->units == 57);
	assert_int_equal(o->unit_sets.v[0].count, 57);
	check_text(o->links.v[0], "t/b.so");
	assert_true(o->elf.present && o->elf.class_bits == 32 && o->elf.big_endian);
	assert_true(o->elf.has_runpath && o->elf.has_soname);
	check_text(o->elf.rpath, "r");
	check_text(o->elf.runpath, "");
	assert_true(next->layer == 1 && !next->hidden && !next->elf.present && next->type == OBJECT_OTHER);
}

static void evidence_and_device_code_land_in_their_fields(void **state)
{
	struct inventory inv = read_good(span_of(sample_inventory));
	const struct object *o = &inv.artifacts.v[1].objects.v[0];
	const struct evidence *e = &o->evidence.v[0];
	const struct device_code *d = &o->device_code.v[0];

	assert_true(e->kind == EVIDENCE_SYMBOL && e->strength == STRENGTH_SOFT && e->confidence == CONFIDENCE_MEDIUM);
	assert_true(e->names.n == 2 && e->has_offset && e->offset == 0);
	assert_true(d->form == FORM_STUB && d->mismatch && d->abi == UINT32_MAX && d->opened && d->kernels == 0);
	assert_false(o[1].device_code.v[0].opened);
}

static void stores_and_sums_land_in_their_fields(void **state)
{
	struct inventory inv = read_good(span_of(sample_inventory));
	const struct store *s = &inv.artifacts.v[1].stores.v[0];
	const struct backend_sum *b = &inv.artifacts.v[1].backends.v[0];

	assert_true(s->layer == 1 && s->hidden && s->hidden_by == 3 && s->files == 40);
	assert_true(s->targets.v[0].files == 42 && s->targets.v[0].bytes == 43);
	assert_true(b->level == LEVEL_NEEDED && b->undeclared && b->objects == 60 && b->hidden_bytes == 63);
	assert_true(b->layers.n == 2 && b->layers.v[1] == 2);
	assert_true(b->targets.v[0].form == FORM_STUB && b->targets.v[0].count == 71);
}

static void members_of_a_later_version_are_skipped(void **state)
{
	static const char text[] =
	        "{\"new\":[[1],{\"artifacts\":[]}],\"artifacts\":[" SAMPLE_FILE "],\"more\":{\"a\":[null]},"
	        "\"schema\":\"postern-inventory/1\",\"tool\":{\"version\":\"1\",\"x\":1,\"name\":\"postern\"}}";
	struct inventory inv = read_good(span_of(text));

	assert_true(inv.artifacts.n == 1 && inv.rules_version.n == 0);
	check_text(inv.artifacts.v[0].name, "photo.jpg");
}

static void artifacts_of_several_inventories_are_put_together(void **state)
{
	struct inventory inv = read_good(span_of(sample_inventory));
	struct err e = ERR_INIT;

	assert_int_equal(read_text(&inv, SPAN(SAMPLE_HEAD SAMPLE_FILE "]}"), &e), 0);
	assert_int_equal(inv.artifacts.n, 3);
	/* What is refused leaves nothing behind. */
	assert_int_equal(read_text(&inv, SPAN(SAMPLE_HEAD SAMPLE_FILE "]} x"), &e), -1);
	assert_int_equal(read_text(&inv, SPAN(SAMPLE_HEAD SAMPLE_FILE ",{}]}"), &e), -1);
	assert_int_equal(inv.artifacts.n, 3);
}

/* The sample with the first `from` replaced by `to`. */
static struct outbuf changed(const char *from, const char *to)
{
	const char *at = strstr(sample_inventory, from);
	struct outbuf out = outbuf_limited(1 << 20);

	if (!at)
		fail_msg("the sample has no '%s'", from);
	outbuf_put(&out, (struct span){(const uint8_t *)sample_inventory, (size_t)(at - sample_inventory)});
	outbuf_text(&out, to);
	outbuf_text(&out, at + strlen(from));
	return out;
}

static void what_an_inventory_cannot_say_is_refused_by_name(void **state)
{
	for (size_t i = 0; i < sizeof(refusals) / sizeof(*refusals); i++) {
		struct outbuf text = changed(refusals[i].from, refusals[i].to);
		struct inventory inv = {.rules_version = SPAN_NONE};
		struct err e = ERR_INIT;

		if (read_text(&inv, outbuf_span(&text), &e) == 0 || e.code != ERR_FORMAT ||
		    !strstr(e.text, refusals[i].why))
			fail_msg("%s: '%s', not '%s'", refusals[i].to, e.text, refusals[i].why);
		assert_true(inv.artifacts.n == 0 && inv.tool_version.n == 0);
		outbuf_release(&text);
	}
}

#define PACKAGE(record)                                                                                                \
	"{\"ecosystem\":\"pypi\",\"name\":\"a\",\"path\":\"p\",\"visible\":true,\"bytes\":1," record                   \
	"\"tags\":[],\"declares\":[],\"requires\":[]}"
#define RECORD(more) "\"record\":{\"missing\":[],\"unlisted\":[],\"size_differs\":[]" more "},"
#define HASHED       RECORD(",\"hash_differs\":[]")

/* 1: they were, 0: they were not, -1: refused. */
static int verified_with(const char *packages)
{
	struct outbuf text = changed("\"packages\":[]", packages);
	struct inventory inv = {.rules_version = SPAN_NONE};
	struct err e = ERR_INIT;
	int rc = read_text(&inv, outbuf_span(&text), &e);

	outbuf_release(&text);
	return rc < 0 ? -1 : inv.artifacts.v[0].verified;
}

static void hashes_were_compared_for_every_record_or_for_none(void **state)
{
	assert_int_equal(verified_with("\"packages\":[" PACKAGE("") "]"), 0);
	assert_int_equal(verified_with("\"packages\":[" PACKAGE("") "," PACKAGE(RECORD("")) "]"), 0);
	assert_int_equal(verified_with("\"packages\":[" PACKAGE("") "," PACKAGE(HASHED) "]"), 1);
	assert_int_equal(verified_with("\"packages\":[" PACKAGE(HASHED) "," PACKAGE(RECORD("")) "]"), -1);
}

static void every_cut_of_an_inventory_is_refused(void **state)
{
	for (size_t n = 0; n + 2 < sizeof(sample_inventory); n++) {
		struct inventory inv = {.rules_version = SPAN_NONE};
		struct err e = ERR_INIT;

		if (read_text(&inv, (struct span){(const uint8_t *)sample_inventory, n}, &e) == 0)
			fail_msg("the first %zu bytes are an inventory", n);
		assert_int_equal(e.code, ERR_TRUNCATED);
		assert_int_equal(inv.artifacts.n, 0);
	}
}

/* What is taken, however it came about, is an inventory: written and read again it is the same. */
static void every_other_byte_gives_a_refusal_or_an_inventory(void **state)
{
	static const uint8_t flips[] = {0x01, 0x02, 0x10, 0x20, 0x80};
	static char text[sizeof(sample_inventory)];
	size_t taken = 0;

	for (size_t i = 0; i < (sizeof(text) - 1) * sizeof(flips); i++) {
		struct inventory inv = {.rules_version = SPAN_NONE};
		struct outbuf once, twice;
		struct err e = ERR_INIT;

		memcpy(text, sample_inventory, sizeof(text));
		text[i / sizeof(flips)] = (char)(text[i / sizeof(flips)] ^ flips[i % sizeof(flips)]);
		if (read_text(&inv, (struct span){(const uint8_t *)text, sizeof(text) - 1}, &e) == 0) {
			taken++;
			once = write_again(&inv);
			inv = read_good(outbuf_span(&once));
			twice = write_again(&inv);
			assert_true(span_eq(outbuf_span(&once), outbuf_span(&twice)));
			outbuf_release(&once);
			outbuf_release(&twice);
		} else {
			assert_true(e.text[0] && inv.artifacts.n == 0);
		}
		arena_clear(&mem);
	}
	assert_true(taken > 0);
}

static void limits_hold_for_the_inventory_and_for_its_elements(void **state)
{
	struct inventory inv = {.rules_version = SPAN_NONE};
	struct span text = span_of(sample_inventory);
	struct err e = ERR_INIT;

	limits.v[LIMIT_INVENTORY_BYTES] = text.n;
	assert_int_equal(read_text(&inv, text, &e), 0);
	limits.v[LIMIT_INVENTORY_BYTES] = text.n - 1;
	assert_int_equal(read_text(&inv, text, &e), -1);
	assert_int_equal(e.limit, LIMIT_INVENTORY_BYTES);
	limits_default(&limits);
	/* Longer than the longest member that is read as a whole, far shorter than the document. */
	limits.v[LIMIT_JSON_BYTES] = 600;
	assert_int_equal(read_text(&inv, text, &e), 0);
	limits.v[LIMIT_JSON_BYTES] = 100;
	assert_int_equal(read_text(&inv, text, &e), -1);
	assert_int_equal(e.limit, LIMIT_JSON_BYTES);
	limits_default(&limits);
}

/* A package of a hundred thousand claims is larger than a JSON document may be. */
static void a_package_may_be_larger_than_a_value(void **state)
{
	struct outbuf list = outbuf_limited(1 << 23), text;
	struct inventory inv;

	outbuf_text(&list,
	            "\"packages\":[{\"ecosystem\":\"pypi\",\"name\":\"a\",\"path\":\"p\",\"visible\":true,\"bytes\":1,"
	            "\"tags\":[],\"declares\":[],\"requires\":[");
	for (int i = 0; i < 100000; i++)
		outbuf_printf(&list, "%s{\"name\":\"name-%06d\",\"spec\":\"; extra == 'many'\"}", i ? "," : "", i);
	outbuf_text(&list, "]}]");
	outbuf_char(&list, '\0');
	assert_true(list.n > limits.v[LIMIT_JSON_BYTES]);
	text = outbuf_limited(1 << 23);
	outbuf_text(&text, SAMPLE_HEAD
	            "{\"name\":\"x\",\"world\":\"open\",\"complete\":true,\"incomplete\":[],\"anomalies\":[],");
	outbuf_text(&text, (char *)list.p);
	outbuf_text(&text,
	            ",\"objects\":[],\"stores\":[],\"summary\":{\"files\":0,\"elf\":0,\"bytes\":0,\"backends\":[]}}]}");
	inv = read_good(outbuf_span(&text));
	assert_int_equal(inv.artifacts.v[0].packages.v[0].requires.n, 100000);
	outbuf_release(&list);
	outbuf_release(&text);
}

static void an_inventory_is_known_by_its_first_bytes(void **state)
{
	assert_true(inventory_begins(span_of(sample_inventory)));
	assert_true(inventory_begins(SPAN(" \n{\n  \"schema\": \"postern-inventory/1\"")));
	assert_true(inventory_begins(SPAN("{\"x\":1,\"schema\":\"postern-inventory/2\"")));
	assert_true(inventory_begins(SPAN("{ \"artifacts\":[")));
	assert_false(inventory_begins(SPAN("{\"schema\":\"postern-result/1\"")));
	assert_false(inventory_begins(SPAN("{\"schemaVersion\":2}")));
	assert_false(inventory_begins(SPAN("[\"postern-inventory/1\"]")));
	assert_false(inventory_begins(SPAN("\x7f"
	                                   "ELF")));
	assert_false(inventory_begins(SPAN("{")));
	assert_false(inventory_begins(SPAN_NONE));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test_teardown(an_inventory_read_and_written_again_has_the_same_bytes, tear_down),
	        cmocka_unit_test_teardown(what_is_said_of_an_artifact_lands_in_its_field, tear_down),
	        cmocka_unit_test_teardown(packages_land_in_their_fields, tear_down),
	        cmocka_unit_test_teardown(objects_land_in_their_fields, tear_down),
	        cmocka_unit_test_teardown(evidence_and_device_code_land_in_their_fields, tear_down),
	        cmocka_unit_test_teardown(stores_and_sums_land_in_their_fields, tear_down),
	        cmocka_unit_test_teardown(members_of_a_later_version_are_skipped, tear_down),
	        cmocka_unit_test_teardown(artifacts_of_several_inventories_are_put_together, tear_down),
	        cmocka_unit_test_teardown(what_an_inventory_cannot_say_is_refused_by_name, tear_down),
	        cmocka_unit_test_teardown(hashes_were_compared_for_every_record_or_for_none, tear_down),
	        cmocka_unit_test_teardown(every_cut_of_an_inventory_is_refused, tear_down),
	        cmocka_unit_test_teardown(every_other_byte_gives_a_refusal_or_an_inventory, tear_down),
	        cmocka_unit_test_teardown(limits_hold_for_the_inventory_and_for_its_elements, tear_down),
	        cmocka_unit_test_teardown(a_package_may_be_larger_than_a_value, tear_down),
	        cmocka_unit_test(an_inventory_is_known_by_its_first_bytes),
	};

	return cmocka_run_group_tests(tests, set_up, NULL);
}
