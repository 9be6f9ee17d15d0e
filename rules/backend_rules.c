/* SPDX-License-Identifier: Apache-2.0 */
#include "rules/backend_rules.h"

#include "rules/families.h"
#include "rules/rows.h"

#define COUNT(table) (sizeof(table) / sizeof((table)[0]))

struct file_row {
	struct span version;
	const struct node *backend, *libraries, *families, *tools, *driver, *claims;
	struct spans kernels;
};

static const struct row_key file_keys[] = {
	{"backend", KEY_MAP, false, offsetof(struct file_row, backend)},
	{"claims", KEY_MAP, false, offsetof(struct file_row, claims)},
	{"driver", KEY_LIST, false, offsetof(struct file_row, driver)},
	{"families", KEY_LIST, false, offsetof(struct file_row, families)},
	{"kernels", KEY_TEXTS, false, offsetof(struct file_row, kernels)},
	{"libraries", KEY_LIST, false, offsetof(struct file_row, libraries)},
	{"tools", KEY_LIST, false, offsetof(struct file_row, tools)},
	{"version", KEY_TEXT, false, offsetof(struct file_row, version)},
};

struct backend_row {
	struct span id, title, alias;
	bool vendor;
};

static const struct row_key backend_keys[] = {
	{"alias", KEY_TEXT, false, offsetof(struct backend_row, alias)},
	{"id", KEY_TEXT, true, offsetof(struct backend_row, id)},
	{"title", KEY_TEXT, false, offsetof(struct backend_row, title)},
	{"vendor", KEY_FLAG, false, offsetof(struct backend_row, vendor)},
};

struct library_row {
	struct span name, component, version, home;
	const struct node *versions;
	bool weak;
};

static const struct row_key library_keys[] = {
	{"component", KEY_TEXT, true, offsetof(struct library_row, component)},
	{"home", KEY_TEXT, false, offsetof(struct library_row, home)},
	{"name", KEY_TEXT, true, offsetof(struct library_row, name)},
	{"version", KEY_TEXT, false, offsetof(struct library_row, version)},
	{"versions", KEY_MAP, false, offsetof(struct library_row, versions)},
	{"weak", KEY_FLAG, false, offsetof(struct library_row, weak)},
};

/* A tool, or a file of the driver. */
struct file_name_row {
	struct span name, what;
};

static const struct row_key file_name_keys[] = {
	{"name", KEY_TEXT, true, offsetof(struct file_name_row, name)},
	{"what", KEY_TEXT, true, offsetof(struct file_name_row, what)},
};

struct claims_row {
	struct spans packages, names, requires, local_versions, classifiers, variants, env;
};

static const struct row_key claims_keys[] = {
	{"classifier", KEY_TEXTS, false, offsetof(struct claims_row, classifiers)},
	{"env", KEY_TEXTS, false, offsetof(struct claims_row, env)},
	{"local-version", KEY_TEXTS, false, offsetof(struct claims_row, local_versions)},
	{"name", KEY_TEXTS, false, offsetof(struct claims_row, names)},
	{"packages", KEY_TEXTS, false, offsetof(struct claims_row, packages)},
	{"requires-dist", KEY_TEXTS, false, offsetof(struct claims_row, requires)},
	{"variant", KEY_TEXTS, false, offsetof(struct claims_row, variants)},
};

/* A later file may add rules to a backend that is known; it then names the id only. */
static int read_backend(struct catalogue *c, const struct node *at, struct span *id, struct arena *mem, struct err *e)
{
	struct backend_row row = {SPAN_NONE, SPAN_NONE, SPAN_NONE, false};

	if (row_read(&row, at, backend_keys, COUNT(backend_keys), mem, e) < 0)
		return -1;
	*id = row.id;
	if (catalogue_backend(c, row.id))
		return row.title.n ? node_error(e, at, "backend '%s' has a title already", (const char *)row.id.p) : 0;
	if (row.title.n == 0)
		return node_error(e, at, "key 'title' is missing");
	*list_add(mem, &c->backends) = (struct backend){row.id, row.title, row.vendor, row.alias};
	return 0;
}

static void add_library(struct catalogue *c, const struct library_row *row, struct span pattern, struct span version,
                        struct span backend, size_t home, struct arena *mem)
{
	*list_add(mem, &c->libraries) = (struct library_rule){
		.pattern = pattern,
		.backend = backend,
		.component = row->component,
		.version = version,
		.home = (enum library_home)home,
		.weak = row->weak,
	};
}

static int read_library(struct catalogue *c, const struct node *at, struct span backend, struct arena *mem,
                        struct err *e)
{
	static const char *const homes[] = {"container", "host", "either"};
	struct library_row row;
	struct span version;
	size_t home = HOME_CONTAINER;

