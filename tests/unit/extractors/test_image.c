/* SPDX-License-Identifier: Apache-2.0 */
/* Images by their JSON: which one is meant, what of it is believed, and what is refused by name. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <cmocka.h>

#include "extractors/image_maker.h"
#include "extractors/image/parts.h"

static void only_exact_digests_are_digests(void **state)
{
	static const char good[] = "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
	static const char *const bad[] = {"",
	                                  "sha256:",
	                                  "sha256:../../etc/passwd",
	                                  "sha512:e3b0",
	                                  "md5:d41d8cd98f00b204",
	                                  "sha256:E3B0C44298FC1C149AFBF4C8996FB92427AE41E4649B934CA495991B7852B855",
	                                  "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b8555"};
	struct fake_job *j = *state;

	/* FIPS 180-4: of no bytes. */
	assert_span(digest_bytes(&j->mem, SPAN_NONE, false), good);
	assert_true(digest_is_exact(span_of(good)));
	assert_true(digest_is_exact(digest_bytes(&j->mem, SPAN_NONE, true)));
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_false(digest_is_exact(span_of(bad[i])));
}

static bool fits(const char *asked, const char *have)
{
	struct platform a, h;

	assert_true(platform_parse(span_of(asked), &a) && platform_parse(span_of(have), &h));
	return platform_fits(&a, &h);
}

static void a_platform_without_variant_takes_any(void **state)
{
	struct platform p;

	assert_true(fits("linux/arm64", "linux/arm64/v8"));
	assert_true(fits("linux/arm64/v8", "linux/arm64")); /* v8 is what arm64 means */
	assert_true(fits("linux/arm/v7", "linux/arm"));
	assert_false(fits("linux/arm/v6", "linux/arm"));
	assert_false(fits("linux/amd64", "windows/amd64"));
	assert_false(platform_parse(SPAN("linux"), &p) || platform_parse(SPAN("linux/"), &p) ||
	             platform_parse(SPAN("linux/arm/"), &p) || platform_parse(SPAN("a/b/c/d"), &p));
}

static void of_several_platforms_linux_amd64_is_taken(void **state)
{
	struct made m = made_new(state);
	const char *arm = made_platform(&m, "arm64", ",\"variant\":\"v8\""), *amd = made_platform(&m, "amd64", "");
	const struct plan *p = made_index(&m, made_print(&m, "%s,%s", arm, amd));

	assert_int_equal(p->refused.n, 0);
	assert_span(p->kind, "oci-layout");
	assert_span(p->image.platform, "linux/amd64");
}

static void asked_for_platforms_are_taken_or_listed(void **state)
{
	struct made m = made_new(state), n = made_new(state);
	const char *arm = made_platform(&m, "arm64", ",\"variant\":\"v8\""), *s390 = made_platform(&m, "s390x", "");
	const struct plan *p = made_index(&m, made_print(&m, "%s,%s", arm, s390));

	assert_true(p->usage && text_has(p->refused, "linux/arm64/v8, linux/s390x"));
	arm = made_platform(&n, "arm64", "");
	s390 = made_platform(&n, "s390x", "");
	n.job->ctx.platform = SPAN("linux/s390x");
	p = made_index(&n, made_print(&n, "%s,%s", arm, s390));
	assert_false(p->usage);
	assert_span(p->image.platform, "linux/s390x");
}

static void the_only_platform_is_taken_attestations_are_none(void **state)
{
	struct made m = made_new(state);
	const char *arm = made_platform(&m, "arm64", ""),
	           *about = made_manifest(&m, made_print(&m, EMPTY, "unknown", ""), "");
	const char *nested = made_blob(
	        &m, OCI "index.v1+json",
	        made_print(&m,
	                   "{\"manifests\":[%s,\"platform\":{\"os\":\"unknown\",\"architecture\":\"unknown\"},"
	                   "\"annotations\":{\"vnd.docker.reference.type\":\"attestation-manifest\"}},%s]}",
	                   about, arm));
	const struct plan *p = made_index(&m, made_print(&m, "%s}", nested, ""));

	assert_int_equal(p->refused.n, 0);
	assert_span(p->image.platform, "linux/arm64");
}

