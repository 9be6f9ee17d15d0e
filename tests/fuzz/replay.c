/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Runs a fuzz entry over the files of folders, as an ordinary program: replay [-m N] FOLDER|FILE... With -m each file of up to
 * 1 MiB is also tried N times with a few bytes changed or the end cut off, always the same way.
 */
#include "fuzz.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/scoped.h"

#define MUTATED_MAX ((size_t)1 << 20)
#define FILE_MAX ((size_t)64 << 20)

static size_t inputs;

static uint32_t next_random(uint32_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 17;
	*state ^= *state << 5;
	return *state;
}

static void try_mutated(const uint8_t *data, size_t n, unsigned times)
{
	uint32_t state = 2463534242u;
	uint8_t *copy = malloc(n ? n : 1);

	for (unsigned i = 0; copy && n && i < times; i++) {
		size_t keep = i % 4 ? n : 1 + next_random(&state) % n;

		memcpy(copy, data, n);
		for (unsigned change = 0; change < i % 4; change++)
			copy[next_random(&state) % (change ? n : n < 128 ? n : 128)] = (uint8_t)next_random(&state);
		/* A copy of exactly that size, so that a sanitizer sees a read beyond it. */
		uint8_t *exact = malloc(keep);

		if (exact) {
			memcpy(exact, copy, keep);
			LLVMFuzzerTestOneInput(exact, keep);
		}
		free(exact);
	}
	free(copy);
}

static void try_file(const char *path, unsigned times)
{
	scoped_fd int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct stat st;
	uint8_t *data;
	size_t n = 0;

	if (fd < 0 || fstat(fd, &st) < 0 || !S_ISREG(st.st_mode) || (size_t)st.st_size > FILE_MAX)
		return;
	data = malloc(st.st_size ? (size_t)st.st_size : 1);
	while (data && n < (size_t)st.st_size) {
		ssize_t got = read(fd, data + n, (size_t)st.st_size - n);

		if (got <= 0)
			break;
		n += (size_t)got;
	}
	if (data) {
		inputs++;
		LLVMFuzzerTestOneInput(data, n);
		if (n <= MUTATED_MAX)
			try_mutated(data, n, times);
	}
	free(data);
}

static int by_name(const struct dirent **a, const struct dirent **b)
{
	return strcmp((*a)->d_name, (*b)->d_name);
}

static void try_path(const char *path, unsigned times)
{
	struct dirent **names = NULL;
	int n = scandir(path, &names, NULL, by_name);
	char file[4096];

	if (n < 0)
		try_file(path, times);
	for (int i = 0; i < n; i++) {
		if (snprintf(file, sizeof(file), "%s/%s", path, names[i]->d_name) < (int)sizeof(file))
			try_file(file, times);
		free(names[i]);
	}
	free(names);
}

int main(int argc, char **argv)
{
	unsigned times = 0;
	int first = 1;

	if (argc > 2 && !strcmp(argv[1], "-m")) {
		times = (unsigned)strtoul(argv[2], NULL, 10);
		first = 3;
	}
	for (int i = first; i < argc; i++)
		try_path(argv[i], times);
	printf("%zu inputs\n", inputs);
	return inputs ? 0 : 1;
}
