/* SPDX-License-Identifier: Apache-2.0 */
/* Every codec: the front, the whole into a buffer that is too small, and as a stream. The first byte chooses. */
#include "base/codec.h"
#include "fuzz.h"

static void as_stream(enum codec codec, const struct limits *limits, struct span in)
{
	struct err e = ERR_INIT;
	struct codec_stream *s = codec_stream_new(codec, limits, &e);
	uint8_t out[4096];
	size_t n;

	for (int step = 0; s && step < 256; step++)
		if (codec_stream_step(s, &in, out, sizeof(out), &n, &e) != 0)
			break;
	codec_stream_free(s);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct limits *limits = fuzz_context()->limits;
	struct span in = span_after((struct span){data, size}, 1);
	enum codec codec = size ? (enum codec)(data[0] % CODEC_COUNT) : CODEC_NONE;
	struct err e = ERR_INIT;
	uint8_t out[4096];
	size_t n;

	codec_front(codec, limits, in, out, 64, &n, &e);
	codec_whole(codec, limits, in, out, sizeof(out), &n, &e);
	if (codec != CODEC_NONE && codec != CODEC_LZ4_BLOCK)
		as_stream(codec, limits, in);
	return 0;
}
