/* SPDX-License-Identifier: Apache-2.0 */
/* Which names a content has: nodes in order of the entry whose content they have. */
#include <stdlib.h>

#include "layers.h"

#define DIGIT_BITS 11
#define DIGITS     3 /* of 32 bits */
#define DIGIT_MOST ((size_t)1 << DIGIT_BITS)

struct name_row name_row(const struct layer_view *v, uint32_t node)
{
	const struct node *n = tree_node(&v->l->tree, node);
	uint32_t layer = layers_set(v->l, n->content)->layer;

	return (struct name_row){.content = n->content,
	                         .node = node,
	                         .hidden_by = v->hidden_by[node] == UINT16_MAX ? layer : v->hidden_by[node],
	                         .foreign = n->layer != layer};
}

/* Of one content: visible names first, and of these its own layer's. */
static int by_use(const void *x, const void *y, void *view)
{
	struct layer_view *v = view;
	struct name_row a = name_row(v, *(const uint32_t *)x), b = name_row(v, *(const uint32_t *)y);
	struct path_room other = {0};
	int c = (a.hidden_by != 0) - (b.hidden_by != 0);

	c = c ? c : (int)a.foreign - (int)b.foreign;
	if (!c && !a.hidden_by)
		c = span_cmp(layers_path(v->l, a.node, &v->room), layers_path(v->l, b.node, &other));
	free(other.p);
	return c ? c : by_number(a.node, b.node);
}

static uint32_t content_of(const struct layer_view *v, size_t i)
{
	return tree_node(&v->l->tree, v->names[i])->content;
}

static void *room_get(size_t n, size_t size)
{
	void *p = calloc(n + 1, size);

	if (!p)
		out_of_memory();
	return p;
}

static bool contents_ascend(const struct layer_view *v)
{
	for (size_t i = 1; i < v->names_n; i++)
		if (content_of(v, i - 1) > content_of(v, i))
			return false;
	return true;
}

/* Digit by digit, the least first. */
static void contents_sort(struct layer_view *v)
{
	uint32_t *to = room_get(v->names_n, sizeof(*to)), *swap;
	size_t *at = room_get(DIGIT_MOST, sizeof(*at));

	for (unsigned digit = 0; digit < DIGITS; digit++) {
		unsigned shift = digit * DIGIT_BITS;

		memset(at, 0, DIGIT_MOST * sizeof(*at));
		for (size_t i = 0; i < v->names_n; i++)
			at[((content_of(v, i) >> shift) & (DIGIT_MOST - 1)) + 1]++;
		for (size_t i = 1; i < DIGIT_MOST; i++)
			at[i] += at[i - 1];
		for (size_t i = 0; i < v->names_n; i++)
			to[at[(content_of(v, i) >> shift) & (DIGIT_MOST - 1)]++] = v->names[i];
		swap = v->names;
		v->names = to;
		to = swap;
	}
	free(to);
	free(at);
}

static bool has_name(const struct layer_view *v, size_t i)
{
	const struct node *n = tree_node(&v->l->tree, (uint32_t)i);

	return n->content != NO_NODE && n->kind != ENTRY_FOLDER && node_stands(n);
}

void names_fill(struct layer_view *v)
{
	size_t end;

	for (size_t i = 0; i < v->l->tree.n; i++)
		v->names_n += has_name(v, i);
	v->names = room_get(v->names_n, sizeof(*v->names));
	for (size_t i = 0, to = 0; i < v->l->tree.n; i++)
		if (has_name(v, i))
			v->names[to++] = (uint32_t)i;
	if (!contents_ascend(v))
		contents_sort(v);
	for (size_t i = 0; i < v->names_n; i = end) {
		for (end = i + 1; end < v->names_n && content_of(v, end) == content_of(v, i);)
			end++;
		if (end > i + 1)
			qsort_r(v->names + i, end - i, sizeof(*v->names), by_use, v);
	}
}

void names_free(struct layer_view *v)
{
	free(v->names);
	free(v->hidden_by);
	free(v->room.p);
	v->names = NULL;
	v->hidden_by = NULL;
	v->room = (struct path_room){0};
}

/* The first name at or behind `at` whose content is not before this one. */
static size_t lower_bound(const struct layer_view *v, uint32_t content, size_t at)
{
	size_t low = at, high = v->names_n, step = 1;

	/* Whoever asks for many asks in their order. */
	while (low + step < v->names_n && content_of(v, low + step) < content)
		step *= 2;
	high = low + step < v->names_n ? low + step : v->names_n;
	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (content_of(v, mid) < content)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

bool name_find(struct layer_view *v, uint32_t content, struct name_row *row, size_t *at)
{
	size_t from = v->at < v->names_n && content_of(v, v->at) <= content ? v->at : 0;
	size_t i = lower_bound(v, content, from);

	if (i >= v->names_n || content_of(v, i) != content)
		return false;
	v->at = i;
	if (at)
		*at = i;
	*row = name_row(v, v->names[i]);
	for (size_t k = i + 1; row->hidden_by && k < v->names_n && content_of(v, k) == content; k++) {
		uint32_t later = name_row(v, v->names[k]).hidden_by;

		row->hidden_by = later > row->hidden_by ? later : row->hidden_by;
	}
	return true;
}
