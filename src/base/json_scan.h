/* SPDX-License-Identifier: Apache-2.0 */
/* Private to json*.c. */
#ifndef POSTERN_BASE_JSON_SCAN_H
#define POSTERN_BASE_JSON_SCAN_H

#include "base/err.h"

/*
 * cJSON recurses and is lenient, so the text is checked here first, without recursion: grammar of RFC 8259, UTF-8, no
 * NUL in strings, json-bytes, json-depth, json-nodes. Doubled keys are looked for later. at: of its first byte, for messages.
 */
int json_scan(struct span text, uint64_t at, const struct limits *l, struct err *e);

#endif
