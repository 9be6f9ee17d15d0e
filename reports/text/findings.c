/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Findings for people (output.md): what is wrong, what proves it, where it came from, what to do. Findings that differ
 * in their package only are told together: one thing to decide is one block.
 */
#include <stdlib.h>

#include "base/checked.h"
#include "parts.h"

#define MOST_NAMES  4
#define MOST_BLOCKS 8 /* of one grade */
#define MOST_LINES  2 /* of one sentence */

/* A finding with its place in the list. */
struct row {
	const struct finding *f;
	size_t at;
};

struct block {
	const struct row *rows;
	size_t n;
};

struct blocks {
	struct block *v;
	size_t n, cap;
};

/* What findings of one block share. */
static int key_cmp(const struct finding *a, const struct finding *b)
{
	int c = (a->waiver != NULL) - (b->waiver != NULL);

	c = c ? c : (int)b->grade - (int)a->grade;
	c = c ? c : (int)a->id - (int)b->id;
	c = c ? c : span_cmp(a->backend, b->backend);
	c = c ? c : span_cmp(a->class_name, b->class_name);
	return c ? c : span_cmp(a->target, b->target);
}

static int row_cmp(const void *x, const void *y)
{
	const struct row *a = x, *b = y;
	int c = key_cmp(a->f, b->f);

	return c ? c : (a->at > b->at) - (a->at < b->at);
}

/* What is waived goes last, else as the list has it. */
static int block_cmp(const void *x, const void *y)
{
	const struct row *a = ((const struct block *)x)->rows, *b = ((const struct block *)y)->rows;
	int c = (a->f->waiver != NULL) - (b->f->waiver != NULL);

	return c ? c : (a->at > b->at) - (a->at < b->at);
}

static void blocks_make(struct text *t, const struct judged *j, struct blocks *to)
{
	struct row *rows = arena_alloc(t->mem, (j->findings.n + 1) * sizeof(*rows));
	size_t n = 0, from = 0;

	/* What was not read has lines of its own. */
	for (size_t i = 0; i < j->findings.n; i++)
		if (!j->findings.v[i].incomplete)
			rows[n++] = (struct row){&j->findings.v[i], i};
	if (n == 0)
		return;
	qsort(rows, n, sizeof(*rows), row_cmp);
	for (size_t i = 1; i <= n; i++) {
		if (i < n && !t->o->verbose && key_cmp(rows[i].f, rows[from].f) == 0)
			continue;
		*list_add(t->mem, to) = (struct block){rows + from, i - from};
		from = i;
	}
	qsort(to->v, to->n, sizeof(*to->v), block_cmp);
}

static void put_sign(struct text *t, const struct finding *f)
{
	static const char *const plain[GRADE_COUNT] = {"-", "i", "!", "x"};
	const char *sign = f->waiver ? "-" : plain[f->grade < GRADE_COUNT ? f->grade : GRADE_OFF];
	bool colour = t->o->colour && !f->waiver && f->grade >= GRADE_WARN;

	if (t->o->utf8 && !f->waiver && f->grade == GRADE_FAIL)
		sign = "\xe2\x9c\x97";
	text_word(t, colour ? f->grade == GRADE_FAIL ? "\033[1;31m" : "\033[1;33m" : "");
	text_word(t, sign);
	text_word(t, colour ? "\033[0m " : " ");
}

/* Whole words that fit, at least one; a word that is too long is cut in its middle. */
static struct span take_line(struct text *t, struct span *s, size_t columns, bool last)
{
	size_t end = 0, used = 0;
	struct span line;

	while (s->n && s->p[0] == ' ')
		*s = span_after(*s, 1);
	for (size_t i = 0; i <= s->n && used <= columns; i++) {
		if (i == s->n || s->p[i] == ' ')
			end = i;
		used += i < s->n && (s->p[i] & 0xc0) != 0x80;
	}
	if (last && text_columns(*s) > columns)
		end = s->n;
	if (end == 0)
		end = span_find(*s, ' ');
	line = last && end == s->n ? text_cut_end(t, span_first(*s, end), columns)
	                           : text_cut_middle(t, span_first(*s, end), columns);
	*s = span_after(*s, end);
	return line;
}

