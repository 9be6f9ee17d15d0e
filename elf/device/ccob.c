/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Compressed offload bundles (CCOB 1 to 3): a header and one zlib or zstd stream, inflated until the id table is
 * complete. Which bytes of the stream are whose cannot be told, so every image is given an equal share of the stored
 * size, and the first one the rest.
 */
#include "base/checked.h"
#include "base/codec.h"
#include "elf/device/bundle.h"
#include "elf/device/zstd_frame.h"

#define HEADER_V1 20
#define HEADER_V2 24
#define HEADER_V3 32
#define CHUNK_IN  16384
#define CHUNK_OUT 16384
#define OUT_OF_ONE 64 /* a bundle that is no attack has less than that */

struct ccob_state {
	bool begun; /* the header was read */
	bool listed;
	uint16_t version, method;
	uint64_t header, total, inflated, came_out;
	uint64_t told; /* of it, as far more than usual */
	struct codec_stream *stream;
	struct bundle_table table;
};

static enum reader_answer ccob_lies(struct reader *r, enum problem_grade grade, const char *what)
{
	return reader_bad(r, grade, ERR_FORMAT, "the compressed bundle at %llu %s", (unsigned long long)r->start, what);
}

static void ccob_odd(struct reader *r, const char *what)
{
	reader_oddity(r, PROBLEM_INCOMPLETE, "the compressed bundle at %llu lies about %s",
	              (unsigned long long)r->start, what);
}

static enum reader_answer want_stream(struct reader *r, const struct ccob_state *st, uint64_t at)
{
	uint64_t end = r->start + st->total, left = end - at;

	if (left == 0)
		return ccob_lies(r, PROBLEM_INCOMPLETE, "ends before its stream does");
	return reader_want(r, at, left < CHUNK_IN ? left : CHUNK_IN);
}

static enum reader_answer header_read(struct reader *r, struct ccob_state *st)
{
	struct cursor c = cursor_over(reader_kept(r));
	uint64_t room = r->file_size - r->start;
	enum codec codec;

	cursor_skip(&c, 4);
	st->version = cursor_u16(&c);
	st->method = cursor_u16(&c);
	if (st->version < 1 || st->version > 3)
		return ccob_lies(r, PROBLEM_INCOMPLETE, "has an unknown version");
	if (st->method > 1)
		return ccob_lies(r, PROBLEM_INCOMPLETE, "has an unknown method");
	st->header = st->version == 1 ? HEADER_V1 : st->version == 2 ? HEADER_V2 : HEADER_V3;
	if (room < st->header)
		return reader_cut(r);
	if (c.s.n < st->header)
		return reader_want(r, r->start + c.s.n, st->header - c.s.n);
	st->total = st->version == 1 ? room : st->version == 2 ? cursor_u32(&c) : cursor_u64(&c);
	st->inflated = st->version == 3 ? cursor_u64(&c) : cursor_u32(&c);
	if (st->total < st->header)
		return ccob_lies(r, PROBLEM_INCOMPLETE, "is smaller than its header");
	if (st->total > room) {
		ccob_odd(r, "its size");
		st->total = room;
	}
	codec = st->method ? CODEC_ZSTD : CODEC_ZLIB;
	st->stream = codec_streams_take(r->codecs, codec, r->ctx->limits, &r->fault);
	if (!st->stream) {
		r->grade = PROBLEM_INCOMPLETE;
		return READER_BAD;
	}
	st->begun = true;
	r->unit = true;
	/* The end of version 1 is where its stream ends. */
	if (st->version > 1)
		r->end = r->start + st->total;
	r->kept.n = 0;
	return want_stream(r, st, r->start + st->header);
}

/* Entries that hold device code; their places must lie inside. */
static size_t count_entries(struct reader *r, const struct ccob_state *st)
{
	const struct bundle_entry *v = bundle_entries(r);
	size_t n = 0;

	for (size_t i = 0; i < r->table.n / sizeof(*v); i++) {
		if (!range_inside(v[i].offset, v[i].size, st->inflated))
			ccob_odd(r, "its inflated size, or that of an entry");
		n += !bundle_is_host(bundle_id(r, &v[i])) && v[i].size;
	}
	return n;
}

