/* SPDX-License-Identifier: Apache-2.0 */
#include "base/digest.h"

#include <openssl/evp.h>

struct digest *digest_new(void)
{
	EVP_MD_CTX *c = EVP_MD_CTX_new();

	if (c && EVP_DigestInit_ex(c, EVP_sha256(), NULL) != 1) {
		EVP_MD_CTX_free(c);
		c = NULL;
	}
	return (struct digest *)c;
}

void digest_add(struct digest *d, struct span s)
{
	if (s.n)
		EVP_DigestUpdate((EVP_MD_CTX *)d, s.p, s.n);
}

void digest_end(struct digest *d, uint8_t out[DIGEST_BYTES])
{
	unsigned n = 0;

	EVP_DigestFinal_ex((EVP_MD_CTX *)d, out, &n);
	EVP_MD_CTX_free((EVP_MD_CTX *)d);
}

struct span digest_text(struct arena *a, const uint8_t sum[DIGEST_BYTES])
{
	static const char prefix[] = "sha256:", hex[] = "0123456789abcdef";
	size_t n = sizeof(prefix) - 1 + 2 * DIGEST_BYTES, at = sizeof(prefix) - 1;
	uint8_t *p = arena_alloc(a, n);

	memcpy(p, prefix, at);
	for (size_t i = 0; i < DIGEST_BYTES; i++) {
		p[at++] = (uint8_t)hex[sum[i] >> 4];
		p[at++] = (uint8_t)hex[sum[i] & 15];
	}
	return (struct span){p, n};
}
