/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What identifies a backend, as plain const structs: rules/catalogue.c fills it from YAML, elf and extractors read it. It is
 * made once, before the workers fork, and never changes; every span and row lives as long as the catalogue. Look-ups are
 * pure and fast enough for every string of a large file: nothing is tried that a first-byte index rules out.
 */
#ifndef POSTERN_MODEL_CATALOGUE_H
#define POSTERN_MODEL_CATALOGUE_H

#include <regex.h>

#include "base/arena.h"

struct backend {
	struct span id;    /* "cuda" */
	struct span title; /* "NVIDIA CUDA" */
	bool vendor;       /* a vendor stack; false: a portable API (sycl, opencl, vulkan) */
	struct span alias; /* another id that a policy may use: "xpu" */
};

enum library_home { HOME_CONTAINER, HOME_HOST, HOME_EITHER };

/* A library: soname pattern, where a trailing or inner '*' stands for any run of characters. */
struct library_rule {
	struct span pattern; /* "libcudart.so.12", "libcublas.so*", "libnvidia-*.so*" */
	struct span backend;
	struct span component; /* "CUDA runtime" */
	struct span version;   /* of the stack, when the name tells it */
	enum library_home home;
	bool weak; /* monitoring, profiling, annotation: no compute need */
};

enum family_strength { FAMILY_STRONG, FAMILY_MEDIUM, FAMILY_WEAK, FAMILY_AMBIGUOUS };

/* A family of API functions. One with several expressions is several rows of one name, side by side and else alike. */
struct family_rule {
	struct span name;    /* "cuda-runtime" */
	struct span backend; /* the family's default */
	struct spans others; /* further backends that export the same names */
	struct spans libraries; /* patterns of the libraries that define them, first the default backend's */
	enum family_strength strength;
	bool driver; /* functions of the host's driver: a file that only defines them is a stub */
	struct span needs; /* not empty: counts only when a needed library matches this pattern */
	struct span prefix; /* literal bytes that every match starts with */
	struct spans inner; /* not empty: every match has one of these literals in it, two bytes or more each */
	regex_t regex;
};

/* A compiler or tool by file name. */
struct tool_rule {
	struct span file_name;
	struct span backend;
	struct span what;
};

/* Device code in a file of its own, or an engine made of it, by name pattern: "*.cubin". */
struct kernel_rule {
	struct span pattern;
	struct span backend;
};

/* A file of the host's driver by name pattern. */
struct driver_rule {
	struct span pattern;
	struct span backend;
	struct span what; /* class: compute, utility, ... */
};

/* How metadata names a backend. Patterns as in library_rule, over normalised names and lower-case text. */
struct claim_rule {
	struct span pattern; /* "nvidia-*-cu12", "+cu*", "environment :: gpu :: nvidia cuda*" */
	struct span backend;
	struct span by; /* "name", "requires-dist", "local-version", "classifier", "variant", "env" */
};

struct catalogue {
	struct span version; /* of the rule data: "2026.12" */
	LIST(struct backend) backends;
	LIST(struct library_rule) libraries;
	LIST(struct family_rule) families;
	LIST(struct tool_rule) tools;
	LIST(struct kernel_rule) kernels;
	LIST(struct driver_rule) drivers;
	LIST(struct claim_rule) claims;
	struct catalogue_index *index; /* private to model/catalogue.c */
	const uint8_t *starts;         /* the same: a bit for the first two bytes of a name */
};

/* Builds the index after the lists are filled; lists must not change afterwards. */
void catalogue_index_build(struct catalogue *c, struct arena *mem);
/* Gives back what the regular expressions hold outside the arena; the catalogue is of no use afterwards. */
void catalogue_release(struct catalogue *c);

const struct backend *catalogue_backend(const struct catalogue *c, struct span id);
/*
 * The library that a soname or file name means: also in the forms of auditwheel (libcudart-1a2b3c4d.so.12) and of
 * torchvision (libcudart.3eda8113.so.13), and with more of a version than the pattern has (libcudart.so.12.4.127).
 * NULL when it is no accelerator library. The longest literal match wins.
 */
const struct library_rule *catalogue_library(const struct catalogue *c, struct span soname);
/*
 * The family of an undefined (or kept) symbol name, version cut off; NULL when there is none. Of several rows of one family
 * it is always the first, so that pointers can be compared.
 */
const struct family_rule *catalogue_family(const struct catalogue *c, struct span symbol);
/* False: no rule of the families or libraries can match a name that starts so. For a fast first look at strings. */
static inline bool catalogue_may_start(const struct catalogue *c, uint8_t first, uint8_t second)
{
	return c->starts[((unsigned)first << 8 | second) / 8] >> (second & 7) & 1;
}
const struct tool_rule *catalogue_tool(const struct catalogue *c, struct span file_name);
const struct driver_rule *catalogue_driver(const struct catalogue *c, struct span file_name);
/* For files that have nothing in them but a name: content is what tells all others. */
const struct kernel_rule *catalogue_kernel(const struct catalogue *c, struct span file_name);
/*
 * The backend of a symbol family in one file, in this order: the library that the symbol's version need names (empty:
 * none), a library of the file's own needs, the family's default. *sure is false when only the family's name told it.
 * SPAN_NONE when family->needs is not met.
 */
struct span catalogue_family_backend(const struct catalogue *c, const struct family_rule *family, struct span version_library,
                                     const struct spans *needed, bool *sure);
/* First claim rule of this kind that matches, or NULL. */
const struct claim_rule *catalogue_claim(const struct catalogue *c, struct span by, struct span text);

/*
 * Does a library's file name carry a vendoring tool's hash, "-1a2b3c4d" or ".3eda8113" before the rest of the name? *at is
 * the place of its 9 bytes.
 */
bool library_name_hash(struct span name, size_t *at);

/* '*' stands for any run, everything else for itself. */
bool pattern_matches(struct span pattern, struct span text);

#endif
