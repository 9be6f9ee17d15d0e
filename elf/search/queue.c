/* SPDX-License-Identifier: Apache-2.0 */
/* From readers that finished to units, faults and oddities, in order of their start. */
#include "driver.h"

#include "base/checked.h"

#define NEAR_TAIL 64

static void keep_fault(struct driver *d, const struct found_fault *f)
{
	if (d->found->faults.n < FAULTS_MAX && !driver_full(d))
		*driver_add(d, &d->found->faults) = *f;
	else
		d->too_many_faults = true;
}

static void keep_oddity(struct driver *d, const struct found_fault *f)
{
	if (d->found->oddities.n < FAULTS_MAX && !driver_full(d))
		*driver_add(d, &d->found->oddities) = *f;
	else
		d->too_many_faults = true;
}

static void keep_lost(struct driver *d, const struct pending *p)
{
	struct found_fault f = {p->start, span_of(p->format->name), PROBLEM_INCOMPLETE, LIMIT_NONE,
	                        SPAN("what lies inside a container that could not be read was not looked at")};

	if (p->deep) {
		f.limit = LIMIT_NESTED_CONTAINERS;
		f.reason = SPAN("containers inside one another");
	}
	keep_oddity(d, &f);
}

static void keep_within(struct driver *d, const struct pending *p)
{
	struct found_fault f = {p->start, span_of(p->format->name), PROBLEM_ANOMALY, LIMIT_NONE,
	                        SPAN("containers lie inside other device code")};

	keep_oddity(d, &f);
}

/* Images of a unit become part of the answer; odd things are told beside them, else they are the candidate's own. */
static void keep_unit(struct driver *d, struct pending *p)
{
	struct found_unit *u;
	/* Where all lengths agree it is no chance. */
	bool sure = p->images.n || p->answer == READER_DONE;
	void (*keep)(struct driver *, const struct found_fault *) = sure ? keep_oddity : keep_fault;

	for (size_t i = 0; i < p->oddities.n; i++)
		keep(d, &p->oddities.v[i].fault);
	if (p->answer == READER_BAD)
		keep(d, &p->fault);
	if ((p->answer == READER_BAD && p->lost && !p->at_file) || (p->answer == READER_DONE && p->deep))
		keep_lost(d, p);
	if (p->within)
		keep_within(d, p);
	d->listed += p->listed;
	if (p->images.n == 0)
		return;
	u = driver_add(d, &d->found->units);
	*u = (struct found_unit){p->start, p->end, span_of(p->format->name), false, d->list.n, p->images.n};
	for (size_t i = 0; i < p->images.n; i++) {
		u->unit = u->unit || (p->unit && p->images.v[i].unit_target);
		*driver_add(d, &d->list) = p->images.v[i];
	}
}

static struct pending *queue_first(struct driver *d)
{
	while (d->queue.head < d->queue.n && !d->queue.v[d->queue.head])
		d->queue.head++;
	return d->queue.head < d->queue.n ? d->queue.v[d->queue.head] : NULL;
}

static void queue_drop(struct driver *d, size_t i)
{
	struct pending *p = d->queue.v[i];

	if (!p->box && p->answer == READER_BAD)
		d->waiting_faults--;
	d->queue.v[i] = NULL;
	driver_release(d, p);
}

/*
 * Whether p, which starts inside a unit that ends at `end`, counts beside it: it goes on behind that end, or is a
 * container. A few bytes that claim to be a large image must not make what they cover vanish.
 */
static bool stays(struct pending *p, uint64_t end)
{
	bool read = p->box || p->images.n;

	if (!read || p->format->magics[0].n == 0 || p->format->payload)
		return false;
	p->within = p->end <= end;
	return !p->within || driver_is_container(p->format);
}

/* What starts before `end` was part of the first one. */
static void queue_drop_inside(struct driver *d, uint64_t end)
{
	for (size_t i = d->queue.head; i < d->queue.n; i++) {
		if (!d->queue.v[i])
			continue;
		if (d->queue.v[i]->start >= end)
			break;
		if (!stays(d->queue.v[i], end))
			queue_drop(d, i);
	}
}

/* Those that were nothing go at once, when they are easy to find: they can be many. */
static void queue_trim(struct driver *d)
{
	size_t low = d->queue.n > NEAR_TAIL ? d->queue.n - NEAR_TAIL : 0;

	for (size_t i = d->queue.n; i > low && i > d->queue.head; i--) {
		struct pending *p = d->queue.v[i - 1];

		if (p && !p->box && p->answer == READER_NOT && !p->lost)
			queue_drop(d, i - 1);
	}
	while (d->queue.n > d->queue.head && !d->queue.v[d->queue.n - 1])
		d->queue.n--;
}

void queue_settle(struct driver *d)
{
	struct pending *p;

	while ((p = queue_first(d)) && !p->box) {
		uint64_t inside = 0;

		if (p->answer != READER_NOT) {
			d->too_many_images = d->too_many_images || p->too_many;
			d->too_much = d->too_much || p->too_much;
		}
		if (p->within && p->images.n == 0) {
			queue_drop(d, d->queue.head);
			continue;
		}
		if (p->answer == READER_NOT && p->lost)
			keep_lost(d, p);
		if (p->answer != READER_NOT)
			keep_unit(d, p);
		if (p->answer == READER_DONE) {
			inside = p->end;
		} else if (p->at_file && p->answer == READER_BAD) {
			inside = UINT64_MAX;
		} else if (p->answer == READER_BAD && p->images.n) {
			inside = p->listed_end;
		}
		if (inside > d->inside)
			d->inside = inside;
		queue_drop(d, d->queue.head);
		queue_drop_inside(d, inside);
	}
	if (d->queue.head == d->queue.n)
		d->queue.head = d->queue.n = 0;
	else
		queue_trim(d);
}

/* What is true of the search as a whole. */
static void tell(struct driver *d, bool so, enum limit_id limit, const char *reason)
{
	struct found_fault f = {0, SPAN_NONE, PROBLEM_INCOMPLETE, limit, span_of(reason)};

	if (so)
		*driver_add(d, &d->found->oddities) = f;
}

struct found *driver_end(struct driver *d, uint64_t size)
{
	while (d->n_active) {
		struct pending *p = d->active[0];

		driver_stop(d, p, size);
	}
	queue_settle(d);
	d->found->images = d->list.n;
	d->found->driver = d;
	tell(d, d->too_many_images, LIMIT_DEVICE_ENTRIES, "the number of device-code images");
	tell(d, d->too_much, LIMIT_OBJECT_RANGES, "what is kept of its device code");
	tell(d, d->too_many_faults, LIMIT_NONE, "too many places look like device code and cannot be read");
	return d->found;
}

struct found_image found_image_at(const struct found *f, size_t i)
{
	return images_expand(&f->driver->images, &f->driver->list.v[i]);
}
