/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <cmocka.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#include "core/pool_jobs.h"
#include "workers/pool.h"

#if defined(__SANITIZE_ADDRESS__)
#define SHADOWED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define SHADOWED 1
#endif
#endif

static struct limits limits;
static char context[] = "context";

static struct pool *make_pool(unsigned jobs)
{
	struct err e = ERR_INIT;
	struct pool *p = pool_new(jobs, &limits, work, context, &e);

	assert_non_null(p);
	return p;
}

static void submit(struct pool *p, enum todo what, uint32_t index)
{
	struct pool_job job = {.kind = what, .text = SPAN("text"), .index = index, .slices = 7};
	struct err e = ERR_INIT;

	assert_int_equal(pool_submit(p, &job, &e), 0);
}

/* The oldest answer, as text: "why" with its limit when it failed. */
static const char *take(struct pool *p, uint64_t ticket)
{
	static char text[400];
	struct pool_answer a;
	struct err e = ERR_INIT;

	assert_int_equal(pool_take(p, &a, &e), 0);
	assert_int_equal(a.ticket, ticket);
	assert_true(!a.failed || a.bytes.n == 0);
	if (a.failed)
		snprintf(text, sizeof(text), "%s (%s)", a.why, limit_row(a.limit)->name);
	else
		snprintf(text, sizeof(text), "%.*s", (int)a.bytes.n, a.bytes.p);
	return text;
}

static void answers_come_in_the_order_of_the_questions(void **state)
{
	static const unsigned jobs[] = {0, 1, 3, 8};
	struct pool_answer a;
	struct err e = ERR_INIT;
	char want[64];

	for (size_t k = 0; k < 4; k++) {
		struct pool *p = make_pool(jobs[k]);

		for (uint32_t i = 0; i < 60; i++)
			submit(p, SLEEPY, 60 - i);
		assert_int_equal(pool_outstanding(p), 60);
		for (uint32_t i = 0; i < 60; i++) {
			assert_int_equal(pool_take(p, &a, &e), 0);
			assert_int_equal(a.ticket, i);
			assert_false(a.failed);
			snprintf(want, sizeof(want), "context text %u/7", 60 - i);
			assert_true(span_eq(a.bytes, span_of(want)));
		}
		assert_int_equal(pool_take(p, &a, &e), 1);
		pool_free(p);
	}
}

static void a_lost_worker_costs_its_own_job_only(void **state)
{
	static const struct {
		enum todo todo;
		const char *why;
	} ends[] = {
		{ABORT, "worker was ended by signal 6 ()"},
		{KILL_SELF, "worker was ended by signal 9 ()"},
		{LEAVE, "worker left with status 0 and without an answer ()"},
		{HANG_UP, "worker was ended by signal 9 ()"},
		{LIE, "worker sent an answer that is none ()"},
		{NO_MEMORY, "job-memory is 209715200, and a job goes above it (job-memory)"},
		{BEGUN, "job-memory is 209715200, and a job goes above it (job-memory)"},
#ifndef SHADOWED
		{EAT, "job-memory is 209715200, and a job goes above it (job-memory)"},
#endif
	};
	const size_t n = sizeof(ends) / sizeof(*ends);

	for (unsigned jobs = 1; jobs <= 8; jobs += 7) {
		struct pool *p = make_pool(jobs);

		for (size_t i = 0; i < n; i++) {
			submit(p, ECHO, 1);
			submit(p, ends[i].todo, 2);
			submit(p, BIG, 3);
		}
		for (size_t i = 0; i < n; i++) {
			struct pool_answer a;
			struct err e = ERR_INIT;

			assert_string_equal(take(p, 3 * i), "context text 1/7");
			assert_string_equal(take(p, 3 * i + 1), ends[i].why);
			assert_int_equal(pool_take(p, &a, &e), 0);
			assert_int_equal(a.bytes.n, 3000000);
			assert_int_equal(a.bytes.p[2999999], (uint8_t)2999999);
		}
		pool_free(p);
	}
}

static void time_ends_a_job_and_says_so(void **state)
{
	static const enum todo endless[] = {HANG, SPIN, SHORT};
	struct pool *p;

	limits.v[LIMIT_JOB_SECONDS] = 1;
	p = make_pool(3);
	for (uint32_t i = 0; i < 3; i++)
		submit(p, endless[i], i);
	submit(p, ECHO, 9);
	for (uint32_t i = 0; i < 3; i++)
		assert_string_equal(take(p, i), "job-seconds is 1, and a job goes above it (job-seconds)");
	assert_string_equal(take(p, 3), "context text 9/7");
	pool_free(p);
	limits_default(&limits);
}

static int open_memory(char c)
{
	int fd = memfd_create("file", MFD_CLOEXEC);

	assert_true(fd >= 0 && write(fd, &c, 1) == 1);
	return fd;
}

static void descriptors_go_along_and_are_closed(void **state)
{
	unsigned before = open_descriptors();
	struct err e = ERR_INIT;

	for (unsigned jobs = 0; jobs <= 2; jobs++) {
		struct pool *p = make_pool(jobs);
		struct pool_answer a;

		for (uint32_t i = 0; i < 20; i++) {
			struct pool_file files[POOL_FILES_MAX];
			struct pool_job job = {.kind = READ_FILES, .files = files, .n = i % 2 ? POOL_FILES_MAX : 2};

			for (size_t k = 0; k < job.n; k++)
				files[k] = (struct pool_file){SPAN("a/b"),
							      SPAN("b"),
							      k << 40,
							      open_memory((char)('a' + k % 26)),
							      k << 33};
			assert_int_equal(pool_submit(p, &job, &e), 0);
		}
		for (uint32_t i = 0; i < 20; i++) {
			assert_int_equal(pool_take(p, &a, &e), 0);
			assert_true(span_starts(a.bytes, SPAN("a/b|b|0+0|a;a/b|b|8589934592+1099511627776|b;")));
			assert_int_equal(a.bytes.n > 100, i % 2);
		}
		pool_free(p);
		assert_int_equal(open_descriptors(), before);
	}
}

