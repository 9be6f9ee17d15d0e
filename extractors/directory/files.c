/* SPDX-License-Identifier: Apache-2.0 */
/* Opens the files of a walk, in the order of their paths, and hands them out in slices. */
#include <fcntl.h>
#include <limits.h>
#include <sys/stat.h>

#include "base/scoped.h"
#include "walk.h"
#include "extractors/path.h"

#define SLICE_FILES 64
#define SLICE_BYTES (64u << 20)

struct hand_out {
	struct walk *w;
	int folder; /* that of the last file, kept open */
	struct span folder_path;
	struct source files[SLICE_FILES];
	size_t n;
	uint64_t bytes;
	uint32_t index;
};

static void fault(struct hand_out *h, struct span path, const char *what, const char *why)
{
	problem_add(&h->w->facts->problems, h->w->facts->mem, PROBLEM_INCOMPLETE, FINDING_OBJECT_UNREADABLE, path,
	            "%s%s", what, why);
}

static int file_open(struct hand_out *h, const struct walk_file *f, struct stat *st)
{
	struct span base = span_base_name(f->path), folder = path_folder(f->path);
	char name[NAME_MAX + 1];
	int fd;

	if (h->folder < 0 || !span_eq(folder, h->folder_path)) {
		fd_closep(&h->folder);
		h->folder = walk_open_folder(h->w, folder);
		h->folder_path = folder;
	}
	if (h->folder < 0 || base.n > NAME_MAX)
		return -1;
	memcpy(name, base.p, base.n);
	name[base.n] = 0;
	fd = openat(h->folder, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	if (fd >= 0 && fstat(fd, st)) {
		fd_closep(&fd);
		return -1;
	}
	return fd;
}

static int flush(struct hand_out *h, directory_slice *each, void *sink, struct err *e)
{
	struct slice s = {h->files, h->n, h->index, h->index + 1};

	if (h->n == 0)
		return 0;
	h->n = 0;
	h->bytes = 0;
	h->index++;
	return each(sink, &s, e);
}

/* Metadata files of a package go into one slice, as far as other files between them allow. */
static bool package_starts(const struct walk_file *f)
{
	return span_ends(f->path, SPAN(".dist-info/METADATA"));
}

static void file_add(struct hand_out *h, const struct walk_file *f)
{
	struct source *src = &h->files[h->n];
	struct stat st;
	int fd = file_open(h, f, &st);

	if (fd < 0) {
		fault(h, f->path, "it cannot be opened: ", strerror(errno));
		return;
	}
	if (!S_ISREG(st.st_mode) || st.st_ino != f->inode || st.st_dev != f->device) {
		fault(h, f->path, "it was replaced while the folder was read", "");
		close(fd);
		return;
	}
	*src = (struct source){fd, (uint64_t)st.st_size, f->path, span_base_name(f->path), NULL};
	h->n++;
	h->bytes += (uint64_t)st.st_size;
}

int walk_hand_out(struct walk *w, directory_slice *each, void *sink, struct err *e)
{
	struct hand_out h = {.w = w, .folder = -1};
	int rc = 0;

	for (size_t i = 0; i < w->files.n && rc == 0; i++) {
		const struct walk_file *f = &w->files.v[i];

		if (h.n == SLICE_FILES || (h.n > SLICE_FILES / 2 && package_starts(f)))
			rc = flush(&h, each, sink, e);
		if (rc == 0)
			file_add(&h, f);
		if (rc == 0 && h.bytes >= SLICE_BYTES)
			rc = flush(&h, each, sink, e);
	}
	if (rc == 0)
		rc = flush(&h, each, sink, e);
	for (size_t i = 0; rc && i < h.n; i++)
		close(h.files[i].fd);
	fd_closep(&h.folder);
	return rc;
}
