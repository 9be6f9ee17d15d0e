/* SPDX-License-Identifier: Apache-2.0 */
/* read_heads FOLDER: what `find FOLDER -type f` does, and 64 bytes of each file. A yardstick: the least that a scan of a folder costs. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct folders {
	char **paths;
	size_t count, room;
};

static void die(const char *path)
{
	fprintf(stderr, "read_heads: '%s': %s\n", path, strerror(errno));
	exit(1);
}

/* Takes the path over. */
static void folders_add(struct folders *f, char *path)
{
	if (f->count == f->room) {
		f->room = f->room ? f->room * 2 : 1024;
		f->paths = reallocarray(f->paths, f->room, sizeof(*f->paths));
	}
	if (!f->paths || !path)
		die("memory");
	f->paths[f->count++] = path;
}

static int type_of(int folder, const struct dirent *e)
{
	struct stat st;

	if (e->d_type != DT_UNKNOWN)
		return e->d_type;
	return fstatat(folder, e->d_name, &st, AT_SYMLINK_NOFOLLOW) == 0 ? IFTODT(st.st_mode) : DT_UNKNOWN;
}

static size_t read_head(int folder, const char *name)
{
	char head[64];
	ssize_t n;
	int fd;

	fd = openat(folder, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0)
		return 0;
	n = read(fd, head, sizeof(head));
	close(fd);
	return n >= 4 && memcmp(head, "\177ELF", 4) == 0;
}

static void read_folder(const char *path, struct folders *todo, size_t *files, size_t *elves)
{
	struct dirent *e;
	char *below;
	DIR *d;
	int type;

	d = opendir(path);
	if (!d)
		die(path);
	while ((e = readdir(d))) {
		if (!strcmp(e->d_name, ".") || !strcmp(e->d_name, ".."))
			continue;
		type = type_of(dirfd(d), e);
		if (type == DT_REG) {
			*elves += read_head(dirfd(d), e->d_name);
			++*files;
		} else if (type == DT_DIR) {
			folders_add(todo, asprintf(&below, "%s/%s", path, e->d_name) < 0 ? NULL : below);
		}
	}
	closedir(d);
}

int main(int argc, char **argv)
{
	struct folders todo = { 0 };
	size_t files = 0, elves = 0;
	char *path;

	if (argc != 2) {
		fprintf(stderr, "usage: read_heads FOLDER\n");
		return 2;
	}
	folders_add(&todo, strdup(argv[1]));
	while (todo.count) {
		path = todo.paths[--todo.count];
		read_folder(path, &todo, &files, &elves);
		free(path);
	}
	free(todo.paths);
	printf("%zu files, %zu ELF\n", files, elves);
	return 0;
}
