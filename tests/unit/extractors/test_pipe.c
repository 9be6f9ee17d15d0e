/* SPDX-License-Identifier: Apache-2.0 */
/* A tar that passes: what a file would be taken for, a pipe is, or it says what it could not see. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <cmocka.h>

#include <fcntl.h>
#include <sys/wait.h>

#include "extractors/image_maker.h"

#define MANIFEST "[{\"Config\":\"c.json\",\"RepoTags\":[\"x:1\"],\"Layers\":[\"l.tar\"]}]"

static size_t apart; /* layers that were read */

static struct span count_apart(const struct job_context *ctx, struct flow *from, size_t most, struct err *e)
{
	(void)ctx;
	(void)from;
	(void)most;
	apart++;
	err_set(e, ERR_FAULT, 0, "only counted");
	return SPAN_NONE;
}

static const struct plan *pass(struct fake_job *j, struct span bytes, struct pipe_found *found)
{
	struct flow_memory from;

	apart = 0;
	j->ctx.layer_apart = count_apart;
	flow_memory_open(&from, bytes);
	pipe_read(&j->ctx, &from.flow, false, SPAN("-"), found);
	return &found->plans.v[0].facts.plan;
}

static size_t incomplete(const struct pipe_found *found)
{
	const struct problems *l = &found->plans.v[0].facts.problems;
	size_t n = 0;

	for (size_t i = 0; i < l->n; i++)
		n += l->v[i].grade == PROBLEM_INCOMPLETE;
	return n;
}

/* Enough of them in front make that the one that counts is not kept. */
static void a_manifest_that_was_not_kept_is_told(void **state)
{
	struct fake_job *j = *state;
	struct tarball t = tarball_new();
	struct pipe_found found;
	const struct plan *p;

	j->limits.v[LIMIT_OBJECT_RANGES] = 100;
	tar_file(&t, "etc/os-release", SPAN("ID=x"));
	tar_file(&t, "junk.json", SPAN("{                                                                           }"));
	tar_file(&t, "manifest.json", SPAN(MANIFEST));
	p = pass(j, tar_end(&t), &found);
	assert_span(p->kind, "docker-archive");
	assert_true(incomplete(&found) > 0);
	free(t.p);
}

/* The first image of two does not look like a document, and so the second one is the choice: not in silence. */
static void an_image_chosen_without_seeing_all_is_told(void **state)
{
	struct made m = made_new(state);
	const char *b = made_print(&m, "%s}", made_manifest(&m, made_print(&m, EMPTY, "amd64", ""), ""), "");
	const char *a = made_print(&m, "%s}", made_blob(&m, OCI "manifest.v1+json", "\xef\xbb\xbf{\"config\":{}}"), "");
	struct pipe_found found;

	tar_file(&m.tar, "index.json", span_of(made_print(&m, "{\"schemaVersion\":2,\"manifests\":[%s,%s]}", a, b)));
	assert_true(pass(m.job, tar_end(&m.tar), &found)->image.image_id.n > 0);
	assert_int_equal(incomplete(&found), 1);
	free(m.tar.p);
}

static void a_name_like_a_program_in_front_hides_no_image(void **state)
{
	struct tarball t = tarball_new();
	struct pipe_found found;
	const struct plan *p;

	tar_file(&t, "\x7f" "ELF", SPAN(""));
	tar_file(&t, "c.json", SPAN("{\"os\":\"linux\",\"architecture\":\"amd64\"}"));
	tar_file(&t, "manifest.json", SPAN(MANIFEST));
	p = pass(*state, tar_end(&t), &found);
	assert_span(p->kind, "docker-archive");
	assert_span(p->image.reference, "x:1");
	free(t.p);
}

