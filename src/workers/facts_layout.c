/* SPDX-License-Identifier: Apache-2.0 */
#include "facts_layout.h"

#include <stdio.h>

#include "base/codec.h"

#define COUNT(v) (sizeof(v) / sizeof(*(v)))
#define SIZE_OF(type, member) sizeof(((type *)0)->member)

#define NUMBER(type, member, top) {FIELD_NUMBER, offsetof(type, member), SIZE_OF(type, member), (top), NULL, NULL}
#define BOOL(type, member) NUMBER(type, member, 1)
#define ENUM(type, member, count) NUMBER(type, member, (count) - 1)
#define ENUM_BY_NAME(type, member, count, name)                                                                        \
	{FIELD_NUMBER, offsetof(type, member), SIZE_OF(type, member), (count) - 1, name, NULL}
#define TEXT(type, member) {FIELD_TEXT, offsetof(type, member), 0, 0, NULL, NULL}
#define TEXTS(type, member) {FIELD_TEXTS, offsetof(type, member), 0, 0, NULL, NULL}
#define TEXTS_SORTED(type, member) {FIELD_TEXTS_SORTED, offsetof(type, member), 0, 0, NULL, NULL}
#define RECORDS(type, member, record) {FIELD_RECORDS, offsetof(type, member), 0, 0, NULL, &(record)}

#define RECORD(type, table, keys) {sizeof(type), (table), COUNT(table), (keys)}

static const char *evidence_kind_text(uint64_t v)
{
	return evidence_kind_name((enum evidence_kind)v);
}

/* Key fields come first, in the order that sorts the list: object_sort and its like sort by the same ones. */
static const struct field evidence_fields[] = {
	TEXT(struct evidence, backend),
	ENUM_BY_NAME(struct evidence, kind, EVIDENCE_COUNT, evidence_kind_text),
	TEXT(struct evidence, value),
	ENUM(struct evidence, strength, STRENGTH_COUNT),
	ENUM(struct evidence, confidence, CONFIDENCE_COUNT),
	TEXTS_SORTED(struct evidence, names),
	BOOL(struct evidence, has_offset),
	NUMBER(struct evidence, offset, UINT64_MAX),
};
static const struct record evidence_record = RECORD(struct evidence, evidence_fields, 4);

static const struct field unit_set_fields[] = {
	TEXTS_SORTED(struct unit_set, targets),
	NUMBER(struct unit_set, count, UINT64_MAX),
};
static const struct record unit_set_record = RECORD(struct unit_set, unit_set_fields, 1);

static const char *form_text(uint64_t v)
{
	return code_form_name((enum code_form)v);
}

static const struct field device_code_fields[] = {
	TEXT(struct device_code, backend),
	TEXT(struct device_code, target),
	ENUM_BY_NAME(struct device_code, form, FORM_COUNT, form_text),
	TEXT(struct device_code, container),
	TEXT(struct device_code, where),
	TEXT(struct device_code, codec),
	TEXT(struct device_code, declared),
	BOOL(struct device_code, mismatch),
	TEXT(struct device_code, isa),
	TEXT(struct device_code, toolkit),
	NUMBER(struct device_code, abi, UINT32_MAX),
	NUMBER(struct device_code, count, UINT64_MAX),
	NUMBER(struct device_code, bytes, UINT64_MAX),
	NUMBER(struct device_code, offset, UINT64_MAX),
	BOOL(struct device_code, opened),
	NUMBER(struct device_code, kernels, UINT64_MAX),
};
static const struct record device_code_record = RECORD(struct device_code, device_code_fields, 11);

static const struct field object_fields[] = {
	TEXT(struct object, path),
	NUMBER(struct object, bytes, UINT64_MAX),
	ENUM(struct object, type, OBJECT_TYPE_COUNT),
	TEXT(struct object, build_id),
	BOOL(struct object, elf.present),
	NUMBER(struct object, elf.class_bits, 64),
	BOOL(struct object, elf.big_endian),
	TEXT(struct object, elf.machine),
	TEXT(struct object, elf.type),
	BOOL(struct object, elf.has_soname),
	BOOL(struct object, elf.has_interpreter),
	BOOL(struct object, elf.has_rpath),
	BOOL(struct object, elf.has_runpath),
	TEXT(struct object, elf.soname),
	TEXT(struct object, elf.interpreter),
	TEXT(struct object, elf.rpath),
	TEXT(struct object, elf.runpath),
	TEXTS(struct object, elf.needed),
	TEXTS(struct object, elf.verneed),
	TEXT(struct object, elf.verdef_base),
	TEXTS(struct object, elf.verdef),
	BOOL(struct object, elf.exports_python),
	TEXTS_SORTED(struct object, faults),
	RECORDS(struct object, evidence, evidence_record),
	NUMBER(struct object, units, UINT64_MAX),
	RECORDS(struct object, unit_sets, unit_set_record),
	RECORDS(struct object, device_code, device_code_record),
	TEXT(struct object, link_target),
	NUMBER(struct object, content_bytes, UINT64_MAX),
};
const struct record object_record = RECORD(struct object, object_fields, COUNT(object_fields));