static const char *named(struct made *m, const char *d, const char *name)
{
	return made_print(m, "%s,\"annotations\":{\"org.opencontainers.image.ref.name\":\"%s\"}}", d, name);
}

static void several_images_are_a_question(void **state)
{
	struct made m = made_new(state);
	const char *one = named(&m, made_manifest(&m, made_print(&m, EMPTY, "amd64", ""), ""), "one");
	const char *two = named(&m, made_manifest(&m, made_print(&m, EMPTY, "arm64", ""), ""), "two");
	const struct plan *p = made_index(&m, made_print(&m, "%s,%s", one, two));

	assert_true(p->usage && text_has(p->refused, "one, two"));
	m = made_new(state);
	one = named(&m, made_manifest(&m, made_print(&m, EMPTY, "amd64", ""), ""), "one");
	two = named(&m, made_manifest(&m, made_print(&m, EMPTY, "arm64", ""), ""), "two");
	m.job->ctx.image = SPAN("two");
	p = made_index(&m, made_print(&m, "%s,%s", one, two));
	assert_int_equal(p->refused.n, 0);
	assert_span(p->image.reference, "two");
	assert_span(p->image.platform, "linux/arm64");
}

/* A configuration that is not there may name it: the layers are read, and that is told. A chart is refused as what it is. */
static void a_platform_that_cannot_be_read_costs_nothing_else(void **state)
{
	static const char gone[] = "{\"mediaType\":\"" CONFIG "\",\"digest\":\"sha256:%s%s\",\"size\":2}";
	static const char zeros[] = "00000000000000000000000000000000";
	static const char manifest[] = "{\"config\":%s,\"layers\":[]%s}";
	struct made m = made_new(state);
	const char *d = made_blob(&m, OCI "manifest.v1+json",
	                          made_print(&m, manifest, made_print(&m, gone, zeros, zeros), ""));
	const struct plan *p;

	m.job->ctx.platform = SPAN("linux/arm64");
	p = made_index(&m, made_print(&m, "%s}", d, ""));
	assert_int_equal(p->refused.n, 0);
	assert_int_equal(fake_problems(*state, PROBLEM_INCOMPLETE, FINDING_SCAN_INCOMPLETE, "not there"), 1);
	m = made_new(state);
	d = made_print(&m, "%s}", made_blob(&m, "application/vnd.cncf.helm.config.v1+json", "{}"), "");
	d = made_blob(&m, OCI "manifest.v1+json", made_print(&m, manifest, d, ""));
	p = made_index(&m, made_print(&m, "%s}", d, ""));
	assert_true(!p->usage && text_has(p->refused, "not an image"));
}

static void a_second_name_is_no_second_image(void **state)
{
	struct made m = made_new(state);
	const char *d = made_manifest(&m, made_print(&m, EMPTY, "amd64", ""), "");
	const struct plan *p = made_index(&m, made_print(&m, "%s,%s", named(&m, d, "one"), named(&m, d, "two")));

	assert_int_equal(p->refused.n, 0);
	assert_span(p->image.reference, "one");
}

static void artifacts_are_no_images(void **state)
{
	struct made m = made_new(state);
	const char *config = made_blob(&m, "application/vnd.oci.empty.v1+json", "{}");
	const char *chart =
	        made_blob(&m, OCI "manifest.v1+json", made_print(&m, "{\"config\":%s},\"layers\":[]%s}", config, ""));
	const struct plan *p = made_index(&m, made_print(&m, "%s}", chart, ""));

	assert_true(!p->usage && text_has(p->refused, "not an image"));
	m = made_new(state);
	chart = made_blob(&m, OCI "manifest.v1+json", "{\"schemaVersion\":1,\"fsLayers\":[]}");
	p = made_index(&m, made_print(&m, "%s}", chart, ""));
	assert_true(text_has(p->refused, "schema 1"));
}

