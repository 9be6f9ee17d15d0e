/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/arena.h"
#include "extractors/stream/flow.h"

#define BYTES (9u << 20)

static uint8_t content[BYTES];

static int content_file(size_t n)
{
	int fd = memfd_create("content", MFD_CLOEXEC);

	for (size_t i = 0; i < n; i++)
		content[i] = (uint8_t)(i * 7 + i / 255);
	assert_true(fd >= 0 && write(fd, content, n) == (ssize_t)n);
	return fd;
}

/* Takes all; how much it was. Every piece but the last is whole. */
static uint64_t take_all(struct flow *f, uint64_t at, bool lies)
{
	struct err e = ERR_INIT;
	struct span piece;
	uint64_t got = 0;

	while (f->next(f, &piece, &e) == 0) {
		assert_int_equal(got % FLOW_PIECE, 0);
		assert_true(piece.n > 0 && piece.n <= FLOW_PIECE);
		assert_memory_equal(piece.p, content + at + got, piece.n);
		if (lies)
			assert_ptr_equal(piece.p, f->lying.p + at + got - 777);
		got += piece.n;
	}
	assert_int_equal(f->next(f, &piece, &e), 1);
	return got;
}

static void a_plain_range_is_given_where_it_lies(void **state)
{
	int fd = content_file(BYTES);
	const uint64_t size = BYTES - 777 - 5;
	struct err e = ERR_INIT;
	struct flow_file f;
	struct span first;

	flow_file_open(&f, fd, 777, size);
	assert_int_equal(f.flow.next(&f.flow, &first, &e), 0);
	assert_int_equal(f.flow.lying.n, 0);
	f.flow.lay(&f.flow);
	assert_int_equal(f.flow.lying.n, size);
	assert_int_equal(take_all(&f.flow, 777 + first.n, true), size - first.n);
	/* What passed is there still. */
	assert_memory_equal(f.flow.lying.p, content + 777, size);
	flow_file_close(&f);
	close(fd);
}

static void what_is_shorter_than_it_should_be_is_read(void **state)
{
	int fd = content_file(1000000);
	struct flow_file f;

	flow_file_open(&f, fd, 777, 1000000);
	f.flow.lay(&f.flow);
	assert_int_equal(f.flow.lying.n, 0);
	assert_int_equal(take_all(&f.flow, 777, false), 1000000 - 777);
	flow_file_close(&f);
	close(fd);
}

static void a_pipe_does_not_lie_anywhere(void **state)
{
	struct flow_file f;

	flow_pipe_open(&f, 0);
	assert_null(f.flow.lay);
	flow_file_close(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(a_plain_range_is_given_where_it_lies),
	        cmocka_unit_test(what_is_shorter_than_it_should_be_is_read),
	        cmocka_unit_test(a_pipe_does_not_lie_anywhere),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
