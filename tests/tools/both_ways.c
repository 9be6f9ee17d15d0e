/* SPDX-License-Identifier: Apache-2.0 */
/*
 * usage: both_ways [-v] FILE...
 *
 * Reads each zip archive by its directory and as a stream, and prints a line "FILE VERDICT REASON": `same` facts; else
 * what only the stream told, `incomplete` or `anomaly`; `silent` when other facts come without a word.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/scoped.h"
#include "extractors/archive/archive.h"
#include "extractors/archive/stream.h"
#include "workers/facts.h"
#include "fuzz/fuzz.h"

static void by_directory(const struct job_context *ctx, int fd, uint64_t size, struct span name, struct facts *facts)
{
	archive_read(ctx, facts, &(struct archive_source){.bytes = {.fd = fd, .size = size}, .name = name, .slices = 1});
	facts_sort(facts);
}

static void as_stream(const struct job_context *ctx, int fd, uint64_t size, struct span name, struct facts *facts)
{
	struct flow_file from;
	struct err e = ERR_INIT;

	flow_file_open(&from, fd, 0, size);
	if (archive_stream_read(ctx, facts, &(struct archive_stream_source){.from = &from.flow, .name = name}, &e))
		fprintf(stderr, "%s\n", e.text);
	flow_file_close(&from);
	facts_sort(facts);
}

static bool same(const struct facts *a, const struct facts *b)
{
	struct outbuf x = outbuf_limited(FACTS_MAX), y = outbuf_limited(FACTS_MAX);
	bool equal;

	facts_write(a, &x);
	facts_write(b, &y);
	equal = span_eq(outbuf_span(&x), outbuf_span(&y));
	outbuf_release(&x);
	outbuf_release(&y);
	return equal;
}

static void paths_show(const char *who, const struct facts *f)
{
	struct entry_cursor c = {0};

	while (entries_next(&f->entries, &c)) {
		struct entry e = entries_entry(&f->entries, &c);

		fprintf(stderr, "%s entry %.*s %d %llu\n", who, (int)e.path.n, (const char *)e.path.p, e.kind,
		        (unsigned long long)e.bytes);
	}
	entries_done(&c);
	for (size_t i = 0; i < f->objects.n; i++)
		fprintf(stderr, "%s object %.*s\n", who, (int)f->objects.v[i].path.n,
		        (const char *)f->objects.v[i].path.p);
	for (size_t i = 0; i < f->packages.n; i++)
		fprintf(stderr, "%s package %.*s\n", who, (int)f->packages.v[i].path.n,
		        (const char *)f->packages.v[i].path.p);
	for (size_t i = 0; i < f->digests.n; i++)
		fprintf(stderr, "%s digest %.*s\n", who, (int)f->digests.v[i].path.n,
		        (const char *)f->digests.v[i].path.p);
	for (size_t i = 0; i < f->problems.n; i++)
		fprintf(stderr, "%s problem %d %s: %.*s: %.*s\n", who, f->problems.v[i].grade,
		        finding_name(f->problems.v[i].id), (int)f->problems.v[i].path.n,
		        (const char *)f->problems.v[i].path.p, (int)f->problems.v[i].reason.n,
		        (const char *)f->problems.v[i].reason.p);
}

static const char *verdict(const struct facts *a, const struct facts *b, struct span *reason)
{
	const struct problem *told = NULL;

	*reason = SPAN_NONE;
	if (same(a, b))
		return "same";
	for (size_t i = 0; i < b->problems.n; i++) {
		const struct problem *p = &b->problems.v[i];

		if (!fuzz_has_problem(a, p) && (!told || p->grade > told->grade))
			told = p;
	}
	if (!told)
		return "silent";
	*reason = told->reason;
	return told->grade == PROBLEM_INCOMPLETE ? "incomplete" : "anomaly";
}

static int compare(const char *path, bool verbose)
{
	const struct job_context *shared = fuzz_context();
	struct job_context ctx = *shared;
	struct facts a = fuzz_facts(&ctx), b = fuzz_facts(&ctx);
	struct span name = span_base_name(span_of(path)), reason;
	scoped_fd int fd = open(path, O_RDONLY | O_CLOEXEC);
	const char *answer;
	struct stat st;

	if (fd < 0 || fstat(fd, &st)) {
		perror(path);
		return 1;
	}
	ctx.verify = true;
	by_directory(&ctx, fd, (uint64_t)st.st_size, name, &a);
	as_stream(&ctx, fd, (uint64_t)st.st_size, name, &b);
	answer = verdict(&a, &b, &reason);
	printf("%s\t%s\t%.*s\n", (const char *)name.p, answer, (int)reason.n, (const char *)reason.p);
	if (verbose) {
		paths_show("-", &a);
		paths_show("+", &b);
	}
	return 0;
}

int main(int argc, char **argv)
{
	bool verbose = argc > 1 && strcmp(argv[1], "-v") == 0;
	int rc = 0;

	for (int i = 1 + verbose; i < argc; i++)
		rc |= compare(argv[i], verbose);
	return rc;
}
