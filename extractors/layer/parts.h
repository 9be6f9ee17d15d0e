/* SPDX-License-Identifier: Apache-2.0 */
/* Private to layer*.c: one layer that is being read. */
#ifndef POSTERN_EXTRACTORS_LAYER_PARTS_H
#define POSTERN_EXTRACTORS_LAYER_PARTS_H

#include "layer.h"
#include "extractors/packages/package_parts.h"

/* How far the facts have come, entries apart. */
struct layer_had {
	uint32_t objects, packages, digests, problems, parts;
};

/* What one entry of the tar brought, when it was more than a name. */
struct layer_mark {
	uint32_t place; /* of its row */
	struct layer_had from, to;
};

/* Something odd that may stand in a layer many times, and is told once. */
struct layer_oddity {
	struct span path;
	struct span text;
	uint64_t n;
};

enum layer_odd { ODD_CLIMBS, ODD_ROOT, ODD_HEADER, ODD_TWICE, LAYER_ODD_COUNT };

struct layer_job {
	const struct job_context *ctx;
	struct facts *facts;
	struct span self;   /* path of the tar itself: empty when it is the layer */
	struct span prefix; /* of its entries' paths: empty, or self and "!/" */
	unsigned depth;     /* archives that it lies in */
	struct layer_visitor *visitor; /* or NULL */
	struct unpack unpack;
	struct tar tar;
	struct package_parts parts;
	uint8_t level;      /* of its own rows in facts->entries */
	uint32_t first;     /* rows from there on are of it, or of archives in it */
	uint32_t rows;      /* its own */
	struct arena paths; /* of entries that brought more than a name */
	LIST(struct layer_mark) marks; /* by place */
	struct layer_oddity odd[LAYER_ODD_COUNT];
};

void layer_odd_count(struct layer_job *l, enum layer_odd what, struct span path, const char *text);
/* Reads the file that the tar stands at, to its end. -1 when the tar cannot be read on. */
int layer_file(struct layer_job *l, struct span path, const struct tar_entry *t, struct err *e);
struct layer_had layer_had(const struct layer_job *l);
/* Of paths that stand twice in the tar: moves aside what all but the last entry brought. */
void layer_doubles(struct layer_job *l);

#endif
