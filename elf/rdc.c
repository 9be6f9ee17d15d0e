/* SPDX-License-Identifier: Apache-2.0 */
#include "elf/rdc.h"

#include "elf/device/bundle.h"
#include "elf/sections.h"

#define SECTIONS_MAX 4096 /* real files have one a target */

/* Bitcode, plain or wrapped. */
static bool is_bitcode(struct host_elf *m, const struct elf_section *s)
{
	static const uint8_t magics[2][4] = {{'B', 'C', 0xc0, 0xde}, {0xde, 0xc0, 0x17, 0x0b}};
	const uint8_t *p = s->size < sizeof(magics[0]) ? NULL : sieve_at(m->sieve, s->offset, sizeof(magics[0]));

	return p && (memcmp(p, magics[0], sizeof(magics[0])) == 0 || memcmp(p, magics[1], sizeof(magics[1])) == 0);
}

void rdc_rows(const struct rows_target *t, struct device_codes *rows)
{
	struct host_elf *m = t->host;
	size_t told = 0;

	for (size_t i = 0; m && i < m->sections_n; i++) {
		const struct elf_section *s = &m->sections[i];
		struct device_code *row;
		struct span name, id;

		if (!section_name_starts(m, i, SPAN(BUNDLE_MAGIC)) || !is_bitcode(m, s))
			continue;
		name = section_name(m, i);
		id = span_after(name, sizeof(BUNDLE_MAGIC) - 1);
		if (id.n == 0 || bundle_is_host(id))
			continue;
		if (told++ == SECTIONS_MAX) {
			problem_add(t->problems, t->ctx->mem, PROBLEM_INCOMPLETE, FINDING_OBJECT_UNREADABLE, t->object->path,
			            "more than %d sections of device bitcode", SECTIONS_MAX);
			return;
		}
		row = list_add(t->scratch, rows);
		row->backend = bundle_backend(id);
		row->target = bundle_target(id);
		row->form = FORM_INTERMEDIATE;
		row->container = SPAN("bundle");
		row->codec = SPAN("none");
		row->where = name;
		row->count = 1;
		row->bytes = s->size;
		row->offset = s->offset;
	}
}
