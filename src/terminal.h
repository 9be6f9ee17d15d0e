/* SPDX-License-Identifier: Apache-2.0 */
/* What is known of the terminal, and the one moving line that we draw there. */
#ifndef POSTERN_TERMINAL_H
#define POSTERN_TERMINAL_H

#include "base/span.h"

/* COLUMNS, else what the terminal at fd says, else 80. */
unsigned terminal_width(int fd);
/* A terminal that may be coloured: NO_COLOR is not set, TERM is not "dumb". */
bool terminal_colour(int fd);
/* The locale's characters are UTF-8. */
bool terminal_utf8(void);

/* A line on standard error that is drawn over itself; nothing when that is no terminal. */
struct progress {
	bool on, shown;
	uint64_t last; /* milliseconds: drawn a few times a second */
};

void progress_begin(struct progress *p);
/* A scan_options.progress; sink is the struct progress. total 0: not known. */
void progress_show(void *sink, const char *name, uint64_t done, uint64_t total);
/* Takes the line away. */
void progress_end(struct progress *p);

#endif
