/* SPDX-License-Identifier: Apache-2.0 */
#include "base/err.h"

#include <stdarg.h>
#include <stdio.h>

int err_set(struct err *e, enum err_code code, uint64_t at, const char *fmt, ...)
{
	va_list ap;

	e->code = code;
	e->limit = LIMIT_NONE;
	e->at = at;
	va_start(ap, fmt);
	vsnprintf(e->text, sizeof(e->text), fmt, ap);
	va_end(ap);
	return -1;
}

int err_limit(struct err *e, enum limit_id id, const struct limits *l, const char *what)
{
	err_set(e, ERR_LIMIT, 0, "%s is %llu, and %s goes above it", limit_row(id)->name, (unsigned long long)l->v[id], what);
	e->limit = id;
	return -1;
}

int err_wrap(struct err *e, const char *fmt, ...)
{
	char old[sizeof(e->text)];
	va_list ap;
	size_t n, rest;

	memcpy(old, e->text, sizeof(old));
	va_start(ap, fmt);
	vsnprintf(e->text, sizeof(e->text) - 3, fmt, ap);
	va_end(ap);
	n = strlen(e->text);
	memcpy(e->text + n, ": ", 3);
	n += 2;
	rest = strlen(old);
	if (rest > sizeof(e->text) - 1 - n)
		rest = sizeof(e->text) - 1 - n;
	memcpy(e->text + n, old, rest);
	e->text[n + rest] = '\0';
	return -1;
}
