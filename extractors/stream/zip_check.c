/* SPDX-License-Identifier: Apache-2.0 */
#include "extractors/stream/zip_check.h"

#include <sys/stat.h>

#include "extractors/path.h"

const char *zip_oddity_text(enum zip_oddity o)
{
	static const char *const texts[] = {
#define ZIP_ODDITY(id, what) what,
#include "extractors/stream/zip_oddity.def"
#undef ZIP_ODDITY
	};

	return texts[o];
}

static void odd_add(struct zip_check *k, enum zip_oddity o, struct span path)
{
	if (k->odd[o].n++ == 0)
		k->odd[o].path = arena_copy(k->mem, path);
}

static void odd_bytes_add(struct zip_check *k, enum zip_oddity o, uint64_t bytes)
{
	odd_add(k, o, SPAN_NONE);
	k->odd[o].bytes = bytes;
}

static void end_check(struct zip_check *k, const struct zip_directory *z)
{
	uint64_t told = z->end.count;
	bool differs = z->end.zip64 ? told != z->n : told != (z->n & UINT16_MAX);

	if (differs && !z->damaged && !z->limited)
		odd_add(k, ZIP_ODD_COUNT, SPAN_NONE);
	if (z->end.trailing)
		odd_bytes_add(k, ZIP_ODD_TRAILING,
		              z->end.records_end < z->bytes.size ? z->bytes.size - z->end.records_end : 0);
	if (z->end.passed_over)
		odd_add(k, ZIP_ODD_END, SPAN_NONE);
	if (z->end.unsure_place)
		odd_add(k, ZIP_ODD_PLACE, SPAN_NONE);
	if (z->end.prefix)
		odd_bytes_add(k, ZIP_ODD_PREFIX, z->end.prefix < z->bytes.size ? z->end.prefix : 0);
	if (z->odd_tail)
		odd_add(k, ZIP_ODD_TAIL, SPAN_NONE);
}

static void names_check(struct zip_check *k, const struct zip_directory *z, const struct zip_names *names)
{
	for (size_t i = 0; i < names->n; i++) {
		const struct zip_name *name = &names->names[i];
		struct zip_member m;
		mode_t kind;

		zip_member_at(z, name->index, &m);
		kind = m.mode & S_IFMT;
		if ((path_oddities(m.name) & PATH_ODD) || name->path.n == 0)
			odd_add(k, ZIP_ODD_PATH, name->path);
		if (i && name->path.n && span_eq(names->names[i - 1].path, name->path))
			odd_add(k, ZIP_ODD_DOUBLE, name->path);
		if (name->folder && m.size)
			odd_add(k, ZIP_ODD_FOLDER_DATA, name->path);
		if (!name->folder && name->path.n && zip_names_below(names, name->path))
			odd_add(k, ZIP_ODD_BELOW, name->path);
		if (kind && kind != S_IFREG && kind != S_IFDIR && kind != S_IFLNK)
			odd_add(k, ZIP_ODD_MODE, name->path);
		if (m.extra_bad)
			odd_add(k, ZIP_ODD_EXTRA, name->path);
	}
}

static bool hidden_add(struct zip_check *k, const struct limits *limits, const struct zip_member *m, uint64_t data)
{
	struct zip_hidden *h;

	if (k->hidden.n >= limits->v[LIMIT_ARTIFACT_ENTRIES]) {
		k->limited = true;
		return false;
	}
	h = list_add(k->mem, &k->hidden);
	h->m = *m;
	h->m.name = arena_copy(k->mem, m->name);
	h->data = data;
	return true;
}

/* A gap holds local entries one behind the other, or bytes that nobody names. */
static void gap_check(struct zip_check *k, const struct zip_directory *z, const struct limits *limits, uint64_t at,
                      uint64_t end)
{
	bool prefix = at == 0;

	while (at < end) {
		uint8_t room[4096];
		struct zip_member m;
		uint64_t data;

		if (!zip_local_member(z, at, end, &m, room, sizeof(room), &data))
			break;
		odd_add(k, ZIP_ODD_HIDDEN, m.name);
		if (!hidden_add(k, limits, &m, data))
			return;
		at = data + m.stored;
		at += zip_descriptor_bytes(z, &m, at);
	}
	if (at < end && !prefix)
		odd_add(k, ZIP_ODD_GAP, SPAN_NONE);
	else if (at < end && k->odd[ZIP_ODD_PREFIX].n == 0)
		odd_bytes_add(k, ZIP_ODD_PREFIX, end - at);
}

/* Installers that stream go by the local header: where that speaks of other bytes, those are looked at, too. */
static void local_add(struct zip_check *k, const struct zip_directory *z, const struct limits *limits, uint64_t at)
{
	uint8_t room[4096];
	struct zip_member m;
	uint64_t data;

	if (zip_local_member(z, at, z->end.directory_at, &m, room, sizeof(room), &data))
		hidden_add(k, limits, &m, data);
}

/* Local headers in the order of their places. *covered: everything before it belongs to some member. */
static void place_check(struct zip_check *k, const struct zip_directory *z, const struct zip_place *p,
                        const struct limits *limits, uint64_t *covered, uint64_t *next_local)
{
	struct zip_member m;
	struct zip_local local;
	struct err e = ERR_INIT;
	uint64_t end;

	zip_member_at(z, p->index, &m);
	end = zip_local_find(z, &m, &local, &e) ? local.data : local.data + m.stored;
	if (end == 0)
		return; /* no local header: told when the member is read */
	if (local.odd & ZIP_LOCAL_NAME)
		odd_add(k, ZIP_ODD_LOCAL_NAME, m.name);
	if (local.odd & ZIP_LOCAL_METHOD)
		odd_add(k, ZIP_ODD_LOCAL_METHOD, m.name);
	if (local.odd & ZIP_LOCAL_SIZE)
		odd_add(k, ZIP_ODD_LOCAL_SIZE, m.name);
	if (local.odd & ZIP_LOCAL_EXTRA)
		odd_add(k, ZIP_ODD_EXTRA, m.name);
	if (m.at < *covered || end > z->end.directory_at)
		odd_add(k, ZIP_ODD_OVERLAP, m.name);
	else
		gap_check(k, z, limits, *covered, m.at);
	/* Of members that share a place the first one is enough. */
	if ((local.odd & (ZIP_LOCAL_METHOD | ZIP_LOCAL_SIZE)) && m.at >= *next_local)
		local_add(k, z, limits, m.at);
	*next_local = m.at + 1;
	end += end < z->bytes.size ? zip_descriptor_bytes(z, &m, end) : 0;
	if (end > *covered)
		*covered = end;
}

void zip_check(struct zip_check *k, const struct zip_directory *z, const struct zip_names *names,
               const struct limits *limits, struct arena *mem)
{
	uint64_t covered = 0, next_local = 0, directory_end = z->end.directory_at + z->directory.n;

	*k = (struct zip_check){.mem = mem};
	end_check(k, z);
	names_check(k, z, names);
	for (size_t i = 0; i < names->n; i++)
		place_check(k, z, &names->places[i], limits, &covered, &next_local);
	if (covered < z->end.directory_at)
		gap_check(k, z, limits, covered, z->end.directory_at);
	if (directory_end < z->end.at)
		odd_add(k, ZIP_ODD_GAP, SPAN_NONE);
}
