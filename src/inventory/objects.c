/* SPDX-License-Identifier: Apache-2.0 */
/* Objects: evidence, device code, what ELF says. */
#include "fields.h"

#define BACKEND_CHANGES 256

static const char *evidence_kind_word(uint64_t v)
{
	return evidence_kind_name((enum evidence_kind)v);
}

static const char *strength_word(uint64_t v)
{
	return strength_name((enum strength)v);
}

static const char *confidence_word(uint64_t v)
{
	return confidence_name((enum confidence)v);
}

static const char *type_word(uint64_t v)
{
	return object_type_name((enum object_type)v);
}

static const char *endian_word(uint64_t v)
{
	return v ? "big" : "little";
}

const char *inventory_form_word(uint64_t v)
{
	return code_form_name((enum code_form)v);
}

static const struct inventory_field evidence_fields[] = {
        TEXT("backend", struct evidence, backend, REQUIRED),
        WORD("kind", struct evidence, kind, evidence_kind_word, EVIDENCE_COUNT, REQUIRED),
        TEXT("value", struct evidence, value, REQUIRED),
        WORD("strength", struct evidence, strength, strength_word, STRENGTH_COUNT, REQUIRED),
        WORD("confidence", struct evidence, confidence, confidence_word, CONFIDENCE_COUNT),
        TEXTS("names", struct evidence, names),
        FIELD("count", IS_LENGTH, struct evidence, names),
        NUMBER("offset", struct evidence, offset, TELLS(struct evidence, has_offset, true)),
};
static const struct inventory_row evidence_row = ROW(struct evidence, evidence_fields);

static const struct inventory_field device_code_fields[] = {
        TEXT("backend", struct device_code, backend, REQUIRED),
        TEXT("target", struct device_code, target, REQUIRED),
        WORD("form", struct device_code, form, inventory_form_word, FORM_COUNT, REQUIRED),
        TEXT("container", struct device_code, container, REQUIRED),
        TEXT("where", struct device_code, where, REQUIRED),
        TEXT("codec", struct device_code, codec),
        NUMBER("count", struct device_code, count, REQUIRED),
        NUMBER("bytes", struct device_code, bytes, REQUIRED),
        NUMBER("offset", struct device_code, offset, REQUIRED),
        TEXT("declared", struct device_code, declared),
        FIELD("mismatch", IS_BOOL, struct device_code, mismatch),
        TEXT("isa", struct device_code, isa),
        SMALL("abi", struct device_code, abi, UINT32_MAX),
        TEXT("toolkit", struct device_code, toolkit),
        NUMBER("kernels", struct device_code, kernels, TELLS(struct device_code, opened, true)),
};
static const struct inventory_row device_code_row = ROW(struct device_code, device_code_fields);

static const struct inventory_field unit_set_fields[] = {
        NUMBER("count", struct unit_set, count, REQUIRED),
        TEXTS("targets", struct unit_set, targets, REQUIRED),
};
static const struct inventory_row unit_set_row = ROW(struct unit_set, unit_set_fields);

static const struct inventory_field elf_fields[] = {
        SMALL("class", struct elf_facts, class_bits, 64, REQUIRED),
        WORD("endian", struct elf_facts, big_endian, endian_word, 2, REQUIRED),
        TEXT("machine", struct elf_facts, machine),
        TEXT("type", struct elf_facts, type),
        TEXT("soname", struct elf_facts, soname, TELLS(struct elf_facts, has_soname, true)),
        TEXT("interpreter", struct elf_facts, interpreter, TELLS(struct elf_facts, has_interpreter, true)),
        TEXTS("needed", struct elf_facts, needed, REQUIRED),
        TEXT("rpath", struct elf_facts, rpath, TELLS(struct elf_facts, has_rpath, true)),
        TEXT("runpath", struct elf_facts, runpath, TELLS(struct elf_facts, has_runpath, true)),
        TEXTS("verneed", struct elf_facts, verneed),
        TEXT("verdef_base", struct elf_facts, verdef_base),
        TEXTS("verdef", struct elf_facts, verdef),
};

static int elf_check(void *row, struct err *e)
{
	const struct elf_facts *f = row;

	return f->class_bits == 32 || f->class_bits == 64 ? 0
	                                                  : err_set(e, ERR_FORMAT, 0, "'class' is neither 32 nor 64");
}

static const struct inventory_row elf_row = ROW(struct elf_facts, elf_fields, .check = elf_check);

/*
 * Lists are in order of backend, and a file has to do with few. Checks look through a file once for each backend, so
 * that their number must not grow with the file.
 */
static int object_check(void *row, struct err *e)
{
	const struct object *o = row;
	size_t changes = 0;

	for (size_t i = 1; i < o->evidence.n; i++)
		changes += !span_eq(o->evidence.v[i].backend, o->evidence.v[i - 1].backend);
	for (size_t i = 1; i < o->device_code.n; i++)
		changes += !span_eq(o->device_code.v[i].backend, o->device_code.v[i - 1].backend);
	return changes <= BACKEND_CHANGES ? 0
	                                  : err_set(e, ERR_FORMAT, 0,
	                                            "'evidence' and 'device_code' go from one backend to another more "
	                                            "than %d times",
	                                            BACKEND_CHANGES);
}

static const struct inventory_field object_fields[] = {
        TEXT("path", struct object, path, REQUIRED),
        FIELD("layer", IS_LAYER, struct object, layer),
        NUMBER("bytes", struct object, bytes, REQUIRED),
        FIELD("visible", IS_VISIBLE, struct object, hidden, REQUIRED),
        FIELD("hidden_by", IS_LAYER, struct object, hidden_by),
        TEXTS("links", struct object, links),
        WORD("type", struct object, type, type_word, OBJECT_TYPE_COUNT, REQUIRED),
        NUMBER("content_bytes", struct object, content_bytes),
        TEXT("package", struct object, package),
        TEXT("build_id", struct object, build_id),
        FIELD("elf", IS_ROW, struct object, elf, .of = &elf_row, TELLS(struct object, elf.present, true)),
        TEXTS("faults", struct object, faults),
        ROWS("evidence", struct object, evidence, evidence_row, REQUIRED),
        NUMBER("units", struct object, units),
        ROWS("unit_sets", struct object, unit_sets, unit_set_row),
        ROWS("device_code", struct object, device_code, device_code_row, REQUIRED),
};
const struct inventory_row inventory_object_row =
        ROW(struct object, object_fields, .walked = true, .check = object_check);
