/* SPDX-License-Identifier: Apache-2.0 */
#include "model/names.h"

/* A library's name as its vendor wrote it: without a vendoring tool's hash. */
static struct span vendor_name(struct arena *mem, struct span name)
{
	uint8_t *p;
	size_t at;

	if (!library_name_hash(name, &at))
		return name;
	p = arena_alloc(mem, name.n);
	memcpy(p, name.p, at);
	memcpy(p + at, name.p + at + 9, name.n - at - 9);
	return (struct span){p, name.n - 9};
}

static bool lies_in(struct span path, struct span folder)
{
	struct span base = span_base_name(path);

	if (base.n == path.n)
		return false;
	return span_eq(span_base_name(span_first(path, path.n - base.n - 1)), folder);
}

static void add_driver(struct object *o, struct arena *mem, struct span backend, struct span name)
{
	if (lies_in(o->path, SPAN("stubs")))
		object_evidence(o, mem, backend, EVIDENCE_DRIVER_STUB, name, STRENGTH_SOFT)->confidence =
		        CONFIDENCE_HIGH;
	else
		object_evidence(o, mem, backend, EVIDENCE_DRIVER_FILE, name, STRENGTH_HOST);
}

/* What one name says. A driver's library may be a row of the libraries only, with the host as its home. */
static bool add_name(struct object *o, struct arena *mem, const struct catalogue *c, struct span name)
{
	const struct driver_rule *driver = catalogue_driver(c, name);
	const struct library_rule *library = driver ? NULL : catalogue_library(c, name);

	if (driver)
		add_driver(o, mem, driver->backend, vendor_name(mem, name));
	else if (library && library->home == HOME_HOST)
		add_driver(o, mem, library->backend, vendor_name(mem, name));
	else if (library)
		object_evidence(o, mem, library->backend, EVIDENCE_VENDOR_LIBRARY, vendor_name(mem, name),
		                STRENGTH_BUNDLED);
	return driver || library;
}

/* Content tells what a file is, but for one that has none. */
static bool add_kernel(struct object *o, struct arena *mem, const struct catalogue *c, struct span file_name)
{
	const struct kernel_rule *kernel = object_is_placeholder(o) ? catalogue_kernel(c, file_name) : NULL;

	if (kernel)
		object_evidence(o, mem, kernel->backend, EVIDENCE_DEVICE_CODE, SPAN("absent"), STRENGTH_SOFT)
		        ->confidence = CONFIDENCE_HIGH;
	return kernel != NULL;
}

bool names_evidence(struct object *o, struct arena *mem, const struct catalogue *c, struct span soname)
{
	struct span file_name = span_base_name(o->path);
	const struct tool_rule *tool = catalogue_tool(c, file_name);

	if (tool) {
		object_evidence(o, mem, tool->backend, EVIDENCE_TOOLCHAIN, tool->file_name, STRENGTH_TOOL);
		return true;
	}
	/* The soname counts only where the file's name says nothing: one library is one piece of evidence. */
	return add_name(o, mem, c, file_name) || add_name(o, mem, c, soname) || add_kernel(o, mem, c, file_name);
}
