/* SPDX-License-Identifier: Apache-2.0 */
/* Names of the command line to descriptors. Nothing is opened that may wait or act when opened. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>

#include "base/scoped.h"
#include "scan_parts.h"

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

/* [HOST[:PORT]/]PART[/PART...][:TAG][@DIGEST], and something in it that a path would hardly have. */
static bool looks_like_reference(const char *name)
{
	size_t first = strcspn(name, "/"), last = 0, n = strcspn(name, "@");
	bool tag, host;

	for (size_t i = 0; i < n; i++)
		if (name[i] == '/')
			last = i + 1;
	tag = name[n] == '@' || memchr(name + last, ':', n - last);
	host = name[first] && (memchr(name, '.', first) || memchr(name, ':', first) || !strncmp(name, "localhost/", 10));
	for (size_t i = 0; i < n; i++) {
		bool in_tag = i > last && memchr(name + last, ':', i - last);

		if (in_tag && ((name[i] >= 'A' && name[i] <= 'Z') || reference_letter(name[i])))
			continue;
		if (!reference_letter(name[i]) && name[i] != '/' && name[i] != ':')
			return false;
	}
	if (n == 0 || name[0] == '.' || name[0] == '/' || name[0] == ':' || n == last)
		return false;
	return tag || (host && !memchr(name + last, '.', n - last));
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
	return err_set(e, ERR_IO, 0,
	               "cannot open '%s': %s; if it is an image in a registry, 'skopeo copy docker://%s oci:%.*s' makes a "
	               "folder of it",
	               name, strerror(why), reference, (int)dir.n, (const char *)dir.p);
}

static int not_scannable(const char *name, mode_t mode, struct err *e)
{
	return err_set(e, ERR_IO, 0, "cannot scan '%s': it is %s, neither a file nor a folder", name, kind_name(mode));
}

int artifact_open(const char *name, int *fd, bool *folder, uint64_t *size, struct err *e)
{
	scoped_fd int opened = -1;
	struct stat st;

	if (strcmp(name, "-") == 0)
		return err_set(e, ERR_IO, 0, "cannot scan '-': standard input is not read yet; give a file or a folder");
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
