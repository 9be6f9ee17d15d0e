/* SPDX-License-Identifier: Apache-2.0 */
/* Folders: what is walked, what is never followed, and in which order files are handed out. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <cmocka.h>

#include <fcntl.h>
#include <ftw.h>
#include <sys/stat.h>

#include "extractors/directory.h"
#include "extractors/fake_job.h"

struct tree {
	struct fake_job *j;
	char path[64];
	int root;
	struct span last; /* path of the last file that was handed out */
	size_t slices, files, largest;
};

static int tree_setup(void **state)
{
	struct tree *t = calloc(1, sizeof(*t));

	fake_setup((void **)&t->j);
	snprintf(t->path, sizeof(t->path), "/tmp/walk-XXXXXX");
	assert_non_null(mkdtemp(t->path));
	t->root = open(t->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	*state = t;
	return 0;
}

static int remove_one(const char *path, const struct stat *st, int kind, struct FTW *at)
{
	return remove(path);
}

static int tree_teardown(void **state)
{
	struct tree *t = *state;

	close(t->root);
	nftw(t->path, remove_one, 16, FTW_DEPTH | FTW_PHYS);
	fake_teardown((void **)&t->j);
	free(t);
	return 0;
}

static void folder_make(struct tree *t, const char *path)
{
	assert_int_equal(mkdirat(t->root, path, 0700), 0);
}

static void file_make(struct tree *t, const char *path, const char *text)
{
	int fd = openat(t->root, path, O_CREAT | O_WRONLY | O_EXCL | O_CLOEXEC, 0600);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, strlen(text)), (ssize_t)strlen(text));
	close(fd);
}

static int slice_take(void *sink, const struct slice *s, struct err *e)
{
	struct tree *t = sink;

	assert_int_equal(s->index, t->slices);
	t->slices++;
	t->files += s->n;
	t->largest = s->n > t->largest ? s->n : t->largest;
	for (size_t i = 0; i < s->n; i++) {
		assert_true(span_cmp(t->last, s->files[i].path) < 0);
		t->last = arena_copy(&t->j->mem, s->files[i].path);
	}
	extract_read(&t->j->ctx, &extractor_directory, s, &t->j->facts);
	for (size_t i = 0; i < s->n; i++)
		close(s->files[i].fd);
	return 0;
}

static bool walk(struct tree *t)
{
	struct err e = ERR_INIT;
	bool closed;

	assert_int_equal(directory_walk(&t->j->limits, t->root, &t->j->facts, &closed, slice_take, t, &e), 0);
	return closed;
}

static void entries_have_their_whole_paths(void **state)
{
	struct tree *t = *state;
	struct entry_list l;

	folder_make(t, "a");
	file_make(t, "a/x", "1");
	file_make(t, "a-b",
	          "\x7f"
	          "ELF");
	file_make(t, "a0", "3");
	assert_false(walk(t));
	l = entries_list(&t->j->facts.entries, t->j->facts.mem);
	assert_int_equal(l.n, 4);
	assert_span(l.v[0].path, "a");
	assert_span(l.v[1].path, "a-b");
	assert_span(l.v[2].path, "a/x");
	assert_span(l.v[3].path, "a0");
	assert_int_equal(t->j->facts.problems.n, 0);
	assert_int_equal(fake_object(t->j, "a-b")->bytes, 4);
}

static void links_and_pipes_are_recorded_and_not_opened(void **state)
{
	struct tree *t = *state;

	folder_make(t, "d");
	file_make(t, "d/x",
	          "\x7f"
	          "ELF");
	assert_int_equal(symlinkat("d", t->root, "to-folder"), 0);
	assert_int_equal(symlinkat("/etc/passwd", t->root, "to-file"), 0);
	assert_int_equal(mkfifoat(t->root, "pipe", 0600), 0);
	walk(t);
	assert_int_equal(t->j->facts.entries.n, 5);
	assert_int_equal(fake_entry(t->j, "to-folder")->kind, ENTRY_SYMLINK);
	assert_span(fake_entry(t->j, "to-file")->target, "/etc/passwd");
	assert_int_equal(fake_entry(t->j, "pipe")->kind, ENTRY_SPECIAL);
	assert_int_equal(t->files, 1);
	assert_int_equal(t->j->facts.problems.n, 0);
}

static void of_hard_links_the_smallest_path_is_the_file(void **state)
{
	struct tree *t = *state;

	folder_make(t, "b");
	file_make(t, "b/z",
	          "\x7f"
	          "ELF");
	assert_int_equal(linkat(t->root, "b/z", t->root, "a", 0), 0);
	assert_int_equal(linkat(t->root, "b/z", t->root, "c", 0), 0);
	walk(t);
	assert_int_equal(t->files, 1);
	assert_int_equal(fake_entry(t->j, "a")->kind, ENTRY_FILE);
	assert_int_equal(fake_entry(t->j, "b/z")->kind, ENTRY_HARDLINK);
	assert_span(fake_entry(t->j, "c")->target, "a");
	assert_int_equal(t->j->facts.objects.n, 1);
}

