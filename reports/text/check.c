/* SPDX-License-Identifier: Apache-2.0 */
/* The answer of `check`: whether it fits, what does not, and what to do first. */
#include "parts.h"

static void put_verdict(struct text *t, enum verdict v)
{
	static const char *const words[VERDICT_COUNT] = {"PASS", "FAIL", "INCOMPLETE"};
	const char *colour = v == VERDICT_PASS ? "\033[1;32m" : "\033[1;31m";

	text_word(t, t->o->colour ? colour : "");
	text_word(t, words[v < VERDICT_COUNT ? v : VERDICT_INCOMPLETE]);
	text_word(t, t->o->colour ? "\033[0m  " : "  ");
}

struct counts {
	uint64_t of[GRADE_COUNT], waived;
};

static struct counts counts_of(const struct judged *j)
{
	struct counts c = {0};

	for (size_t i = 0; i < j->findings.n; i++) {
		const struct finding *f = &j->findings.v[i];

		if (f->waiver)
			c.waived++;
		else if (f->grade < GRADE_COUNT)
			c.of[f->grade]++;
	}
	return c;
}

/* "1 fails, 2 warns, 4 to know, 1 waived". */
static struct span count_words(struct text *t, const struct counts *c)
{
	const struct {
		uint64_t n;
		const char *word;
	} parts[] = {{c->of[GRADE_FAIL], "fails"},
	             {c->of[GRADE_WARN], "warns"},
	             {c->of[GRADE_INFO], "to know"},
	             {c->waived, "waived"}};
	struct spans words = {0};

	for (size_t i = 0; i < sizeof(parts) / sizeof(*parts); i++)
		if (parts[i].n)
			spans_add(t->mem, &words,
			          arena_printf(t->mem, "%.*s %s", TEXT_ARG(text_number(t, parts[i].n)), parts[i].word));
	return words.n ? text_words(t, &words, ", ", 0) : SPAN("nothing found");
}

/* "(rocm7, mi300)". */
static struct span by_what(struct text *t, const struct judgement *j)
{
	struct spans names = {0};

	if (j->policy->source.n == 0)
		return SPAN("(no policy)");
	spans_add(t->mem, &names, text_shown(t, j->policy->name));
	for (size_t i = 0; j->artifacts.n && i < j->artifacts.v[0].classes.n; i++)
		spans_add(t->mem, &names, text_shown(t, j->artifacts.v[0].classes.v[i].class_name));
	return arena_printf(t->mem, "(%.*s)", TEXT_ARG(text_words(t, &names, ", ", 4)));
}

static struct span answer_words(struct text *t, const struct judged *j)
{
	struct counts c = counts_of(j);
	struct span n = text_number(t, c.of[GRADE_FAIL]);

	if (j->artifact->refused)
		return SPAN(" was not scanned");
	if (j->verdict != VERDICT_INCOMPLETE)
		return arena_printf(t->mem, ": %.*s", TEXT_ARG(count_words(t, &c)));
	/* What could not be read is a finding of grade fail itself. */
	for (size_t i = 0; i < j->findings.n; i++)
		c.of[GRADE_FAIL] -=
		        j->findings.v[i].incomplete && !j->findings.v[i].waiver && j->findings.v[i].grade == GRADE_FAIL;
	n = text_number(t, c.of[GRADE_FAIL]);
	if (c.of[GRADE_FAIL] == 0)
		return SPAN(" was not read to its end; nothing read so far fails");
	return arena_printf(t->mem, " was not read to its end; of what was read, %.*s fails", TEXT_ARG(n));
}

static void put_answer(struct text *t, const struct judged *j, struct span by)
{
	struct span answer = answer_words(t, j), title = text_title(t, j->artifact);
	size_t used = 12 + text_columns(answer) + 3 + text_columns(by);

	if (!t->o->verbose && used + text_columns(title) > t->width)
		title = text_cut_middle(t, title, t->width > used + 20 ? t->width - used : 20);
	put_verdict(t, j->verdict);
	text_put(t, title);
	text_put(t, answer);
	if (by.n)
		outbuf_printf(t->out, "   %.*s", TEXT_ARG(by));
	text_word(t, "\n");
}

/* "will it run: mi300 native, h100 none"; nothing where no code was asked for. */
static void put_classes(struct text *t, const struct judged *j)
{
	struct spans words = {0};

	for (size_t i = 0; i < j->classes.n; i++)
		spans_add(t->mem, &words,
		          arena_printf(t->mem, "%.*s %s", TEXT_ARG(text_shown(t, j->classes.v[i].class_name)),
		                       answer_name(j->classes.v[i].answer)));
	if (words.n)
		outbuf_printf(t->out, "will it run: %.*s\n", TEXT_ARG(text_words(t, &words, ", ", 4)));
}

