/* SPDX-License-Identifier: Apache-2.0 */
#include "read.h"

#include <stdlib.h>

#include "fields.h"

#define SCHEMA "postern-inventory/1"

static const char *schema_word(uint64_t v)
{
	return SCHEMA;
}

static const char *tool_word(uint64_t v)
{
	return "postern";
}

static const struct inventory_field tool_fields[] = {
        CONSTANT("name", tool_word, REQUIRED),
        TEXT("version", struct inventory, tool_version, REQUIRED),
        TEXT("rules", struct inventory, rules_version),
};
static const struct inventory_row tool_row = ROW(struct inventory, tool_fields);

static const struct inventory_field inventory_fields[] = {
        CONSTANT("schema", schema_word, REQUIRED),
        PART("tool", tool_row, REQUIRED),
        ROWS("artifacts", struct inventory, artifacts, inventory_artifact_row, REQUIRED),
};

/* Nothing else that is judged with it may lend it a pass. */
static int inventory_check(void *row, struct err *e)
{
	const struct inventory *inv = row;

	return inv->artifacts.n ? 0 : err_set(e, ERR_FORMAT, 0, "there is no artifact in it");
}

static const struct inventory_row inventory_row =
        ROW(struct inventory, inventory_fields, .walked = true, .check = inventory_check);

static int read_document(struct inventory *inv, struct json_reader *in, struct arena *mem, struct err *e)
{
	struct inventory_reading c = {.in = in, .mem = mem, .e = e};

	return inventory_walk(&c, &inventory_row, inv) < 0 || json_reader_end(in, e) < 0 ? -1 : 0;
}

int inventory_read(struct inventory *inv, int fd, const struct limits *limits, struct arena *mem, struct err *e)
{
	struct json_reader *in = malloc(sizeof(*in));
	struct inventory got = {.rules_version = SPAN_NONE};
	int rc;

	if (!in)
		out_of_memory();
	json_reader_init(in, fd, LIMIT_INVENTORY_BYTES, limits);
	rc = read_document(&got, in, mem, e);
	json_reader_release(in);
	free(in);
	if (rc < 0)
		return -1;
	/* Of several inventories the first one's scanner is named. */
	if (inv->rules_version.n == 0 && inv->tool_version.n == 0) {
		inv->rules_version = got.rules_version;
		inv->tool_version = got.tool_version;
	}
	for (size_t i = 0; i < got.artifacts.n; i++)
		*list_add(mem, &inv->artifacts) = got.artifacts.v[i];
	return 0;
}