	memset(&row, 0, sizeof(row));
	if (row_read(&row, at, library_keys, COUNT(library_keys), mem, e) < 0)
		return -1;
	if (row.home.n && word_read(&home, at, "home", row.home, homes, COUNT(homes), e) < 0)
		return -1;
	if (row.versions && span_ends(row.name, SPAN("*")))
		return node_error(e, row.versions, "versions of '%s' are in its '*' already", (const char *)row.name.p);
	add_library(c, &row, row.name, row.version, backend, home, mem);
	for (const struct node *v = row.versions ? row.versions->first : NULL; v; v = v->next) {
		if (text_read(&version, v, e) < 0)
			return -1;
		add_library(c, &row, arena_printf(mem, "%s.%s", (const char *)row.name.p, (const char *)v->key->text.p),
		            version, backend, home, mem);
	}
	return 0;
}

static int read_libraries(struct catalogue *c, const struct node *list, struct span backend, struct arena *mem,
                          struct err *e)
{
	for (const struct node *at = list ? list->first : NULL; at; at = at->next)
		if (read_library(c, at, backend, mem, e) < 0)
			return -1;
	return 0;
}

static int read_tools(struct catalogue *c, const struct node *list, struct span backend, struct arena *mem,
                      struct err *e)
{
	for (const struct node *at = list ? list->first : NULL; at; at = at->next) {
		struct file_name_row row = {SPAN_NONE, SPAN_NONE};

		if (row_read(&row, at, file_name_keys, COUNT(file_name_keys), mem, e) < 0)
			return -1;
		*list_add(mem, &c->tools) = (struct tool_rule){row.name, backend, row.what};
	}
	return 0;
}

static int read_driver(struct catalogue *c, const struct node *list, struct span backend, struct arena *mem,
                       struct err *e)
{
	for (const struct node *at = list ? list->first : NULL; at; at = at->next) {
		struct file_name_row row = {SPAN_NONE, SPAN_NONE};

		if (row_read(&row, at, file_name_keys, COUNT(file_name_keys), mem, e) < 0)
			return -1;
		*list_add(mem, &c->drivers) = (struct driver_rule){row.name, backend, row.what};
	}
	return 0;
}

static void add_claims(struct catalogue *c, const struct spans *patterns, struct span by, struct span backend,
                       struct arena *mem)
{
	for (size_t i = 0; i < patterns->n; i++)
		*list_add(mem, &c->claims) = (struct claim_rule){patterns->v[i], backend, by};
}

static int read_claims(struct catalogue *c, const struct node *map, struct span backend, struct arena *mem,
                       struct err *e)
{
	struct claims_row row;

	memset(&row, 0, sizeof(row));
	if (map && row_read(&row, map, claims_keys, COUNT(claims_keys), mem, e) < 0)
		return -1;
	/* A package's name means the same in its own metadata and in that of those who need it. */
	add_claims(c, &row.packages, SPAN("name"), backend, mem);
	add_claims(c, &row.packages, SPAN("requires-dist"), backend, mem);
	add_claims(c, &row.names, SPAN("name"), backend, mem);
	add_claims(c, &row.requires, SPAN("requires-dist"), backend, mem);
	add_claims(c, &row.local_versions, SPAN("local-version"), backend, mem);
	add_claims(c, &row.classifiers, SPAN("classifier"), backend, mem);
	add_claims(c, &row.variants, SPAN("variant"), backend, mem);
	add_claims(c, &row.env, SPAN("env"), backend, mem);
	return 0;
}

int backend_rules_read(struct catalogue *c, const struct node *root, struct arena *mem, struct err *e)
{
	struct file_row row;
	struct span id = SPAN_NONE;

	memset(&row, 0, sizeof(row));
	if (row_read(&row, root, file_keys, COUNT(file_keys), mem, e) < 0)
		return -1;
	if (row.version.n)
		c->version = row.version;
	if (!row.backend) {
		if (row.libraries || row.families || row.tools || row.driver || row.claims || row.kernels.n)
			return node_error(e, root, "key 'backend' is missing");
		return 0;
	}
	if (read_backend(c, row.backend, &id, mem, e) < 0 || read_libraries(c, row.libraries, id, mem, e) < 0 ||
	    families_read(c, row.families, id, mem, e) < 0 || read_tools(c, row.tools, id, mem, e) < 0 ||
	    read_driver(c, row.driver, id, mem, e) < 0 || read_claims(c, row.claims, id, mem, e) < 0)
		return -1;
	for (size_t i = 0; i < row.kernels.n; i++)
		*list_add(mem, &c->kernels) = (struct kernel_rule){row.kernels.v[i], id};
	return 0;
}
