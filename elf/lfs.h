/* SPDX-License-Identifier: Apache-2.0 */
/* Text that Git LFS leaves in the place of a file whose content was not fetched. */
#ifndef POSTERN_ELF_LFS_H
#define POSTERN_ELF_LFS_H

#include "base/span.h"

/* front: READER_FRONT bytes, fewer only when the file is shorter. */
bool lfs_starts(struct span front);
/* Bytes of what the whole pointer stands for; 0 when it is damaged. */
uint64_t lfs_content_bytes(struct span pointer);

#endif
