/* SPDX-License-Identifier: Apache-2.0 */
/* What lies at an address, as a loader maps it: by PT_LOAD only, in whole pages, later segments over earlier ones. */
#include "elf/host.h"

#include "base/checked.h"

#define PAGE_BYTES ((uint64_t)4096)

uint64_t host_address(const struct host_elf *m, uint64_t a, uint64_t b)
{
	return m->layout.wide ? a + b : (uint32_t)(a + b);
}

/* n bytes of the file at offset, as far as it has them; the last page is filled up with zeros. */
static void view_file(const struct host_elf *m, uint64_t offset, uint64_t n, struct host_view *v)
{
	uint64_t tail = (PAGE_BYTES - m->size % PAGE_BYTES) % PAGE_BYTES;

	v->offset = offset;
	if (offset < m->size) {
		v->bytes = sieve_run(m->sieve, offset);
		v->hole = v->bytes.n == 0;
		v->cut = v->bytes.n < n && offset + v->bytes.n < m->size;
		if (v->bytes.n > n) {
			v->bytes.n = (size_t)n;
			return;
		}
		if (v->cut || v->bytes.n == n)
			return;
		n -= v->bytes.n;
		v->zeros = n < tail ? n : tail;
	} else if (offset - m->size < tail) {
		v->zeros = tail - (offset - m->size) < n ? tail - (offset - m->size) : n;
	}
}

static bool segment_has(const struct elf_segment *p, uint64_t address)
{
	uint64_t end;

	return sum_u64(p->vaddr, p->filesz > p->memsz ? p->filesz : p->memsz, &end) &&
	       sum_u64(p->offset, p->filesz, &end) && address >= p->vaddr &&
	       address - p->vaddr < (p->filesz > p->memsz ? p->filesz : p->memsz);
}

/* The rest of the first and last page of a segment shows the file's neighbouring bytes. */
static bool page_has(const struct elf_segment *p, uint64_t address, uint64_t *offset, uint64_t *n)
{
	uint64_t end, last, before = p->vaddr % PAGE_BYTES;

	if (!sum_u64(p->vaddr, p->filesz, &end) || !sum_u64(p->offset, p->filesz, &last) || p->filesz == 0 ||
	    p->offset < before || last > UINT64_MAX - PAGE_BYTES || end > UINT64_MAX - PAGE_BYTES)
		return false;
	if (address >= p->vaddr - before && address < p->vaddr) {
		*n = p->vaddr - address;
		*offset = p->offset - *n;
		return true;
	}
	last = (end + PAGE_BYTES - 1) / PAGE_BYTES * PAGE_BYTES;
	if (p->memsz > p->filesz || address < end || address >= last)
		return false;
	*n = last - address;
	*offset = p->offset + (address - p->vaddr);
	return true;
}

struct host_view host_view(const struct host_elf *m, uint64_t address)
{
	struct host_view v = {.bytes = SPAN_NONE};
	uint64_t offset, n;

	for (size_t i = m->loads_n; i > 0; i--) {
		const struct elf_segment *p = &m->loads[i - 1];

		if (!segment_has(p, address))
			continue;
		n = address - p->vaddr;
		if (n < p->filesz) {
			view_file(m, p->offset + n, p->filesz - n, &v);
			if (v.bytes.n == p->filesz - n && p->memsz > p->filesz)
				v.zeros = p->memsz - p->filesz;
		} else {
			v.zeros = p->memsz - n;
		}
		return v;
	}
	for (size_t i = m->loads_n; i > 0; i--) {
		if (!page_has(&m->loads[i - 1], address, &offset, &n))
			continue;
		view_file(m, offset, n, &v);
		v.outside = true;
		return v;
	}
	return v;
}

const uint8_t *host_at(struct host_elf *m, uint64_t address, uint64_t n)
{
	struct host_view v = host_view(m, address);

	if (v.bytes.n >= n)
		return v.bytes.p;
	if (v.cut)
		host_limit(m, sieve_limit(m->sieve), "the place of a table");
	return NULL;
}

bool host_copy(const struct host_elf *m, uint64_t address, uint8_t *to, size_t n)
{
	while (n) {
		struct host_view v = host_view(m, address);
		uint64_t there = v.bytes.n ? v.bytes.n : v.zeros;
		size_t k = there < n ? (size_t)there : n;

		if (k == 0)
			return false;
		if (v.bytes.n)
			memcpy(to, v.bytes.p, k);
		else
			memset(to, 0, k);
		to += k;
		n -= k;
		address = host_address(m, address, k);
	}
	return true;
}

bool host_name_budget(struct host_elf *m, uint64_t n)
{
	m->name_bytes += n;
	if (m->name_bytes <= m->ctx->limits->v[LIMIT_OBJECT_RANGES])
		return true;
	host_limit(m, LIMIT_OBJECT_RANGES, "the length of all its names");
	return false;
}

/* Where the string ends, and how long it is; false when it has no end. */
static bool string_measure(struct host_elf *m, uint64_t address, uint64_t *length)
{
	*length = 0;
	for (;;) {
		struct host_view v = host_view(m, host_address(m, address, *length));
		struct span look = span_first(v.bytes, (size_t)m->ctx->limits->v[LIMIT_REPORT_NAMES] + 1);
		size_t n = span_find(look, 0);

		if (v.hole)
			host_limit(m, sieve_limit(m->sieve), "the place of a name");
		if (v.outside)
			host_fault(m, "a name lies outside the segments");
		*length += n;
		/* Where there are thousands of segments, each look is work. */
		if (v.hole || !host_name_budget(m, n + 1 + m->loads_n / 8))
			return false;
		if (*length > m->ctx->limits->v[LIMIT_REPORT_NAMES]) {
			host_limit(m, LIMIT_REPORT_NAMES, "the length of a name");
			return false;
		}
		if (n < look.n || v.zeros)
			return true;
		if (look.n == 0)
			return false;
	}
}

bool host_string(struct host_elf *m, struct arena *mem, uint64_t address, struct span *out)
{
	uint64_t length, done = 0;
	uint8_t *p;

	if (!string_measure(m, address, &length))
		return false;
	p = arena_alloc(mem, length + 1);
	while (done < length) {
		struct host_view v = host_view(m, host_address(m, address, done));
		size_t n = v.bytes.n < length - done ? v.bytes.n : (size_t)(length - done);

		if (n == 0)
			return false;
		memcpy(p + done, v.bytes.p, n);
		done += n;
	}
	*out = (struct span){p, (size_t)length};
	return true;
}