/* The sentence, with the id at the end of its first line. */
static void put_head(struct text *t, const struct finding *f, struct span sentence)
{
	struct span id = span_of(finding_name(f->id)), line;
	size_t width = t->width > 4 ? t->width : 4, room = width > id.n + 20 ? width - id.n - 4 : width - 2;
	unsigned lines = 1;

	put_sign(t, f);
	line = take_line(t, &sentence, room, false);
	text_left(t, line, room);
	outbuf_printf(t->out, "%s%.*s\n", width > id.n + 20 ? "  " : "\n  ", TEXT_ARG(id));
	while (sentence.n) {
		line = take_line(t, &sentence, width - 2, !t->o->verbose && lines++ >= MOST_LINES);
		outbuf_printf(t->out, "  %.*s\n", TEXT_ARG(line));
	}
}

static void put_more(struct text *t, struct span before, struct span words)
{
	size_t room = t->width > 2 + text_columns(before) ? t->width - 2 - text_columns(before) : 1;

	outbuf_printf(t->out, "  %.*s%.*s\n", TEXT_ARG(before),
	              TEXT_ARG(t->o->verbose ? words : text_cut_end(t, words, room)));
}

/* "layer 3, step 9: RUN pip install ..."; nothing where they are of several layers. */
static void put_step(struct text *t, const struct artifact *a, uint32_t layer)
{
	const struct layer *l = layer && layer <= a->layers.n ? &a->layers.v[layer - 1] : NULL;
	struct span where, step;

	if (!l)
		return;
	step = text_step_words(t, l->ref.created_by);
	where = arena_printf(t->mem, "layer %u", layer - 1);
	if (l->ref.has_step)
		where = arena_printf(t->mem, "%.*s, step %u", TEXT_ARG(where), l->ref.step);
	put_more(t, SPAN_NONE, step.n ? arena_printf(t->mem, "%.*s: %.*s", TEXT_ARG(where), TEXT_ARG(step)) : where);
}

static void put_remedy(struct text *t, struct span words)
{
	if (words.n)
		put_more(t, t->o->utf8 ? SPAN("\xe2\x86\x92 ") : SPAN("-> "), words);
}

static struct span proof_words(struct text *t, const struct proof *p)
{
	struct span value = text_shown(t, p->value);

	return arena_printf(t->mem, "%.*s%s%.*s", TEXT_ARG(text_shown(t, p->kind)), value.n ? " " : "",
	                    TEXT_ARG(value));
}

static uint64_t objects_of(const struct finding *f)
{
	uint64_t n = 0;

	for (size_t i = 0; i < f->evidence.n; i++)
		n += i == 0 || !span_eq(f->evidence.v[i - 1].object, f->evidence.v[i].object);
	return n;
}

/* What must be there says more than what may be. */
static const struct proof *best_proof(const struct finding *f)
{
	const struct proof *best = &f->evidence.v[0];

	for (size_t i = 1; i < f->evidence.n; i++)
		if (f->evidence.v[i].strength < best->strength)
			best = &f->evidence.v[i];
	return best;
}

