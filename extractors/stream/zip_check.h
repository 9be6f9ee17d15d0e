/* SPDX-License-Identifier: Apache-2.0 */
/* What is odd about a whole archive (artifacts.md B3): one answer per kind, however many members have it. */
#ifndef POSTERN_EXTRACTORS_STREAM_ZIP_CHECK_H
#define POSTERN_EXTRACTORS_STREAM_ZIP_CHECK_H

#include "extractors/stream/zip_names.h"

enum zip_oddity {
#define ZIP_ODDITY(id, what) ZIP_ODD_##id,
#include "extractors/stream/zip_oddity.def"
#undef ZIP_ODDITY
	ZIP_ODD_COUNT_OF
};

/* A local entry that the directory does not list: streaming readers see it. */
struct zip_hidden {
	struct zip_member m; /* name lives in mem */
	uint64_t data;
};

struct zip_check {
	struct arena *mem;
	struct {
		uint64_t n;
		struct span path; /* of the first one; empty: the archive */
		uint64_t bytes;   /* that it is about, where that is known */
	} odd[ZIP_ODD_COUNT_OF];
	LIST(struct zip_hidden) hidden;
	bool limited; /* more hidden entries than artifact-entries */
};

/* Names, local headers, places. */
void zip_check(struct zip_check *k, const struct zip_directory *z, const struct zip_names *names,
               const struct limits *limits, struct arena *mem);
const char *zip_oddity_text(enum zip_oddity o);

enum zip_agreement { ZIP_AGREES, ZIP_REFUSED, ZIP_DISAGREES, ZIP_NO_MEMORY };

/* Whether libzip sees the same members; e says what it says. */
enum zip_agreement zip_compare(const struct zip_directory *z, struct err *e);

#endif
