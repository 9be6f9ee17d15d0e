/* SPDX-License-Identifier: Apache-2.0 */
/* Private to the readers of images: what the JSON of an image says, as plain data. All of it is attacker text. */
#ifndef POSTERN_EXTRACTORS_IMAGE_PARTS_H
#define POSTERN_EXTRACTORS_IMAGE_PARTS_H

#include "base/json.h"
#include "store.h"

struct platform {
	struct span os, architecture, variant;
};

struct descriptor {
	struct span media_type, digest;
	struct span flaw; /* not empty: why it names no blob */
	uint64_t size;
	struct span name;      /* the image's full name, or its tag */
	struct span reference; /* the tag */
	struct platform platform;
	bool attestation;
	bool has_urls;
	bool has_data;
	struct span data; /* base64 */
};

enum media_kind { MEDIA_OTHER, MEDIA_INDEX, MEDIA_MANIFEST };

/* descriptor.c. A member's text in mem; empty when it is none. */
struct span member_text(struct arena *mem, const json *object, const char *name);
void descriptor_read(struct arena *mem, const json *j, struct descriptor *d);
enum media_kind media_kind(struct span media_type);
/* "blobs/sha256/<hex>"; digest is exact. */
struct span blob_path(struct arena *mem, struct span digest);
enum blob_answer { BLOB_READ, BLOB_ASKED, BLOB_LOST };
/* The document a descriptor names: size, then digest are checked. BLOB_LOST: a problem says why. */
enum blob_answer blob_text(struct image_store *s, const struct descriptor *d, const char *what, struct span *text);

/* platform.c */
bool platform_parse(struct span text, struct platform *p);
void platform_read(struct arena *mem, const json *j, struct platform *p);
/* Does an image for `have` answer what was asked for? A variant that was not asked for is no matter. */
bool platform_fits(const struct platform *asked, const struct platform *have);
struct span platform_text(struct arena *mem, const struct platform *p);
/* The same for who has to choose one, with every variant. */
struct span platform_choice(struct arena *mem, const struct platform *p);
/* Refuses the only image that there is when it is not for the platform that was asked for. */
void platform_demand(struct image_store *s, const struct platform *have);
void platform_refuse(struct image_store *s, const struct spans *names);
bool platform_is_default(const struct platform *p);

/* secrets.c: a build step, ENV value or label with what looks like a secret taken out; cut to most bytes. */
struct span without_secrets(struct arena *mem, struct span text, size_t most);
/* The same, and values of build arguments and variables that are not known to matter. */
struct span step_without_secrets(const struct job_context *ctx, struct span text, size_t most);
bool env_matters(const struct catalogue *c, struct span name);

/* config.c: platform, history, ENV, labels; diff_ids and steps go to the layers that plan->image has by then. */
void image_config(struct image_store *s, struct span text, struct span path, struct platform *p);
/* Config or manifest documents: NULL, and a problem with that path, when it is no JSON object. */
json *image_document(struct image_store *s, struct span text, struct span path);

/* oci_choose.c: the manifest that was asked for. 0: *d; 1: refused, asked or a problem; 2: names no image; 3: none that
 * is there. */
int oci_choose(struct image_store *s, struct span index, struct descriptor *d);
/* oci_manifest.c: layers and config of it. False: its blobs are not there. */
bool oci_manifest(struct image_store *s, const struct descriptor *d);
/* By its media type; of a chart or a model it is not. */
bool config_is_image(struct span media_type);

/* oci_layout.c: by index.json; docker_archive.c: by manifest.json, or repositories. */
void oci_plan(struct image_store *s);
void docker_plan(struct image_store *s);
/* A tar with a manifest.json that is no image: a root file system, or refused as this says. doubt: others may see an image. */
void docker_none(struct image_store *s, const char *why, bool doubt);
/* A document at the top. NULL: there is none; *e says why. doubt: what is there, or was not seen, may be one of an image. */
json *docker_open(struct image_store *s, struct span name, char begins, bool *doubt, struct err *e);
/* Does no image of manifest.json have this config? */
bool docker_disagrees(struct image_store *s, struct span config_digest);
/* docker_v1.c: layers by the chain of parents. */
void docker_v1_plan(struct image_store *s);

/* Refused, the caller has to choose among these. */
void choice_refuse(struct image_store *s, const char *of, const char *option, const struct spans *names);
/* A name that came from the image, in a list of names: once. */
void choice_add(struct arena *mem, struct spans *l, struct span name);

#endif
