/* SPDX-License-Identifier: Apache-2.0 */
/* facts_seeds OUT FIXTURES: answers of workers, for the entry `facts` to start from. FIXTURES is the folder of made inputs. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "extractors/extractor.h"
#include "extractors/layer/layer.h"
#include "extractors/stream/flow.h"
#include "fuzz.h"
#include "workers/facts.h"

enum what { PLAN, READ, VERIFY, LAYER };

static const struct {
	const char *name;
	enum what what;
	const char *input;
} seeds[] = {
	{"elf", READ, "elf/dlopen-note.so"},
	{"problem", READ, "wheels/hostile-zips/overlap-full.zip"},
	{"record", READ, "wheels/wheels/broken_repair-2.1-cp311-cp311-manylinux_2_17_x86_64.manylinux2014_x86_64.whl"},
	{"wheel", READ, "wheels/wheels/uni-1.0-py3-none-any.whl"},
	{"digests", VERIFY, "wheels/wheels/uni-1.0-py3-none-any.whl"},
	{"plan", PLAN, "images/oci-basic.tar"},
	{"tar", LAYER, "images/docker-25.tar"},
};

static void read_all(const struct job_context *ctx, const struct source *src, struct facts *f)
{
	struct facts planned = fuzz_facts(ctx);
	const struct extractor *x;

	extract_plan(ctx, src, &planned);
	x = extractor_by_name(planned.plan.extractor);
	for (uint32_t i = 0; x && i < planned.plan.slices; i++)
		extract_read(ctx, x, &(struct slice){.files = src, .n = 1, .index = i, .slices = planned.plan.slices}, f);
}

static void read_layer(const struct job_context *ctx, const struct source *src, struct facts *f)
{
	struct flow_file from;

	flow_file_open(&from, src->fd, 0, src->size);
	layer_read(ctx, &from.flow, f);
	flow_file_close(&from);
}

static void write_seed(const char *path, const struct facts *f)
{
	struct outbuf out = outbuf_limited(FACTS_MAX);
	FILE *file = fopen(path, "wb");

	facts_write(f, &out);
	if (!file || fwrite(out.p, 1, out.n, file) != out.n || fclose(file) != 0 || out.n < 64) {
		fprintf(stderr, "facts_seeds: '%s' was not written\n", path);
		exit(1);
	}
	outbuf_release(&out);
}

static void make(const char *folder, const char *fixtures, size_t i)
{
	struct job_context ctx = *fuzz_context();
	struct facts f = fuzz_facts(&ctx);
	char in[4096], out[4096];
	struct source src;
	struct stat st;

	snprintf(in, sizeof(in), "%s/%s", fixtures, seeds[i].input);
	snprintf(out, sizeof(out), "%s/%s", folder, seeds[i].name);
	src = (struct source){.fd = open(in, O_RDONLY | O_CLOEXEC), .name = span_base_name(span_of(in))};
	if (src.fd < 0 || fstat(src.fd, &st) < 0) {
		fprintf(stderr, "facts_seeds: '%s' cannot be read\n", in);
		exit(1);
	}
	src.size = (uint64_t)st.st_size;
	ctx.verify = seeds[i].what == VERIFY;
	if (seeds[i].what == PLAN)
		extract_plan(&ctx, &src, &f);
	else if (seeds[i].what == LAYER)
		read_layer(&ctx, &src, &f);
	else
		read_all(&ctx, &src, &f);
	facts_sort(&f);
	write_seed(out, &f);
	close(src.fd);
}

int main(int argc, char **argv)
{
	if (argc != 3) {
		fprintf(stderr, "usage: facts_seeds OUT FIXTURES\n");
		return 2;
	}
	(void)mkdir(argv[1], 0777);
	for (size_t i = 0; i < sizeof(seeds) / sizeof(seeds[0]); i++)
		make(argv[1], argv[2], i);
	return 0;
}
