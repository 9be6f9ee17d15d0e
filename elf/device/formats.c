/* SPDX-License-Identifier: Apache-2.0 */
/* The table of device-code formats, and what can be told from a file's first bytes or a section's name. */
#include "elf/device/format.h"

#include "elf/device/ptx.h"

#define ELF_MACHINE 18 /* offset of e_machine */

const struct device_format *const device_formats[] = {
#define DEVICE_FORMAT(name) &device_##name,
#include "elf/device/list.def"
#undef DEVICE_FORMAT
        NULL,
};

bool device_format_starts(const struct device_format *f, struct span front)
{
	bool found = false;

	for (size_t i = 0; i < sizeof(f->magics) / sizeof(f->magics[0]) && f->magics[i].n; i++)
		found = found || span_starts(front, f->magics[i]);
	if (!found || !f->machine)
		return found;
	return front.n >= ELF_MACHINE + 2 && (front.p[ELF_MACHINE] | front.p[ELF_MACHINE + 1] << 8) == f->machine;
}

bool search_is_device_file(struct span front, enum object_type *type)
{
	for (size_t i = 0; device_formats[i]; i++) {
		const struct device_format *f = device_formats[i];

		if (!f->payload && device_format_starts(f, front)) {
			*type = f->type;
			return true;
		}
	}
	if (!ptx_is_text(front))
		return false;
	*type = OBJECT_PTX;
	return true;
}

bool search_section_of(struct span format, struct span section)
{
	for (size_t i = 0; device_formats[i]; i++) {
		const struct device_format *f = device_formats[i];

		if (!span_eq(span_of(f->name), format))
			continue;
		for (size_t k = 0; k < sizeof(f->sections) / sizeof(f->sections[0]) && f->sections[k]; k++)
			if (span_eq(span_of(f->sections[k]), section))
				return true;
	}
	return false;
}
