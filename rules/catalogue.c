/* SPDX-License-Identifier: Apache-2.0 */
#include "rules/catalogue.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "base/embedded.h"
#include "base/scoped.h"
#include "rules/backend_rules.h"

/* A file of rule data, before it is read. */
struct rule_file {
	const char *name;
	struct span bytes;
};

struct rule_file_list {
	struct rule_file *v;
	size_t n, cap;
};

static int by_name(const void *x, const void *y)
{
	const struct rule_file *a = x, *b = y;

	return strcmp(a->name, b->name);
}

static void list_compiled(struct rule_file_list *l, struct arena *mem)
{
	for (size_t i = 0; i < rule_files_count; i++)
		*list_add(mem, l) = (struct rule_file){rule_files[i].name, {rule_files[i].bytes, rule_files[i].size}};
}

/* One byte above the budget is enough for the reader of the document to refuse it. */
static int read_file(struct rule_file *f, int dir, const char *name, const struct limits *limits, struct arena *mem,
                     struct err *e)
{
	size_t most = (size_t)limits->v[LIMIT_YAML_BYTES] + 1, size;
	scoped_fd int fd = openat(dir, name, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	struct stat st;
	ssize_t got = 1;
	uint8_t *p;

	if (fd < 0 || fstat(fd, &st) < 0)
		return err_set(e, ERR_USAGE, 0, "cannot read '%s': %s", name, strerror(errno));
	if (!S_ISREG(st.st_mode))
		return err_set(e, ERR_USAGE, 0, "cannot read '%s': not a regular file", name);
	size = (uint64_t)st.st_size < most ? (size_t)st.st_size : most;
	p = arena_alloc(mem, size ? size : 1);
	f->name = (const char *)arena_printf(mem, "%s", name).p;
	f->bytes = (struct span){p, 0};
	while (f->bytes.n < size && got > 0) {
		got = read(fd, p + f->bytes.n, size - f->bytes.n);
		if (got < 0 && errno == EINTR)
			got = 1;
		else if (got < 0)
			return err_set(e, ERR_USAGE, 0, "cannot read '%s': %s", name, strerror(errno));
		else
			f->bytes.n += (size_t)got;
	}
	return 0;
}

static bool is_yaml(const char *name)
{
	return name[0] != '.' && span_ends(span_of(name), SPAN(".yaml"));
}

static int list_folder(struct rule_file_list *l, DIR *dir, const struct limits *limits, struct arena *mem,
                       struct err *e)
{
	struct dirent *d;

	errno = 0;
	while ((d = readdir(dir))) {
		if (is_yaml(d->d_name) && read_file(list_add(mem, l), dirfd(dir), d->d_name, limits, mem, e) < 0)
			return -1;
		errno = 0;
	}
	if (errno)
		return err_set(e, ERR_USAGE, 0, "cannot list the folder: %s", strerror(errno));
	if (l->n)
		qsort(l->v, l->n, sizeof(*l->v), by_name);
	return 0;
}

/* A file of the same name takes the place of a compiled-in one, others come after them. */
static int list_given(struct rule_file_list *all, const char *path, const struct limits *limits, struct arena *mem,
                      struct err *e)
{
	struct rule_file_list given = {NULL, 0, 0};
	size_t compiled = all->n, at;
	DIR *dir = opendir(path);
	int rc;

	if (!dir)
		return err_set(e, ERR_USAGE, 0, "cannot open folder '%s': %s", path, strerror(errno));
	rc = list_folder(&given, dir, limits, mem, e);
	closedir(dir);
	if (rc < 0)
		return err_wrap(e, "%s", path);
	if (given.n == 0)
		return err_set(e, ERR_USAGE, 0, "folder '%s' has no file *.yaml", path);
	for (size_t i = 0; i < given.n; i++) {
		for (at = 0; at < compiled && strcmp(all->v[at].name, given.v[i].name) != 0; at++)
			;
		/* Messages show where it lies. */
		given.v[i].name = (const char *)arena_printf(mem, "%s/%s", path, given.v[i].name).p;
		if (at < compiled)
			all->v[at] = given.v[i];
		else
			*list_add(mem, all) = given.v[i];
	}
	return 0;
}

static int read_rules(struct catalogue *c, const struct rule_file *f, const struct limits *limits, struct arena *mem,
                      struct err *e)
{
	struct node *root;

	if (document_read(&root, f->name, f->bytes, limits, mem, e) < 0)
		return -1;
	return backend_rules_read(c, root, mem, e);
}

/* A backend that a family may also belong to can be the subject of a later file, so this comes last. */
static int check_others(const struct catalogue *c, struct err *e)
{
	for (size_t i = 0; i < c->families.n; i++) {
		const struct family_rule *f = &c->families.v[i];

		for (size_t k = 0; k < f->others.n; k++)
			if (!catalogue_backend(c, f->others.v[k]))
				return err_set(e, ERR_USAGE, 0, "family '%s' has an unknown backend '%s'",
				               (const char *)f->name.p, (const char *)f->others.v[k].p);
	}
	return 0;
}

int catalogue_load(struct catalogue *c, const char *dir, const struct limits *limits, struct arena *mem, struct err *e)
{
	struct rule_file_list files = {NULL, 0, 0};
	int rc = 0;

	memset(c, 0, sizeof(*c));
	list_compiled(&files, mem);
	if (dir && list_given(&files, dir, limits, mem, e) < 0)
		return -1;
	for (size_t i = 0; i < files.n && rc == 0; i++)
		rc = read_rules(c, &files.v[i], limits, mem, e);
	if (rc < 0 || check_others(c, e) < 0) {
		catalogue_release(c);
		return -1;
	}
	catalogue_index_build(c, mem);
	return 0;
}
