/* SPDX-License-Identifier: Apache-2.0 */
/* A layer of an artifact that passes once costs itself when it kills who reads it, and its answer is believed to the letter. */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <cmocka.h>

#include "workers/apart.h"
#include "extractors/fake_job.h"
#include "extractors/tar_maker.h"
#include "workers/facts.h"
#include "workers/pipe_answer.h"

static const struct span elf = SPAN_INIT("\x7f"
                                         "ELF and what follows");

/* Dies of files called "killer", and of "hungry" ones with all memory gone. */
static void *deadly_begin(const struct job_context *ctx, struct span path, uint64_t size, const uint8_t *map)
{
	if (span_ends(path, SPAN("killer")))
		raise(SIGKILL);
	if (span_ends(path, SPAN("hungry")))
		out_of_memory();
	return fake_begin(ctx, path, size, map);
}

static const struct file_reader deadly_reader = {fake_wants, deadly_begin, fake_feed, fake_feed_zeros, fake_end};

static struct span layer_tar(struct tarball *t, const char *name)
{
	*t = tarball_new();
	tar_file(t, name, elf);
	/* More than a socket holds: who feeds it sees that nobody takes it any more. */
	for (size_t i = 0; i < 40; i++) {
		char padding[32];
		static uint8_t bytes[65536];

		snprintf(padding, sizeof(padding), "padding%zu", i);
		tar_file(t, padding, (struct span){bytes, sizeof(bytes)});
	}
	return tar_end(t);
}

/* What is left of a layer that was read apart: "" and the facts, or why there are none. */
static const char *read_apart(struct fake_job *j, const char *name, size_t most, struct facts *facts)
{
	static struct err e;
	struct flow_memory from;
	struct tarball t;
	struct span bytes;

	e = (struct err)ERR_INIT;
	flow_memory_open(&from, layer_tar(&t, name));
	bytes = layer_apart(&j->ctx, &from.flow, most, &e);
	assert_int_equal(from.left.n, 0);
	free(t.p);
	*facts = (struct facts){.mem = &j->mem};
	if (bytes.n)
		assert_int_equal(facts_read(bytes, facts, &e), 0);
	else
		assert_true(e.code != ERR_NONE);
	return e.text;
}

static void a_layer_that_is_read_apart_gives_its_facts(void **state)
{
	struct fake_job *j = *state;
	struct facts facts;

	assert_string_equal(read_apart(j, "lib.so", 1u << 20, &facts), "");
	assert_int_equal(facts.objects.n, 1);
	assert_true(span_eq(facts.objects.v[0].path, SPAN("lib.so")));
	assert_true(span_eq(facts.compression, SPAN("none")));
}

static void a_layer_that_kills_its_reader_costs_itself(void **state)
{
	struct fake_job *j = *state;
	struct facts facts;

	j->ctx.reader = &deadly_reader;
	assert_string_equal(read_apart(j, "killer", 1u << 20, &facts), "worker was ended by signal 9");
	assert_int_equal(facts.objects.n, 0);
	/* And the next one is read. */
	assert_string_equal(read_apart(j, "lib.so", 1u << 20, &facts), "");
	assert_int_equal(facts.objects.n, 1);
}

static void a_layer_without_memory_names_the_limit(void **state)
{
	struct fake_job *j = *state;
	struct facts facts;

	j->ctx.reader = &deadly_reader;
	assert_non_null(strstr(read_apart(j, "hungry", 1u << 20, &facts), "job-memory is "));
	assert_int_equal(facts.objects.n, 0);
}

static void facts_above_what_may_be_kept_are_none(void **state)
{
	struct fake_job *j = *state;
	struct facts facts;

	assert_non_null(strstr(read_apart(j, "lib.so", 100, &facts), "job-memory is "));
	assert_int_equal(facts.objects.n, 0);
}

/* A flow that breaks off behind its first piece. */
static int broken_next(struct flow *f, struct span *piece, struct err *e)
{
	struct flow_memory *m = (struct flow_memory *)f;

	*piece = span_first(m->left, 1024);
	m->left = SPAN_NONE;
	return piece->n ? 0 : err_set(e, ERR_TRUNCATED, 0, "it breaks off");
}

static void a_layer_that_breaks_off_is_no_short_layer(void **state)
{
	struct fake_job *j = *state;
	struct err e = ERR_INIT;
	struct flow_memory from;
	struct tarball t;

	flow_memory_open(&from, layer_tar(&t, "lib.so"));
	from.flow.next = broken_next;
	assert_int_equal(layer_apart(&j->ctx, &from.flow, 1u << 20, &e).n, 0);
	assert_string_equal(e.text, "it breaks off");
	free(t.p);
}

