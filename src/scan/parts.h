/* SPDX-License-Identifier: Apache-2.0 */
/* What the steps of a scan share. Private to scan*.c. */
#ifndef POSTERN_SCAN_PARTS_H
#define POSTERN_SCAN_PARTS_H

#include "workers/pool.h"
#include "scan.h"
#include "workers/worker.h"

#define IMAGES_MAX 64 /* of one name; more than any plan has use for */

/* One job handed out; answers come back in the same order. */
struct scan_job {
	size_t artifact;
	enum work_kind kind;
	uint32_t index, slices;
	uint32_t layer;     /* from 1; 0 where there is none */
	struct spans files; /* of a folder's slice: what is lost with it */
};

/* A file of an image folder that the plan has to see. */
struct image_file {
	struct span path;
	int fd;
	uint64_t size;
};

/* One artifact on its way through the pool; of a name with several platforms one for each. */
struct reading {
	size_t name;  /* place on the command line */
	uint32_t nth; /* of the images in it, from 0 */
	struct artifact *to;
	int fd; /* of a file, until its last slice is handed out; -1 else */
	uint64_t size;
	uint32_t images;        /* that the plan of the first one speaks of */
	bool planned;           /* nothing more is to be learned about how to read it */
	bool hash;              /* its own digest is still to be asked for */
	bool passes;            /* it is read once, front to back, by one job; size is FLOW_UNKNOWN of a pipe */
	bool passed;            /* that job was handed out */
	int folder;             /* the descriptor of a folder that may be an image; -1 else */
	bool plan_again, plain; /* of such a folder: the plan needs more files; it is no image */
	unsigned rounds;
	LIST(struct image_file) image_files;
	struct span absent; /* paths that the plan needs and that are not there, one a line */
	int blob;           /* of a folder: the layer that is to be hashed */
	struct span extractor;
	uint32_t next, slices; /* the next one to hand out */
	uint32_t *order;       /* of layers, from 1: in which they are handed out */
	struct spans hashes;   /* of layers: as they were hashed */
	struct spans tars;     /* of layers: of what is in them, with --verify */
	LIST(struct facts) facts;
	uint64_t done, total; /* read jobs */
};

struct scan {
	const struct scan_options *o;
	const struct catalogue *catalogue;
	struct arena *mem;
	struct pool *pool;
	const char *const *names;
	size_t n, opened;                /* names */
	LIST(struct reading *) readings; /* in the order in which they began */
	size_t handed_out;               /* those before it have no job left to hand out */
	LIST(struct scan_job) jobs;
	size_t taken;  /* answers */
	size_t window; /* jobs without an answer, at most */
};

/*
 * open.c: the file or folder of that name; "-" is standard input, and where that is a pipe the size is FLOW_UNKNOWN. -1,
 * and a sentence with the name in e, when it cannot be scanned.
 */
int artifact_open(const char *name, int *fd, bool *folder, uint64_t *size, struct err *e);
/* answer.c: takes the oldest answer and keeps what it says. -1 only for faults of our own. */
int answer_take(struct scan *s, struct err *e);
/* There are enough jobs out: takes the oldest answer when it is there, else waits for any. */
int answer_wait(struct scan *s, struct err *e);
/* What a job found, as bytes that live as long as s->mem. */
void facts_keep(struct scan *s, const struct scan_job *j, struct span bytes);
void job_lost(struct scan *s, const struct scan_job *j, enum limit_id limit, const char *why);
/* pipe.c: the job of an artifact that passes once, and its answer. */
int pipe_submit(struct scan *s, size_t i, struct err *e);
void pipe_keep(struct scan *s, const struct scan_job *j, struct span bytes);
/* Another image of an artifact that has several: a plan of its own begins it, where the artifact can be read again. */
struct reading *reading_more(struct scan *s, const struct reading *of, uint32_t nth);
/* One job handed out; j says what of. */
int job_submit(struct scan *s, const struct scan_job *j, const struct pool_job *job, struct err *e);
/*
 * image.c, for folders: opens what the plan of an image has to see. False: it is no image, as far as names tell.
 * The folder's descriptor is the reading's then.
 */
bool image_folder_begin(struct scan *s, struct reading *r, int *folder);
int image_plan_submit(struct scan *s, size_t i, struct err *e);
/* The plan needs more files. False when it has asked too often. */
bool image_files_open(struct scan *s, struct reading *r, const struct spans *needs);
/* What the plan says of the image is the artifact's now. */
void image_keep(struct scan *s, struct reading *r, const struct facts *f);
/* False: there is no blob of this layer. That, and a size that differs, is told. */
bool blob_tell(struct scan *s, struct reading *r, uint32_t layer);
/* One more job of an image; 1 when none is left. */
int image_hand_out(struct scan *s, size_t i, struct err *e);
/* layers.c: what a job found about a layer; after all: digests compared, claims held against the bytes. */
void layer_keep(struct scan *s, struct reading *r, const struct scan_job *j, const struct facts *f);
void layers_finish(struct scan *s, struct reading *r);
/* A problem of a layer, from 1; 0 of the image. */
void layer_problem(struct scan *s, struct reading *r, enum problem_grade grade, enum finding_id id, uint32_t layer,
                   const char *fmt, ...) PRINTF_LIKE(6, 7);
void image_close(struct reading *r);
/* An artifact that gives nothing to scan: refused, incomplete, with this sentence. */
void artifact_refuse(struct scan *s, struct artifact *a, const char *why);

#endif
