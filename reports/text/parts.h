/* SPDX-License-Identifier: Apache-2.0 */
/* The parts of the text reports. */
#ifndef POSTERN_REPORTS_TEXT_PARTS_H
#define POSTERN_REPORTS_TEXT_PARTS_H

#include "line.h"

void text_scan(struct text *t, const struct inventory *inv);
void text_targets(struct text *t, const struct inventory *inv);
void text_check(struct text *t, const struct judgement *j);
/* What was found in one artifact, worst first. */
void text_findings(struct text *t, const struct judged *j);

/* What people call the artifact: package and version where it is one package, else the name as given. */
struct span text_title(struct text *t, const struct artifact *a);
/* What was not read, one line each, cut unless verbose; nothing when all was. */
void text_not_read(struct text *t, const struct artifact *a);
/* One line about odd things; all of them when verbose. */
void text_anomalies(struct text *t, const struct artifact *a);
/* The last lines: whether everything was read, and what to do next. */
void text_closing(struct text *t, const struct inventory *inv, struct span next);
/* "INCOMPLETE", in colour where colour is wanted. */
void text_incomplete_mark(struct text *t);

/* Units of the file that lack some of its targets. */
void text_partial(struct text *t, const struct object *o);

/* A backend's block. */
void text_backend(struct text *t, const struct artifact *a, const struct backend_sum *b, size_t name_columns);

/* layers.c: "layer 3: RUN pip install ..."; nothing where there are no layers. */
void text_layer_step(struct text *t, const struct artifact *a, uint32_t layer, size_t indent);
/* "RUN pip install ...": the build step of a layer, for people. */
struct span text_step_words(struct text *t, struct span created_by);
/* How many layers were read and nobody looked at their digests, where there are such. */
void text_unverified(struct text *t, const struct artifact *a);
/* What later layers hide of a backend's files: one line for each pair of layers. */
void text_hidden(struct text *t, const struct artifact *a, struct span backend);

/* What one file, or all files of a package, have to do with a backend. */
struct bring {
	struct span label;
	bool package; /* of a package: objects of many files */
	uint32_t layer;
	const struct object *const *objects;
	size_t n;
	bool hard;
	uint64_t images, bytes; /* of native and portable code */
	uint64_t other_images;  /* stub, relocatable, intermediate */
};

struct brings {
	struct bring *v;
	size_t n, cap;
};

/* Who brings a backend, what matters most first. */
void text_collect(struct text *t, const struct artifact *a, struct span backend, struct brings *to);
struct span text_bring_name(struct text *t, const struct bring *b);
void text_put_brings(struct text *t, const struct artifact *a, struct span backend);
/* "NAME: part; part" below a backend; the name gives way, the parts take up to so many lines. */
void text_named(struct text *t, struct span name, bool path, const struct spans *parts, unsigned lines);
/* "needs libcudart.so.12", "44 images (8.33 MB)": what counts most first. */
void text_reasons(struct text *t, struct span backend, const struct bring *b, struct spans *to);
/* What the packages' metadata says: "declares nvidia-cublas-cu12 and 3 more"; empty when nothing. */
struct span text_declares(struct text *t, const struct artifact *a, struct span backend);
/* "pypi:torch@2.9.0" as "torch 2.9.0". */
struct span text_package_name(struct text *t, struct span id);

#endif