/* The layer that brought everything that fails; 0: there is none. */
static uint32_t layer_to_blame(const struct judged *j, enum grade fail_on)
{
	uint32_t layer = 0;

	for (size_t i = 0; i < j->findings.n; i++) {
		const struct finding *f = &j->findings.v[i];

		if (f->waiver || f->grade < fail_on)
			continue;
		if (f->layer == 0 || (layer && f->layer != layer))
			return 0;
		layer = f->layer;
	}
	return layer;
}

static const struct finding *worst_of(const struct judged *j)
{
	for (size_t i = 0; i < j->findings.n; i++)
		if (!j->findings.v[i].waiver)
			return &j->findings.v[i];
	return NULL;
}

static void put_failing(struct text *t, const struct judgement *j)
{
	for (size_t i = 0; i < j->artifacts.n; i++) {
		const struct judged *one = &j->artifacts.v[i];
		uint32_t layer = layer_to_blame(one, j->fail_on);
		const struct finding *f = worst_of(one);

		if (one->verdict != VERDICT_FAIL || !f)
			continue;
		if (layer && layer <= one->artifact->layers.n && one->artifact->layers.v[layer - 1].ref.has_step)
			outbuf_printf(t->out, "start with step %u: its layer brought everything that fails\n",
			              one->artifact->layers.v[layer - 1].ref.step);
		else if (layer)
			outbuf_printf(t->out, "start with layer %u: it brought everything that fails\n", layer - 1);
		else
			outbuf_printf(t->out, "start with the first; 'postern rules %s' says what it means\n",
			              finding_name(f->id));
		return;
	}
}

static void put_next(struct text *t, const struct judgement *j)
{
	size_t questions = 0, incomplete = 0;

	for (size_t i = 0; i < j->artifacts.n; i++) {
		incomplete += j->artifacts.v[i].verdict == VERDICT_INCOMPLETE;
		questions += j->artifacts.v[i].artifact->usage;
	}
	text_word(t, "\n");
	if (j->verdict == VERDICT_INCOMPLETE)
		outbuf_printf(t->out, "exit status %d: this is not a pass\n",
		              questions && questions == incomplete ? 2 : 3);
	else if (j->verdict == VERDICT_FAIL)
		put_failing(t, j);
	else if (j->policy->source.n == 0)
		text_word(t, "nothing fails without a policy: --policy FILE says what is allowed\n");
	else if (j->warns || j->infos)
		text_word(t, "nothing has to be done; 'postern rules ID' says more about each\n");
	else
		text_word(t, "nothing has to be done\n");
}

static void put_notes(struct text *t, const struct judgement *j)
{
	text_word(t, j->notes.n ? "\n" : "");
	for (size_t i = 0; i < j->notes.n; i++)
		outbuf_printf(t->out, "note: %.*s\n", TEXT_ARG(text_shown(t, j->notes.v[i])));
}

/* The answer about all, where there are several. */
static void put_all(struct text *t, const struct judgement *j)
{
	static const char *const words[VERDICT_COUNT] = {"pass", "fail", "not read to the end"};
	uint64_t n[VERDICT_COUNT] = {0};
	struct spans parts = {0};

	for (size_t i = 0; i < j->artifacts.n; i++)
		n[j->artifacts.v[i].verdict]++;
	for (int v = VERDICT_COUNT - 1; v >= 0; v--)
		if (n[v])
			spans_add(t->mem, &parts,
			          arena_printf(t->mem, "%.*s %s", TEXT_ARG(text_number(t, n[v])), words[v]));
	put_verdict(t, j->verdict);
	outbuf_printf(t->out, "%.*s: %.*s   %.*s\n\n", TEXT_ARG(text_many(t, j->artifacts.n, "artifact")),
	              TEXT_ARG(text_words(t, &parts, ", ", 0)), TEXT_ARG(by_what(t, j)));
}

void text_check(struct text *t, const struct judgement *j)
{
	bool several = j->artifacts.n > 1;

	if (several)
		put_all(t, j);
	for (size_t i = 0; i < j->artifacts.n; i++) {
		text_word(t, i ? "\n" : "");
		put_answer(t, &j->artifacts.v[i], several ? SPAN_NONE : by_what(t, j));
		put_classes(t, &j->artifacts.v[i]);
		text_not_read(t, j->artifacts.v[i].artifact);
		text_findings(t, &j->artifacts.v[i]);
		text_unverified(t, j->artifacts.v[i].artifact);
	}
	put_notes(t, j);
	put_next(t, j);
}
