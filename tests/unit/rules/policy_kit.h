/* SPDX-License-Identifier: Apache-2.0 */
/* Policies read with the compiled-in rule data. Include cmocka.h first. */
#ifndef POSTERN_TESTS_POLICY_KIT_H
#define POSTERN_TESTS_POLICY_KIT_H

#include "rules/catalogue.h"
#include "rules/policy.h"

static struct catalogue known;
static struct limits limits;
static struct arena mem;

static int kit_setup(void **state)
{
	struct err e = ERR_INIT;

	limits_default(&limits);
	return catalogue_load(&known, NULL, &limits, &mem, &e);
}

static int kit_teardown(void **state)
{
	catalogue_release(&known);
	arena_clear(&mem);
	return 0;
}

/* At the end of a block of its own: what is read behind the last byte is a fault that a sanitizer sees. */
static inline int kit_read(struct policy *p, const char *source, const char *text, struct err *e)
{
	uint8_t *bytes = malloc(strlen(text) + 1);
	int rc;

	assert_non_null(bytes);
	memcpy(bytes, text, strlen(text));
	rc = policy_read(p, source, (struct span){bytes, strlen(text)}, &known, &limits, &mem, e);
	/* A policy keeps nothing of its file's bytes. */
	memset(bytes, 'X', strlen(text));
	free(bytes);
	return rc;
}

#endif
