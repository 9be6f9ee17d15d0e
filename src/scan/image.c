/* SPDX-License-Identifier: Apache-2.0 */
/* Images: the files that a folder's plan has to see, and one read and one hash job for each layer. */
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "base/digest.h"
#include "base/scoped.h"
#include "parts.h"

/* Opening some files acts: only what is regular by then is opened. */
static bool is_regular(int folder, const char *name)
{
	struct stat st;

	return fstatat(folder, name, &st, AT_SYMLINK_NOFOLLOW) == 0 && S_ISREG(st.st_mode);
}

/* A regular file below root, no link followed on the way; -1 and errno. path: without "." and "..". */
static int open_below(int root, struct span path, uint64_t *size)
{
	scoped_fd int at = fcntl(root, F_DUPFD_CLOEXEC, 3);
	struct stat st;

	while (at >= 0 && path.n) {
		struct span part = span_first(path, span_find(path, '/'));
		bool last = part.n == path.n;
		char name[NAME_MAX + 1];
		int next;

		if (part.n == 0 || part.n > NAME_MAX || span_find(part, 0) < part.n) {
			errno = EINVAL;
			return -1;
		}
		memcpy(name, part.p, part.n);
		name[part.n] = 0;
		if (last && !is_regular(at, name)) {
			errno = ENOENT;
			return -1;
		}
		next = openat(at, name,
		              O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | (last ? O_NOCTTY : O_DIRECTORY));
		fd_closep(&at);
		at = next;
		path = span_after(path, part.n + 1);
	}
	if (at < 0 || fstat(at, &st))
		return -1;
	if (!S_ISREG(st.st_mode)) {
		errno = EINVAL;
		return -1;
	}
	*size = (uint64_t)st.st_size;
	return fd_steal(&at);
}

static bool file_add(struct scan *s, struct reading *r, struct span path)
{
	uint64_t size;
	int fd = open_below(r->folder, path, &size);

	if (fd >= 0)
		*list_add(s->mem, &r->image_files) = (struct image_file){arena_copy(s->mem, path), fd, size};
	return fd >= 0;
}

bool image_folder_begin(struct scan *s, struct reading *r, int *folder)
{
	static const char *const names[] = {"oci-layout", "index.json", "manifest.json", "version"};
	bool there[4];

	for (size_t i = 0; i < 4; i++)
		there[i] = is_regular(*folder, names[i]);
	if (!(there[0] && there[1]) && !(there[2] && there[3]))
		return false;
	r->folder = fd_steal(folder);
	r->to->kind = SPAN("directory");
	for (size_t i = 0; i < 4; i++)
		if (there[i])
			file_add(s, r, span_of(names[i]));
	return true;
}

int image_plan_submit(struct scan *s, size_t i, struct err *e)
{
	struct reading *r = s->readings.v[i];
	struct pool_file files[POOL_FILES_MAX];
	struct scan_job j = {.artifact = i, .kind = WORK_PLAN_FOLDER, .slices = 1};
	struct pool_job job = {
	        .kind = WORK_PLAN_FOLDER, .text = r->absent, .index = r->nth, .slices = 1, .files = files};

	for (size_t k = 0; k < r->image_files.n && job.n < POOL_FILES_MAX; k++) {
		const struct image_file *f = &r->image_files.v[k];
		int fd = fcntl(f->fd, F_DUPFD_CLOEXEC, 3);

		if (fd < 0) {
			while (job.n)
				fd_closep(&files[--job.n].fd);
			return err_set(e, ERR_FAULT, 0, "no more files can be open: %s", strerror(errno));
		}
		files[job.n++] = (struct pool_file){.path = f->path, .size = f->size, .fd = fd};
	}
	return job_submit(s, &j, &job, e);
}

/* "blobs/sha256/<hex>": all that a plan may ask for. */
static bool is_blob_path(struct arena *mem, struct span path)
{
	struct span rest = span_after(path, 6), hex = span_after(rest, span_find(rest, '/') + 1);

	return span_starts(path, SPAN("blobs/")) && path.n < 160 &&
	       digest_is_exact(arena_printf(mem, "%.*s:%.*s", (int)span_find(rest, '/'), (const char *)rest.p,
	                                    (int)hex.n, hex.n ? (const char *)hex.p : ""));
}

bool image_files_open(struct scan *s, struct reading *r, const struct spans *needs)
{
	if (++r->rounds > s->o->limits.v[LIMIT_INDEX_DEPTH] + 3)
		return false;
	for (size_t i = 0; i < needs->n; i++) {
		struct span path = needs->v[i];

		if (!is_blob_path(s->mem, path) || r->image_files.n == POOL_FILES_MAX)
			return false;
		if (!file_add(s, r, path))
			r->absent = arena_printf(s->mem, "%.*s%.*s\n", (int)r->absent.n, (const char *)r->absent.p,
			                         (int)path.n, (const char *)path.p);
	}
	return true;
}

