/* SPDX-License-Identifier: Apache-2.0 */
/* What 'docker save' and its like write, and how members of such an archive are found. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <cmocka.h>

#include "extractors/image_maker.h"
#include "extractors/image/parts.h"

#define CONFIG_TEXT "{\"architecture\":\"amd64\",\"os\":\"linux\"}"
#define ID_A        "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
#define ID_B        "bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb"

static void link_add(struct made *m, const char *name, const char *target, char type)
{
	tar_member(&m->tar, (struct tar_member){.name = name, .link = target, .type = type});
}

static struct made docker_new(void **state, const char *manifest)
{
	struct made m = {*state, tarball_new()};

	tar_file(&m.tar, "c.json", SPAN(CONFIG_TEXT));
	tar_file(&m.tar, "manifest.json", span_of(manifest));
	return m;
}

static void layers_that_are_links_are_followed_inside_the_archive(void **state)
{
	struct made m = docker_new(state, "[{\"Config\":\"c.json\",\"RepoTags\":[\"x:1\"],\"Layers\":[\"a/layer.tar\","
	                                  "\"b/layer.tar\",\"out.tar\",\"loop.tar\",\"hard.tar\",\"root.tar\"]}]");
	static const bool missing[] = {false, false, true, true, false, false};
	const struct plan *p;

	tar_file(&m.tar, "./a/layer.tar", SPAN("bytes of a layer"));
	link_add(&m, "b/layer.tar", "../a/layer.tar", '2');
	link_add(&m, "out.tar", "/etc/passwd", '2');
	link_add(&m, "loop.tar", "loop.tar", '2');
	link_add(&m, "hard.tar", "a/layer.tar", '1');
	link_add(&m, "root.tar", "/a/layer.tar", '2');
	made_plan(&m);
	p = &m.job->facts.plan;
	assert_span(p->kind, "docker-archive");
	assert_span(p->image.reference, "x:1");
	assert_span(p->image.platform, "linux/amd64");
	assert_int_equal(p->image.layers.n, 6);
	for (size_t i = 0; i < 6; i++) {
		const struct layer_ref *l = &p->image.layers.v[i];

		assert_int_equal(l->missing, missing[i]);
		assert_int_equal(l->bytes, missing[i] ? 0 : 16);
		assert_int_equal(l->offset, missing[i] ? 0 : p->image.layers.v[0].offset);
	}
}

static void names_in_the_json_are_names_of_members_only(void **state)
{
	struct made m = docker_new(state, "[{\"Config\":\"../../etc/passwd\",\"RepoTags\":null,\"Layers\":"
	                                  "[\"/etc/passwd\",\"../l.tar\",\"l.tar\",7]}]");
	const struct layer_ref *l;

	tar_file(&m.tar, "l.tar", SPAN("layer"));
	tar_file(&m.tar, "../l.tar", SPAN("outside"));
	made_plan(&m);
	l = m.job->facts.plan.image.layers.v;
	assert_int_equal(m.job->facts.plan.image.layers.n, 4);
	assert_true(l[0].missing && l[1].missing && !l[2].missing && l[3].missing);
	assert_int_equal(l[2].bytes, 5);
	assert_int_equal(fake_problems(*state, PROBLEM_INCOMPLETE, FINDING_SCAN_INCOMPLETE, "configuration"), 1);
}

static void a_member_that_stands_twice_is_not_trusted(void **state)
{
	struct made m = docker_new(state, "[{\"Config\":\"c.json\",\"Layers\":[\"l.tar\"]}]");

	tar_file(&m.tar, "l.tar", SPAN("first"));
	tar_file(&m.tar, "l.tar", SPAN("second"));
	made_plan(&m);
	assert_int_equal(m.job->facts.plan.image.layers.v[0].bytes, 6);
	assert_true(fake_problems(*state, PROBLEM_INCOMPLETE, FINDING_ARCHIVE_MALFORMED, "twice") > 0);
}

static void the_chain_of_parents_gives_the_layers(void **state)
{
	struct made m = {*state, tarball_new()};
	const struct image *image;

	tar_file(&m.tar, ID_B "/json", SPAN("{\"id\":\"" ID_B "\",\"parent\":\"" ID_A "\",\"os\":\"linux\"}"));
	tar_file(&m.tar, ID_B "/layer.tar", SPAN("upper"));
	tar_file(&m.tar, ID_A "/json", SPAN("{\"id\":\"" ID_A "\"}"));
	tar_file(&m.tar, ID_A "/layer.tar", SPAN("lower layer"));
	tar_file(&m.tar, "repositories", SPAN("{\"x\":{\"1\":\"" ID_B "\"}}"));
	made_plan(&m);
	image = &m.job->facts.plan.image;
	assert_int_equal(image->layers.n, 2);
	assert_int_equal(image->layers.v[0].bytes, 11);
	assert_int_equal(image->layers.v[1].bytes, 5);
	assert_span(image->reference, "x:1");
	assert_span(image->platform, "linux/amd64");
}

static void a_chain_without_end_is_cut(void **state)
{
	struct made m = {*state, tarball_new()};

	m.job->limits.v[LIMIT_LAYER_COUNT] = 5;
	tar_file(&m.tar, ID_A "/json", SPAN("{\"parent\":\"" ID_A "\"}"));
	tar_file(&m.tar, "repositories", SPAN("{\"x\":{\"1\":\"" ID_A "\"}}"));
	made_plan(&m);
	assert_int_equal(m.job->facts.plan.image.layers.n, 5);
	assert_int_equal(fake_limits(m.job, LIMIT_LAYER_COUNT), 1);
}

static void both_sides_that_disagree_are_told(void **state)
{
	struct made m = made_new(state);
	const char *d = made_manifest(&m, made_print(&m, EMPTY, "amd64", ""), "");

	tar_file(&m.tar, "c.json", SPAN(CONFIG_TEXT));
	tar_file(&m.tar, "manifest.json", SPAN("[{\"Config\":\"c.json\",\"Layers\":[]}]"));
	assert_span(made_index(&m, made_print(&m, "%s}", d, ""))->kind, "oci-layout");
	assert_int_equal(fake_problems(*state, PROBLEM_ANOMALY, FINDING_ARCHIVE_MALFORMED, "another image"), 1);
	/* No image on the OCI side: the other one counts. */
	m = made_new(state);
	tar_file(&m.tar, "c.json", SPAN(CONFIG_TEXT));
	tar_file(&m.tar, "manifest.json", SPAN("[{\"Config\":\"c.json\",\"RepoTags\":[\"x:1\"],\"Layers\":[]}]"));
	assert_span(made_index(&m, "")->kind, "docker-archive");
	assert_span(m.job->facts.plan.image.reference, "x:1");
	assert_int_equal(fake_problems(*state, PROBLEM_ANOMALY, FINDING_ARCHIVE_MALFORMED, "names no image"), 1);
}

