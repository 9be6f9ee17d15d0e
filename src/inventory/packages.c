/* SPDX-License-Identifier: Apache-2.0 */
/* Packages and their claims. The package URL follows from name and version, so it is not kept. */
#include "fields.h"

static const char *ecosystem_word(uint64_t v)
{
	return "pypi";
}

static const struct inventory_field record_fields[] = {
        TEXTS("missing", struct package, record_missing, REQUIRED),
        TEXTS("unlisted", struct package, record_unlisted, REQUIRED),
        TEXTS("size_differs", struct package, record_size_differs, REQUIRED),
        TEXTS("hash_differs", struct package, record_hash_differs),
};
static const struct inventory_row record_row = ROW(struct package, record_fields, .walked = true);

static const struct inventory_field declares_fields[] = {
        TEXT("backend", struct declares, backend, REQUIRED),
        TEXT("by", struct declares, by, REQUIRED),
        TEXT("value", struct declares, value, REQUIRED),
        FIELD("applies", IS_BOOL, struct declares, applies, TELLS(struct declares, has_applies, true)),
};
static const struct inventory_row declares_row = ROW(struct declares, declares_fields);

static const struct inventory_field requires_fields[] = {
        TEXT("name", struct requires, name, REQUIRED),
        TEXT("spec", struct requires, spec, REQUIRED),
        FIELD("applies", IS_BOOL, struct requires, applies, TELLS(struct requires, has_applies, true)),
};
static const struct inventory_row requires_row = ROW(struct requires, requires_fields);

static const struct inventory_field package_fields[] = {
        TEXT("id", struct package, id),
        CONSTANT("ecosystem", ecosystem_word, REQUIRED),
        TEXT("name", struct package, name, REQUIRED),
        TEXT("version", struct package, version),
        TEXT("path", struct package, path, REQUIRED),
        FIELD("layer", IS_LAYER, struct package, layer),
        FIELD("visible", IS_VISIBLE, struct package, hidden, REQUIRED),
        NUMBER("bytes", struct package, bytes, REQUIRED),
        PART("record", record_row, TELLS(struct package, has_record, true)),
        TEXTS("tags", struct package, tags, REQUIRED),
        FIELD("purelib", IS_BOOL, struct package, purelib, TELLS(struct package, has_purelib, true)),
        TEXT("variant", struct package, variant),
        ROWS("declares", struct package, declares, declares_row, REQUIRED),
        ROWS("requires", struct package, requires, requires_row, REQUIRED),
};
const struct inventory_row inventory_package_row = ROW(struct package, package_fields, .walked = true);
