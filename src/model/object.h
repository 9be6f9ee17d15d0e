/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One file of an artifact that is ELF, or carries evidence or device code (inventory.md, "objects"). Plain data; every span
 * and list lives in the arena of the job or run that made it.
 */
#ifndef POSTERN_MODEL_OBJECT_H
#define POSTERN_MODEL_OBJECT_H

#include "model/device_code.h"

enum strength {
	STRENGTH_HARD,
	STRENGTH_WEAK,
	STRENGTH_EMBEDDED,
	STRENGTH_BUNDLED,
	STRENGTH_HOST,
	STRENGTH_TOOL,
	STRENGTH_SOFT,
	STRENGTH_DECLARED,
	STRENGTH_COUNT
};

enum evidence_kind {
	EVIDENCE_NEEDED,         /* DT_NEEDED names a library of the backend */
	EVIDENCE_SYMBOL,         /* undefined symbols of a family; value is the family */
	EVIDENCE_DEVICE_CODE,    /* value is "native", "portable", ...: the forms that are in it; "absent": only the name says so */
	EVIDENCE_STATIC_RUNTIME, /* value "cudart" */
	EVIDENCE_DLOPEN,         /* a soname in .note.dlopen, or a string beside a dlopen import */
	EVIDENCE_API_NAME,       /* names of a family kept as strings beside a dlsym import */
	EVIDENCE_VENDOR_LIBRARY, /* the file is this library */
	EVIDENCE_DRIVER_FILE,    /* the file belongs to the host's driver */
	EVIDENCE_DRIVER_STUB,    /* defines driver functions of a family, and is not the driver */
	EVIDENCE_TOOLCHAIN,      /* a compiler or tool, by file name */
	EVIDENCE_METADATA,       /* a package's own claims */
	EVIDENCE_COUNT
};

enum confidence { CONFIDENCE_NONE, CONFIDENCE_LOW, CONFIDENCE_MEDIUM, CONFIDENCE_HIGH, CONFIDENCE_COUNT };

struct evidence {
	struct span backend;
	enum evidence_kind kind;
	struct span value;
	enum strength strength;
	enum confidence confidence; /* with soft and doubtful ones */
	struct spans names;         /* symbols or API names, sorted, unique; their number is the count */
	bool has_offset;
	uint64_t offset;
};

struct evidences {
	struct evidence *v;
	size_t n, cap;
};

enum object_type {
	OBJECT_ELF,
	OBJECT_ARCHIVE, /* ar */
	OBJECT_LINK,
	OBJECT_EMPTY,
	OBJECT_LFS_POINTER, /* text that Git LFS leaves where the content was not fetched */
	OBJECT_CUBIN,
	OBJECT_FATBIN,
	OBJECT_PTX,
	OBJECT_HIPFB, /* a bundle or CCOB as a file */
	OBJECT_HSACO, /* an AMDGPU code object as a file */
	OBJECT_SOURCE,
	OBJECT_OTHER, /* known by its name only: a tool, a bitcode library */
	OBJECT_TYPE_COUNT
};

/* What the program headers and the dynamic section say. */
struct elf_facts {
	bool present;
	uint8_t class_bits; /* 32, 64 */
	bool big_endian;
	struct span machine; /* "x86_64", "aarch64", "em_9999" */
	struct span type;    /* "dyn", "exec", "rel", "core", "none", "0xfe00" */
	bool has_soname, has_interpreter, has_rpath, has_runpath;
	struct span soname, interpreter, rpath, runpath;
	struct spans needed;     /* as they stand, in the file's order */
	struct spans verneed;    /* "libb.so.1:V_1", in the file's order */
	struct span verdef_base; /* the base definition: the soname that the file was linked with */
	struct spans verdef;     /* the versions that it defines, in the file's order */
	bool exports_python;     /* defines PyInit_* */
};

struct object {
	struct span path;
	uint64_t bytes;
	enum object_type type;
	struct span build_id; /* lower-case hex */
	struct elf_facts elf;
	struct spans faults; /* sentences, sorted: contradictions inside the file */
	struct evidences evidence;
	uint64_t units;
	struct unit_sets unit_sets;
	struct device_codes device_code;
	struct span link_target; /* OBJECT_LINK */
	uint64_t content_bytes;  /* OBJECT_LFS_POINTER: of what it stands for; 0: it is damaged */
	/* Filled by the merge, not part of a job's facts. */
	uint32_t layer; /* from 1; 0 where there are no layers */
	bool hidden;    /* a later layer hides it; it is still shipped */
	uint32_t hidden_by; /* that layer */
	struct span package; /* "pypi:torch@2.9.0" */
	struct spans links;  /* hard links: further names of the same content, sorted */
};

const char *strength_name(enum strength s);
const char *evidence_kind_name(enum evidence_kind k);
const char *confidence_name(enum confidence c);
const char *object_type_name(enum object_type t);

/* Only the name of a file is there: what that name says is neither carried nor needed. */
static inline bool object_is_placeholder(const struct object *o)
{
	return o->type == OBJECT_EMPTY || o->type == OBJECT_LFS_POINTER;
}

/* Is the file there because of the backend, and not only in need of it, as far as this row says? */
bool evidence_carries(const struct object *o, const struct evidence *e);

/*
 * Adds one piece of evidence. Equal rows (backend, kind, value, strength) are joined by object_sort: the first offset and the
 * better confidence stay, names are put together. The returned row is valid until the next call; add names with spans_add.
 */
struct evidence *object_evidence(struct object *o, struct arena *mem, struct span backend, enum evidence_kind kind,
                                 struct span value, enum strength strength);
/* Sorts and joins every list that inventory.md wants sorted, so that an object has one form only. */
void object_sort(struct object *o, struct arena *mem);

#endif
