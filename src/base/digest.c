/* SPDX-License-Identifier: Apache-2.0 */
#include "base/digest.h"

#include <errno.h>
#include <fcntl.h>
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#define PIECE ((size_t)1 << 20)

static struct digest *begin(bool wide)
{
	EVP_MD_CTX *c;

	/* A configuration file of the machine may load code, and a worker opens no file. */
	OPENSSL_init_crypto(OPENSSL_INIT_NO_LOAD_CONFIG, NULL);
	c = EVP_MD_CTX_new();
	if (c && EVP_DigestInit_ex(c, wide ? EVP_sha512() : EVP_sha256(), NULL) != 1) {
		EVP_MD_CTX_free(c);
		c = NULL;
	}
	return (struct digest *)c;
}

struct digest *digest_new(void)
{
	return begin(false);
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

/* The zeros of a hole at `at` in piece, so that they need not go through the page cache; 0 where no hole is known. */
static ssize_t hole_piece(int fd, uint64_t at, uint8_t *piece)
{
	off_t data = lseek(fd, (off_t)at, SEEK_DATA);
	struct stat st;
	uint64_t n;

	if (data < 0 && errno == ENXIO && fstat(fd, &st) == 0)
		data = st.st_size;
	if (data <= (off_t)at)
		return 0;
	n = (uint64_t)data - at < PIECE ? (uint64_t)data - at : PIECE;
	memset(piece, 0, (size_t)n);
	return (ssize_t)n;
}

static ssize_t next_piece(int fd, uint64_t at, uint8_t *piece)
{
	ssize_t got = hole_piece(fd, at, piece);

	if (got)
		return got;
	do
		got = pread(fd, piece, PIECE, (off_t)at);
	while (got < 0 && errno == EINTR);
	return got;
}

int digest_descriptor(int fd, uint8_t out[DIGEST_BYTES], uint64_t *bytes)
{
	struct digest *d = digest_new();
	uint8_t *piece = malloc(PIECE);
	ssize_t got = 1;
	int why;

	if (!d || !piece)
		out_of_memory();
	posix_fadvise(fd, 0, 0, POSIX_FADV_SEQUENTIAL);
	for (*bytes = 0; got; *bytes += (uint64_t)got) {
		got = next_piece(fd, *bytes, piece);
		if (got < 0)
			break;
		digest_add(d, (struct span){piece, (size_t)got});
	}
	why = errno;
	digest_end(d, out);
	free(piece);
	errno = why;
	return got < 0 ? -1 : 0;
}

static struct span hex_text(struct arena *a, struct span prefix, struct span sum)
{
	static const char hex[] = "0123456789abcdef";
	size_t at = prefix.n;
	uint8_t *p = arena_alloc(a, prefix.n + 2 * sum.n);

	memcpy(p, prefix.p, prefix.n);
	for (size_t i = 0; i < sum.n; i++) {
		p[at++] = (uint8_t)hex[sum.p[i] >> 4];
		p[at++] = (uint8_t)hex[sum.p[i] & 15];
	}
	return (struct span){p, at};
}

struct span digest_text(struct arena *a, const uint8_t sum[DIGEST_BYTES])
{
	return hex_text(a, SPAN("sha256:"), (struct span){sum, DIGEST_BYTES});
}

struct digest *digest_new_text(bool wide)
{
	struct digest *d = begin(wide);

	if (!d)
		out_of_memory();
	return d;
}

struct span digest_end_text(struct arena *a, struct digest *d)
{
	uint8_t sum[EVP_MAX_MD_SIZE];
	unsigned n = 0;

	EVP_DigestFinal_ex((EVP_MD_CTX *)d, sum, &n);
	EVP_MD_CTX_free((EVP_MD_CTX *)d);
	return hex_text(a, n == DIGEST_BYTES ? SPAN("sha256:") : SPAN("sha512:"), (struct span){sum, n});
}

struct span digest_bytes(struct arena *a, struct span s, bool wide)
{
	struct digest *d = digest_new_text(wide);

	digest_add(d, s);
	return digest_end_text(a, d);
}

struct span digest_range(struct arena *a, int fd, uint64_t offset, uint64_t size, bool wide, uint64_t *bytes)
{
	struct digest *d = digest_new_text(wide);
	uint8_t *piece = malloc(PIECE);
	ssize_t got = 1;
	struct span text;
	int why;

	if (!piece)
		out_of_memory();
	posix_fadvise(fd, (off_t)offset, (off_t)size, POSIX_FADV_SEQUENTIAL);
	for (*bytes = 0; got && *bytes < size; *bytes += (uint64_t)got) {
		got = next_piece(fd, offset + *bytes, piece);
		if (got < 0)
			break;
		if ((uint64_t)got > size - *bytes)
			got = (ssize_t)(size - *bytes);
		digest_add(d, (struct span){piece, (size_t)got});
	}
	why = errno;
	text = digest_end_text(a, d);
	free(piece);
	errno = why;
	return got < 0 ? SPAN_NONE : text;
}

bool digest_is_exact(struct span text)
{
	size_t hex = digest_is_wide(text) ? 128 : 64;

	if ((!digest_is_wide(text) && !span_starts(text, SPAN("sha256:"))) || text.n != 7 + hex)
		return false;
	for (size_t i = 7; i < text.n; i++)
		if (!((text.p[i] >= '0' && text.p[i] <= '9') || (text.p[i] >= 'a' && text.p[i] <= 'f')))
			return false;
	return true;
}

void digest_base64(char out[DIGEST_BASE64], const uint8_t sum[DIGEST_BYTES])
{
	static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
	uint32_t bits = 0;
	unsigned have = 0;
	size_t at = 0;

	for (size_t i = 0; i < DIGEST_BYTES; i++) {
		bits = bits << 8 | sum[i];
		for (have += 8; have >= 6; have -= 6)
			out[at++] = letters[bits >> (have - 6) & 63];
	}
	out[at] = letters[bits << (6 - have) & 63];
}
