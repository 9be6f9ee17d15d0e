/* SPDX-License-Identifier: Apache-2.0 */
/* Names of the command line to descriptors. Nothing is opened that may wait or act when opened. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/scoped.h"
#include "extractors/stream/flow.h"
#include "parts.h"

static const char *kind_name(mode_t mode)
{
	if (S_ISFIFO(mode))
		return "a pipe";
	if (S_ISSOCK(mode))
		return "a socket";
	return "a device";
}

static bool reference_letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '.' || c == '_' || c == '-';
}

static bool only_reference_letters(struct span name, size_t last)
{
	bool tag = false;

	for (size_t i = 0; i < name.n; i++) {
		char c = (char)name.p[i];

		tag = tag || (i > last && c == ':');
		if (!reference_letter(c) && c != '/' && c != ':' && !(tag && c >= 'A' && c <= 'Z'))
			return false;
	}
	return true;
}

/* The first part of a path is a registry's host when it has a dot or a port, as container tools read it. */
static bool names_host(struct span name)
{
	struct span first = span_first(name, span_find(name, '/'));

	if (first.n == name.n)
		return false;
	return span_find(first, '.') < first.n || span_find(first, ':') < first.n || span_eq(first, SPAN("localhost"));
}

/* [HOST[:PORT]/]PART[/PART...][:TAG][@DIGEST], and something in it that a path would hardly have. */
static bool looks_like_reference(const char *text)
{
	struct span whole = span_of(text), name = span_first(whole, span_find(whole, '@')), last = span_base_name(name);

	if (last.n == 0 || !reference_letter(text[0]) || text[0] == '.' ||
	    !only_reference_letters(name, name.n - last.n))
		return false;
	if (name.n < whole.n || span_find(last, ':') < last.n)
		return true;
	return names_host(name) && span_find(last, '.') == last.n;
}

/* A folder's name for the copy: the last part of the reference. */
static struct span copy_name(const char *reference)
{
	struct span s = span_of(reference);

	s = span_first(s, span_find(s, '@'));
	s = span_base_name(s);
	return span_first(s, span_find(s, ':'));
}

static int open_failed(const char *name, int why, struct err *e)
{
	const char *reference = strncmp(name, "docker://", 9) == 0 ? name + 9 : name;
	struct span dir;

	err_set(e, ERR_IO, 0, "cannot open '%s': %s", name, strerror(why));
	if ((why != ENOENT && why != ENOTDIR) || !looks_like_reference(reference))
		return -1;
	dir = copy_name(reference);
	return err_set(
	        e, ERR_IO, 0,
	        "cannot open '%s': %s; if it is an image in a registry, 'skopeo copy docker://%s oci:%.*s' makes a "
	        "folder of it",
	        name, strerror(why), reference, (int)dir.n, (const char *)dir.p);
}

static int not_scannable(const char *name, mode_t mode, struct err *e)
{
	return err_set(e, ERR_IO, 0, "cannot scan '%s': it is %s, neither a file nor a folder", name, kind_name(mode));
}

/* A file is read as if it had been named; what somebody has begun to read can only be read on. */
static int input_open(int *fd, bool *folder, uint64_t *size, struct err *e)
{
	struct stat st;

	*fd = fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3);
	if (*fd < 0 || fstat(*fd, &st) < 0)
		return err_set(e, ERR_IO, 0, "cannot read standard input: %s", strerror(errno));
	*folder = S_ISDIR(st.st_mode);
	if (isatty(*fd)) {
		fd_closep(fd);
		return err_set(e, ERR_IO, 0, "cannot scan '-': standard input is a terminal; pipe an image into it, as in "
		                             "'docker save IMAGE | postern scan -'");
	}
	if (S_ISREG(st.st_mode) && lseek(*fd, 0, SEEK_CUR) == 0)
		*size = (uint64_t)st.st_size;
	else
		*size = *folder ? 0 : FLOW_UNKNOWN;
	return 0;
}

int artifact_open(const char *name, int *fd, bool *folder, uint64_t *size, struct err *e)
{
	scoped_fd int opened = -1;
	struct stat st;

	if (strcmp(name, "-") == 0)
		return input_open(fd, folder, size, e);
	/* Opening some devices acts on them, so they are told apart before. */
	if (stat(name, &st) < 0)
		return open_failed(name, errno, e);
	if (!S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode))
		return not_scannable(name, st.st_mode, e);
	opened = open(name, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (opened < 0 || fstat(opened, &st) < 0)
		return open_failed(name, errno, e);
	if (!S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode))
		return not_scannable(name, st.st_mode, e);
	*folder = S_ISDIR(st.st_mode);
	*size = *folder ? 0 : (uint64_t)st.st_size;
	*fd = fd_steal(&opened);
	return 0;
}
