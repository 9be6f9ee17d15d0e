/* SPDX-License-Identifier: Apache-2.0 */
/* Files compiled into the program by cmake/embed.cmake; constant, sorted by name. */
#ifndef POSTERN_BASE_EMBEDDED_H
#define POSTERN_BASE_EMBEDDED_H

#include <stddef.h>

struct embedded_file {
	const char *name;
	const unsigned char *bytes;
	size_t size;
};

extern const struct embedded_file rule_files[];
extern const size_t rule_files_count;
/* docs/findings: "ID.md" */
extern const struct embedded_file finding_pages[];
extern const size_t finding_pages_count;

#endif
