/* SPDX-License-Identifier: Apache-2.0 */
/* Layers as overlay engines join them, after what was measured of buildah (overlay, vfs) and umoci. */
#include "layer_kit.h"

#define BASE "a/ a/f a/g e g p/ p/low q/ q/s/ q/s/low"

/* Every file of every layer as an object: "PATH@LAYER", in the order of the inventory. */
static struct artifact files_of(const char *const *layers, struct spans *visible, struct spans *hidden)
{
	struct facts f[4];
	struct entry_list l;
	struct artifact a;
	size_t n = 0;

	for (; layers[n]; n++) {
		layer_add(&f[n], (uint32_t)n + 1, layers[n]);
		l = entries_list(&f[n].entries, &mem);
		for (size_t i = 0; i < l.n; i++)
			if (l.v[i].kind == ENTRY_FILE) {
				struct object *o = list_add(&mem, &f[n].objects);

				o->path = l.v[i].path;
				o->bytes = 1;
			}
	}
	a = merged("x", "oci-layout", f, n);
	for (size_t i = 0; i < a.objects.n; i++) {
		const struct object *o = &a.objects.v[i];
		struct span base = span_base_name(o->path);

		if (!span_starts(base, SPAN(".wh.")))
			spans_add(&mem, o->hidden ? hidden : visible,
			          arena_printf(&mem, "%.*s@%u", (int)o->path.n, (const char *)o->path.p, o->layer - 1));
		for (size_t k = 0; k < o->links.n && !o->hidden; k++)
			spans_add(&mem, visible,
			          arena_printf(&mem, "%.*s=%.*s", (int)o->links.v[k].n, (const char *)o->links.v[k].p,
			                       (int)o->path.n, (const char *)o->path.p));
	}
	return a;
}