static const struct field declares_fields[] = {
	TEXT(struct declares, backend),
	TEXT(struct declares, by),
	TEXT(struct declares, value),
	BOOL(struct declares, applies),
	BOOL(struct declares, has_applies),
};
static const struct record declares_record = RECORD(struct declares, declares_fields, 0);

static const struct field requires_fields[] = {
	TEXT(struct requires, name),
	TEXT(struct requires, spec),
	BOOL(struct requires, applies),
	BOOL(struct requires, has_applies),
};
static const struct record requires_record = RECORD(struct requires, requires_fields, 0);

static const struct field record_line_fields[] = {
	TEXT(struct record_line, path),
	TEXT(struct record_line, hash),
	BOOL(struct record_line, has_size),
	NUMBER(struct record_line, size, UINT64_MAX),
};
static const struct record record_line_record = RECORD(struct record_line, record_line_fields, 0);

static const struct field package_fields[] = {
	TEXT(struct package, path),
	TEXT(struct package, name),
	TEXT(struct package, version),
	TEXTS_SORTED(struct package, tags),
	BOOL(struct package, has_purelib),
	BOOL(struct package, purelib),
	TEXT(struct package, variant),
	RECORDS(struct package, declares, declares_record),
	RECORDS(struct package, requires, requires_record),
	BOOL(struct package, has_record),
	RECORDS(struct package, record, record_line_record),
};
const struct record package_record = RECORD(struct package, package_fields, COUNT(package_fields));

static const struct field digest_fields[] = {
	TEXT(struct file_digest, path),
	TEXT(struct file_digest, sha256),
};
const struct record digest_record = RECORD(struct file_digest, digest_fields, 1);

static const struct field problem_fields[] = {
	TEXT(struct problem, path),
	ENUM(struct problem, grade, PROBLEM_GRADE_COUNT),
	ENUM(struct problem, id, FINDING_COUNT),
	TEXT(struct problem, reason),
	ENUM(struct problem, limit, LIMIT_COUNT),
};
const struct record problem_record = RECORD(struct problem, problem_fields, COUNT(problem_fields));

static const struct field label_fields[] = {
	TEXT(struct image_label, name),
	TEXT(struct image_label, value),
};
static const struct record label_record = RECORD(struct image_label, label_fields, 0);

static const struct field layer_ref_fields[] = {
	TEXT(struct layer_ref, digest),
	TEXT(struct layer_ref, diff_id),
	TEXT(struct layer_ref, path),
	NUMBER(struct layer_ref, offset, UINT64_MAX),
	NUMBER(struct layer_ref, bytes, UINT64_MAX),
	NUMBER(struct layer_ref, there, UINT64_MAX),
	BOOL(struct layer_ref, missing),
	TEXT(struct layer_ref, why),
	TEXT(struct layer_ref, declared),
	BOOL(struct layer_ref, has_step),
	NUMBER(struct layer_ref, step, UINT32_MAX),
	TEXT(struct layer_ref, created_by),
};
static const struct record layer_ref_record = RECORD(struct layer_ref, layer_ref_fields, 0);

