/* SPDX-License-Identifier: Apache-2.0 */
/* One regular file: what every extractor does with it once its bytes can be had. */
#ifndef POSTERN_EXTRACTORS_ITEM_H
#define POSTERN_EXTRACTORS_ITEM_H

#include "base/digest.h"
#include "extractors/extractor.h"
#include "extractors/stream/zip_directory.h"

/* Where its bytes lie, for readers of zip archives. */
static inline struct zip_bytes item_bytes(const struct source *src)
{
	return (struct zip_bytes){.fd = src->fd, .size = src->size, .mem = src->mem};
}

/* Bytes of the front of a descriptor; -1 when it cannot be read. */
int item_front(const struct source *src, uint8_t front[READER_FRONT], struct span *out, struct err *e);
/*
 * Reads a file that was opened: the reader's object, or an archive in place; of scripts and programs also the archive
 * at their end, which gives true. path lives as long as ctx->mem. Adds no entry.
 */
bool item_read(const struct job_context *ctx, struct facts *facts, const struct source *src, struct span path);
/* Reads the archive that stands at the end of a file, if there is one. */
void item_appended(const struct job_context *ctx, struct facts *facts, const struct source *src, struct span path);
/* All bytes of a file of at most metadata-bytes, in ctx->mem; false when it cannot be had, which is told in facts. */
bool item_text(const struct job_context *ctx, struct facts *facts, const struct source *src, struct span path,
               struct span *text);
/* Keeps the SHA-256 of a file. */
void item_digest(const struct job_context *ctx, struct facts *facts, struct span path, const uint8_t sum[DIGEST_BYTES]);
void item_unreadable(const struct job_context *ctx, struct facts *facts, struct span path, const struct err *e);

#endif