static void several_images_are_a_question(void **state)
{
	static const char manifest[] = "[{\"Config\":\"c.json\",\"RepoTags\":[\"a:1\",\"a:2\"],\"Layers\":[]},"
	                               "{\"Config\":\"c.json\",\"RepoTags\":[\"b:1\"],\"Layers\":[\"l\"]}]";
	struct made m = docker_new(state, manifest);

	made_plan(&m);
	assert_true(m.job->facts.plan.usage && text_has(m.job->facts.plan.refused, "a:1, b:1"));
	m = docker_new(state, manifest);
	m.job->ctx.image = SPAN("a:2");
	made_plan(&m);
	assert_int_equal(m.job->facts.plan.refused.n, 0);
	assert_int_equal(m.job->facts.plan.image.layers.n, 0);
	m = docker_new(state, manifest);
	m.job->ctx.image = SPAN("c:1");
	made_plan(&m);
	assert_true(m.job->facts.plan.usage);
}

static void pax_and_gnu_headers_name_members(void **state)
{
	static const char manifest[] = "[{\"Config\":\"c.json\",\"Layers\":[\"pax.tar\",\"gnu.tar\",\"after\"]}]";
	struct made m = docker_new(state, manifest);
	const struct layer_ref *l;

	tar_pax(&m.tar, 'x', "path", SPAN("pax.tar"));
	tar_file(&m.tar, "short", SPAN("1"));
	tar_ahead(&m.tar, 'L', SPAN("gnu.tar\0"));
	tar_file(&m.tar, "short", SPAN("22"));
	/* The size of a pax header counts, not the one in the member's own. */
	tar_pax(&m.tar, 'x', "size", SPAN("3"));
	tar_member(&m.tar, (struct tar_member){.name = "after", .data = SPAN("333"), .says = "00000000000"});
	made_plan(&m);
	l = m.job->facts.plan.image.layers.v;
	for (size_t i = 0; i < 3; i++) {
		assert_false(l[i].missing);
		assert_int_equal(l[i].bytes, i + 1);
	}
}