static const struct field facts_fields[] = {
	TEXT(struct facts, plan.extractor),
	TEXT(struct facts, plan.kind),
	NUMBER(struct facts, plan.slices, UINT32_MAX),
	TEXT(struct facts, plan.refused),
	BOOL(struct facts, plan.usage),
	TEXTS(struct facts, plan.needs),
	NUMBER(struct facts, plan.images, UINT32_MAX),
	BOOL(struct facts, plan.image.present),
	TEXT(struct facts, plan.image.reference),
	TEXT(struct facts, plan.image.image_id),
	TEXT(struct facts, plan.image.manifest_digest),
	TEXT(struct facts, plan.image.platform),
	TEXTS(struct facts, plan.image.env),
	TEXTS(struct facts, plan.image.entrypoint),
	RECORDS(struct facts, plan.image.labels, label_record),
	RECORDS(struct facts, plan.image.layers, layer_ref_record),
	TEXT(struct facts, digest),
	TEXT(struct facts, compression),
	NUMBER(struct facts, unpacked, UINT64_MAX),
	{FIELD_ENTRIES, offsetof(struct facts, entries), 0, ENTRIES_LAYOUT, NULL, NULL},
	RECORDS(struct facts, objects, object_record),
	RECORDS(struct facts, packages, package_record),
	RECORDS(struct facts, digests, digest_record),
	RECORDS(struct facts, problems, problem_record),
};
const struct record facts_record = RECORD(struct facts, facts_fields, 0);

uint64_t field_number(const struct field *f, const void *in)
{
	const void *p = (const uint8_t *)in + f->offset;

	switch (f->size) {
	case 1:
		return *(const uint8_t *)p;
	case 4:
		return *(const uint32_t *)p;
	default:
		return *(const uint64_t *)p;
	}
}

void field_number_set(const struct field *f, void *in, uint64_t v)
{
	void *p = (uint8_t *)in + f->offset;

	switch (f->size) {
	case 1:
		*(uint8_t *)p = (uint8_t)v;
		break;
	case 4:
		*(uint32_t *)p = (uint32_t)v;
		break;
	default:
		*(uint64_t *)p = v;
		break;
	}
}

static int number_cmp(uint64_t a, uint64_t b)
{
	return (a > b) - (a < b);
}

static int texts_cmp(const struct spans *a, const struct spans *b)
{
	int c = 0;

	for (size_t i = 0; i < a->n && i < b->n && !c; i++)
		c = span_cmp(a->v[i], b->v[i]);
	return c ? c : number_cmp(a->n, b->n);
}

static int records_cmp(const struct record *r, const struct any_list *a, const struct any_list *b)
{
	int c = 0;

	for (size_t i = 0; i < a->n && i < b->n && !c; i++)
		c = record_cmp(r, r->n, (const uint8_t *)a->v + i * r->size, (const uint8_t *)b->v + i * r->size);
	return c ? c : number_cmp(a->n, b->n);
}

static int field_cmp(const struct field *f, const void *a, const void *b)
{
	switch (f->kind) {
	case FIELD_NUMBER:
		if (f->name)
			return span_cmp(span_of(f->name(field_number(f, a))), span_of(f->name(field_number(f, b))));
		return number_cmp(field_number(f, a), field_number(f, b));
	case FIELD_TEXT:
		return span_cmp(*field_text(f, a), *field_text(f, b));
	case FIELD_TEXTS:
	case FIELD_TEXTS_SORTED:
		return texts_cmp(field_texts(f, a), field_texts(f, b));
	case FIELD_RECORDS:
		return records_cmp(f->of, field_records(f, a), field_records(f, b));
	case FIELD_ENTRIES: /* in facts only, of which nobody has a list */
		break;
	}
	return 0;
}

int record_cmp(const struct record *r, size_t n, const void *a, const void *b)
{
	int c = 0;

	for (size_t i = 0; i < n && !c; i++)
		c = field_cmp(&r->fields[i], a, b);
	return c;
}

static uint32_t record_version(const struct record *r, uint32_t crc)
{
	for (size_t i = 0; i < r->n; i++) {
		const struct field *f = &r->fields[i];
		char text[64];

		snprintf(text, sizeof(text), "%d %llu %zu;", (int)f->kind, (unsigned long long)f->max, r->keys);
		crc = codec_crc32(crc, span_of(text));
		if (f->of)
			crc = record_version(f->of, crc);
	}
	return crc;
}

uint32_t facts_layout_version(void)
{
	uint32_t crc = record_version(&facts_record, 0);

	for (int i = 0; i < LIMIT_COUNT; i++)
		crc = codec_crc32(crc, span_of(limit_row((enum limit_id)i)->name));
	for (int i = 0; i < FINDING_COUNT; i++)
		crc = codec_crc32(crc, span_of(finding_name((enum finding_id)i)));
	return crc;
}
