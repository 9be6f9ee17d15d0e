/* SPDX-License-Identifier: Apache-2.0 */
/*
 * inflate_members [-t] FILE LIST: inflates members of a zip file by ISA-L and drops what comes out. LIST has "OFFSET BYTES" a
 * line, of the deflated bytes. -t prints the nanoseconds of processor time of each. A yardstick: the least that looking into a
 * wheel costs.
 */
#include <errno.h>
#include <fcntl.h>
#include <isa-l/igzip_lib.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static unsigned char in[256 << 10], out[256 << 10];

static void die(const char *what)
{
	fprintf(stderr, "inflate_members: %s\n", what);
	exit(1);
}

static unsigned long long now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (unsigned long long)t.tv_sec * 1000000000ULL + (unsigned long long)t.tv_nsec;
}

static void inflate_member(int fd, unsigned long long offset, unsigned long long left)
{
	struct inflate_state state;
	ssize_t n;

	isal_inflate_init(&state);
	state.crc_flag = ISAL_DEFLATE;
	while (state.block_state != ISAL_BLOCK_FINISH) {
		if (state.avail_in == 0 && left) {
			n = pread(fd, in, left < sizeof(in) ? left : sizeof(in), (off_t)offset);
			if (n <= 0)
				die("a member is cut off");
			offset += (unsigned long long)n;
			left -= (unsigned long long)n;
			state.next_in = in;
			state.avail_in = (uint32_t)n;
		}
		state.next_out = out;
		state.avail_out = sizeof(out);
		if (isal_inflate(&state) != ISAL_DECOMP_OK)
			die("a member is no deflate stream");
		/* The state holds some bytes of input: the end may come after the last was taken. */
		if (!left && state.avail_in == 0 && state.avail_out && state.block_state != ISAL_BLOCK_FINISH)
			die("a member is cut off");
	}
}

int main(int argc, char **argv)
{
	unsigned long long offset, size, started;
	char line[64], *end;
	int timed, fd;
	FILE *list;

	timed = argc > 1 && strcmp(argv[1], "-t") == 0;
	if (argc != timed + 3) {
		fprintf(stderr, "usage: inflate_members [-t] FILE LIST\n");
		return 2;
	}
	fd = open(argv[timed + 1], O_RDONLY | O_CLOEXEC);
	list = fopen(argv[timed + 2], "r");
	if (fd < 0 || !list)
		die(strerror(errno));
	while (fgets(line, sizeof(line), list)) {
		offset = strtoull(line, &end, 10);
		size = strtoull(end, NULL, 10);
		started = now();
		inflate_member(fd, offset, size);
		if (timed)
			printf("%llu\n", now() - started);
	}
	fclose(list);
	close(fd);
	return 0;
}
