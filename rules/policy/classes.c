/* SPDX-License-Identifier: Apache-2.0 */
/* Node classes: a name, a backend, and devices of it. */
#include "parts.h"

#include <stdlib.h>

#include "rules/target.h"

struct class_row {
	const struct node *backend, *devices;
};

static const struct row_key class_keys[] = {
        {"backend", KEY_NODE, true, offsetof(struct class_row, backend)},
        {"capabilities", KEY_LATER, false, 0},
        {"devices", KEY_NODE, true, offsetof(struct class_row, devices)},
        {"driver", KEY_LATER, false, 0},
        {"platform", KEY_LATER, false, 0},
        {"provides", KEY_LATER, false, 0},
};

static int by_text(const void *x, const void *y)
{
	const struct node *const *a = x, *const *b = y;
	int c = span_cmp((*a)->text, (*b)->text);

	if (c)
		return c;
	return (*a)->line != (*b)->line ? ((*a)->line > (*b)->line ? 1 : -1) : ((*a)->column > (*b)->column ? 1 : -1);
}

/* A list of text; of several doubled ones the first in sorted order is named. */
static int refuse_doubled(const struct policy_reading *r, const struct node *list)
{
	const struct node **all = arena_alloc(r->mem, (list->children + 1) * sizeof(*all));
	size_t n = 0;

	if (list->kind != NODE_LIST)
		return 0;
	for (const struct node *v = list->first; v; v = v->next)
		all[n++] = v;
	qsort(all, n, sizeof(*all), by_text);
	for (size_t i = 1; i < n; i++)
		if (span_eq(all[i - 1]->text, all[i]->text))
			return node_error(r->e, all[i], "device '%s' stands here a second time",
			                  (const char *)all[i]->text.p);
	return 0;
}

static int devices_read(const struct policy_reading *r, struct node_class *c, const struct node *n)
{
	if (n->kind == NODE_LIST && !n->first)
		return node_error(r->e, n, "class '%s' must have a device", (const char *)c->name.p);
	for (const struct node *v = values_first(n); v; v = values_next(n, v)) {
		if (v->kind != NODE_TEXT)
			return node_error(r->e, v, "this must be text, not %s", node_kind_name(v));
		if (!target_is_device(c->backend, v->text))
			return node_error(
			        r->e, v,
			        "'%s' is no device of '%s': its target is needed, as the vendor's tools spell it",
			        (const char *)v->text.p, (const char *)c->backend.p);
		spans_add(r->mem, &c->devices, v->text);
	}
	return refuse_doubled(r, n);
}

int policy_classes(const struct policy_reading *r, const struct node *map)
{
	for (const struct node *v = map->first; v; v = v->next) {
		struct node_class *c = list_add(r->mem, &r->policy->classes);
		struct class_row row = {NULL, NULL};

		if (text_read(&c->name, v->key, r->e) < 0 || row_read(&row, v, KEYS(class_keys), r->mem, r->e) < 0 ||
		    policy_backend(r, &c->backend, row.backend) < 0 || devices_read(r, c, row.devices) < 0)
			return -1;
	}
	return 0;
}