static void every_file_is_hashed_once_when_asked(void **state)
{
	static const struct span abc = SPAN_INIT("\xba\x78\x16\xbf\x8f\x01\xcf\xea\x41\x41\x40\xde\x5d\xae\x22\x23"
	                                         "\xb0\x03\x61\xa3\x96\x17\x7a\x9c\xb4\x10\xff\x61\xf2\x00\x15\xad");
	struct tree *t = *state;

	t->j->ctx.verify = true;
	file_make(t, "a", "abc");
	file_make(t, "b", "");
	assert_int_equal(linkat(t->root, "a", t->root, "c", 0), 0);
	assert_int_equal(symlinkat("a", t->root, "d"), 0);
	walk(t);
	assert_int_equal(t->j->facts.digests.n, 2);
	assert_span(t->j->facts.digests.v[0].path, "a");
	assert_true(span_eq(t->j->facts.digests.v[0].sha256, abc));
	assert_span(t->j->facts.digests.v[1].path, "b");
}

static void slices_have_at_most_64_files_and_packages_stay_whole(void **state)
{
	struct tree *t = *state;

	folder_make(t, "p-1.dist-info");
	for (int i = 0; i < 200; i++) {
		char name[32];

		snprintf(name, sizeof(name), "%s%03d", i < 62 ? "a" : "z", i);
		file_make(t, name, "x");
	}
	file_make(t, "p-1.dist-info/METADATA", "Name: p\nVersion: 1\n");
	file_make(t, "p-1.dist-info/INSTALLER", "pip\n");
	file_make(t, "p-1.dist-info/RECORD", "a,,\n");
	file_make(t, "p-1.dist-info/WHEEL", "Tag: py3-none-any\n");
	walk(t);
	assert_int_equal(t->files, 204);
	assert_true(t->largest <= 64);
	assert_int_equal(t->j->facts.packages.n, 1);
	assert_true(t->j->facts.packages.v[0].has_record);
	assert_int_equal(t->j->facts.packages.v[0].tags.n, 1);
	assert_span(t->j->facts.packages.v[0].path, "p-1.dist-info");
}

static void a_root_leaves_out_what_the_kernel_shows(void **state)
{
	struct tree *t = *state;

	folder_make(t, "etc");
	folder_make(t, "usr");
	folder_make(t, "usr/proc");
	folder_make(t, "proc");
	file_make(t, "proc/cmdline", "x");
	file_make(t, "usr/proc/kept", "x");
	assert_true(walk(t));
	assert_null(fake_entry(t->j, "proc/cmdline"));
	assert_non_null(fake_entry(t->j, "usr/proc/kept"));
}

static void limits_of_a_tree_have_names(void **state)
{
	struct tree *t = *state;

	folder_make(t, "a");
	folder_make(t, "a/b");
	file_make(t, "a/b/long-name", "x");
	t->j->limits.v[LIMIT_PATH_DEPTH] = 2;
	walk(t);
	assert_int_equal(fake_limits(t->j, LIMIT_PATH_DEPTH), 1);
	t->j->facts.entries = (struct entries){0};
	t->j->limits.v[LIMIT_PATH_DEPTH] = 3;
	t->j->limits.v[LIMIT_PATH_BYTES] = 12;
	walk(t);
	assert_int_equal(fake_limits(t->j, LIMIT_PATH_BYTES), 1);
	t->j->facts.entries = (struct entries){0};
	t->j->limits.v[LIMIT_PATH_BYTES] = 13;
	t->j->limits.v[LIMIT_ARTIFACT_ENTRIES] = 3;
	walk(t);
	assert_int_equal(fake_limits(t->j, LIMIT_ARTIFACT_ENTRIES), 0);
	t->j->facts.entries = (struct entries){0};
	t->last = SPAN_NONE;
	t->slices = 0;
	t->j->limits.v[LIMIT_ARTIFACT_ENTRIES] = 2;
	walk(t);
	assert_int_equal(fake_limits(t->j, LIMIT_ARTIFACT_ENTRIES), 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test_setup_teardown(entries_have_their_whole_paths, tree_setup, tree_teardown),
	        cmocka_unit_test_setup_teardown(links_and_pipes_are_recorded_and_not_opened, tree_setup, tree_teardown),
	        cmocka_unit_test_setup_teardown(of_hard_links_the_smallest_path_is_the_file, tree_setup, tree_teardown),
	        cmocka_unit_test_setup_teardown(every_file_is_hashed_once_when_asked, tree_setup, tree_teardown),
	        cmocka_unit_test_setup_teardown(slices_have_at_most_64_files_and_packages_stay_whole, tree_setup,
	                                        tree_teardown),
	        cmocka_unit_test_setup_teardown(a_root_leaves_out_what_the_kernel_shows, tree_setup, tree_teardown),
	        cmocka_unit_test_setup_teardown(limits_of_a_tree_have_names, tree_setup, tree_teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
