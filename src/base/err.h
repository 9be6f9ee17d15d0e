/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One error, of fixed size, filled once where it happened and passed up as the last argument. Setting it returns -1, so that
 * failing is one line. Library code never prints; only main does. Functions that fail return 0 done, 1 clean end, -1 failed.
 * The text says what failed first, the subject in quotes, lower case, no full stop. Bytes of an artifact in it are raw:
 * whoever writes it out sanitises.
 */
#ifndef POSTERN_BASE_ERR_H
#define POSTERN_BASE_ERR_H

#include "base/limits.h"

enum err_code {
	ERR_NONE,
	ERR_FORMAT,      /* the bytes are not what they should be */
	ERR_TRUNCATED,   /* they end too early */
	ERR_UNSUPPORTED, /* a version, method or codec that we do not read */
	ERR_LIMIT,       /* a budget was hit: `limit` says which */
	ERR_IO,          /* the system refused */
	ERR_USAGE,       /* the caller's words are wrong */
	ERR_FAULT,       /* our own mistake */
};

struct err {
	enum err_code code;
	enum limit_id limit;
	uint64_t at; /* offset in the file where one is meant */
	char text[512];
};

#define ERR_INIT {.code = ERR_NONE}

#define PRINTF_LIKE(fmt, first) __attribute__((format(printf, fmt, first)))

int err_set(struct err *e, enum err_code code, uint64_t at, const char *fmt, ...) PRINTF_LIKE(4, 5);
/* "NAME is VALUE, and WHAT goes above it". */
int err_limit(struct err *e, enum limit_id id, const struct limits *l, const char *what);
/* Puts "WHERE: " before the text; where is a format. */
int err_wrap(struct err *e, const char *fmt, ...) PRINTF_LIKE(2, 3);

#endif
