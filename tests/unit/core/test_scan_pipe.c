/* SPDX-License-Identifier: Apache-2.0 */
/* The answer of a job that read an artifact as it passed: a worker that was taken over may send anything. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

#include "base/digest.h"
#include "workers/facts.h"
#include "workers/pipe_answer.h"
#include "workers/parts.h"
#include "scan/parts.h"

struct parent {
	struct arena mem;
	struct scan_options o;
	struct scan scan;
	struct outbuf answer;
};

static int setup(void **state)
{
	static const char *const names[] = {"-"};
	struct parent *p = calloc(1, sizeof(*p));
	struct reading *r;

	limits_default(&p->o.limits);
	p->o.no_digests = true;
	p->answer = outbuf_limited(1u << 20);
	p->scan = (struct scan){.o = &p->o, .mem = &p->mem, .names = names, .n = 1};
	r = arena_alloc(&p->mem, sizeof(*r));
	*r = (struct reading){.fd = -1, .folder = -1, .blob = -1, .passes = true};
	r->to = arena_alloc(&p->mem, sizeof(*r->to));
	*r->to = (struct artifact){.name = SPAN("-")};
	*list_add(&p->mem, &p->scan.readings) = r;
	*state = p;
	return 0;
}

static int teardown(void **state)
{
	struct parent *p = *state;

	outbuf_release(&p->answer);
	arena_clear(&p->mem);
	free(p);
	return 0;
}

static void part(struct parent *p, enum pipe_part_kind kind, uint64_t layer, struct facts *facts)
{
	uint8_t head[1 + 2 * POOL_LENGTH_BYTES] = {(uint8_t)kind};
	size_t at;

	pool_put_length(head + 1, layer);
	outbuf_put(&p->answer, (struct span){head, sizeof(head)});
	at = p->answer.n;
	facts_write(facts, &p->answer);
	pool_put_length(p->answer.p + at - POOL_LENGTH_BYTES, p->answer.n - at);
}

/* An image of two layers, one of `images`. */
static void plan(struct parent *p, uint32_t images)
{
	struct facts f = {.mem = &p->mem};

	f.plan = (struct plan){.extractor = SPAN("docker-archive"), .kind = SPAN("docker-archive"), .slices = 1};
	f.plan.images = images;
	f.plan.image.present = true;
	for (int i = 0; i < 2; i++)
		*list_add(&p->mem, &f.plan.image.layers) = (struct layer_ref){.path = SPAN("l"), .bytes = 1, .there = 1};
	part(p, PIPE_PLAN, 0, &f);
}

static void layer(struct parent *p, uint64_t n)
{
	struct facts f = {.mem = &p->mem, .compression = SPAN("none")};

	part(p, PIPE_READ, n, &f);
}

/* How many problems of the first artifact say that parts are not there or are none. */
static size_t keep(struct parent *p)
{
	struct scan_job j = {.kind = WORK_PIPE, .slices = 1};

	pipe_keep(&p->scan, &j, outbuf_span(&p->answer));
	return p->scan.readings.v[0]->to->incomplete.n;
}

static void digest(struct parent *p, uint64_t n)
{
	struct facts f = {.mem = &p->mem};

	f.digest = digest_bytes(&p->mem, SPAN("layer"), false);
	part(p, PIPE_DIGEST, n, &f);
}

static void a_layer_that_nobody_hashed_is_incomplete(void **state)
{
	struct parent *p = *state;

	p->o.no_digests = false;
	plan(p, 0);
	layer(p, 1);
	digest(p, 1);
	layer(p, 2);
	assert_int_equal(keep(p), 1);
}

static void layers_with_their_digests_are_an_answer(void **state)
{
	struct parent *p = *state;

	p->o.no_digests = false;
	plan(p, 0);
	for (uint64_t i = 1; i <= 2; i++) {
		layer(p, i);
		digest(p, i);
	}
	assert_int_equal(keep(p), 0);
}

/* No descriptor is left, or the file is gone: what was not read is no empty artifact. */
static void another_image_that_cannot_be_opened_is_refused(void **state)
{
	struct parent *p = *state;
	struct reading of = *p->scan.readings.v[0], *more;

	of.passes = false;
	of.fd = INT16_MAX;
	more = reading_more(&p->scan, &of, 1);
	assert_true(more->planned && more->to->refused);
	assert_int_equal(more->to->incomplete.n, 1);
}

static void each_layer_once_is_an_answer(void **state)
{
	plan(*state, 0);
	layer(*state, 1);
	layer(*state, 2);
	assert_int_equal(keep(*state), 0);
}

static void a_layer_twice_does_not_stand_for_another(void **state)
{
	plan(*state, 0);
	layer(*state, 1);
	layer(*state, 1);
	assert_true(keep(*state) > 0);
}

static void a_layer_that_there_is_not_is_nonsense(void **state)
{
	plan(*state, 0);
	layer(*state, 1);
	layer(*state, 2);
	layer(*state, 3);
	assert_true(keep(*state) > 0);
}

static void facts_before_a_plan_are_nonsense(void **state)
{
	layer(*state, 1);
	assert_true(keep(*state) > 0);
}

static void fewer_images_than_the_plan_says_are_not_all(void **state)
{
	struct parent *p = *state;

	p->o.all_platforms = true;
	plan(p, 2);
	layer(p, 1);
	layer(p, 2);
	assert_true(keep(p) > 0);
}

static void plans_without_end_are_cut(void **state)
{
	struct parent *p = *state;

	p->o.all_platforms = true;
	for (int i = 0; i < 1000; i++)
		plan(p, 0);
	assert_true(keep(p) > 0);
	assert_int_equal(p->scan.readings.n, IMAGES_MAX);
}

int main(void)
{
#define T(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
	const struct CMUnitTest tests[] = {
	        T(each_layer_once_is_an_answer),
	        T(a_layer_that_nobody_hashed_is_incomplete),
	        T(layers_with_their_digests_are_an_answer),
	        T(another_image_that_cannot_be_opened_is_refused),
	        T(a_layer_twice_does_not_stand_for_another),
	        T(a_layer_that_there_is_not_is_nonsense),
	        T(facts_before_a_plan_are_nonsense),
	        T(fewer_images_than_the_plan_says_are_not_all),
	        T(plans_without_end_are_cut),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