/* A header without "ustar" that begins as a program, and its checksum holds: nobody can tell as what it will be taken. */
static void a_tar_that_is_a_program_too_is_refused_as_the_file_is(void **state)
{
	struct fake_job *j = *state;
	struct tarball t = tarball_new();
	struct pipe_found found;
	struct source src;
	uint8_t *h = tar_member(&t, (struct tar_member){.name = "\x7f" "ELF"});

	memset(h + 257, 0, 8);
	tar_sum(h, false);
	tar_file(&t, "usr/lib/x.so", SPAN("\x7f" "ELF"));
	assert_true(pass(j, tar_end(&t), &found)->refused.n > 0);
	src = (struct source){.fd = fake_file((struct span){t.p, t.n}), .size = t.n};
	extract_plan(&j->ctx, &src, &j->facts);
	assert_true(span_eq(j->facts.plan.refused, found.plans.v[0].facts.plan.refused));
	close(src.fd);
	free(t.p);
}

/* Its tar's reader has it as a folder, and a loader of images as the manifest. */
static void a_manifest_named_like_a_folder_is_no_root(void **state)
{
	struct tarball t = tarball_new();
	struct pipe_found found;

	tar_file(&t, "etc/os-release", SPAN("ID=x"));
	tar_file(&t, "manifest.json/", SPAN(MANIFEST));
	pass(*state, tar_end(&t), &found);
	assert_true(incomplete(&found) > 0);
	free(t.p);
}

/* libarchive goes by the slash, and gives no bytes; who goes by the type of the entry has a library there. */
static void a_file_named_like_a_folder_is_not_lost_in_silence(void **state)
{
	struct fake_job *j = *state;
	struct tarball t = tarball_new();

	tar_file(&t, "usr/lib/libcuda.so/", SPAN("\x7f" "ELF and more"));
	fake_scan(j, tar_end(&t), "x.tar", 0);
	assert_int_equal(fake_problems(j, PROBLEM_INCOMPLETE, FINDING_SCAN_INCOMPLETE, "ends as a folder's"), 1);
	free(t.p);
}

/* Each layer costs a process; a compressed text near the top is none. */
static void a_small_compressed_file_is_no_layer(void **state)
{
	struct tarball t = tarball_new(), text = tarball_new(), tar = tarball_new(), inner = tarball_new();
	struct pipe_found found;

	gzip_member(&text, SPAN("a text"), 0);
	tar_file(&inner, "x", SPAN("x"));
	gzip_member(&tar, tar_end(&inner), 0);
	tar_file(&t, "d/text.gz", (struct span){text.p, text.n});
	pass(*state, tar_end(&t), &found);
	assert_int_equal(apart, 0);
	t.n -= 1024;
	tar_file(&t, "d/any", (struct span){tar.p, tar.n});
	pass(*state, tar_end(&t), &found);
	assert_int_equal(apart, 1);
	free(t.p);
	free(text.p);
	free(tar.p);
	free(inner.p);
}

/* Whoever made the pipe may have said that nobody waits at it. */
static void a_pipe_that_does_not_wait_is_waited_for(void **state)
{
	struct flow_file from;
	struct err e = ERR_INIT;
	struct span piece;
	int ends[2], status;
	pid_t pid;

	(void)state;
	assert_int_equal(pipe2(ends, O_NONBLOCK | O_CLOEXEC), 0);
	pid = fork();
	if (pid == 0) {
		usleep(50000);
		_exit(write(ends[1], "late", 4) != 4);
	}
	close(ends[1]);
	flow_pipe_open(&from, ends[0]);
	assert_int_equal(from.flow.next(&from.flow, &piece, &e), 0);
	assert_true(span_eq(piece, SPAN("late")));
	assert_int_equal(from.flow.next(&from.flow, &piece, &e), 1);
	flow_file_close(&from);
	close(ends[0]);
	assert_int_equal(waitpid(pid, &status, 0), pid);
}

int main(void)
{
#define T(name) cmocka_unit_test_setup_teardown(name, fake_setup, fake_teardown)
	const struct CMUnitTest tests[] = {
	        T(a_manifest_that_was_not_kept_is_told),
	        T(an_image_chosen_without_seeing_all_is_told),
	        T(a_name_like_a_program_in_front_hides_no_image),
	        T(a_tar_that_is_a_program_too_is_refused_as_the_file_is),
	        T(a_manifest_named_like_a_folder_is_no_root),
	        T(a_file_named_like_a_folder_is_not_lost_in_silence),
	        T(a_small_compressed_file_is_no_layer),
	        T(a_pipe_that_does_not_wait_is_waited_for),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
