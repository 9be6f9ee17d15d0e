/* SPDX-License-Identifier: Apache-2.0 */
/* What is in the artifacts. */
#include <stdlib.h>

#include "parts.h"

/* "needs cuda and rocm, carries sycl"; *any: some backend is more than mentioned. */
static struct span backends_in_words(struct text *t, const struct artifact *a, enum level least)
{
	static const char *const verbs[LEVEL_COUNT] = {"mentions ", "carries ", "needs "};
	struct spans parts = {0};

	for (int level = LEVEL_NEEDED; level >= (int)least; level--) {
		struct spans names = {0};
		struct span words;

		for (size_t i = 0; i < a->backends.n; i++)
			if (a->backends.v[i].level == (enum level)level)
				spans_add(t->mem, &names, text_shown(t, a->backends.v[i].backend));
		if (names.n == 0)
			continue;
		words = text_words(t, &names, names.n == 2 ? " and " : ", ", 0);
		spans_add(t->mem, &parts, arena_printf(t->mem, "%s%.*s", verbs[level], TEXT_ARG(words)));
	}
	return text_words(t, &parts, ", ", 0);
}

/* The answer, in one line. */
static void put_answer(struct text *t, const struct artifact *a)
{
	struct span title = text_title(t, a), found = backends_in_words(t, a, LEVEL_CARRIED);
	struct span all = backends_in_words(t, a, LEVEL_MENTIONED);

	if (!a->complete) {
		text_incomplete_mark(t);
		text_word(t, "  ");
	}
	text_put(t, title);
	if (a->refused)
		text_word(t, " was not scanned\n");
	else if (found.n)
		outbuf_printf(t->out, " %.*s%s\n", TEXT_ARG(a->complete ? all : found),
		              a->complete ? "" : ", as far as it was read");
	else if (!a->complete)
		text_word(t, " was not read to its end; nothing found so far\n");
	else
		outbuf_printf(t->out, ": no accelerator code%s%s%.*s\n", a->elf_files ? "" : ", and no ELF file",
		              all.n ? "; it " : "", TEXT_ARG(all));
}

static struct span facts_of_file(struct text *t, const struct artifact *a)
{
	struct span size = text_size(t, a->bytes);
	const struct object *o = a->objects.n ? a->objects.v : NULL;

	if (o && o->elf.present)
		return arena_printf(t->mem, "ELF file for %.*s, %.*s", TEXT_ARG(text_shown(t, o->elf.machine)),
		                    TEXT_ARG(size));
	return arena_printf(t->mem, "%s file, %.*s", o ? object_type_name(o->type) : "single", TEXT_ARG(size));
}

/* "oci-layout, registry/app:1.4, linux/amd64, 5 layers"; the reference gives way. */
static struct span facts_of_image(struct text *t, const struct artifact *a, struct span rest)
{
	struct span kind = text_shown(t, a->kind), platform = text_shown(t, a->image.platform);
	struct span name = text_shown(t, a->image.reference), layers = text_many(t, a->layers.n, "layer");
	size_t used = text_columns(kind) + text_columns(platform) + text_columns(layers) + text_columns(rest) + 8;

	if (!t->o->verbose && used + text_columns(name) > t->width)
		name = text_cut_middle(t, name, t->width > used + 12 ? t->width - used : 12);
	return arena_printf(t->mem, "%.*s%s%.*s%s%.*s, %.*s, %.*s", TEXT_ARG(kind), name.n ? ", " : "", TEXT_ARG(name),
	                    platform.n ? ", " : "", TEXT_ARG(platform), TEXT_ARG(layers), TEXT_ARG(rest));
}

/* "wheel, 12.3 MB unpacked, 1 ELF file of 77   NAME"; the name gives way. */
static void put_facts(struct text *t, const struct artifact *a)
{
	struct span size = text_size(t, a->bytes), elf = text_many(t, a->elf_files, "ELF file");
	struct span files = text_number(t, a->files), name = text_shown(t, a->name), facts;
	bool archive = span_eq(a->kind, SPAN("wheel")) || span_eq(a->kind, SPAN("zip"));
	size_t room;

	if (a->refused)
		return;
	if (span_eq(a->kind, SPAN("file")))
		facts = facts_of_file(t, a);
	else
		facts = arena_printf(t->mem, "%.*s, %.*s%s, %.*s of %.*s", TEXT_ARG(text_shown(t, a->kind)),
		                     TEXT_ARG(size), archive ? " unpacked" : "", TEXT_ARG(elf), TEXT_ARG(files));
	if (a->image.present)
		facts = facts_of_image(t, a, arena_printf(t->mem, "%.*s, %.*s", TEXT_ARG(size), TEXT_ARG(elf)));
	text_put(t, facts);
	room = t->width > text_columns(facts) + 3 ? t->width - text_columns(facts) - 3 : 0;
	if (!span_eq(name, text_title(t, a)) && room > 20) {
		if (text_columns(name) > room)
			name = span_base_name(name);
		text_word(t, "   ");
		text_put(t, text_cut_middle(t, name, room));
	}
	text_word(t, "\n");
}

/* What matters most first, then what is largest. */
static int by_level(const void *x, const void *y)
{
	const struct backend_sum *a = *(const struct backend_sum *const *)x, *b = *(const struct backend_sum *const *)y;
	uint64_t m = a->carried_bytes + a->device_code_bytes, n = b->carried_bytes + b->device_code_bytes;

	if (a->level != b->level)
		return a->level > b->level ? -1 : 1;
	if (m != n)
		return m > n ? -1 : 1;
	return span_cmp(a->backend, b->backend);
}

static void put_backends(struct text *t, const struct artifact *a)
{
	LIST(const struct backend_sum *) sorted = {0};
	size_t columns = 0;

	for (size_t i = 0; i < a->backends.n; i++) {
		size_t n = text_columns(text_shown(t, a->backends.v[i].backend));

		*list_add(t->mem, &sorted) = &a->backends.v[i];
		columns = n > columns ? n : columns;
	}
	if (sorted.n == 0)
		return;
	qsort(sorted.v, sorted.n, sizeof(*sorted.v), by_level);
	text_word(t, "\n");
	for (size_t i = 0; i < sorted.n; i++)
		text_backend(t, a, sorted.v[i], columns < 6 ? 6 : columns);
}

/* What is worth doing next, when everything was read. */
static struct span next_step(struct text *t, const struct inventory *inv)
{
	bool code = false, any = false;

	for (size_t i = 0; i < inv->artifacts.n; i++) {
		const struct artifact *a = &inv->artifacts.v[i];

		any = any || a->backends.n > 0;
		for (size_t k = 0; k < a->backends.n; k++)
			code = code || a->backends.v[k].device_code_bytes > 0;
	}
	if (code)
		return SPAN("'postern targets' says which code for which GPU");
	if (any)
		return SPAN("-f json has every name and symbol");
	return SPAN("nothing to do");
}

void text_scan(struct text *t, const struct inventory *inv)
{
	for (size_t i = 0; i < inv->artifacts.n; i++) {
		const struct artifact *a = &inv->artifacts.v[i];

		if (i)
			text_word(t, "\n");
		put_answer(t, a);
		put_facts(t, a);
		text_not_read(t, a);
		put_backends(t, a);
		text_anomalies(t, a);
		text_unverified(t, a);
	}
	text_closing(t, inv, next_step(t, inv));
}