static void history_lines_up_or_says_nothing(void **state)
{
	static const char config[] =
	        "{\"architecture\":\"amd64\",\"os\":\"linux\",\"config\":{\"Env\":[\"TOKEN=x\","
	        "\"CUDA_VERSION=12.8\",\"LD_LIBRARY_PATH=/x\"],\"Entrypoint\":null},\"history\":["
	        "{\"created_by\":\"ENV A=1\",\"empty_layer\":true},{\"created_by\":\"RUN pip\"}%s],"
	        "\"rootfs\":{\"diff_ids\":[\"%s\"]}}";
	static const char id[] = "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";

	for (int more = 0; more < 2; more++) {
		struct made m = made_new(state);
		const char *layer = made_print(&m, "%s}", made_blob(&m, OCI "layer.v1.tar+gzip", "bytes"), "");
		const char *d =
		        made_manifest(&m, made_print(&m, config, more ? ",{\"created_by\":\"RUN b\"}" : "", id), layer);
		const struct plan *p = made_index(&m, made_print(&m, "%s}", d, ""));
		const struct layer_ref *l = p->image.layers.v;

		assert_int_equal(p->image.layers.n, 1);
		assert_int_equal(l->has_step, !more);
		assert_int_equal(l->step, more ? 0 : 2);
		assert_span(l->created_by, more ? "" : "RUN pip");
		assert_span(l->diff_id, id);
		assert_span(l->declared, "gzip");
		assert_int_equal(l->there, 5);
		assert_int_equal(p->image.env.n, 2);
		assert_span(p->image.env.v[0], "CUDA_VERSION=12.8");
	}
}

static size_t damaged(void **state, const char *from, const char *to, const char *needle)
{
	struct made m = made_new(state);
	const char *d = made_manifest(&m, made_print(&m, EMPTY, "amd64", ""), "");
	char *at = memmem(m.tar.p, m.tar.n, from, strlen(from));

	assert_non_null(at);
	memcpy(at, to, strlen(to));
	made_index(&m, made_print(&m, "%s}", d, ""));
	return fake_problems(m.job, PROBLEM_INCOMPLETE, FINDING_DIGEST_MISMATCH, needle);
}

static void bytes_are_held_against_digests_before_they_are_read(void **state)
{
	assert_int_equal(damaged(state, "\"schemaVersion\":2", "\"schemaVersion\":1", "manifest"), 1);
	assert_int_equal(damaged(state, "\"architecture\":\"amd64\"", "\"architecture\":\"arm64\"", "configuration"),
	                 1);
}

static void sizes_and_digests_that_are_none_are_refused(void **state)
{
	static const char *const bad[] = {"\"size\":-1",     "\"size\":1.5",
	                                  "\"size\":\"12\"", "\"size\":9223372036854775808",
	                                  "\"size\":1e30",   "\"x\":1"};
	const struct plan *p;
	struct made m;

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		m = made_new(state);
		p = made_index(&m, made_print(&m,
		                              "{\"mediaType\":\"" OCI "manifest.v1+json\",\"digest\":\"sha256:"
		                              "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855\",%s}",
		                              bad[i], ""));
		assert_true(text_has(p->refused, "size"));
	}
	m = made_new(state);
	p = made_index(&m, "{\"mediaType\":\"" OCI "manifest.v1+json\",\"digest\":\"sha256:../x\",\"size\":1}");
	assert_true(text_has(p->refused, "digest"));
}

