/* SPDX-License-Identifier: Apache-2.0 */
#include "pipe_answer.h"

#include "facts.h"
#include "pool_parts.h"

/* Opens a part; where its length is to stand. */
static size_t part_begin(struct outbuf *out, enum pipe_part_kind kind, size_t layer)
{
	uint8_t head[2 * POOL_LENGTH_BYTES + 1] = {(uint8_t)kind};

	pool_put_length(head + 1, layer);
	outbuf_put(out, (struct span){head, sizeof(head)});
	return out->n - POOL_LENGTH_BYTES;
}

static void part_end(struct outbuf *out, size_t length_at)
{
	if (!out->failed)
		pool_put_length(out->p + length_at, out->n - length_at - POOL_LENGTH_BYTES);
}

static void facts_part(struct outbuf *out, enum pipe_part_kind kind, struct facts *facts)
{
	size_t at = part_begin(out, kind, 0);

	facts_sort(facts);
	facts_write(facts, out);
	part_end(out, at);
}

static void digest_part(struct outbuf *out, size_t layer, struct span digest, struct arena *mem)
{
	struct facts facts = {.mem = mem, .digest = digest};
	size_t at;

	if (!digest.n)
		return;
	at = part_begin(out, PIPE_DIGEST, layer);
	facts_write(&facts, out);
	part_end(out, at);
}

static void layer_parts(struct outbuf *out, size_t layer, const struct pipe_layer *l, struct arena *mem)
{
	bool lost = l->facts.n == 0;
	size_t at = part_begin(out, lost ? PIPE_LOST : PIPE_READ, layer);

	outbuf_put(out, l->facts);
	if (lost) {
		outbuf_text(out, l->why.limit ? limit_row(l->why.limit)->name : "");
		outbuf_char(out, 0);
		outbuf_text(out, l->why.text);
	}
	part_end(out, at);
	digest_part(out, layer, l->digest, mem);
}

static void plan_parts(struct outbuf *out, const struct pipe_plan *p)
{
	struct facts plan = p->facts;

	facts_part(out, PIPE_PLAN, &plan);
	for (size_t i = 0; i < p->layers.n; i++)
		if (p->layers.v[i])
			layer_parts(out, i + 1, p->layers.v[i], plan.mem);
}

void pipe_answer_write(const struct pipe_found *found, struct outbuf *out)
{
	const struct plan *plan = &found->plans.v[0].facts.plan;
	struct facts read = found->read;

	for (size_t i = 0; i < found->plans.n; i++)
		plan_parts(out, &found->plans.v[i]);
	if (plan->image.present && !plan->refused.n)
		return;
	if (!plan->refused.n)
		facts_part(out, PIPE_READ, &read);
	digest_part(out, 0, found->digest, read.mem);
}

bool pipe_part_next(struct cursor *c, struct pipe_part *p)
{
	uint64_t layer;

	if (c->bad || cursor_left(c) == 0)
		return false;
	p->kind = (enum pipe_part_kind)cursor_u8(c);
	layer = cursor_u64(c);
	p->layer = (uint32_t)layer;
	p->bytes = cursor_take(c, cursor_u64(c));
	c->bad = c->bad || p->kind >= PIPE_PART_COUNT || layer > UINT32_MAX;
	return !c->bad;
}