static void list_entries(struct reader *r, const struct ccob_state *st)
{
	const struct bundle_entry *v = bundle_entries(r);
	uint64_t stored = r->end - r->start;
	size_t n = count_entries(r, st);
	bool first = true;

	for (size_t i = 0; i < r->table.n / sizeof(*v); i++) {
		struct span id = bundle_id(r, &v[i]), target = bundle_target(id);
		struct device_code code = {
		        .backend = bundle_backend(id),
		        .target = target.n ? target : SPAN("unknown"),
		        .container = SPAN("ccob"),
		        .codec = st->method ? SPAN("zstd") : SPAN("zlib"),
		        .count = 1,
		        .bytes = n ? stored / n : 0,
		        .offset = r->start,
		};

		if (bundle_is_host(id))
			continue;
		if (v[i].size == 0) {
			reader_oddity(r, PROBLEM_ANOMALY, "entry %u of the compressed bundle at %llu holds no code",
			              v[i].number, (unsigned long long)r->start);
			continue;
		}
		if (first)
			code.bytes += stored % n;
		first = false;
		if (span_ends(target, SPAN("spirv")))
			code.form = FORM_PORTABLE;
		reader_image(r, &code, true);
	}
}

/* More of the bundle came out. READER_DONE: the table is complete. */
static enum reader_answer table_read(struct reader *r, struct ccob_state *st, struct span out)
{
	uint64_t need;
	enum reader_answer answer;

	reader_keep(r, out);
	if (!span_starts(span_first(reader_kept(r), sizeof(BUNDLE_MAGIC) - 1),
	                 span_first(SPAN(BUNDLE_MAGIC), r->kept.n < sizeof(BUNDLE_MAGIC) - 1 ? r->kept.n : SIZE_MAX)))
		return ccob_lies(r, PROBLEM_ANOMALY, "holds no bundle");
	answer = bundle_read(r, &st->table, UINT64_MAX, &need);
	if (answer != READER_MORE)
		return answer;
	if (sum_capped(r->kept.n, need) > r->ctx->limits->v[LIMIT_BUNDLE_TABLE]) {
		err_limit(&r->fault, LIMIT_BUNDLE_TABLE, r->ctx->limits, "the id table of a compressed bundle");
		r->grade = PROBLEM_INCOMPLETE;
		return READER_BAD;
	}
	return READER_MORE;
}

/* What comes out beyond OUT_OF_ONE bytes for each stored one counts for the whole file. */
static bool little_gives_much(struct reader *r, struct ccob_state *st, uint64_t stored)
{
	uint64_t usual = stored * OUT_OF_ONE, more = st->came_out > usual ? st->came_out - usual : 0;
	uint64_t told = st->told;

	if (more <= told)
		return true;
	st->told = more;
	return reader_inflated(r, more - told);
}

static enum reader_answer stream_read(struct reader *r, struct ccob_state *st, struct span in)
{
	uint64_t end = r->want.at + r->want.n;
	uint8_t *out = reader_scratch(r, CHUNK_OUT);
	enum reader_answer answer;
	size_t n;
	int step;

	do {
		step = codec_stream_step(st->stream, &in, out, CHUNK_OUT, &n, &r->fault);
		if (step < 0) {
			r->grade = PROBLEM_INCOMPLETE;
			return READER_BAD;
		}
		st->came_out += n;
		if (!little_gives_much(r, st, end - in.n - r->start))
			return READER_BAD;
		answer = st->listed ? READER_DONE : table_read(r, st, (struct span){out, n});
		if (answer == READER_BAD)
			return answer;
		st->listed = answer == READER_DONE;
		if (st->listed && (st->version > 1 || step == 1)) {
			if (st->version == 1)
				r->end = end - in.n;
			list_entries(r, st);
			return READER_DONE;
		}
		if (step == 1)
			return ccob_lies(r, PROBLEM_INCOMPLETE, "ends inside its table");
		if (st->came_out > st->inflated && st->version == 1)
			return ccob_lies(r, PROBLEM_INCOMPLETE, "inflates to more than it says");
	} while (in.n || n == CHUNK_OUT);
	return want_stream(r, st, end);
}

static enum reader_answer ccob_start(struct reader *r)
{
	if (r->file_size - r->start < HEADER_V1)
		return reader_cut(r);
	return reader_want(r, r->start, HEADER_V1);
}

static enum reader_answer ccob_feed(struct reader *r, struct span bytes)
{
	struct ccob_state *st = r->state;
	struct zstd_header frame;

	if (!st->begun) {
		reader_keep(r, bytes);
		return header_read(r, st);
	}
	if (r->want.at == r->start + st->header && st->method && zstd_header(bytes, &frame) && frame.has_size &&
	    frame.size != st->inflated)
		ccob_odd(r, "its inflated size, or that of an entry");
	return stream_read(r, st, bytes);
}

static void ccob_stop(struct reader *r)
{
	struct ccob_state *st = r->state;

	codec_streams_give(r->codecs, st->stream);
	st->stream = NULL;
}

const struct device_format device_ccob = {
        .name = "ccob",
        .type = OBJECT_HIPFB,
        .magics = {SPAN_INIT("CCOB")},
        .sections = {".hip_fatbin"},
        .state_bytes = sizeof(struct ccob_state),
        .start = ccob_start,
        .feed = ccob_feed,
        .stop = ccob_stop,
};