static const struct {
	const char *name;
	const char *layers[4];
	const char *visible, *hidden, *ambiguous;
} cases[] = {
        {"absolute", {BASE, "abs/x"}, "a/f@0 a/g@0 abs/x@1 e@0 g@0 p/low@0 q/s/low@0", "", ""},
        {"dir-over-file", {BASE, "e/ e/x"}, "a/f@0 a/g@0 e/x@1 g@0 p/low@0 q/s/low@0", "e@0", ""},
        {"file-over-dir", {BASE, "a"}, "a@1 e@0 g@0 p/low@0 q/s/low@0", "a/f@0 a/g@0", ""},
        {"duplicate-entry",
         {BASE, "z duplicate-1!/z"},
         "a/f@0 a/g@0 e@0 g@0 p/low@0 q/s/low@0 z@1",
         "duplicate-1!/z@1",
         "z"},
        {"file-then-whiteout", {BASE, "g .wh.g"}, "a/f@0 a/g@0 e@0 g@1 p/low@0 q/s/low@0", "g@0", "g"},
        {"whiteout-then-file", {BASE, ".wh.e e"}, "a/f@0 a/g@0 e@1 g@0 p/low@0 q/s/low@0", "e@0", ""},
        {"hardlink-in-layer", {BASE, "n h=n"}, "a/f@0 a/g@0 e@0 g@0 h@1 n=h p/low@0 q/s/low@0", "", ""},
        {"hardlink-to-lower", {BASE, "h=e"}, "a/f@0 a/g@0 e@0 h=e g@0 p/low@0 q/s/low@0", "", "h"},
        {"lower-symlink-then-child", {BASE, "ln->a", "ln/x"}, "a/f@0 a/g@0 e@0 g@0 ln/x@2 p/low@0 q/s/low@0", "", "ln"},
        {"symlink-then-child", {BASE, "ln->a ln/x"}, "a/f@0 a/g@0 a/x@1 e@0 g@0 p/low@0 q/s/low@0", "", "ln"},
        {"no-parent-entries", {BASE, "deep/er/x"}, "a/f@0 a/g@0 deep/er/x@1 e@0 g@0 p/low@0 q/s/low@0", "", ""},
        {"opaque-above-kept-dir",
         {BASE, "q/s/new q/.wh..wh..opq"},
         "a/f@0 a/g@0 e@0 g@0 p/low@0 q/s/new@1",
         "q/s/low@0",
         "q/s/new"},
        {"opaque-after-file",
         {BASE, "p/ p/new p/.wh..wh..opq"},
         "a/f@0 a/g@0 e@0 g@0 p/new@1 q/s/low@0",
         "p/low@0",
         ""},
        {"opaque-without-dir-entry",
         {BASE, "p/.wh..wh..opq p/new"},
         "a/f@0 a/g@0 e@0 g@0 p/new@1 q/s/low@0",
         "p/low@0",
         ""},
        {"opaque-by-xattr", {BASE, "p/!o p/new"}, "a/f@0 a/g@0 e@0 g@0 p/new@1 q/s/low@0", "p/low@0", "p/low"},
        {"opaque-root", {BASE, ".wh..wh..opq only"}, "a/f@0 a/g@0 e@0 g@0 only@1 p/low@0 q/s/low@0", "", "a e g p q"},
        {"whiteout-by-chardev", {BASE, "e!0"}, "a/f@0 a/g@0 g@0 p/low@0 q/s/low@0", "e@0", "e"},
        {"whiteout-dir-then-child", {BASE, ".wh.a a/n"}, "a/n@1 e@0 g@0 p/low@0 q/s/low@0", "a/f@0 a/g@0", "a"},
        {"whiteout-in-new-dir", {BASE, "newdir/.wh.x"}, "a/f@0 a/g@0 e@0 g@0 p/low@0 q/s/low@0", "", ""},
        {"whiteout-no-name", {BASE, "a/.wh."}, "a/f@0 a/g@0 e@0 g@0 p/low@0 q/s/low@0", "", "a"},
        {"whiteout-of-nothing", {BASE, ".wh.never"}, "a/f@0 a/g@0 e@0 g@0 p/low@0 q/s/low@0", "", ""},
        {"two layers hide", {BASE, ".wh.a", "a/ a/f"}, "a/f@2 e@0 g@0 p/low@0 q/s/low@0", "a/f@0 a/g@0", ""},
        {"aufs leftovers",
         {BASE, ".wh..wh.plnk/ .wh..wh.plnk/1 .wh..wh.aufs h=.wh..wh.plnk/1"},
         "a/f@0 a/g@0 e@0 g@0 h@1 p/low@0 q/s/low@0",
         "",
         ""},
        /* Names of one content, one after another replaced, removed and added. */
        {"hard links keep their content",
         {"d/ d/one d/two=d/one d/three=d/one", "d/one d/.wh.two", "d/four=d/three d/five=d/four"},
         "d/one@1 d/three@0 d/five=d/three d/four=d/three",
         "",
         "d/five d/four"},
        /* Earlier contents of a name stand below duplicate-N!/. */
        {"hard link to a name that is replaced later",
         {BASE, "duplicate-2!/n h=n duplicate-1!/n i=n j=h n k=n"},
         "a/f@0 a/g@0 e@0 g@0 h@1 j=h i@1 k@1 n=k p/low@0 q/s/low@0",
         "",
         "n"},
        {"hard link to a name that was replaced before",
         {BASE, "duplicate-1!/n n h=n"},
         "a/f@0 a/g@0 e@0 g@0 h@1 n=h p/low@0 q/s/low@0",
         "duplicate-1!/n@1",
         "n"},
        /* Two links deep, and a link that leads to itself. */
        {"written through links", {"u/ u/f l->m m->/u x->x", "", "k->l k/n"}, "u/f@0 u/n@2", "", "k"},
};

static void layers_join_as_engines_do(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct spans visible = {0}, hidden = {0};
		struct artifact a = files_of(cases[i].layers, &visible, &hidden);

		print_message("%s\n", cases[i].name);
		assert_paths(&visible, cases[i].visible);
		assert_paths(&hidden, cases[i].hidden);
		assert_paths(&a.ambiguous, cases[i].ambiguous);
		for (size_t k = 0; k < a.ambiguous.n; k++) {
			bool told = false;

			for (size_t p = 0; p < a.anomalies.n; p++)
				told = told || (a.anomalies.v[p].id == FINDING_LAYER_MERGE_AMBIGUOUS &&
				                span_eq(a.anomalies.v[p].path, a.ambiguous.v[k]));
			assert_true(told);
		}
		assert_true(a.complete);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test_setup_teardown(layers_join_as_engines_do, kit_setup, kit_teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