void image_close(struct reading *r)
{
	for (size_t i = 0; i < r->image_files.n; i++)
		fd_closep(&r->image_files.v[i].fd);
	fd_closep(&r->folder);
	fd_closep(&r->blob);
}

static uint64_t blob_size(const struct reading *r, uint32_t layer)
{
	const struct layer_ref *ref = &r->to->layers.v[layer - 1].ref;

	return ref->there > ref->bytes ? ref->there : ref->bytes;
}

static int by_size(const void *x, const void *y, void *reading)
{
	uint32_t a = *(const uint32_t *)x, b = *(const uint32_t *)y;
	uint64_t m = blob_size(reading, a), n = blob_size(reading, b);

	return m != n ? (m < n) - (m > n) : (a > b) - (a < b);
}

/* The largest first: nobody waits for it alone at the end. */
static void layers_order(struct scan *s, struct reading *r)
{
	r->order = arena_alloc(s->mem, (r->total + 1) * sizeof(*r->order));
	for (uint32_t i = 0; i < r->total; i++)
		r->order[i] = i + 1;
	qsort_r(r->order, r->total, sizeof(*r->order), by_size, r);
}

void image_keep(struct scan *s, struct reading *r, const struct facts *f)
{
	struct artifact *a = r->to;

	a->image = f->plan.image;
	for (size_t i = 0; i < a->image.layers.n; i++) {
		list_add(s->mem, &a->layers)->ref = a->image.layers.v[i];
		spans_add(s->mem, &r->hashes, SPAN_NONE);
		spans_add(s->mem, &r->tars, SPAN_NONE);
	}
	r->total = a->layers.n;
	layers_order(s, r);
}

bool blob_tell(struct scan *s, struct reading *r, uint32_t layer)
{
	struct layer_ref *ref = &r->to->layers.v[layer - 1].ref;

	if (ref->missing) {
		if (!ref->why.n)
			ref->why = SPAN("its blob is not there");
		layer_problem(s, r, PROBLEM_INCOMPLETE, FINDING_SCAN_INCOMPLETE, layer, "%.*s", (int)ref->why.n,
		              (const char *)ref->why.p);
		return false;
	}
	if (ref->bytes != ref->there)
		layer_problem(s, r, PROBLEM_INCOMPLETE, FINDING_DIGEST_MISMATCH, layer,
		              "its blob has %llu bytes, and its descriptor says %llu", (unsigned long long)ref->there,
		              (unsigned long long)ref->bytes);
	return true;
}

/* The blob's descriptor, and what is known of its size. -1: it is not there, and that is told. */
static int blob_open(struct scan *s, struct reading *r, uint32_t layer)
{
	struct layer_ref *ref = &r->to->layers.v[layer - 1].ref;
	int fd = -1;

	if (!ref->missing && r->folder >= 0)
		fd = is_blob_path(s->mem, ref->path) ? open_below(r->folder, ref->path, &ref->there) : -1;
	else if (!ref->missing)
		fd = fcntl(r->fd, F_DUPFD_CLOEXEC, 3);
	ref->missing = fd < 0;
	return blob_tell(s, r, layer) ? fd : -1;
}

static int layer_submit(struct scan *s, size_t i, uint32_t layer, bool hash, int fd, struct err *e)
{
	struct reading *r = s->readings.v[i];
	struct layer_ref *ref = &r->to->layers.v[layer - 1].ref;
	struct scan_job j = {.artifact = i, .kind = hash ? WORK_HASH : WORK_READ, .slices = 1, .layer = layer};
	struct pool_file file = {.path = ref->path, .fd = fd, .offset = ref->offset, .size = ref->there};
	struct pool_job job = {.kind = j.kind, .text = SPAN("layer"), .slices = 1, .files = &file, .n = 1};

	if (hash)
		job.text = digest_is_wide(ref->digest) ? SPAN("sha512") : SPAN("sha256");
	return job_submit(s, &j, &job, e);
}

int image_hand_out(struct scan *s, size_t i, struct err *e)
{
	struct reading *r = s->readings.v[i];

	while (r->blob < 0 && r->next < r->to->layers.n) {
		uint32_t layer = r->order[r->next++];
		int fd = blob_open(s, r, layer);

		if (fd < 0)
			continue;
		if (!s->o->no_digests)
			r->blob = fcntl(fd, F_DUPFD_CLOEXEC, 3);
		return layer_submit(s, i, layer, false, fd, e);
	}
	if (r->blob >= 0)
		return layer_submit(s, i, r->order[r->next - 1], true, fd_steal(&r->blob), e);
	return 1;
}
