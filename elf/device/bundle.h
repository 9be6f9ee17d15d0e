/* SPDX-License-Identifier: Apache-2.0 */
/* The id table of a clang offload bundle, plain or inside a compressed one. */
#ifndef POSTERN_ELF_DEVICE_BUNDLE_H
#define POSTERN_ELF_DEVICE_BUNDLE_H

#include "elf/device/format.h"

#define BUNDLE_MAGIC  "__CLANG_OFFLOAD_BUNDLE__"
#define BUNDLE_HEADER 32
#define BUNDLE_ENTRY  24 /* without its id */

struct bundle_entry {
	uint64_t offset, size;  /* from the bundle's start */
	uint32_t id, id_length; /* in reader_kept */
	uint32_t number;        /* as it stands in the table */
};

struct bundle_table {
	bool begun;
	uint64_t count, read;
	size_t at; /* where the next entry begins, in reader_kept */
};

/*
 * Reads what is complete in reader_kept; entries go to r->table. READER_DONE: the table is complete. READER_MORE: *need
 * further bytes at least belong to it. READER_BAD: it lies. room: bytes that the bundle may have.
 */
enum reader_answer bundle_read(struct reader *r, struct bundle_table *t, uint64_t room, uint64_t *need);
static inline struct bundle_entry *bundle_entries(const struct reader *r)
{
	return (struct bundle_entry *)(void *)r->table.p;
}

static inline struct span bundle_id(const struct reader *r, const struct bundle_entry *e)
{
	return (struct span){r->kept.p + e->id, e->id_length};
}
bool bundle_is_host(struct span id);
/* "gfx90a:xnack+" of "hipv4-amdgcn-amd-amdhsa--gfx90a:xnack+"; empty when there is none. */
struct span bundle_target(struct span id);
/* The backend that an id is for. */
struct span bundle_backend(struct span id);

#endif
