/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Readers of device code and what they wait for. Every candidate has a place in a queue, in order of its start; at most
 * nested-containers of them are being read at once. The first of the queue decides: when it was read, all that starts
 * inside it is dropped; when it fails, the next one is the first.
 */
#include "driver.h"

#include <stdlib.h>

#include "base/checked.h"

struct driver *driver_new(const struct job_context *ctx, uint64_t size)
{
	struct driver *d = arena_alloc(ctx->mem, sizeof(*d));

	d->ctx = ctx;
	d->size = size;
	d->images.mem = ctx->mem;
	d->found = arena_alloc(ctx->mem, sizeof(*d->found));
	return d;
}

static uint64_t want_end(const struct pending *p)
{
	return p->box->r.want.at + p->box->r.want.n;
}

static bool is_text(const struct device_format *f)
{
	return f->magics[0].n == 0;
}

uint64_t driver_due(const struct driver *d)
{
	uint64_t due = UINT64_MAX;

	for (size_t i = 0; i < d->n_active; i++) {
		uint64_t end = want_end(d->active[i]);

		due = end < due ? end : due;
	}
	return due;
}

uint64_t driver_idle(const struct driver *d, uint64_t at)
{
	uint64_t idle = UINT64_MAX - at;

	for (size_t i = 0; i < d->n_active; i++) {
		uint64_t want = d->active[i]->box->r.want.at;

		if (want < at)
			return 0;
		idle = want - at < idle ? want - at : idle;
	}
	return idle;
}

static size_t format_number(const struct device_format *f)
{
	size_t i = 0;

	while (device_formats[i] && device_formats[i] != f)
		i++;
	return i;
}

static struct box *box_take(struct driver *d, const struct device_format *f)
{
	struct box **pool = &d->boxes[format_number(f)], *b = *pool;
	struct box fresh = {0};

	if (b) {
		*pool = b->next;
		fresh.held = b->held;
		fresh.held_cap = b->held_cap;
		fresh.r.state = b->r.state;
		fresh.r.kept = (struct reader_bytes){b->r.kept.p, 0, b->r.kept.cap};
		fresh.r.table = (struct reader_bytes){b->r.table.p, 0, b->r.table.cap};
		memset(fresh.r.state, 0, f->state_bytes);
	} else {
		b = arena_alloc(d->ctx->mem, sizeof(*b));
		fresh.r.state = arena_alloc(d->ctx->mem, f->state_bytes ? f->state_bytes : 1);
	}
	*b = fresh;
	return b;
}

static void box_return(struct driver *d, struct pending *p)
{
	struct box **pool = &d->boxes[format_number(p->format)];

	if (p->format->stop)
		p->format->stop(&p->box->r);
	p->box->next = *pool;
	*pool = p->box;
	p->box = NULL;
}

static void active_remove(struct driver *d, const struct pending *p)
{
	size_t kept = 0;

	for (size_t i = 0; i < d->n_active; i++)
		if (d->active[i] != p)
			d->active[kept++] = d->active[i];
	d->n_active = kept;
}

void driver_release(struct driver *d, struct pending *p)
{
	struct pending fresh = {0};

	if (p->box) {
		active_remove(d, p);
		box_return(d, p);
	}
	fresh.images = p->images;
	fresh.images.n = 0;
	fresh.oddities.v = p->oddities.v;
	fresh.oddities.cap = p->oddities.cap;
	fresh.next = d->pool;
	*p = fresh;
	d->pool = p;
}

static struct pending *pending_take(struct driver *d)
{
	struct pending *p = d->pool;

	if (!p) {
		d->kept += sizeof(*p);
		return arena_alloc(d->ctx->mem, sizeof(*p));
	}
	d->pool = p->next;
	p->next = NULL;
	return p;
}

/* The reader has said its last word. */
static void pending_finish(struct driver *d, struct pending *p, enum reader_answer answer)
{
	struct reader *r = &p->box->r;
	uint64_t before = d->ctx->mem->held;

	p->answer = answer;
	p->end = r->end;
	p->unit = r->unit;
	if (answer == READER_BAD) {
		if (d->waiting_faults >= FAULTS_MAX && p->images.n == 0 && d->n_active > 1) {
			d->active[0]->lost = true;
			p->answer = READER_NOT;
		} else {
			p->fault = (struct found_fault){p->start, span_of(p->format->name), r->grade, r->fault.limit,
			                                SPAN("it cannot be read")};
			if (!driver_told_enough(d))
				p->fault.reason = arena_copy(d->ctx->mem, span_of(r->fault.text));
			driver_count(d, before);
			d->waiting_faults++;
		}
	}
	active_remove(d, p);
	box_return(d, p);
}

static void pending_answer(struct driver *d, struct pending *p, enum reader_answer answer, uint64_t seen)
{
	struct reader *r = &p->box->r;

	p->box->held_n = 0;
	if (answer == READER_MORE && (r->want.n == 0 || r->want.at < seen))
		answer = reader_bad(r, PROBLEM_INCOMPLETE, ERR_FAULT,
		                    "the reader of '%s' asks for bytes that have passed", p->format->name);
	if (answer != READER_MORE) {
		pending_finish(d, p, answer);
		queue_settle(d);
		return;
	}
	if (r->end < want_end(p))
		r->end = want_end(p);
	p->end = r->end;
}

static void queue_add(struct driver *d, struct pending *p)
{
	/* What was dropped at the front makes room first. */
	if (d->queue.n == d->queue.cap && d->queue.head > d->queue.n / 2) {
		d->queue.n -= d->queue.head;
		memmove(d->queue.v, d->queue.v + d->queue.head, d->queue.n * sizeof(*d->queue.v));
		d->queue.head = 0;
	}
	*driver_add(d, &d->queue) = p;
}

