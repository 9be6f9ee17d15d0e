/* SPDX-License-Identifier: Apache-2.0 */
/* libzip as second reader: where it sees other members than the walker, an attacker chose which of us is fooled. */
#include "extractors/stream/zip_check.h"

#include <zip.h>

#include "extractors/path.h"
#include "extractors/stream/zip_seen.h"

/* Bytes for libzip: it never gets the descriptor, whose place other readers share. */
struct supply {
	const struct zip_bytes *bytes;
	uint64_t at;
	zip_error_t error;
};

static zip_int64_t supply_read(struct supply *s, void *to, zip_uint64_t n)
{
	uint64_t left = s->bytes->size - s->at;

	if (n > left)
		n = left;
	if (s->bytes->seen) { /* what is gone is no archive, whatever it was */
		memset(to, 0, (size_t)n);
		zip_seen_get(s->bytes->seen, s->at, to, (size_t)n);
	} else if (!zip_bytes_get(s->bytes, s->at, to, (size_t)n)) {
		zip_error_set(&s->error, ZIP_ER_READ, 0);
		return -1;
	}
	s->at += n;
	return (zip_int64_t)n;
}

static zip_int64_t supply_stat(struct supply *s, void *to, zip_uint64_t n)
{
	zip_stat_t *st = to;

	if (n < sizeof(*st))
		return -1;
	zip_stat_init(st);
	st->size = s->bytes->size;
	st->valid = ZIP_STAT_SIZE;
	return sizeof(*st);
}

static zip_int64_t supply_seek(struct supply *s, void *data, zip_uint64_t n)
{
	zip_int64_t to = zip_source_seek_compute_offset(s->at, s->bytes->size, data, n, &s->error);

	if (to < 0)
		return -1;
	s->at = (uint64_t)to;
	return 0;
}

static zip_int64_t supply_answer(void *user, void *data, zip_uint64_t n, zip_source_cmd_t what)
{
	struct supply *s = user;

	switch (what) {
	case ZIP_SOURCE_OPEN:
		s->at = 0;
		return 0;
	case ZIP_SOURCE_READ:
		return supply_read(s, data, n);
	case ZIP_SOURCE_STAT:
		return supply_stat(s, data, n);
	case ZIP_SOURCE_SEEK:
		return supply_seek(s, data, n);
	case ZIP_SOURCE_TELL:
		return (zip_int64_t)s->at;
	case ZIP_SOURCE_ERROR:
		return zip_error_to_data(&s->error, data, n);
	case ZIP_SOURCE_CLOSE:
	case ZIP_SOURCE_FREE:
		return 0;
	case ZIP_SOURCE_SUPPORTS:
		return zip_source_make_command_bitmap(ZIP_SOURCE_OPEN, ZIP_SOURCE_READ, ZIP_SOURCE_CLOSE,
		                                      ZIP_SOURCE_STAT, ZIP_SOURCE_ERROR, ZIP_SOURCE_FREE,
		                                      ZIP_SOURCE_SEEK, ZIP_SOURCE_TELL, ZIP_SOURCE_SUPPORTS, -1);
	default:
		zip_error_set(&s->error, ZIP_ER_OPNOTSUPP, 0);
		return -1;
	}
}

/* libzip puts a blank where a name has a NUL. */
static bool name_same(const char *theirs, struct span name)
{
	if (strlen(theirs) != name.n)
		return false;
	for (size_t i = 0; i < name.n; i++)
		if ((uint8_t)theirs[i] != (name.p[i] ? name.p[i] : ' '))
			return false;
	return true;
}

static bool member_same(zip_t *theirs, const struct zip_directory *z, size_t i)
{
	struct zip_member m;
	zip_stat_t st;

	zip_member_at(z, i, &m);
	zip_stat_init(&st);
	if (zip_stat_index(theirs, i, ZIP_FL_ENC_RAW, &st) || !st.name)
		return m.name.n == 0;
	return name_same(st.name, m.name) && st.size == m.size && st.comp_size == m.stored &&
	       st.comp_method == m.method && st.crc == m.crc;
}

static enum zip_agreement members_compare(zip_t *theirs, const struct zip_directory *z, struct err *e)
{
	zip_int64_t n = zip_get_num_entries(theirs, 0);

	if (n < 0 || (uint64_t)n != z->n) {
		err_set(e, ERR_FORMAT, 0, "readers disagree: libzip lists %lld members, the directory has %zu",
		        (long long)n, z->n);
		return ZIP_DISAGREES;
	}
	for (size_t i = 0; i < z->n; i++) {
		struct zip_member m;

		if (member_same(theirs, z, i))
			continue;
		zip_member_at(z, i, &m);
		err_set(e, ERR_FORMAT, 0,
		        "readers disagree about member '%.*s': libzip has another name, size or method", SHOWN(m.name));
		return ZIP_DISAGREES;
	}
	return ZIP_AGREES;
}

enum zip_agreement zip_compare(const struct zip_directory *z, struct err *e)
{
	struct supply s = {.bytes = &z->bytes};
	enum zip_agreement answer;
	zip_source_t *source;
	zip_error_t error;
	zip_t *theirs;

	zip_error_init(&s.error);
	zip_error_init(&error);
	source = zip_source_function_create(supply_answer, &s, &error);
	theirs = source ? zip_open_from_source(source, ZIP_RDONLY, &error) : NULL;
	if (theirs) {
		answer = members_compare(theirs, z, e);
		zip_discard(theirs);
	} else {
		answer = zip_error_code_zip(&error) == ZIP_ER_MEMORY ? ZIP_NO_MEMORY : ZIP_REFUSED;
		err_set(e, ERR_FORMAT, 0, "libzip refuses the archive: %s", zip_error_strerror(&error));
		zip_source_free(source);
	}
	zip_error_fini(&error);
	zip_error_fini(&s.error);
	return answer;
}
