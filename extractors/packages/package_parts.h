/* SPDX-License-Identifier: Apache-2.0 */
/* Python packages from their metadata files: METADATA, WHEEL and RECORD of a NAME-VERSION.dist-info folder
 * (artifacts.md B1). */
#ifndef POSTERN_EXTRACTORS_PACKAGES_PACKAGE_PARTS_H
#define POSTERN_EXTRACTORS_PACKAGES_PACKAGE_PARTS_H

#include "model/job.h"

enum package_file { PACKAGE_NONE, PACKAGE_METADATA, PACKAGE_WHEEL, PACKAGE_RECORD };

/* Which metadata file a path is; *folder is then its .dist-info folder. */
enum package_file package_file_of(struct span path, struct span *folder);

struct package_part {
	struct span folder;
	enum package_file kind;
	struct span text;
};

struct package_parts {
	LIST(struct package_part) list;
};

/* Keeps both spans. */
void package_parts_add(struct package_parts *l, struct arena *mem, struct span folder, enum package_file kind,
                       struct span text);
/*
 * Adds a package per folder to facts. archive: path of the archive that holds them, empty for none. wheel_name: its
 * file name when it is a wheel: it chooses between several folders at the top, and tells the variant.
 */
void package_parts_build(const struct job_context *ctx, struct facts *facts, struct package_parts *l,
                         struct span archive, struct span wheel_name);

/* METADATA: headers up to the first blank line become name, version, requires, declares. */
void metadata_parse(const struct job_context *ctx, struct span text, struct package *p);
/* WHEEL: tags and Root-Is-Purelib. */
void wheel_file_parse(const struct job_context *ctx, struct span text, struct package *p);
void record_parse(struct arena *mem, struct span text, struct package *p);
/* A package's declarations from its name, version, requirements and variant; sorts them all. */
void claims_add(const struct job_context *ctx, struct package *p);

/* Lower case, runs of - _ . as one -. */
struct span package_name_normalise(struct arena *mem, struct span name);

/* Whether a requirement with this marker applies when no extra was asked for. */
enum marker_answer { MARKER_NO, MARKER_YES, MARKER_UNKNOWN };
enum marker_answer marker_answer(struct span marker);

struct wheel_name {
	struct span name, version; /* as written */
	struct span python, abi, platform;
	struct span label; /* of a variant; empty: none */
};

/* False when it is no wheel's file name. */
bool wheel_name_parse(struct span file_name, struct wheel_name *out);
/* "py2.py3-none-any" spread out into l, unsorted. */
void tags_spread(struct arena *mem, struct spans *l, struct span python, struct span abi, struct span platform);

#endif
