/* SPDX-License-Identifier: Apache-2.0 */
#include "elf/host.h"

#include <elf.h>
#include <stdarg.h>
#include <stdio.h>

#include "base/checked.h"

#define FAULTS_MAX 16                  /* sentences about one file */
#define ADDRESSES  ((uint64_t)1 << 47) /* no process has more */

PRINTF_LIKE(2, 0) static void fault(struct host_elf *m, const char *fmt, va_list ap)
{
	struct spans *l = &m->object->faults;
	char text[256];

	if (m->blind)
		return;
	vsnprintf(text, sizeof(text), fmt, ap);
	for (size_t i = 0; i < l->n; i++)
		if (span_eq(l->v[i], span_of(text)))
			return;
	if (l->n < FAULTS_MAX)
		spans_add(m->ctx->mem, l, arena_copy(m->ctx->mem, span_of(text)));
}

void host_fault(struct host_elf *m, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	fault(m, fmt, ap);
	va_end(ap);
}

void host_unreadable(struct host_elf *m, const char *fmt, ...)
{
	va_list ap;

	m->unreadable = m->unreadable || !m->blind;
	va_start(ap, fmt);
	fault(m, fmt, ap);
	va_end(ap);
}

void host_limit(struct host_elf *m, enum limit_id id, const char *what)
{
	m->blind = m->blind || id == sieve_limit(m->sieve) || id == LIMIT_ELF_DYNAMIC;
	if (m->limits_told >> id & 1)
		return;
	m->limits_told |= (uint64_t)1 << id;
	problem_limit(m->problems, m->ctx->mem, m->ctx->limits, id, m->object->path, what);
}

_Static_assert(LIMIT_COUNT <= 64, "limits_told has a bit for each limit");

void host_close(struct host_elf *m)
{
	enum finding_id id = m->unreadable || m->incomplete ? FINDING_OBJECT_UNREADABLE : FINDING_ELF_INCONSISTENT;
	enum problem_grade grade = m->incomplete ? PROBLEM_INCOMPLETE : PROBLEM_ANOMALY;

	for (size_t i = 0; i < m->object->faults.n; i++)
		problem_add(m->problems, m->ctx->mem, grade, id, m->object->path, "%.*s", (int)m->object->faults.v[i].n,
		            (const char *)m->object->faults.v[i].p);
}

struct span host_bytes(struct host_elf *m, uint64_t offset, uint64_t n, const char *what)
{
	const uint8_t *p;

	if (n == 0 || !range_inside(offset, n, m->size))
		return SPAN_NONE;
	p = sieve_at(m->sieve, offset, n);
	if (!p) {
		host_limit(m, sieve_limit(m->sieve), what);
		return SPAN_NONE;
	}
	return (struct span){p, (size_t)n};
}

/*
 * A loader that looks at neither class nor byte order (musl, execve) takes what is laid out as 64-bit little-endian,
 * whatever the two bytes say.
 */
static bool taken_as_wide_little(const struct host_elf *m, struct span front)
{
	struct elf_layout l = {.wide = true, .big = false};
	struct elf_header h;

	return header_read(l, front, &h) && (h.type == ET_DYN || h.type == ET_EXEC) &&
	       h.phentsize == segment_bytes(l) && h.phnum != 0 &&
	       range_inside(h.phoff, (uint64_t)h.phnum * h.phentsize, m->size);
}

/* Class and byte order, and whether the header agrees with them. */
static bool layout_read(struct host_elf *m, struct span front)
{
	uint8_t class = front.p[EI_CLASS], order = front.p[EI_DATA];
	bool known = (class == ELFCLASS32 || class == ELFCLASS64) && (order == ELFDATA2LSB || order == ELFDATA2MSB),
	     linked;

	m->layout = (struct elf_layout){class != ELFCLASS32, order == ELFDATA2MSB};
	if (known && m->size < header_bytes(m->layout)) {
		host_unreadable(m, "the file ends inside its ELF header");
		return false;
	}
	m->header_known = known && header_read(m->layout, front, &m->header);
	linked = m->header.type == ET_DYN || m->header.type == ET_EXEC;
	if (m->header_known &&
	    (linked ? m->header.phnum && m->header.phentsize == segment_bytes(m->layout) : !m->header.phnum))
		return true;
	if (taken_as_wide_little(m, front) && !(class == ELFCLASS64 && order == ELFDATA2LSB)) {
		m->incomplete = true;
		m->header_known = false;
		host_unreadable(m, "class %u and byte order %u contradict a header that is 64-bit little-endian", class,
		                order);
		return false;
	}
	if (!known) {
		host_unreadable(m, "class %u or byte order %u is unknown", class, order);
		return false;
	}
	return true;
}