static void secrets_are_masked(void **state)
{
	static const char *const steps[][2] = {
	        {"RUN pip install -i https://me:tok@host/simple x", "RUN pip install -i https://***@host/simple x"},
	        {"ENV CUDA_HOME=/c TOKEN=a b", "ENV CUDA_HOME=/c TOKEN=***"},
	        {"/bin/sh -c #(nop)  ENV API_KEY=1", "/bin/sh -c #(nop)  ENV API_KEY=***"},
	        {"RUN |1 TOKEN=a b /bin/sh -c make", "RUN |1 TOKEN=*** /bin/sh -c make"},
	        {"COPY a@b /x", "COPY a@b /x"},
	        {"RUN curl http://h/a@b", "RUN curl http://h/a@b"},
	};
	struct fake_job *j = *state;

	for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]); i++)
		assert_span(step_without_secrets(&j->ctx, span_of(steps[i][0]), 4096), steps[i][1]);
	/* What is cut is masked before. */
	assert_span(without_secrets(&j->mem, SPAN("http://user:password@h"), 12), "http://***@h");
	assert_span(without_secrets(&j->mem, SPAN("http://user:password@h"), 9), "http://**");
	assert_true(env_matters(&j->catalogue, SPAN("CUDA_HOME")) && env_matters(&j->catalogue, SPAN("LD_PRELOAD")));
	assert_false(env_matters(&j->catalogue, SPAN("CUDA_API_KEY")) || env_matters(&j->catalogue, SPAN("PATH")));
}

static struct plan folder_plan(struct fake_job *j, struct source *files, size_t n, const char *absent)
{
	struct slice s = {.files = files, .n = n, .slices = 1};
	struct facts f = {.mem = &j->mem};

	extract_plan_folder(&j->ctx, &s, span_of(absent), &f);
	j->facts = f;
	return f.plan;
}

static void a_folder_is_asked_for_more_until_it_is_enough(void **state)
{
	static const char index[] = "{\"manifests\":[{\"mediaType\":\"" OCI "manifest.v1+json\",\"digest\":\"sha256:"
	                            "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855\",\"size\":0}]}";
	static const char path[] = "blobs/sha256/e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
	struct span mark = SPAN("{\"imageLayoutVersion\":\"1.0.0\"}");
	struct source files[] = {{.fd = fake_file(mark), .size = mark.n, .path = SPAN("oci-layout")},
	                         {.fd = fake_file(span_of(index)), .size = sizeof(index) - 1, .path = SPAN("index.json")}};
	struct plan p = folder_plan(*state, files, 2, "");

	assert_int_equal(p.needs.n, 1);
	assert_span(p.needs.v[0], path);
	p = folder_plan(*state, files, 2,
	                "blobs/sha256/e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855\n");
	assert_int_equal(p.needs.n, 0);
	assert_int_equal(fake_problems(*state, PROBLEM_INCOMPLETE, FINDING_SCAN_INCOMPLETE, "manifest is not there"),
	                 1);
	/* Another file called oci-layout makes no image of a folder. */
	assert_int_equal(folder_plan(*state, files + 1, 1, "").extractor.n, 0);
	close(files[0].fd);
	close(files[1].fd);
}

int main(void)
{
#define T(name) cmocka_unit_test_setup_teardown(name, fake_setup, fake_teardown)
	const struct CMUnitTest tests[] = {
	        T(only_exact_digests_are_digests),
	        T(a_platform_without_variant_takes_any),
	        T(of_several_platforms_linux_amd64_is_taken),
	        T(asked_for_platforms_are_taken_or_listed),
	        T(the_only_platform_is_taken_attestations_are_none),
	        T(a_platform_that_cannot_be_read_costs_nothing_else),
	        T(several_images_are_a_question),
	        T(a_second_name_is_no_second_image),
	        T(artifacts_are_no_images),
	        T(history_lines_up_or_says_nothing),
	        T(bytes_are_held_against_digests_before_they_are_read),
	        T(sizes_and_digests_that_are_none_are_refused),
	        T(secrets_are_masked),
	        T(a_folder_is_asked_for_more_until_it_is_enough),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
