/* SPDX-License-Identifier: Apache-2.0 */
#include "extractors/stream/tar.h"

#include <archive.h>
#include <archive_entry.h>
#include <errno.h>
#include <stdio.h>

#include "extractors/stream/tar_header.h"

static la_ssize_t give(struct archive *a, void *sink, const void **bytes)
{
	struct tar *t = sink;
	struct err e = ERR_INIT;
	int rc;

	t->piece_at += t->piece.n;
	rc = unpack_next(t->from, &t->piece, &e);
	*bytes = t->piece.p;
	if (rc < 0) {
		archive_set_error(a, EIO, "the bytes end");
		return -1;
	}
	return (la_ssize_t)t->piece.n;
}

void tar_open(struct tar *t, struct unpack *from)
{
	*t = (struct tar){.from = from, .file_ended = true};
	t->archive = archive_read_new();
	if (!t->archive || archive_read_support_format_tar(t->archive) != ARCHIVE_OK ||
	    archive_read_support_format_empty(t->archive) != ARCHIVE_OK)
		out_of_memory();
}

void tar_close(struct tar *t)
{
	(void)archive_read_free(t->archive);
	t->archive = NULL;
}

/* What stopped libarchive: the stream below it, if that failed, else what libarchive says itself. */
static int fail(struct tar *t, struct err *e)
{
	const char *text = archive_error_string(t->archive);
	unsigned long long at = t->piece_at + t->piece.n;

	if (t->from->failed) {
		*e = t->from->fault;
		return -1;
	}
	if (text && strstr(text, "too large"))
		return err_limit(e, LIMIT_HEADER_BYTES, t->from->limits, "a header of the tar");
	if (archive_format(t->archive) == 0)
		return err_set(e, ERR_FORMAT, 0, "it is no tar archive");
	return err_set(e, t->from->ended ? ERR_TRUNCATED : ERR_FORMAT, at,
	               t->from->ended ? "the tar ends too early, at byte %llu: %.200s"
	                              : "the tar is damaged before byte %llu: %.200s",
	               at, text ? text : "no reason is given");
}

/* Names that are not in the locale are no oddity: their bytes are given all the same. */
static const char *warning(struct tar *t)
{
	const char *text = archive_error_string(t->archive);

	if (!text || strstr(text, "can't be converted") || strstr(text, "cannot be converted"))
		return NULL;
	snprintf(t->oddity, sizeof(t->oddity), "%s", text);
	return t->oddity;
}

static enum entry_kind kind_of(const struct archive_entry *h, bool hard)
{
	switch (archive_entry_filetype((struct archive_entry *)h)) {
	case AE_IFDIR:
		return ENTRY_FOLDER;
	case AE_IFLNK:
		return ENTRY_SYMLINK;
	case AE_IFREG:
	case 0: /* of a type that is not known: POSIX says that it is a file */
		return hard ? ENTRY_HARDLINK : ENTRY_FILE;
	default:
		return hard ? ENTRY_HARDLINK : ENTRY_SPECIAL;
	}
}

/* The blocks of this entry's header that are still at hand. */
static struct span headers(const struct tar *t)
{
	int64_t from = archive_read_header_position(t->archive), to = archive_filter_bytes(t->archive, 0);
	uint64_t begin, end = to > 0 ? (uint64_t)to : 0;
	struct span last;

	if (end < t->piece_at + TAR_BLOCK || end - t->piece_at > t->piece.n)
		return SPAN_NONE;
	if (from >= 0 && (uint64_t)from >= t->piece_at && (uint64_t)from < end) {
		begin = (uint64_t)from - t->piece_at;
		return span_first(span_after(t->piece, (size_t)begin), (size_t)(end - (uint64_t)from));
	}
	/* It began in the piece before; the map of a sparse file may stand last. */
	last = span_first(span_after(t->piece, (size_t)(end - TAR_BLOCK - t->piece_at)), TAR_BLOCK);
	return tar_block_is_header(last) ? last : SPAN_NONE;
}

/* Overlay's own way to say that lower layers do not show through. */
static bool has_opaque_mark(struct archive_entry *h)
{
	const char *name;
	const void *value;
	size_t size;

	archive_entry_xattr_reset(h);
	while (archive_entry_xattr_next(h, &name, &value, &size) == ARCHIVE_OK)
		if (name && strcmp(name, "trusted.overlay.opaque") == 0 && size && *(const char *)value == 'y')
			return true;
	return false;
}

/* Marks that overlay takes for whiteouts (facts.h). */
static struct span overlay_mark(struct archive_entry *h, enum entry_kind kind)
{
	if (kind == ENTRY_FOLDER && has_opaque_mark(h))
		return SPAN("opaque");
	if (kind == ENTRY_SPECIAL && archive_entry_filetype(h) == AE_IFCHR && archive_entry_rdevmajor(h) == 0 &&
	    archive_entry_rdevminor(h) == 0)
		return SPAN("0:0");
	return SPAN_NONE;
}

