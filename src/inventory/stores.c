/* SPDX-License-Identifier: Apache-2.0 */
/* Stores, and what is summed up of each backend. */
#include "fields.h"

static const char *level_word(uint64_t v)
{
	return level_name((enum level)v);
}

static const struct inventory_field store_target_fields[] = {
        TEXT("target", struct target_sum, target, REQUIRED),
        NUMBER("files", struct target_sum, files, REQUIRED),
        NUMBER("bytes", struct target_sum, bytes, REQUIRED),
};
static const struct inventory_row store_target_row = ROW(struct target_sum, store_target_fields);

static const struct inventory_field store_fields[] = {
        TEXT("path", struct store, path, REQUIRED),
        TEXT("kind", struct store, kind, REQUIRED),
        TEXT("backend", struct store, backend, REQUIRED),
        FIELD("layer", IS_LAYER, struct store, layer),
        FIELD("visible", IS_VISIBLE, struct store, hidden),
        FIELD("hidden_by", IS_LAYER, struct store, hidden_by),
        TEXT("package", struct store, package),
        NUMBER("files", struct store, files, REQUIRED),
        NUMBER("bytes", struct store, bytes, REQUIRED),
        ROWS("targets", struct store, targets, store_target_row, REQUIRED),
};
const struct inventory_row inventory_store_row = ROW(struct store, store_fields);

static const struct inventory_field target_fields[] = {
        TEXT("target", struct target_sum, target, REQUIRED),
        WORD("form", struct target_sum, form, inventory_form_word, FORM_COUNT, REQUIRED),
        NUMBER("objects", struct target_sum, objects, REQUIRED),
        NUMBER("count", struct target_sum, count, REQUIRED),
        NUMBER("bytes", struct target_sum, bytes, REQUIRED),
};
static const struct inventory_row target_row = ROW(struct target_sum, target_fields);

static const struct inventory_field bytes_fields[] = {
        NUMBER("device_code", struct backend_sum, device_code_bytes, REQUIRED),
        NUMBER("carried", struct backend_sum, carried_bytes, REQUIRED),
        NUMBER("lower_layers", struct backend_sum, hidden_bytes),
};
static const struct inventory_row bytes_row = ROW(struct backend_sum, bytes_fields);

static const struct inventory_field backend_fields[] = {
        TEXT("backend", struct backend_sum, backend, REQUIRED),
        WORD("level", struct backend_sum, level, level_word, LEVEL_COUNT, REQUIRED),
        FIELD("undeclared", IS_BOOL, struct backend_sum, undeclared, REQUIRED),
        NUMBER("objects", struct backend_sum, objects, REQUIRED),
        TEXTS("packages", struct backend_sum, packages, REQUIRED),
        FIELD("layers", IS_LAYERS, struct backend_sum, layers),
        PART("bytes", bytes_row, REQUIRED),
        ROWS("targets", struct backend_sum, targets, target_row, REQUIRED),
};
static const struct inventory_row backend_row = ROW(struct backend_sum, backend_fields);

static const struct inventory_field summary_fields[] = {
        NUMBER("files", struct artifact, files, REQUIRED),
        NUMBER("elf", struct artifact, elf_files, REQUIRED),
        NUMBER("bytes", struct artifact, bytes, REQUIRED),
        NUMBER("shared", struct artifact, shared_bytes),
        ROWS("backends", struct artifact, backends, backend_row, REQUIRED),
};
const struct inventory_row inventory_summary_row = ROW(struct artifact, summary_fields, .walked = true);
