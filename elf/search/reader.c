/* SPDX-License-Identifier: Apache-2.0 */
/* What a reader may say (elf/device/format.h). */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/checked.h"
#include "driver.h"

void reader_image(struct reader *r, const struct device_code *code, bool unit_target)
{
	struct driver *d = r->driver;
	struct pending *p = r->pending;
	uint64_t end = sum_capped(code->offset, code->bytes), before = d->ctx->mem->held;

	if (d->listed + p->listed >= d->ctx->limits->v[LIMIT_DEVICE_ENTRIES]) {
		p->too_many = true;
		return;
	}
	if (driver_full(d)) {
		p->too_much = true;
		return;
	}
	p->listed++;
	if (end > p->listed_end)
		p->listed_end = end;
	images_add(&d->images, &p->images, p, code, unit_target);
	driver_count(d, before);
}

void reader_oddity(struct reader *r, enum problem_grade grade, const char *fmt, ...)
{
	struct pending *p = r->pending;
	uint64_t before = r->ctx->mem->held;
	char text[256];
	struct oddity *o;
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	if (p->oddities.n >= ODDITIES_MAX)
		return;
	for (size_t i = 0; i < p->oddities.n; i++)
		if (p->oddities.v[i].kind == fmt && p->oddities.v[i].fault.grade == grade &&
		    (strcmp(fmt, "%s") != 0 || span_eq(p->oddities.v[i].fault.reason, span_of(text))))
			return;
	o = list_add(r->ctx->mem, &p->oddities);
	o->kind = fmt;
	o->fault = (struct found_fault){r->start, span_of(r->format->name), grade, LIMIT_NONE,
	                                SPAN("it is not as it should be")};
	if (!driver_told_enough(r->driver))
		o->fault.reason = arena_copy(r->ctx->mem, span_of(text));
	driver_count(r->driver, before);
}

enum reader_answer reader_bad(struct reader *r, enum problem_grade grade, enum err_code code, const char *fmt, ...)
{
	char text[256];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	err_set(&r->fault, code, r->start, "%s", text);
	r->grade = grade;
	return READER_BAD;
}

enum reader_answer reader_want(struct reader *r, uint64_t at, uint64_t n)
{
	if (!range_inside(at, n, r->file_size))
		return reader_bad(r, PROBLEM_INCOMPLETE, ERR_TRUNCATED,
		                  "the %s at %llu goes beyond the end of the file", r->format->name,
		                  (unsigned long long)r->start);
	r->want.at = at;
	r->want.n = (uint32_t)n;
	return READER_MORE;
}

enum reader_answer reader_cut(struct reader *r)
{
	return reader_bad(r, PROBLEM_ANOMALY, ERR_TRUNCATED, "the file ends inside the header of the %s at %llu",
	                  r->format->name, (unsigned long long)r->start);
}

/* Room above device-payload is for tables, and counts. */
static uint8_t *room(struct reader *r, struct reader_bytes *b, size_t n)
{
	size_t cap = b->cap ? b->cap : 4096, free_bytes = (size_t)reader_payload_max(r);
	uint8_t *p;

	while (cap - b->n < n)
		cap *= 2;
	if (cap > b->cap) {
		b->p = realloc(b->p, cap);
		if (!b->p)
			out_of_memory();
		if (cap > free_bytes)
			r->driver->kept += cap - (b->cap > free_bytes ? b->cap : free_bytes);
		b->cap = cap;
	}
	p = b->p + b->n;
	b->n += n;
	return p;
}

bool reader_room_left(struct reader *r)
{
	if (!driver_full(r->driver))
		return true;
	err_limit(&r->fault, LIMIT_OBJECT_RANGES, r->ctx->limits, "what is kept of its device code");
	r->grade = PROBLEM_INCOMPLETE;
	return false;
}

bool reader_inflated(struct reader *r, uint64_t n)
{
	r->driver->inflated = sum_capped(r->driver->inflated, n);
	if (r->driver->inflated <= r->ctx->limits->v[LIMIT_OBJECT_RANGES])
		return true;
	err_limit(&r->fault, LIMIT_OBJECT_RANGES, r->ctx->limits, "what comes out of its compressed bundles");
	r->grade = PROBLEM_INCOMPLETE;
	return false;
}

void reader_keep(struct reader *r, struct span bytes)
{
	if (bytes.n)
		memcpy(room(r, &r->kept, bytes.n), bytes.p, bytes.n);
}

void *reader_table(struct reader *r, size_t n)
{
	return room(r, &r->table, n);
}

uint8_t *reader_scratch(struct reader *r, size_t n)
{
	struct driver *d = r->driver;

	if (d->scratch.n < n) {
		d->scratch.p = arena_alloc(r->ctx->mem, n);
		d->scratch.n = n;
	}
	return d->scratch.p;
}