/* "torch/lib/libc10_cuda.so and 39 more files: needed libcudart.so.12". */
static void put_evidence(struct text *t, const struct finding *f)
{
	uint64_t files = objects_of(f);
	struct span what, path, more = SPAN_NONE;

	if (t->o->verbose) {
		for (size_t i = 0; i < f->evidence.n; i++) {
			what = proof_words(t, &f->evidence.v[i]);
			path = text_shown(t, f->evidence.v[i].object);
			outbuf_printf(t->out, "  %.*s%s%.*s\n", TEXT_ARG(path), path.n ? ": " : "", TEXT_ARG(what));
		}
		return;
	}
	/* The sentence about a problem has its file and its reason. */
	if (f->evidence.n == 0 || span_eq(f->evidence.v[0].kind, SPAN("problem")))
		return;
	what = proof_words(t, best_proof(f));
	if (files > 1)
		more = arena_printf(t->mem, " and %.*s", TEXT_ARG(text_many(t, files - 1, "more file")));
	path = text_shown(t, best_proof(f)->object);
	what = text_cut_end(t, what, t->width / 2);
	path = text_cut_path(t, path, t->width > what.n + more.n + 30 ? t->width - what.n - more.n - 4 : 24);
	put_more(t, SPAN_NONE, arena_printf(t->mem, "%.*s%.*s: %.*s", TEXT_ARG(path), TEXT_ARG(more), TEXT_ARG(what)));
}

static void put_waiver(struct text *t, const struct waiver *w)
{
	struct span words;

	if (!w)
		return;
	words = arena_printf(t->mem, "waived until %.*s by %.*s: %.*s", TEXT_ARG(text_shown(t, w->expires)),
	                     TEXT_ARG(text_shown(t, w->owner)), TEXT_ARG(text_shown(t, w->reason)));
	put_more(t, SPAN_NONE, words);
}

/* What all of a block have in common, as a sentence. */
static struct span common_sentence(struct text *t, const struct finding *f, enum level level)
{
	struct span backend = text_shown(t, f->backend);

	switch (f->id) {
	case FINDING_BACKEND_FORBIDDEN:
		return arena_printf(t->mem, "%.*s is %s, and forbidden here", TEXT_ARG(backend), level_name(level));
	case FINDING_BACKEND_OTHER:
		return arena_printf(t->mem, "%.*s is %s, and no list of a policy has it", TEXT_ARG(backend),
		                    level_name(level));
	case FINDING_BACKEND_HIDDEN:
		return arena_printf(t->mem, "%.*s is %s, and not named by its package's metadata", TEXT_ARG(backend),
		                    level_name(level));
	case FINDING_HIDDEN_IN_LOWER_LAYER:
		return arena_printf(t->mem, "files of %.*s can no longer be seen, and are shipped all the same",
		                    TEXT_ARG(backend));
	default:
		return arena_printf(t->mem, "%.*s%s%s%s%.*s", TEXT_ARG(backend), backend.n ? ": " : "",
		                    finding_what(f->id), f->target.n ? ": " : "", TEXT_ARG(text_shown(t, f->target)));
	}
}

/* Who brings it, and how: what follows the colon of the finding's own sentence. */
static void put_detail(struct text *t, const struct finding *f, unsigned most)
{
	size_t at = span_find(f->message, ':');
	struct span rest = text_shown(t, span_after(f->message, at + 1)), line;

	for (unsigned i = 1; rest.n && i <= most; i++) {
		line = take_line(t, &rest, t->width > 4 ? t->width - 2 : 2, i == most);
		outbuf_printf(t->out, "  %.*s\n", TEXT_ARG(line));
	}
}

static bool is_about_backend(enum finding_id id)
{
	return id == FINDING_BACKEND_FORBIDDEN || id == FINDING_BACKEND_OTHER || id == FINDING_BACKEND_HIDDEN;
}

static void put_one(struct text *t, const struct artifact *a, const struct finding *f)
{
	bool brief = f->grade <= GRADE_INFO && !f->waiver && !t->o->verbose;
	bool about = is_about_backend(f->id) && !t->o->verbose;

	put_head(t, f, about ? common_sentence(t, f, f->level) : text_shown(t, f->message));
	if (about)
		put_detail(t, f, brief ? 1 : MOST_LINES);
	if (brief)
		return;
	if (!about)
		put_evidence(t, f);
	put_step(t, a, f->layer);
	put_waiver(t, f->waiver);
	if (!f->waiver)
		put_remedy(t, text_shown(t, f->remedy));
}