/* The oldest container that is being read, or NULL; *n: how many there are. */
static struct pending *oldest(const struct driver *d, size_t *n)
{
	struct pending *first = NULL;

	*n = 0;
	for (size_t i = 0; i < d->n_active; i++) {
		if (is_text(d->active[i]->format))
			continue;
		if (!first && !d->active[i]->format->payload)
			first = d->active[i];
		++*n;
	}
	return first;
}

void driver_start_format(struct driver *d, const struct device_format *f, uint64_t at, bool at_file)
{
	size_t containers;
	struct pending *around = oldest(d, &containers), *p;
	bool within = at < d->inside;
	struct reader *r;

	/* Part of what was listed already, or a loose file's own reader has begun. */
	if ((within && !driver_is_container(f)) || (d->file && !at_file && at == 0))
		return;
	d->file = d->file || at_file;
	if (!is_text(f) && ((f->payload && around) || containers >= d->ctx->limits->v[LIMIT_NESTED_CONTAINERS])) {
		if (!around)
			around = d->active[0];
		around->lost = true;
		around->deep = around->deep || containers >= d->ctx->limits->v[LIMIT_NESTED_CONTAINERS];
		return;
	}
	if (d->n_active == READERS_ACTIVE || (d->n_active && !d->pool && driver_full(d))) {
		d->active[0]->lost = true;
		d->active[0]->too_much = d->active[0]->too_much || (driver_is_container(f) && driver_full(d));
		return;
	}
	p = pending_take(d);
	p->format = f;
	p->start = at;
	p->at_file = at_file;
	p->within = within;
	p->box = box_take(d, f);
	r = &p->box->r;
	r->format = f;
	r->ctx = d->ctx;
	r->start = at;
	r->end = at;
	r->file_size = d->size;
	r->at_file = at_file;
	r->codecs = &d->codecs;
	r->driver = d;
	r->pending = p;
	d->active[d->n_active++] = p;
	queue_add(d, p);
	pending_answer(d, p, f->start(r), at);
}

bool driver_start(struct driver *d, uint64_t at, const uint8_t *front, bool at_file)
{
	bool any = false;

	for (size_t i = 0; device_formats[i]; i++) {
		const struct device_format *f = device_formats[i];

		if (device_format_starts(f, (struct span){front, SEARCH_LOOK})) {
			driver_start_format(d, f, at, at_file);
			any = true;
		}
	}
	return any;
}

static void hold(struct box *b, const uint8_t *p, size_t n)
{
	size_t cap = b->held_cap;

	if (cap < b->r.want.n) {
		cap = cap * 2 < b->r.want.n ? b->r.want.n : cap * 2;
		b->held = realloc(b->held, cap);
		if (!b->held)
			out_of_memory();
		b->held_cap = cap;
	}
	memcpy(b->held + b->held_n, p, n);
	b->held_n += n;
}

void driver_save(struct driver *d, uint64_t from, uint64_t to, const uint8_t *bytes)
{
	for (size_t i = 0; i < d->n_active; i++) {
		struct box *b = d->active[i]->box;
		uint64_t first = b->r.want.at + b->held_n;

		if (first < from)
			first = from;
		if (first < to)
			hold(b, bytes + (first - from), (size_t)(to - first));
	}
}

static void pending_feed(struct driver *d, struct pending *p, uint64_t from, const uint8_t *bytes)
{
	struct box *b = p->box;
	struct span s = {b->held, b->r.want.n};
	uint64_t end = want_end(p);

	if (b->held_n == 0) {
		s.p = bytes + (b->r.want.at - from);
	} else if (b->held_n < s.n) {
		hold(b, bytes + (b->r.want.at + b->held_n - from), s.n - b->held_n);
		s.p = b->held;
	}
	pending_answer(d, p, p->format->feed(&b->r, s), end);
}

void driver_feed(struct driver *d, uint64_t at, uint64_t from, const uint8_t *bytes)
{
	for (size_t i = 0; i < d->n_active;) {
		if (want_end(d->active[i]) > at) {
			i++;
			continue;
		}
		pending_feed(d, d->active[i], from, bytes);
		/* It may be gone, and others with it. */
		i = 0;
	}
}

void driver_stop(struct driver *d, struct pending *p, uint64_t size)
{
	struct reader *r = &p->box->r;
	enum reader_answer answer =
	        reader_bad(r, PROBLEM_INCOMPLETE, ERR_TRUNCATED, "the file ends at %llu, inside the %s at %llu",
	                   (unsigned long long)size, p->format->name, (unsigned long long)p->start);

	pending_answer(d, p, answer, size);
}

void driver_rest(struct driver *d)
{
	codec_streams_trim(&d->codecs);
}

void *driver_room(struct driver *d, void *v, size_t n, size_t *cap, size_t size)
{
	size_t more = *cap + *cap / 4 + 16;

	if (n < *cap)
		return v;
	v = realloc(v, more * size);
	if (!v)
		out_of_memory();
	d->kept += (more - *cap) * size;
	*cap = more;
	return v;
}

static void box_free(struct box *b)
{
	free(b->held);
	free(b->r.kept.p);
	free(b->r.table.p);
}

void driver_free(struct driver *d)
{
	while (d->n_active) {
		struct pending *p = d->active[0];

		active_remove(d, p);
		box_return(d, p);
	}
	for (size_t i = 0; i < FORMATS_MAX; i++)
		for (struct box *b = d->boxes[i]; b; b = b->next)
			box_free(b);
	codec_streams_clear(&d->codecs);
	free(d->queue.v);
	free(d->list.v);
	free(d->found->units.v);
	free(d->found->faults.v);
	free(d->found->oddities.v);
}
