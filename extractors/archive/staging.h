/* SPDX-License-Identifier: Apache-2.0 */
/* Private to archive_st*.c: what members brought as they passed, until the directory says what they are. */
#ifndef POSTERN_EXTRACTORS_ARCHIVE_STAGING_H
#define POSTERN_EXTRACTORS_ARCHIVE_STAGING_H

#include "frame.h"
#include "extractors/stream/zip_front.h"

#define STAGED_SMALL 4096 /* bytes that may be a link's target */

/* One member: where its facts begin in staging.facts; they end where the next one's begin. */
struct staged {
	struct span path;
	struct span text; /* of a metadata file */
	struct span link;
	uint32_t entries, objects, packages, digests, problems, faults;
	uint32_t tar_problems; /* with tar: behind those that are the tar's */
	uint64_t size;         /* with fewer */
	bool text_kept, text_over, link_kept, link_over;
	bool nested; /* an archive: its name may matter */
	bool tar;    /* counts in a conda package only */
	bool fewer;  /* bytes than were promised */
	bool used;   /* it was told */
};

/* A member cannot be read. What that means, the directory says. */
struct staged_fault {
	enum err_code code;
	enum limit_id limit;
	struct span text;
};

struct staging {
	struct zip_seen seen;
	struct zip_front front;
	struct archive a; /* of the members: its facts are these */
	struct facts facts;
	struct frame f;
	LIST(struct staged) list; /* one an entry of seen, and one behind the last */
	LIST(struct staged_fault) faults;
	bool text_wanted;
	uint8_t *text; /* of the member that passes */
	size_t text_n, text_room;
	uint64_t kept_room; /* for texts and links */
	uint8_t small[STAGED_SMALL];
	size_t small_n;
};

/* A member begins, and ends. */
void staging_begin(struct staging *st, const struct zip_member *m);
void staging_member(struct staging *st, const struct zip_member *m);

#endif
