/* SPDX-License-Identifier: Apache-2.0 */
/* One entry of a fatbin, and what its payload makes of it. */
#ifndef POSTERN_ELF_DEVICE_FATBIN_H
#define POSTERN_ELF_DEVICE_FATBIN_H

#include "base/codec.h"
#include "elf/device/format.h"

#define FATBIN_ENTRY 64

enum fatbin_kind {
	FATBIN_PTX = 0x01,
	FATBIN_CUBIN = 0x02,
	FATBIN_LTO = 0x08,
	FATBIN_PTX_RELOC = 0x40,
};

enum fatbin_flags {
	FATBIN_ZLIB = 0x1000,
	FATBIN_LZ4 = 0x2000,
	FATBIN_LZ4_FRAME = 0x4000,
	FATBIN_ZSTD = 0x8000,
	FATBIN_CODECS = 0xf000,
	FATBIN_OBFUSCATED = 0x10000,
	FATBIN_SUFFIX_A = 0x100000,
	FATBIN_SUFFIX_F = 0x200000,
};

struct fatbin_entry {
	uint64_t at; /* in the file */
	uint16_t kind, version, minor, major;
	uint32_t header, packed, options, sm, name, name_length;
	uint64_t size, flags, inflated;
	/* Found out from these. */
	enum codec codec;
	uint64_t stored;
	bool unread; /* cannot be opened: told already */
	bool whole;  /* opened as a whole */
};

bool fatbin_kind_known(uint16_t kind);
/* Sets codec, and unread with a problem when sizes or codecs contradict one another. */
void fatbin_codec(struct reader *r, struct fatbin_entry *e);
/* Lists the entry. payload: its bytes or its front, as stored; empty when they were not asked for. */
void fatbin_image(struct reader *r, struct fatbin_entry *e, struct span payload);

#endif
