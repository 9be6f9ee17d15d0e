/* SPDX-License-Identifier: Apache-2.0 */
#include "base/text.h"

struct range {
	uint32_t first, last;
};

static const struct range controls[] = {{0, 0x1f}, {0x7f, 0x9f}};

/* Zero width, direction of writing, line and paragraph separators, tags, byte order mark. */
static const struct range unseen[] = {
	{0xad, 0xad},     {0x61c, 0x61c},   {0x180e, 0x180e}, {0x200b, 0x200f},   {0x2028, 0x202e},
	{0x2060, 0x206f}, {0xfeff, 0xfeff}, {0xfff9, 0xfffb}, {0xe0000, 0xe007f},
};

static bool in_ranges(const struct range *v, size_t n, uint32_t c)
{
	for (size_t i = 0; i < n; i++)
		if (c >= v[i].first && c <= v[i].last)
			return true;
	return false;
}

size_t text_character(struct span s, uint32_t *character)
{
	static const uint32_t smallest[] = {0, 0, 0x80, 0x800, 0x10000};
	uint8_t first = s.n ? s.p[0] : 0xff;
	size_t n = first < 0x80                    ? 1
		   : first >= 0xc2 && first < 0xe0 ? 2
		   : (first & 0xf0) == 0xe0        ? 3
		   : (first & 0xf8) == 0xf0        ? 4
						   : 0;
	uint32_t c = n == 1 ? first : first & (0x7fu >> n);

	if (n == 0 || n > s.n)
		return 0;
	for (size_t i = 1; i < n; i++) {
		if ((s.p[i] & 0xc0) != 0x80)
			return 0;
		c = c << 6 | (s.p[i] & 0x3f);
	}
	if (c < smallest[n] || c > 0x10ffff || (c >= 0xd800 && c <= 0xdfff))
		return 0;
	*character = c;
	return n;
}

static void put_escaped(struct outbuf *out, struct span s)
{
	static const char hex[] = "0123456789abcdef";

	for (size_t i = 0; i < s.n; i++) {
		const uint8_t text[] = {'\\', 'x', (uint8_t)hex[s.p[i] >> 4], (uint8_t)hex[s.p[i] & 15]};

		outbuf_put(out, (struct span){text, sizeof(text)});
	}
}

static void put_text(struct outbuf *out, struct span s, bool all_seen)
{
	while (s.n) {
		uint32_t c = 0;
		size_t n = text_character(s, &c), plain = 0;

		/* Most text is plain: it goes out in one piece. */
		while (plain < s.n && s.p[plain] >= 0x20 && s.p[plain] < 0x7f && s.p[plain] != '\\')
			plain++;
		if (plain) {
			outbuf_put(out, span_first(s, plain));
			n = plain;
		} else if (c == '\\') {
			outbuf_text(out, "\\\\");
		} else if (n == 0) {
			n = 1;
			put_escaped(out, span_first(s, n));
		} else if (in_ranges(controls, sizeof(controls) / sizeof(*controls), c) ||
			   (all_seen && in_ranges(unseen, sizeof(unseen) / sizeof(*unseen), c))) {
			put_escaped(out, span_first(s, n));
		} else {
			outbuf_put(out, span_first(s, n));
		}
		s = span_after(s, n);
	}
}

void text_sanitised(struct outbuf *out, struct span s)
{
	put_text(out, s, false);
}

void text_for_terminal(struct outbuf *out, struct span s)
{
	put_text(out, s, true);
}

/* 16 when it is no digit as text_sanitised writes them. */
static unsigned hex_value(uint8_t c)
{
	return c >= '0' && c <= '9' ? c - 48u : c >= 'a' && c <= 'f' ? c - 87u : 16u;
}

bool text_restored(struct outbuf *out, struct span s)
{
	while (s.n) {
		size_t plain = span_find(s, '\\');

		outbuf_put(out, span_first(s, plain));
		s = span_after(s, plain);
		if (s.n >= 2 && s.p[1] == '\\') {
			outbuf_char(out, '\\');
			s = span_after(s, 2);
		} else if (s.n >= 4 && s.p[1] == 'x' && hex_value(s.p[2]) < 16 && hex_value(s.p[3]) < 16) {
			outbuf_char(out, (char)(hex_value(s.p[2]) << 4 | hex_value(s.p[3])));
			s = span_after(s, 4);
		} else if (s.n) {
			return false;
		}
	}
	return true;
}
