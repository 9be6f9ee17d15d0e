/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A strict reading of YAML into a small tree: one document, no aliases, anchors, tags or doubled keys, keys are text.
 * Every node knows its line and column. Trees live in an arena; the text of a document need not.
 */
#ifndef POSTERN_RULES_YAML_H
#define POSTERN_RULES_YAML_H

#include "base/arena.h"

enum node_kind { NODE_TEXT, NODE_MAP, NODE_LIST };

struct node {
	enum node_kind kind;
	bool plain; /* a scalar without quotes: `true` and 12 are no text */
	size_t line, column;
	const char *file;
	struct span text; /* of a scalar; a NUL follows it, and none is inside */
	struct node *key; /* of a value in a map */
	struct node *up, *first, *last, *next;
	size_t children;
};

/* file: what messages call the document; it must live as long as the tree. An empty document is an error. */
int document_read(struct node **root, const char *file, struct span bytes, const struct limits *limits,
                  struct arena *mem, struct err *e);

/* ERR_USAGE "FILE:LINE:COLUMN: " and the text. */
int node_error(struct err *e, const struct node *at, const char *fmt, ...) PRINTF_LIKE(3, 4);
const char *node_kind_name(const struct node *n);

#endif