static struct span subject_of(struct text *t, const struct finding *f)
{
	struct span path = f->path.n || f->evidence.n == 0 ? f->path : f->evidence.v[0].object;

	return f->package.n ? text_package_name(t, f->package) : text_shown(t, path);
}

/* As many names as fit: "a, b and 3 more". */
static struct span names_fit(struct text *t, const struct spans *l, size_t columns)
{
	struct spans some = {l->v, l->n < MOST_NAMES ? l->n : MOST_NAMES, l->cap};
	struct span words;

	if (t->o->verbose)
		return text_words(t, l, ", ", 0);
	for (;; some.n--) {
		words = text_words(t, &some, ", ", 0);
		if (some.n < l->n)
			words = arena_printf(t->mem, "%.*s and %zu more", TEXT_ARG(words), l->n - some.n);
		if (some.n <= 1 || text_columns(words) <= columns)
			return words;
	}
}

static bool is_for_leaving_out(enum finding_id id)
{
	return id == FINDING_BACKEND_FORBIDDEN || id == FINDING_DRIVER_BAKED || id == FINDING_TOOLCHAIN_SHIPPED;
}

static void put_together(struct text *t, const struct artifact *a, const struct block *b)
{
	const struct finding *first = b->rows[0].f;
	struct spans names = {0};
	uint64_t bytes = 0, files = 0;
	uint32_t layer = first->layer;
	enum level level = LEVEL_MENTIONED;
	struct span words, size;

	for (size_t i = 0; i < b->n; i++) {
		const struct finding *f = b->rows[i].f;

		bytes = sum_capped(bytes, f->bytes);
		files += objects_of(f);
		level = f->level > level ? f->level : level;
		layer = f->layer == layer ? layer : 0;
		spans_add(t->mem, &names, subject_of(t, f));
	}
	put_head(t, first, common_sentence(t, first, level));
	size = text_size(t, bytes);
	size = arena_printf(t->mem, ": %.*s, %.*s", TEXT_ARG(text_many(t, files, "file")), TEXT_ARG(size));
	words = names_fit(t, &names, t->width > text_columns(size) + 2 ? t->width - text_columns(size) - 2 : 0);
	put_more(t, SPAN_NONE, arena_printf(t->mem, "%.*s%.*s", TEXT_ARG(words), TEXT_ARG(size)));
	if (first->grade <= GRADE_INFO && !first->waiver)
		return;
	put_step(t, a, layer);
	put_waiver(t, first->waiver);
	if (first->waiver)
		return;
	if (is_for_leaving_out(first->id))
		put_remedy(t, arena_printf(t->mem, "leave out %.*s",
		                           TEXT_ARG(names_fit(t, &names, t->width > 15 ? t->width - 15 : 0))));
	else
		put_remedy(t, text_shown(t, first->remedy));
}

void text_findings(struct text *t, const struct judged *j)
{
	struct blocks l = {0};
	uint64_t shown[GRADE_COUNT] = {0}, left = 0;

	blocks_make(t, j, &l);
	for (size_t i = 0; i < l.n; i++) {
		const struct finding *f = l.v[i].rows[0].f;
		bool brief = f->grade <= GRADE_INFO && !f->waiver;

		if (!t->o->verbose && shown[f->grade]++ >= MOST_BLOCKS) {
			left += l.v[i].n;
			continue;
		}
		/* Lines that only inform stand together. */
		if (!brief || i == 0 || l.v[i - 1].rows[0].f->grade > GRADE_INFO || t->o->verbose)
			text_word(t, "\n");
		if (l.v[i].n == 1)
			put_one(t, j->artifact, f);
		else
			put_together(t, j->artifact, &l.v[i]);
	}
	if (left)
		outbuf_printf(t->out, "\nand %.*s more, -v shows all\n", TEXT_ARG(text_number(t, left)));
}
