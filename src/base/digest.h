/* SPDX-License-Identifier: Apache-2.0 */
/* SHA-256, and SHA-512 where a format names it, by OpenSSL. The only place that sees it. */
#ifndef POSTERN_BASE_DIGEST_H
#define POSTERN_BASE_DIGEST_H

#include "base/arena.h"

#define DIGEST_BYTES 32

struct digest; /* a running hash; NULL from digest_new means no memory */
struct digest *digest_new(void);
/* SHA-512, or SHA-256 when it is not wide, for digest_end_text; never NULL. */
struct digest *digest_new_text(bool wide);
void digest_add(struct digest *d, struct span s);
/* Fills out, frees d. */
void digest_end(struct digest *d, uint8_t out[DIGEST_BYTES]);
/*
 * Hashes all that a descriptor gives from byte 0 on. *bytes: how many. -1 and errno when it cannot be read; no memory ends
 * the process.
 */
int digest_descriptor(int fd, uint8_t out[DIGEST_BYTES], uint64_t *bytes);
/* "sha256:..." or "sha512:..." in the arena; frees d. */
struct span digest_end_text(struct arena *a, struct digest *d);
/* "sha256:" and 64 lower-case hex digits, in the arena. */
struct span digest_text(struct arena *a, const uint8_t sum[DIGEST_BYTES]);

/*
 * "sha256:..." or "sha512:..." (wide) of a range of a descriptor, in the arena; *bytes: how many could be read. Empty, and
 * errno, when it cannot be read.
 */
struct span digest_range(struct arena *a, int fd, uint64_t offset, uint64_t size, bool wide, uint64_t *bytes);
/* The same of bytes. */
struct span digest_bytes(struct arena *a, struct span s, bool wide);
/* Is it exactly "sha256:" and 64, or "sha512:" and 128, lower-case hex digits? */
bool digest_is_exact(struct span text);
static inline bool digest_is_wide(struct span text)
{
	return span_starts(text, SPAN("sha512:"));
}

#define DIGEST_BASE64 43
/* URL-safe base64 without padding, and without a zero at its end. */
void digest_base64(char out[DIGEST_BASE64], const uint8_t sum[DIGEST_BYTES]);

#endif
