/* SPDX-License-Identifier: Apache-2.0 */
/* The parent's half of reading a folder: names, kinds and links first, then files in the order of their paths. */
#include "walk.h"

#include <dirent.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/scoped.h"
#include "extractors/packages/package_parts.h"
#include "extractors/path.h"

static void unreadable(struct walk *w, struct span path, const char *what)
{
	problem_add(&w->facts->problems, w->facts->mem, PROBLEM_INCOMPLETE, FINDING_OBJECT_UNREADABLE, path, "%s: %s",
	            what, strerror(errno));
}

#define FOLDER_FLAGS (O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)

/* In one step, where the system knows how. */
static int open_at_once(int root, struct span path)
{
	struct open_how how = {.flags = FOLDER_FLAGS, .resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS};
	char text[PATH_MAX];

	if (path.n == 0 || path.n >= sizeof(text))
		return -1;
	memcpy(text, path.p, path.n);
	text[path.n] = 0;
	return (int)syscall(SYS_openat2, root, text, &how, sizeof(how));
}

/* Folder by folder: also where the path is too long for one step. */
static int open_step_by_step(int root, struct span path)
{
	int fd = openat(root, ".", FOLDER_FLAGS);

	while (fd >= 0 && path.n) {
		struct span part = span_first(path, span_find(path, '/'));
		char name[NAME_MAX + 1];
		int next;

		path = span_after(path, part.n + 1);
		if (part.n > NAME_MAX) {
			close(fd);
			errno = ENAMETOOLONG;
			return -1;
		}
		memcpy(name, part.p, part.n);
		name[part.n] = 0;
		next = openat(fd, name, FOLDER_FLAGS);
		fd_closep(&fd);
		fd = next;
	}
	return fd;
}

int walk_open_folder(const struct walk *w, struct span path)
{
	int fd = open_at_once(w->root, path);

	return fd >= 0 ? fd : open_step_by_step(w->root, path);
}

/* Names of a folder, sorted, so that a limit cuts every run alike. */
static void names_read(struct walk *w, DIR *folder, struct span path, struct arena *scratch, struct spans *names)
{
	uint64_t room = w->limits->v[LIMIT_ARTIFACT_ENTRIES];
	struct dirent *d;

	errno = 0;
	while (names->n <= room && (d = readdir(folder))) {
		struct span name = span_of(d->d_name);

		if (!span_eq(name, SPAN(".")) && !span_eq(name, SPAN("..")))
			spans_add(scratch, names, arena_copy(scratch, name));
		errno = 0;
	}
	if (errno)
		unreadable(w, path, "the folder cannot be read to its end");
	spans_sort_unique(names);
}

static void entry_add(struct walk *w, struct entry e)
{
	entries_add(&w->facts->entries, w->facts->mem, &e);
}

static void link_add(struct walk *w, int folder, const char *name, struct span path)
{
	char target[PATH_MAX];
	ssize_t n = readlinkat(folder, name, target, sizeof(target));

	if (n < 0)
		unreadable(w, path, "the link cannot be read");
	entry_add(w, (struct entry){.path = path,
	                            .kind = ENTRY_SYMLINK,
	                            .target = {(const uint8_t *)target, n < 0 ? 0 : (size_t)n}});
}

/* /proc, /sys and /dev are no part of what a root ships. */
static bool skipped(const struct walk *w, struct span path)
{
	return *w->closed && (span_eq(path, SPAN("proc")) || span_eq(path, SPAN("sys")) || span_eq(path, SPAN("dev")));
}

static void folder_add(struct walk *w, const struct stat *st, struct span path)
{
	entry_add(w, (struct entry){.path = path, .kind = ENTRY_FOLDER});
	if (skipped(w, path))
		return;
	if (st->st_dev != w->device)
		problem_add(&w->facts->problems, w->facts->mem, PROBLEM_INCOMPLETE, FINDING_OBJECT_UNREADABLE, path,
		            "another file system is mounted here and was not entered; scan it by its own name");
	else
		spans_add(w->facts->mem, &w->folders, path);
}