/* A job that has long to do at the front keeps nobody from handing out more. */
static void a_later_answer_can_be_waited_for(void **state)
{
	struct pool_file slow = {.path = SPAN("a"), .name = SPAN("a")};
	struct pool_job job = {.kind = READ_FILES, .files = &slow, .n = 1};
	struct pool *p = make_pool(2);
	struct err e = ERR_INIT;
	int ends[2];

	assert_int_equal(pool_wait(p, &e), 1);
	assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
	slow.fd = ends[0];
	assert_int_equal(pool_submit(p, &job, &e), 0);
	submit(p, ECHO, 2);
	assert_int_equal(pool_unanswered(p), 2);
	assert_int_equal(pool_wait(p, &e), 0);
	assert_int_equal(pool_unanswered(p), 1);
	assert_int_equal(pool_outstanding(p), 2);
	assert_false(pool_ready(p));
	assert_int_equal(write(ends[1], "x", 1), 1);
	assert_string_equal(take(p, 0), "a|a|0+0|x;");
	assert_true(pool_ready(p));
	assert_string_equal(take(p, 1), "context text 2/7");
	assert_false(pool_ready(p));
	close(ends[1]);
	pool_free(p);
}

static void a_question_larger_than_the_socket_arrives_whole(void **state)
{
	static char text[3000000];
	struct pool *p = make_pool(1);
	struct err e = ERR_INIT;

	text[sizeof(text) - 1] = 'z';
	for (uint32_t i = 0; i < 3; i++) {
		struct pool_file file = {.fd = open_memory('x')};
		struct pool_job job = {
			.kind = LENGTH, .text = {(const uint8_t *)text, sizeof(text)}, .files = &file, .n = 1};

		assert_int_equal(pool_submit(p, &job, &e), 0);
	}
	for (uint32_t i = 0; i < 3; i++)
		assert_string_equal(take(p, i), "3000000 z 1");
	pool_free(p);
}

/* The pool makes new workers when the parent already holds far more than job-memory. */
static void a_late_worker_may_hold_as_much_as_an_early_one(void **state)
{
	const size_t held_n = 300 << 20;
	struct pool *p = make_pool(1);
	void *held = mmap(NULL, held_n, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	assert_true(held != MAP_FAILED);
	submit(p, ABORT, 0);
	submit(p, BIG, 1);
	assert_string_equal(take(p, 0), "worker was ended by signal 6 ()");
	assert_false(span_ends(span_of(take(p, 1)), SPAN(")")));
	submit(p, NO_MEMORY, 2);
	submit(p, ECHO, 3);
	assert_true(span_ends(span_of(take(p, 2)), SPAN("(job-memory)")));
	assert_string_equal(take(p, 3), "context text 3/7");
	pool_free(p);
	munmap(held, held_n);
}

static void a_worker_has_few_rights(void **state)
{
	struct pool *p;
	int kept[20];

	for (size_t i = 0; i < 20; i++)
		kept[i] = open_memory('x');
	p = make_pool(1);
	submit(p, RIGHTS, 0);
#ifdef SHADOWED
	assert_string_equal(take(p, 0), "core 0 size 0 fds 4 privileges 1 data 0 heard 1");
#else
	assert_string_equal(take(p, 0), "core 0 size 0 fds 4 privileges 1 data 1 heard 0");
#endif
	pool_free(p);
	for (size_t i = 0; i < 20; i++)
		close(kept[i]);
}

static void too_many_files_are_refused_and_closed(void **state)
{
	struct pool_file files[POOL_FILES_MAX + 1] = {{.fd = -1}};
	struct pool_job job = {.kind = READ_FILES, .files = files, .n = POOL_FILES_MAX + 1};
	unsigned before = open_descriptors();
	struct pool *p = make_pool(0);
	struct err e = ERR_INIT;

	for (size_t i = 0; i < job.n; i++)
		files[i].fd = open_memory('x');
	assert_int_equal(pool_submit(p, &job, &e), -1);
	assert_int_equal(open_descriptors(), before);
	pool_free(p);
}

static void a_pool_dies_with_work_in_it(void **state)
{
	unsigned before = open_descriptors();
	struct pool *p = make_pool(2);

	submit(p, HANG, 0);
	submit(p, ABORT, 0);
	for (int i = 0; i < 4; i++)
		submit(p, HANG, 0);
	pool_free(p);
	assert_int_equal(open_descriptors(), before);
	pool_free(NULL);
}

static int fill_limits(void **state)
{
	limits_default(&limits);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(answers_come_in_the_order_of_the_questions),
		cmocka_unit_test(a_later_answer_can_be_waited_for),
	        cmocka_unit_test(a_lost_worker_costs_its_own_job_only),
		cmocka_unit_test(time_ends_a_job_and_says_so),
		cmocka_unit_test(descriptors_go_along_and_are_closed),
		cmocka_unit_test(a_question_larger_than_the_socket_arrives_whole),
		cmocka_unit_test(a_late_worker_may_hold_as_much_as_an_early_one),
		cmocka_unit_test(a_worker_has_few_rights),
		cmocka_unit_test(too_many_files_are_refused_and_closed),
		cmocka_unit_test(a_pool_dies_with_work_in_it),
	};

	return cmocka_run_group_tests(tests, fill_limits, NULL);
}
