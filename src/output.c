/* SPDX-License-Identifier: Apache-2.0 */
#include "output.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/scoped.h"

/* What tells files apart, whatever they are called: the file itself, or its folder and name when it is not there yet.
 */
struct place {
	bool exists, shared; /* shared: a device or pipe, which may get several reports */
	dev_t dev;
	ino_t ino;
	struct span name;
};

/* "." for a name without a slash. False: no memory. */
static char *folder_of(const char *path)
{
	const char *slash = strrchr(path, '/');

	if (!slash)
		return strdup(".");
	return strndup(path, slash == path ? 1 : (size_t)(slash - path));
}

static int place_of(const char *path, struct place *p, struct err *e)
{
	struct stat st = {.st_dev = 0};
	char *folder;
	int rc;

	*p = (struct place){.name = SPAN_NONE};
	if (stat(path, &st) == 0) {
		p->exists = true;
		p->shared = !S_ISREG(st.st_mode);
		p->dev = st.st_dev;
		p->ino = st.st_ino;
		return S_ISDIR(st.st_mode) ? err_set(e, ERR_USAGE, 0, "cannot write '%s': it is a folder", path) : 0;
	}
	folder = folder_of(path);
	if (!folder)
		return err_set(e, ERR_FAULT, 0, "out of memory");
	rc = stat(folder, &st);
	if (rc == 0 && !S_ISDIR(st.st_mode))
		rc = err_set(e, ERR_USAGE, 0, "cannot write '%s': '%s' is no folder", path, folder);
	else if (rc < 0)
		rc = err_set(e, ERR_USAGE, 0, "cannot write '%s': %s", path, strerror(errno));
	free(folder);
	p->dev = st.st_dev;
	p->ino = st.st_ino;
	p->name = span_base_name(span_of(path));
	return rc;
}

static bool same_place(const struct place *a, const struct place *b)
{
	return a->exists == b->exists && !a->shared && a->dev == b->dev && a->ino == b->ino &&
	       span_eq(a->name, b->name);
}

static bool place_is(const struct place *p, const struct stat *st)
{
	return p->exists && !p->shared && st->st_dev == p->dev && st->st_ino == p->ino;
}

int outputs_check(const struct options *o, struct err *e)
{
	struct place p, other;
	struct stat st;

	for (size_t i = 0; i < o->outputs.n; i++) {
		const char *path = o->outputs.v[i].path;

		if (place_of(path, &p, e) < 0)
			return -1;
		for (size_t k = 0; k < i; k++) {
			if (place_of(o->outputs.v[k].path, &other, e) < 0)
				return -1;
			if (same_place(&p, &other))
				return err_set(e, ERR_USAGE, 0, "two reports would go to '%s'", path);
		}
		for (size_t k = 0; k < o->names.n; k++)
			if (stat(o->names.v[k], &st) == 0 && place_is(&p, &st))
				return err_set(e, ERR_USAGE, 0, "a report would replace the artifact '%s'", path);
		if (fstat(STDIN_FILENO, &st) == 0 && place_is(&p, &st))
			return err_set(e, ERR_USAGE, 0, "a report would replace '%s', where standard input comes from",
			               path);
		if (o->policy && stat(o->policy, &st) == 0 && place_is(&p, &st))
			return err_set(e, ERR_USAGE, 0, "a report would replace the policy '%s'", path);
		if (fstat(STDOUT_FILENO, &st) == 0 && place_is(&p, &st))
			return err_set(e, ERR_USAGE, 0, "a report would replace '%s', where standard output goes",
			               path);
	}
	return 0;
}

int descriptor_write(int fd, struct span bytes, const char *what, struct err *e)
{
	while (bytes.n) {
		ssize_t n = write(fd, bytes.p, bytes.n < ((size_t)1 << 24) ? bytes.n : (size_t)1 << 24);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return err_set(e, ERR_IO, 0, "cannot write %s: %s", what,
			               n < 0 ? strerror(errno) : "nothing is taken");
		bytes = span_after(bytes, (size_t)n);
	}
	return 0;
}

static int write_direct(const char *path, struct span bytes, struct err *e)
{
	char what[300];
	scoped_fd int fd = open(path, O_WRONLY | O_CLOEXEC | O_NOCTTY);

	if (fd < 0)
		return err_set(e, ERR_IO, 0, "cannot write '%s': %s", path, strerror(errno));
	snprintf(what, sizeof(what), "'%s'", path);
	return descriptor_write(fd, bytes, what, e);
}

/* What open would give a new file; or what the old one has. */
static mode_t mode_for(const struct stat *old)
{
	mode_t mask;

	if (old)
		return old->st_mode & 07777;
	mask = umask(0);
	umask(mask);
	return 0666 & ~mask;
}

static int write_renamed(const char *target, const struct stat *old, struct span bytes, struct err *e)
{
	char temporary[4096], what[300];
	scoped_fd int fd = -1;
	int n = snprintf(temporary, sizeof(temporary), "%s.XXXXXX", target);

	if (n < 0 || (size_t)n >= sizeof(temporary))
		return err_set(e, ERR_IO, 0, "cannot write '%s': %s", target, strerror(ENAMETOOLONG));
	fd = mkostemp(temporary, O_CLOEXEC);
	if (fd < 0)
		return err_set(e, ERR_IO, 0, "cannot write '%s': %s", target, strerror(errno));
	snprintf(what, sizeof(what), "'%s'", target);
	if (descriptor_write(fd, bytes, what, e) < 0) {
		unlink(temporary);
		return -1;
	}
	if (fchmod(fd, mode_for(old)) < 0 || close(fd_steal(&fd)) < 0 || rename(temporary, target) < 0) {
		err_set(e, ERR_IO, 0, "cannot write '%s': %s", target, strerror(errno));
		unlink(temporary);
		return -1;
	}
	return 0;
}

int output_write(const char *path, struct span bytes, struct err *e)
{
	struct stat st;
	char *target;
	int rc;

	if (stat(path, &st) < 0)
		return write_renamed(path, NULL, bytes, e);
	if (!S_ISREG(st.st_mode))
		return write_direct(path, bytes, e);
	/* A link stays a link: what it leads to is replaced. */
	target = realpath(path, NULL);
	if (!target)
		return err_set(e, ERR_IO, 0, "cannot write '%s': %s", path, strerror(errno));
	rc = write_renamed(target, &st, bytes, e);
	free(target);
	return rc;
}