static void entry_fill(struct tar *t, struct tar_entry *entry)
{
	const char *name = archive_entry_pathname(t->header), *hard = archive_entry_hardlink(t->header);
	const char *soft = archive_entry_symlink(t->header);
	int64_t size = archive_entry_size(t->header);
	const char *odd;

	entry->kind = kind_of(t->header, hard != NULL);
	entry->size = size > 0 ? (uint64_t)size : 0;
	entry->sparse = archive_entry_sparse_count(t->header) > 0;
	if (entry->kind == ENTRY_HARDLINK && entry->size) {
		entry->kind = ENTRY_FILE;
		entry->oddity = "a hard link with bytes of its own";
	}
	if (!name)
		name = archive_entry_pathname_utf8(t->header);
	if (!hard)
		hard = archive_entry_hardlink_utf8(t->header);
	if (!soft)
		soft = archive_entry_symlink_utf8(t->header);
	entry->name = span_of(name);
	if (entry->kind == ENTRY_SYMLINK)
		entry->target = span_of(soft);
	else if (entry->kind == ENTRY_HARDLINK)
		entry->target = span_of(hard);
	else
		entry->target = overlay_mark(t->header, entry->kind);
	odd = tar_header_oddity(headers(t), entry->kind == ENTRY_FILE, entry->size, &t->denied);
	if (!entry->oddity)
		entry->oddity = odd;
	t->at = 0;
	t->size = entry->size;
	t->file_ended = false;
}

static bool all_zero(struct span s)
{
	return s.n == 0 || (s.p[0] == 0 && memcmp(s.p, s.p + 1, s.n - 1) == 0);
}

/* Behind the end marks: read for the checksums below, and no reader looks at it. */
static int finish(struct tar *t, struct err *e)
{
	int64_t used = archive_filter_bytes(t->archive, 0);
	struct span rest = t->piece;
	uint64_t skip = used > 0 && (uint64_t)used > t->piece_at ? (uint64_t)used - t->piece_at : 0;
	int rc = 0;

	rest = span_after(rest, skip < rest.n ? (size_t)skip : rest.n);
	while (rc == 0) {
		t->trailing |= !all_zero(rest);
		t->passed += rest.n;
		if (t->passed > t->from->limits->v[LIMIT_SKIPPED_RUN])
			return err_limit(e, LIMIT_SKIPPED_RUN, t->from->limits, "what follows the end of the tar");
		rc = unpack_next(t->from, &rest, e);
	}
	return rc < 0 ? -1 : 1;
}

static int open_stream(struct tar *t, struct err *e)
{
	t->opened = true;
	return archive_read_open(t->archive, t, NULL, give, NULL) == ARCHIVE_OK ? 0 : fail(t, e);
}

int tar_next(struct tar *t, struct tar_entry *entry, struct err *e)
{
	*entry = (struct tar_entry){0};
	if (!t->opened && open_stream(t, e))
		return -1;
	for (;;) {
		switch (archive_read_next_header(t->archive, &t->header)) {
		case ARCHIVE_EOF:
			return finish(t, e);
		case ARCHIVE_WARN:
			entry->oddity = warning(t);
			entry_fill(t, entry);
			return 0;
		case ARCHIVE_OK:
			entry_fill(t, entry);
			return 0;
		case ARCHIVE_RETRY:
			t->damaged++;
			t->excused += t->denied > 0;
			t->denied -= t->denied < TAR_BLOCK ? t->denied : TAR_BLOCK;
			break;
		default:
			return fail(t, e);
		}
	}
}

int tar_read(struct tar *t, struct tar_piece *piece, struct err *e)
{
	const void *bytes = NULL;
	size_t n = 0;
	int64_t at = 0;
	uint64_t place;

	*piece = (struct tar_piece){0};
	if (t->file_ended)
		return 1;
	switch (archive_read_data_block(t->archive, &bytes, &n, &at)) {
	case ARCHIVE_OK:
	case ARCHIVE_WARN:
		place = at > 0 ? (uint64_t)at : 0;
		break;
	case ARCHIVE_EOF:
		t->file_ended = true;
		n = 0;
		place = t->size;
		break;
	default:
		t->file_ended = true;
		return fail(t, e);
	}
	if (place < t->at || place > t->size || n > t->size - place) {
		t->file_ended = true;
		return err_set(e, ERR_FORMAT, t->piece_at, "the map of a sparse file is damaged");
	}
	piece->zeros = place - t->at;
	piece->bytes = (struct span){bytes, n};
	t->at = place + n;
	return t->file_ended && piece->zeros == 0;
}

int tar_skip(struct tar *t, uint64_t passed, struct err *e)
{
	const struct limits *limits = t->from->limits;
	struct tar_piece piece;
	int rc = 0;

	while (rc == 0) {
		if (passed > limits->v[LIMIT_SKIPPED_RUN])
			return err_limit(e, LIMIT_SKIPPED_RUN, limits, "what is passed over here");
		rc = tar_read(t, &piece, e);
		passed += piece.bytes.n;
	}
	return rc < 0 ? -1 : 0;
}
