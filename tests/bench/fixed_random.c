/* SPDX-License-Identifier: Apache-2.0 */
/* Preloaded where instructions are counted: the keys of hash tables are random, and how far a search goes depends on them. */
#include <string.h>
#include <sys/random.h>

ssize_t getrandom(void *buffer, size_t length, unsigned int flags)
{
	memset(buffer, 0x5a, length);
	return (ssize_t)length;
}
