/* SPDX-License-Identifier: Apache-2.0 */
/* Processor time of what took minutes once; sanitizers and plain builds have their factor. Include cmocka.h first. */
#ifndef POSTERN_TESTS_STOPWATCH_H
#define POSTERN_TESTS_STOPWATCH_H

#include <time.h>

#if defined(__SANITIZE_ADDRESS__)
#define STOPWATCH_FACTOR 10
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define STOPWATCH_FACTOR 10
#endif
#endif
#ifndef STOPWATCH_FACTOR
#ifdef __OPTIMIZE__
#define STOPWATCH_FACTOR 1
#else
#define STOPWATCH_FACTOR 5
#endif
#endif

static inline double stopwatch(void)
{
	return (double)clock() / CLOCKS_PER_SEC;
}

#define assert_faster(start, seconds)                                                                                  \
	do {                                                                                                           \
		double took = stopwatch() - (start);                                                                   \
		if (took > (seconds)*STOPWATCH_FACTOR)                                                                 \
			fail_msg("it took %.1f s", took);                                                              \
	} while (0)

#endif
