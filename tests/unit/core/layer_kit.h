/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Layers written as words: "a/" folder, "a" file of 1 byte, "l->a" symbolic link, "h=a" hard link, "c!0" device 0:0,
 * "p/!o" folder with overlay's opaque attribute. The place in the text is the place in the tar.
 */
#ifndef POSTERN_TEST_LAYER_KIT_H
#define POSTERN_TEST_LAYER_KIT_H

#include "entries_list.h"
#include "merge_kit.h"

static inline void layer_entry(struct facts *f, struct span word, uint32_t order)
{
	struct entry e = {.path = word, .kind = ENTRY_FILE, .bytes = 1, .order = order};
	const uint8_t *arrow = memmem(word.p, word.n, "->", 2);
	size_t equals = span_find(word, '=');

	if (arrow) {
		e.kind = ENTRY_SYMLINK;
		e.path = span_first(word, (size_t)(arrow - word.p));
		e.target = span_after(word, e.path.n + 2);
	} else if (equals < word.n) {
		e.kind = ENTRY_HARDLINK;
		e.path = span_first(word, equals);
		e.target = span_after(word, equals + 1);
	} else if (span_ends(word, SPAN("!0"))) {
		e.kind = ENTRY_SPECIAL;
		e.path.n -= 2;
		e.target = SPAN("0:0");
	} else if (span_ends(word, SPAN("/!o"))) {
		e.kind = ENTRY_FOLDER;
		e.path.n -= 3;
		e.target = SPAN("opaque");
	} else if (span_ends(word, SPAN("/"))) {
		e.kind = ENTRY_FOLDER;
		e.path.n--;
	}
	if (e.kind != ENTRY_FILE)
		e.bytes = 0;
	entries_add(&f->entries, &mem, &e);
}

static inline void layer_add(struct facts *f, uint32_t layer, const char *words)
{
	struct span rest = span_of(words);
	uint32_t order = 1;

	*f = facts_new();
	f->layer = layer;
	while (rest.n) {
		struct span word = span_first(rest, span_find(rest, ' '));

		rest = span_after(rest, word.n + 1);
		layer_entry(f, word, order++);
	}
}

/* An ELF file in a layer that has an entry of that path already. */
static inline struct object *layer_object(struct facts *f, const char *path)
{
	struct object *o = list_add(&mem, &f->objects);

	o->path = span_of(path);
	o->bytes = 1;
	return o;
}

/* The file has other bytes than one. */
static inline void layer_bytes(struct facts *f, const char *path, uint64_t bytes)
{
	struct entry_list l = entries_list(&f->entries, &mem);

	f->entries = (struct entries){0};
	for (size_t i = 0; i < l.n; i++) {
		if (span_eq(l.v[i].path, span_of(path)))
			l.v[i].bytes = bytes;
		entries_add(&f->entries, &mem, &l.v[i]);
	}
}

static inline void assert_paths(const struct spans *l, const char *words)
{
	struct span all = SPAN("");

	for (size_t i = 0; i < l->n; i++)
		all = arena_printf(&mem, "%.*s%s%.*s", (int)all.n, (const char *)all.p, i ? " " : "", (int)l->v[i].n,
		                   (const char *)l->v[i].p);
	all = arena_printf(&mem, "%.*s%c", (int)all.n, (const char *)all.p, 0);
	assert_string_equal((const char *)all.p, words);
}

#endif