static void child_add(struct walk *w, int folder, struct span parent, struct span name)
{
	struct arena *mem = w->facts->mem;
	struct span before = parent.n ? path_join(mem, parent, SPAN("/")) : SPAN_NONE;
	struct span path = path_join(mem, before, name);
	enum limit_id limit = path_limit(w->limits, path);
	const char *text = (const char *)name.p;
	struct walk_file *file;
	struct span owner;
	struct stat st;

	if (limit) {
		problem_limit(&w->facts->problems, mem, w->limits, limit, span_first(path, PATH_MAX), "what lies here");
		return;
	}
	if (fstatat(folder, text, &st, AT_SYMLINK_NOFOLLOW)) {
		unreadable(w, path, "it cannot be looked at");
		return;
	}
	if (S_ISDIR(st.st_mode)) {
		folder_add(w, &st, path);
	} else if (S_ISLNK(st.st_mode)) {
		link_add(w, folder, text, path);
	} else if (!S_ISREG(st.st_mode)) {
		entry_add(w, (struct entry){.path = path, .kind = ENTRY_SPECIAL});
	} else {
		file = list_add(mem, &w->files);
		file->path = path;
		file->device = st.st_dev;
		file->inode = st.st_ino;
		file->bytes = (uint64_t)st.st_size;
		/* Two environments may share one METADATA, and are two packages all the same. */
		file->linked = st.st_nlink > 1 && package_file_of(path, &owner) == PACKAGE_NONE;
	}
}

static bool is_folder(int fd, const char *name)
{
	struct stat st;

	return fstatat(fd, name, &st, AT_SYMLINK_NOFOLLOW) == 0 && S_ISDIR(st.st_mode);
}

static void folder_walk(struct walk *w, struct span path)
{
	struct arena scratch = ARENA_INIT;
	struct spans names = {0};
	int fd = walk_open_folder(w, path);
	DIR *folder = fd >= 0 ? fdopendir(fd) : NULL;

	if (!folder) {
		unreadable(w, path, "the folder cannot be opened");
		fd_closep(&fd);
		return;
	}
	names_read(w, folder, path, &scratch, &names);
	for (size_t i = 0; i < names.n && !w->limited; i++) {
		/* arena_alloc rounds up and zeroes, but a name must end by itself. */
		struct span name = path_join(&scratch, names.v[i], SPAN("\0"));

		w->limited = w->facts->entries.n + w->files.n >= w->limits->v[LIMIT_ARTIFACT_ENTRIES];
		if (w->limited)
			problem_limit(&w->facts->problems, w->facts->mem, w->limits, LIMIT_ARTIFACT_ENTRIES, path,
			              "the tree");
		else
			child_add(w, fd, path, span_first(name, name.n - 1));
	}
	closedir(folder);
	arena_clear(&scratch);
}

static int by_inode(const void *a, const void *b)
{
	const struct walk_file *x = a, *y = b;

	if (x->linked != y->linked)
		return x->linked ? -1 : 1;
	if (x->linked && x->device != y->device)
		return x->device < y->device ? -1 : 1;
	if (x->linked && x->inode != y->inode)
		return x->inode < y->inode ? -1 : 1;
	return span_cmp(x->path, y->path);
}

static int by_path(const void *a, const void *b)
{
	return span_cmp(((const struct walk_file *)a)->path, ((const struct walk_file *)b)->path);
}

static bool same_inode(const struct walk_file *a, const struct walk_file *b)
{
	return a->linked && b->linked && a->device == b->device && a->inode == b->inode;
}

/* Of several names of one file the smallest is the file, the others are links to it. */
static void links_join(struct walk *w)
{
	size_t kept = 0;

	if (w->files.n == 0)
		return;
	qsort(w->files.v, w->files.n, sizeof(*w->files.v), by_inode);
	for (size_t i = 0; i < w->files.n; i++) {
		struct walk_file *first = kept ? &w->files.v[kept - 1] : NULL, *f = &w->files.v[i];

		if (first && same_inode(first, f)) {
			entry_add(w, (struct entry){.path = f->path, .kind = ENTRY_HARDLINK, .target = first->path});
			continue;
		}
		entry_add(w, (struct entry){.path = f->path, .kind = ENTRY_FILE, .bytes = f->bytes});
		w->files.v[kept++] = *f;
	}
	w->files.n = kept;
	if (w->files.v[0].linked) /* else they are in that order */
		qsort(w->files.v, w->files.n, sizeof(*w->files.v), by_path);
}

int directory_walk(const struct limits *limits, int root, struct facts *facts, bool *closed, directory_slice *each,
                   void *sink, struct err *e)
{
	struct walk w = {.limits = limits, .root = root, .facts = facts, .closed = closed};
	struct stat st;
	int probe;

	probe = walk_open_folder(&w, SPAN_NONE);
	if (probe < 0 || fstat(probe, &st)) {
		if (probe >= 0)
			close(probe);
		return err_set(e, ERR_IO, 0, "the folder cannot be opened: %s", strerror(errno));
	}
	close(probe);
	w.device = st.st_dev;
	*closed = is_folder(root, "etc") && is_folder(root, "usr");
	spans_add(facts->mem, &w.folders, SPAN_NONE);
	for (size_t i = 0; i < w.folders.n && !w.limited; i++)
		folder_walk(&w, w.folders.v[i]);
	links_join(&w);
	return walk_hand_out(&w, each, sink, e);
}