/* Everything that a loader looks at in the first header, beside the program headers. */
static void check_ident(struct host_elf *m, struct span front)
{
	static const uint8_t known[] = {0,  1,  2,  3,  6,  7,  8,  9,  10, 11, 12,  13, 14,
	                                15, 16, 17, 18, 41, 51, 64, 65, 66, 97, 102, 255};

	if (front.p[EI_VERSION] != EV_CURRENT)
		host_fault(m, "version %u of its header is unknown", front.p[EI_VERSION]);
	if (!memchr(known, front.p[EI_OSABI], sizeof(known)))
		host_fault(m, "OS ABI %u is unknown", front.p[EI_OSABI]);
}

static void check_load(struct host_elf *m, const struct elf_segment *p, size_t number)
{
	uint64_t end;

	if (!sum_u64(p->offset, p->filesz, &end) || !sum_u64(p->vaddr, p->memsz, &end) || p->memsz > ADDRESSES ||
	    p->filesz > ADDRESSES)
		host_unreadable(m, "segment %zu is larger than memory", number);
	else if (!range_inside(p->offset, p->filesz, m->size))
		host_fault(m, "segment %zu ends beyond the file", number);
	if (p->memsz < p->filesz)
		host_fault(m, "segment %zu has less memory than bytes", number);
	if (p->align & (p->align - 1))
		host_fault(m, "the alignment of segment %zu is no power of two", number);
	else if (p->align > 1 && ((p->vaddr - p->offset) & (p->align - 1)))
		host_fault(m, "offset and address of segment %zu do not agree with its alignment", number);
}

static bool segments_open(struct host_elf *m)
{
	uint64_t bytes = (uint64_t)m->header.phnum * m->header.phentsize;
	bool loaded = m->header.type == ET_DYN || m->header.type == ET_EXEC;
	struct span table;

	if (m->header.phnum == 0)
		return true;
	if (m->header.phentsize != segment_bytes(m->layout)) {
		/* musl steps by that size, whatever it is. */
		m->incomplete = m->incomplete || (loaded && m->header.phentsize > segment_bytes(m->layout) &&
		                                  range_inside(m->header.phoff, bytes, m->size));
		host_unreadable(m, "program headers of %u bytes", m->header.phentsize);
		return false;
	}
	if (!range_inside(m->header.phoff, bytes, m->size)) {
		host_unreadable(m, "the program headers end beyond the file");
		return false;
	}
	if (m->header.phnum > m->ctx->limits->v[LIMIT_ELF_SEGMENTS]) {
		host_limit(m, LIMIT_ELF_SEGMENTS, "its number of program headers");
		return false;
	}
	table = host_bytes(m, m->header.phoff, bytes, "the place of its program headers");
	if (!table.n)
		return false;
	m->segments = arena_alloc(m->scratch, m->header.phnum * sizeof(*m->segments));
	m->loads = arena_alloc(m->scratch, m->header.phnum * sizeof(*m->loads));
	m->segments_n = segments_read(m->layout, table, m->segments, m->header.phnum);
	for (size_t i = 0; i < m->segments_n; i++) {
		if (m->segments[i].type != PT_LOAD)
			continue;
		m->loads[m->loads_n++] = m->segments[i];
		if (loaded)
			check_load(m, &m->segments[i], i);
	}
	return true;
}

bool host_open(struct host_elf *m)
{
	struct span front = span_first(sieve_run(m->sieve, 0), sizeof(Elf64_Ehdr));

	m->size = sieve_size(m->sieve);
	if (front.n < sizeof(Elf64_Ehdr) && front.n < m->size) {
		host_limit(m, sieve_limit(m->sieve), "its first header");
		return false;
	}
	if (front.n < sizeof(Elf32_Ehdr)) {
		host_unreadable(m, "the file ends inside its ELF header");
		return false;
	}
	if (!layout_read(m, front))
		return false;
	check_ident(m, front);
	if (m->header.type == ET_CORE || m->header.type == ET_REL)
		return true;
	if (m->header.type != ET_DYN && m->header.type != ET_EXEC)
		host_unreadable(m, "no loader takes type 0x%x", m->header.type);
	return segments_open(m);
}
