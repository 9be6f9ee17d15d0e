/* SPDX-License-Identifier: Apache-2.0 */
/* How many dynamic symbols there are: nothing says so outright, the hash tables imply it. */
#include "elf/symbols.h"

#include <elf.h>

/* From DT_GNU_HASH: the end of the chain with the highest number. */
static bool count_gnu(struct host_elf *m, uint64_t *count)
{
	uint64_t at = m->dynamic.v[SLOT_GNU_HASH], buckets, first, highest = 0;
	const uint8_t *p = host_at(m, at, 16);
	struct host_view v;

	if (!p)
		return false;
	buckets = elf_number(m->layout, p, 4);
	first = elf_number(m->layout, p + 4, 4);
	at = host_address(m, at, 16 + elf_number(m->layout, p + 8, 4) * (m->layout.wide ? 8 : 4));
	v = host_view(m, at);
	if (v.bytes.n / 4 < buckets) {
		if (v.cut)
			host_limit(m, sieve_limit(m->sieve), "the place of its symbol hash");
		return false;
	}
	for (uint64_t i = 0; i < buckets; i++) {
		uint64_t n = elf_number(m->layout, v.bytes.p + 4 * i, 4);

		highest = n > highest ? n : highest;
	}
	*count = first;
	if (highest < first)
		return highest == 0;
	v = host_view(m, host_address(m, at, 4 * (buckets + highest - first)));
	for (uint64_t i = 0; i < v.bytes.n / 4; i++) {
		if (elf_number(m->layout, v.bytes.p + 4 * i, 4) & 1) {
			*count = highest + i + 1;
			return true;
		}
	}
	if (v.cut)
		host_limit(m, sieve_limit(m->sieve), "the place of its symbol hash");
	return false;
}

/* From DT_HASH: the number of chains. Two machines have entries of eight bytes. */
static bool count_sysv(struct host_elf *m, uint64_t *count)
{
	bool eight = m->layout.wide && (m->header.machine == EM_S390 || m->header.machine == EM_ALPHA);
	unsigned entry = eight ? 8 : 4;
	const uint8_t *p = host_at(m, m->dynamic.v[SLOT_HASH], 2 * entry);

	if (!p)
		return false;
	*count = elf_number(m->layout, p + entry, entry);
	return true;
}

/* Where no hash tells: a section of that address, or the string table that follows. */
static uint64_t count_without_hash(struct host_elf *m)
{
	uint64_t at = m->dynamic.v[SLOT_SYMTAB], strings = m->dynamic.v[SLOT_STRTAB];
	struct host_view v = host_view(m, at);

	for (size_t i = 0; i < m->sections_n; i++)
		if (m->sections[i].type == SHT_DYNSYM && m->sections[i].addr == at)
			return m->sections[i].size / symbol_bytes(m->layout);
	if (strings > at && strings - at <= v.bytes.n)
		return (strings - at) / symbol_bytes(m->layout);
	return 0;
}

uint64_t symbols_count(struct host_elf *m)
{
	const struct dynamic_values *d = &m->dynamic;
	uint64_t gnu = 0, sysv = 0;
	bool known = false;

	if (d->has[SLOT_GNU_HASH]) {
		known = count_gnu(m, &gnu);
		if (!known)
			host_fault(m, "the symbol hash table leaves its segment");
	}
	if (d->has[SLOT_HASH]) {
		if (count_sysv(m, &sysv))
			known = true;
		else
			host_fault(m, "the symbol hash table leaves its segment");
	}
	if (known)
		return gnu > sysv ? gnu : sysv;
	return count_without_hash(m);
}
