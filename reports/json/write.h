/* SPDX-License-Identifier: Apache-2.0 */
/* Members that several JSON documents have. */
#ifndef POSTERN_REPORTS_JSON_WRITE_H
#define POSTERN_REPORTS_JSON_WRITE_H

#include "model/policy.h"
#include "stream.h"

/* "tool": version empty: this program's. */
void json_write_tool(struct json_stream *s, struct span version, struct span rules_version);
/* "summary" of an artifact. */
void json_write_summary(struct json_stream *s, const struct artifact *a);
/* result.c: a whole result; rules_version: of the rule data that judged. */
void json_write_result(struct json_stream *s, const struct judgement *j, struct span rules_version);

#endif
