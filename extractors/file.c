/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A single file. ELF files, archives of objects and loose device code are read. What holds files in a format that is
 * not read is refused by that format's name, since nobody looked into it; any other file is complete and holds no
 * object.
 */
#include "extractors/image/store.h"
#include "extractors/item.h"
#include "model/inventory.h"

/* clang-format off */
static const struct {
	struct span mark;
	unsigned at;
	const char *what;
} refused[] = {
	{SPAN_INIT("!<arch>\ndebian-binary"), 0, "a deb package"},
	{SPAN_INIT("!<thin>\n"), 0, "a thin ar archive"},
	{SPAN_INIT("\x1f\x8b"), 0, "a gzip-compressed file"},
	{SPAN_INIT("BZh"), 0, "a bzip2-compressed file"},
	{SPAN_INIT("\xfd" "7zXZ"), 0, "an xz-compressed file"},
	{SPAN_INIT("\x28\xb5\x2f\xfd"), 0, "a zstd-compressed file"},
	{SPAN_INIT("\x04\x22\x4d\x18"), 0, "an lz4-compressed file"},
	{SPAN_INIT("\x89LZO"), 0, "an lzop-compressed file"},
	{SPAN_INIT("LZIP"), 0, "an lzip-compressed file"},
	{SPAN_INIT("\x1f\x9d"), 0, "a compress-ed file"},
	{SPAN_INIT("ustar"), 257, "a tar archive"},
	{SPAN_INIT("7z\xbc\xaf\x27\x1c"), 0, "a 7z archive"},
	{SPAN_INIT("Rar!\x1a\x07"), 0, "a rar archive"},
	{SPAN_INIT("MSCF"), 0, "a cab archive"},
	{SPAN_INIT("xar!"), 0, "a xar archive"},
	{SPAN_INIT("\xed\xab\xee\xdb"), 0, "an rpm package"},
	{SPAN_INIT("070701"), 0, "a cpio archive"},
	{SPAN_INIT("070702"), 0, "a cpio archive"},
	{SPAN_INIT("070707"), 0, "a cpio archive"},
	{SPAN_INIT("\xc7\x71"), 0, "a cpio archive"},
	{SPAN_INIT("hsqs"), 0, "a squashfs image"},
	{SPAN_INIT("SIF_MAGIC"), 32, "a SIF image"},
	{SPAN_INIT("\xcf\xfa\xed\xfe"), 0, "a Mach-O file"},
	{SPAN_INIT("\xce\xfa\xed\xfe"), 0, "a Mach-O file"},
	{SPAN_INIT("\xfe\xed\xfa\xcf"), 0, "a Mach-O file"},
	{SPAN_INIT("\xfe\xed\xfa\xce"), 0, "a Mach-O file"},
};
/* clang-format on */

/* "MZ", and where it points "PE": else it is a text that begins so. */
static bool is_pe(struct span head)
{
	uint32_t at;

	if (!span_starts(head, SPAN("MZ")) || head.n < 64)
		return false;
	at = head.p[60] | (uint32_t)head.p[61] << 8 | (uint32_t)head.p[62] << 16 | (uint32_t)head.p[63] << 24;
	return span_starts(span_after(head, at), SPAN("PE\0\0"));
}

static const char *refused_as(struct span head)
{
	/* Frames that zstd skips: sixteen marks. */
	if (head.n > 3 && (head.p[0] & 0xf0) == 0x50 && span_starts(span_after(head, 1), SPAN("\x2a\x4d\x18")))
		return "a zstd-compressed file";
	for (size_t i = 0; i < sizeof(refused) / sizeof(refused[0]); i++)
		if (span_starts(span_after(head, refused[i].at), refused[i].mark))
			return refused[i].what;
	/* It is a program, too, or an archive of objects, and nobody can tell as what it will be taken. */
	if (tar_begins(head))
		return "a tar archive";
	return is_pe(head) ? "a PE file" : NULL;
}

/* An index out of its layout, a result, an inventory that is cut or came through another tool; UTF-16, too. */
static bool is_json(struct span head)
{
	size_t i = span_starts(head, SPAN("\xef\xbb\xbf")) ? 3 : 0, marks = 0;

	if (span_starts(head, SPAN("\xff\xfe{\0")))
		return true;
	for (; i < head.n && marks < 2; i++) {
		if (memchr(" \t\r\n", head.p[i], 4))
			continue;
		if (!memchr("{[\"]}", head.p[i], marks ? 5 : 2))
			return false;
		marks++;
	}
	return marks > 0;
}

static unsigned bid(const struct job_context *ctx, const struct source *src, const struct glimpse *g)
{
	return refused_as(g->head) || (g->head.n && ctx->reader->wants(g->head)) ? 28 : 1;
}

static void plan(const struct job_context *ctx, const struct source *src, struct plan *out)
{
	struct err e = ERR_INIT;
	uint8_t room[READER_FRONT];
	const char *what;
	struct span head;

	if (item_front(src, room, &head, &e)) {
		out->refused = arena_printf(ctx->mem, "%s", e.text);
		return;
	}
	/* A caller that took one of these for an image would be told that nothing is in it. */
	if (inventory_begins(head)) {
		out->refused = SPAN("it is an inventory; 'postern check' judges one that is given as a file");
		return;
	}
	if (is_json(head)) {
		out->refused =
		        SPAN("it is JSON, and neither an image nor an inventory as 'postern scan -f json' writes it");
		return;
	}
	what = refused_as(head);
	if (what)
		out->refused = arena_printf(ctx->mem, "%s is not read yet", what);
}

static void read_file(const struct job_context *ctx, const struct slice *s, struct facts *facts)
{
	const struct source *src = &s->files[0];
	struct span path = arena_copy(ctx->mem, src->name.n ? src->name : SPAN("-"));

	entries_add(&facts->entries, ctx->mem, &(struct entry){.path = path, .kind = ENTRY_FILE, .bytes = src->size});
	if (!item_read(ctx, facts, src, path))
		item_appended(ctx, facts, src, path);
}

const struct extractor extractor_file = {"file", bid, plan, read_file, false};