/* It is not read to its end, and its facts are more than a socket holds: neither side may wait for the other. */
static void a_damaged_layer_with_many_facts_comes_to_an_end(void **state)
{
	struct fake_job *j = *state;
	struct err e = ERR_INIT;
	struct flow_memory from;
	struct facts facts = {.mem = &j->mem};
	struct tarball t = tarball_new();
	char name[100];
	struct span bytes;

	for (int i = 0; i < 5000; i++) {
		snprintf(name, sizeof(name), "%090d", i);
		tar_file(&t, name, SPAN(""));
	}
	tar_member(&t, (struct tar_member){.name = "x", .type = 'x', .says = "77777777777"});
	t.n = TAR_ROOM;
	flow_memory_open(&from, (struct span){t.p, t.n});
	alarm(20); /* and the test fails */
	bytes = layer_apart(&j->ctx, &from.flow, 16u << 20, &e);
	alarm(0);
	assert_int_equal(facts_read(bytes, &facts, &e), 0);
	assert_int_equal(facts.entries.n, 5000);
	assert_int_equal(facts.problems.n, 1);
	free(t.p);
}

static struct outbuf sample_answer(struct fake_job *j)
{
	static struct pipe_layer layers[2];
	struct pipe_found found = {.read = {.mem = &j->mem}};
	struct pipe_plan *plan = list_add(&j->mem, &found.plans);
	struct outbuf facts = outbuf_limited(65536), out = outbuf_limited(65536);
	struct facts one = {.mem = &j->mem, .compression = SPAN("gzip")};

	facts_write(&one, &facts);
	layers[0] = (struct pipe_layer){.facts = arena_copy(&j->mem, outbuf_span(&facts)), .digest = SPAN("sha256:00")};
	outbuf_release(&facts);
	err_limit(&layers[1].why, LIMIT_JOB_MEMORY, &j->limits, "a job");
	plan->facts.mem = &j->mem;
	plan->facts.plan.image.present = true;
	*list_add(&j->mem, &plan->layers) = &layers[0];
	*list_add(&j->mem, &plan->layers) = NULL;
	*list_add(&j->mem, &plan->layers) = &layers[1];
	pipe_answer_write(&found, &out);
	return out;
}

static void an_answer_has_its_parts_in_order(void **state)
{
	static const struct {
		enum pipe_part_kind kind;
		uint32_t layer;
	} want[] = {{PIPE_PLAN, 0}, {PIPE_READ, 1}, {PIPE_DIGEST, 1}, {PIPE_LOST, 3}};
	struct outbuf out = sample_answer(*state);
	struct cursor c = cursor_over(outbuf_span(&out));
	struct pipe_part p;

	for (size_t i = 0; i < 4; i++) {
		assert_true(pipe_part_next(&c, &p));
		assert_int_equal(p.kind, want[i].kind);
		assert_int_equal(p.layer, want[i].layer);
	}
	assert_true(span_starts(p.bytes, SPAN("job-memory\0job-memory is ")));
	assert_false(pipe_part_next(&c, &p));
	assert_false(c.bad);
	outbuf_release(&out);
}

static void an_answer_that_is_cut_is_refused_or_shorter(void **state)
{
	struct outbuf out = sample_answer(*state);
	size_t whole = 0;

	for (size_t n = 0; n <= out.n; n++) {
		struct cursor c = cursor_over((struct span){out.p, n});
		struct pipe_part p;
		size_t got = 0;

		while (pipe_part_next(&c, &p))
			got++;
		whole += !c.bad;
		assert_true(got <= 4);
	}
	assert_int_equal(whole, 5); /* before, between and behind its parts */
	outbuf_release(&out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test_setup_teardown(a_layer_that_is_read_apart_gives_its_facts, fake_setup, fake_teardown),
	        cmocka_unit_test_setup_teardown(a_layer_that_kills_its_reader_costs_itself, fake_setup, fake_teardown),
	        cmocka_unit_test_setup_teardown(a_layer_without_memory_names_the_limit, fake_setup, fake_teardown),
	        cmocka_unit_test_setup_teardown(facts_above_what_may_be_kept_are_none, fake_setup, fake_teardown),
	        cmocka_unit_test_setup_teardown(a_layer_that_breaks_off_is_no_short_layer, fake_setup, fake_teardown),
	        cmocka_unit_test_setup_teardown(a_damaged_layer_with_many_facts_comes_to_an_end, fake_setup, fake_teardown),
	        cmocka_unit_test_setup_teardown(an_answer_has_its_parts_in_order, fake_setup, fake_teardown),
	        cmocka_unit_test_setup_teardown(an_answer_that_is_cut_is_refused_or_shorter, fake_setup, fake_teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
