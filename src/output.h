/* SPDX-License-Identifier: Apache-2.0 */
/* Where reports go: a regular or absent file by rename, so that it is whole or untouched; pipes and devices directly. */
#ifndef POSTERN_OUTPUT_H
#define POSTERN_OUTPUT_H

#include "options.h"

/*
 * Before anything is read: -1 (ERR_USAGE) when two reports would go to one file, or one onto an artifact or onto what
 * standard output already writes, or when a file cannot be made there.
 */
int outputs_check(const struct options *o, struct err *e);
int output_write(const char *path, struct span bytes, struct err *e);
/* what: for the message, "standard output". */
int descriptor_write(int fd, struct span bytes, const char *what, struct err *e);

#endif
