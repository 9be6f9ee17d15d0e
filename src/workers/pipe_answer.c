/* SPDX-License-Identifier: Apache-2.0 */
#include "pipe_answer.h"

#include "facts.h"
#include "parts.h"

static void part_begin(struct outbuf *out, enum pipe_part_kind kind, size_t layer, uint64_t length)
{
	uint8_t head[2 * POOL_LENGTH_BYTES + 1] = {(uint8_t)kind};

	pool_put_length(head + 1, layer);
	pool_put_length(head + 1 + POOL_LENGTH_BYTES, length);
	outbuf_put(out, (struct span){head, sizeof(head)});
}

/* Facts without many entries. */
static void facts_part(struct outbuf *out, enum pipe_part_kind kind, size_t layer, struct facts *facts)
{
	struct outbuf bytes = outbuf_limited(out->max);

	facts_sort(facts);
	facts_write(facts, &bytes);
	out->failed = out->failed || bytes.failed;
	part_begin(out, kind, layer, bytes.n);
	outbuf_put(out, outbuf_span(&bytes));
	outbuf_release(&bytes);
}

static void digest_part(struct outbuf *out, size_t layer, struct span digest, struct arena *mem)
{
	struct facts facts = {.mem = mem, .digest = digest};

	if (digest.n)
		facts_part(out, PIPE_DIGEST, layer, &facts);
}

static void lost_part(struct outbuf *out, size_t layer, const struct err *why)
{
	struct span limit = span_of(why->limit ? limit_row(why->limit)->name : ""), text = span_of(why->text);

	part_begin(out, PIPE_LOST, layer, limit.n + 1 + text.n);
	outbuf_put(out, limit);
	outbuf_char(out, 0);
	outbuf_put(out, text);
}

static void layer_parts(struct outbuf *out, size_t layer, const struct pipe_layer *l, struct arena *mem)
{
	if (l->facts.n) {
		part_begin(out, PIPE_READ, layer, l->facts.n);
		outbuf_put(out, l->facts);
	} else {
		lost_part(out, layer, &l->why);
	}
	digest_part(out, layer, l->digest, mem);
}

static void plan_parts(struct outbuf *out, const struct pipe_plan *p)
{
	struct facts plan = p->facts;

	facts_part(out, PIPE_PLAN, 0, &plan);
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
	digest_part(out, 0, found->digest, read.mem);
	if (plan->refused.n)
		return;
	part_begin(out, PIPE_READ, 0, PIPE_REST);
	facts_sort(&read);
	facts_write(&read, out);
}

bool pipe_part_next(struct cursor *c, struct pipe_part *p)
{
	uint64_t layer, length;

	if (c->bad || cursor_left(c) == 0)
		return false;
	p->kind = (enum pipe_part_kind)cursor_u8(c);
	layer = cursor_u64(c);
	p->layer = (uint32_t)layer;
	length = cursor_u64(c);
	p->bytes = cursor_take(c, length == PIPE_REST ? cursor_left(c) : length);
	c->bad = c->bad || p->kind >= PIPE_PART_COUNT || layer > UINT32_MAX;
	return !c->bad;
}
