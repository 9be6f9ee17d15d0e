/* SPDX-License-Identifier: Apache-2.0 */
#include "elf/lfs.h"

#define POINTER_BYTES 1024 /* every pointer is shorter */
#define OID_DIGITS    64
#define CONTENT_MAX   ((UINT64_C(1) << 53) - 1) /* more cannot be written down in JSON */

static const struct span version = SPAN_INIT("version https://git-lfs.github.com/spec/v1");

/* Without its end, which a checkout may have made two bytes long. */
static struct span line_next(struct span *text)
{
	size_t n = span_find(*text, '\n');
	struct span line = span_first(*text, n);

	*text = span_after(*text, n + 1);
	return span_ends(line, SPAN("\r")) ? span_first(line, line.n - 1) : line;
}

bool lfs_starts(struct span front)
{
	return front.n < POINTER_BYTES && span_eq(line_next(&front), version);
}

static bool is_oid(struct span line)
{
	struct span key = SPAN("oid sha256:"), digits = span_after(line, key.n);

	for (size_t i = 0; i < digits.n; i++)
		if (!((digits.p[i] >= '0' && digits.p[i] <= '9') || (digits.p[i] >= 'a' && digits.p[i] <= 'f')))
			return false;
	return span_starts(line, key) && digits.n == OID_DIGITS;
}

/* 0: it is no size. */
static uint64_t size_of(struct span line)
{
	struct span key = SPAN("size "), digits = span_after(line, key.n);
	uint64_t n = 0;

	for (size_t i = 0; i < digits.n; i++) {
		if (digits.p[i] < '0' || digits.p[i] > '9')
			return 0;
		n = n * 10 + (digits.p[i] - '0');
		if (n > CONTENT_MAX)
			return 0;
	}
	return span_starts(line, key) ? n : 0;
}

uint64_t lfs_content_bytes(struct span pointer)
{
	struct span line;
	uint64_t n;

	(void)line_next(&pointer);
	do
		line = line_next(&pointer);
	while (span_starts(line, SPAN("ext-")));
	n = is_oid(line) ? size_of(line_next(&pointer)) : 0;
	return pointer.n == 0 ? n : 0;
}