static void a_damaged_header_makes_it_incomplete(void **state)
{
	struct made m = docker_new(state, "[{\"Config\":\"c.json\",\"Layers\":[]}]");

	tar_member(&m.tar, (struct tar_member){.name = "x", .data = SPAN("x"), .bad_sum = true});
	made_plan(&m);
	assert_int_equal(m.job->facts.plan.refused.n, 0);
	assert_true(fake_problems(*state, PROBLEM_INCOMPLETE, FINDING_SCAN_INCOMPLETE, "damaged header") > 0);
}

/* Alpine keeps one below etc/apk; others have it anywhere. */
static void a_root_file_system_may_have_a_file_called_repositories(void **state)
{
	static const char *const texts[] = {"https://example.org/main\n", "{}", "{\"a\":1}"};

	for (size_t i = 0; i < 3; i++) {
		struct made m = {NULL, tarball_new()};

		fake_setup((void **)&m.job);
		tar_file(&m.tar, "etc/os-release", SPAN("ID=x"));
		tar_file(&m.tar, "repositories", span_of(texts[i]));
		made_plan(&m);
		assert_span(m.job->facts.plan.kind, "rootfs-tar");
		assert_span(m.job->facts.plan.extractor, "rootfs-tar");
		assert_int_equal(m.job->facts.plan.refused.n, 0);
		assert_false(m.job->facts.plan.image.present);
		assert_int_equal(m.job->facts.problems.n, 0);
		fake_teardown((void **)&m.job);
	}
}

/* docker load goes by keys in any case, and takes the last of two; a root file system around it changes nothing. */
static void a_manifest_that_others_can_read_is_not_passed_over(void **state)
{
	static const char *const texts[] = {" [{\"Config\":\"c.json\",\"layers\":[\"l.tar\"]}]",
	                                    "[{\"Config\":\"x\",\"Config\":\"c.json\",\"Layers\":[\"l.tar\"]}]"};

	for (size_t i = 0; i < 2; i++) {
		struct made m;

		fake_setup((void **)&m.job);
		m = docker_new((void **)&m.job, texts[i]);
		tar_file(&m.tar, "etc/os-release", SPAN("ID=x"));
		made_plan(&m);
		assert_span(m.job->facts.plan.kind, "rootfs-tar");
		assert_int_equal(fake_problems(m.job, PROBLEM_INCOMPLETE, FINDING_SCAN_INCOMPLETE, "others may load"), 1);
		fake_teardown((void **)&m.job);
	}
}

/* As who unpacks the archive finds it. */
static void a_manifest_is_found_however_its_name_is_written(void **state)
{
	static const struct tar_member members[] = {{.name = "/manifest.json"},
	                                            {.name = "x/../manifest.json"},
	                                            {.name = "manifest.json", .link = "m.json", .type = '2'},
	                                            {.name = "manifest.json", .link = "m.json", .type = '1'}};
	const struct span text = SPAN("[{\"Config\":\"c.json\",\"RepoTags\":[\"x:1\"],\"Layers\":[]}]");

	for (size_t i = 0; i < sizeof(members) / sizeof(members[0]); i++) {
		struct made m = {NULL, tarball_new()};
		struct tar_member t = members[i];

		fake_setup((void **)&m.job);
		tar_file(&m.tar, "c.json", SPAN(CONFIG_TEXT));
		tar_file(&m.tar, "m.json", text);
		t.data = t.type ? SPAN("") : text;
		tar_member(&m.tar, t);
		made_plan(&m);
		assert_span(m.job->facts.plan.kind, "docker-archive");
		assert_span(m.job->facts.plan.image.reference, "x:1");
		fake_teardown((void **)&m.job);
	}
}

/* Its bytes are a map and then pieces; who can read that has an image. */
static void a_sparse_manifest_is_refused(void **state)
{
	struct made m = {*state, tarball_new()};

	tar_file(&m.tar, "c.json", SPAN(CONFIG_TEXT));
	tar_pax(&m.tar, 'x', "GNU.sparse.name", SPAN("manifest.json"));
	tar_file(&m.tar, "other", SPAN("[{\"Config\":\"c.json\",\"Layers\":[]}]"));
	made_plan(&m);
	assert_span(m.job->facts.plan.kind, "docker-archive");
	assert_true(m.job->facts.plan.refused.n > 0);
}

/* said: what a configuration, or the json of a layer before there were any, says of the platform; NULL: it is not there. */
static void platform_made(struct made *m, bool v1, const char *said)
{
	const char *top = v1 ? ID_A "/json" : "c.json";

	if (said)
		tar_file(&m->tar, top, span_of(made_print(m, "{\"id\":\"" ID_A "\"%s%s}", said, "")));
	tar_file(&m->tar, ID_A "/layer.tar", SPAN("layer"));
	if (v1)
		tar_file(&m->tar, "repositories", SPAN("{\"x\":{\"1\":\"" ID_A "\"}}"));
	else
		tar_file(&m->tar, "manifest.json", SPAN("[{\"Config\":\"c.json\",\"Layers\":[\"" ID_A "/layer.tar\"]}]"));
	made_plan(m);
}

/* An archive of another platform than the one that was asked for is no answer, whatever wrote it. */
static void the_platform_that_was_asked_for_is_the_one_that_is_read(void **state)
{
	static const struct {
		const char *said, *asked, *offer; /* offer NULL: it is read */
	} cases[] = {
	        {",\"os\":\"linux\",\"architecture\":\"amd64\"", "linux/amd64", NULL},
	        {",\"os\":\"linux\",\"architecture\":\"amd64\"", "linux/arm64", "'--platform': linux/amd64"},
	        {",\"os\":\"linux\",\"architecture\":\"amd64\",\"variant\":\"v3\"", "linux/amd64/v3", NULL},
	        {",\"os\":\"linux\",\"architecture\":\"amd64\",\"variant\":\"v3\"", "linux/amd64/v2",
	         "'--platform': linux/amd64/v3"},
	        {",\"os\":\"linux\",\"architecture\":\"arm64\"", "linux/arm64/v8", NULL},
	        {"", "linux/amd64", "'--platform': (none said)"},
	};

	(void)state;
	for (size_t i = 0; i < 2 * sizeof(cases) / sizeof(cases[0]); i++) {
		struct made m = {NULL, tarball_new()};
		const char *offer = cases[i / 2].offer;

		fake_setup((void **)&m.job);
		m.job->ctx.platform = span_of(cases[i / 2].asked);
		platform_made(&m, i % 2, cases[i / 2].said);
		assert_int_equal(m.job->facts.plan.usage, offer != NULL);
		assert_true(offer ? text_has(m.job->facts.plan.refused, offer) : m.job->facts.plan.refused.n == 0);
		assert_int_equal(m.job->facts.plan.image.layers.n, 1);
		fake_teardown((void **)&m.job);
	}
}

/* It may be the one: the rest is read, and is incomplete. */
static void a_platform_that_cannot_be_read_costs_nothing_else(void **state)
{
	(void)state;
	for (size_t v1 = 0; v1 < 2; v1++) {
		struct made m = {NULL, tarball_new()};

		fake_setup((void **)&m.job);
		m.job->ctx.platform = SPAN("linux/amd64");
		platform_made(&m, v1, NULL);
		assert_int_equal(m.job->facts.plan.refused.n, 0);
		assert_int_equal(m.job->facts.plan.image.layers.n, 1);
		assert_int_equal(fake_problems(m.job, PROBLEM_INCOMPLETE, FINDING_SCAN_INCOMPLETE, "not there"), 1);
		fake_teardown((void **)&m.job);
	}
}

int main(void)
{
#define T(name) cmocka_unit_test_setup_teardown(name, fake_setup, fake_teardown)
	const struct CMUnitTest tests[] = {
	        T(layers_that_are_links_are_followed_inside_the_archive),
	        T(names_in_the_json_are_names_of_members_only),
	        T(a_member_that_stands_twice_is_not_trusted),
	        T(the_chain_of_parents_gives_the_layers),
	        T(a_chain_without_end_is_cut),
	        T(a_root_file_system_may_have_a_file_called_repositories),
	        T(a_manifest_that_others_can_read_is_not_passed_over),
	        T(a_manifest_is_found_however_its_name_is_written),
	        T(a_sparse_manifest_is_refused),
	        T(both_sides_that_disagree_are_told),
	        T(several_images_are_a_question),
	        T(pax_and_gnu_headers_name_members),
	        T(a_damaged_header_makes_it_incomplete),
	        T(the_platform_that_was_asked_for_is_the_one_that_is_read),
	        T(a_platform_that_cannot_be_read_costs_nothing_else),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
