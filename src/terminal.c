/* SPDX-License-Identifier: Apache-2.0 */
#include "terminal.h"

#include <stdio.h>
#include <stdlib.h>
#include <strings.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#include "base/json.h"

#define WIDTH_DEFAULT 80
#define WIDTH_MIN     20
#define WIDTH_MAX     1000
#define REDRAW_MS     100

static bool is_set(const char *name)
{
	const char *v = getenv(name);

	return v && *v;
}

unsigned terminal_width(int fd)
{
	const char *columns = getenv("COLUMNS");
	struct winsize w;
	unsigned v = 0;

	for (; columns && *columns >= '0' && *columns <= '9' && v <= WIDTH_MAX; columns++)
		v = v * 10 + (unsigned)(*columns - '0');
	if (columns && *columns == '\0' && v >= WIDTH_MIN && v <= WIDTH_MAX)
		return v;
	if (ioctl(fd, TIOCGWINSZ, &w) == 0 && w.ws_col >= WIDTH_MIN)
		return w.ws_col < WIDTH_MAX ? w.ws_col : WIDTH_MAX;
	return WIDTH_DEFAULT;
}

bool terminal_colour(int fd)
{
	const char *term = getenv("TERM");

	return !is_set("NO_COLOR") && term && *term && strcmp(term, "dumb") != 0 && isatty(fd);
}

bool terminal_utf8(void)
{
	static const char *const names[] = {"LC_ALL", "LC_CTYPE", "LANG"};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		const char *v = getenv(names[i]);
		size_t n = v ? strlen(v) : 0;

		if (n == 0)
			continue;
		for (size_t k = 0; k < n; k++)
			if (!strncasecmp(v + k, "utf-8", 5) || !strncasecmp(v + k, "utf8", 4))
				return true;
		return false;
	}
	return false;
}

static uint64_t now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000 + (uint64_t)t.tv_nsec / 1000000;
}

static void put(const struct outbuf *b)
{
	/* A line that cannot be drawn is no loss. */
	if (!b->failed && write(STDERR_FILENO, b->p, b->n) < 0)
		return;
}

void progress_begin(struct progress *p)
{
	const char *term = getenv("TERM");

	*p = (struct progress){.on = isatty(STDERR_FILENO) && term && strcmp(term, "dumb") != 0};
}

void progress_show(void *sink, const char *name, uint64_t done, uint64_t total)
{
	struct progress *p = sink;
	struct outbuf b = outbuf_limited(65536);
	struct span label = span_of(name);
	uint64_t now = p->on ? now_ms() : 0;
	size_t room;

	if (!p->on || (p->shown && now - p->last < REDRAW_MS))
		return;
	p->last = now;
	p->shown = true;
	room = terminal_width(STDERR_FILENO) - 18;
	outbuf_text(&b, "\r\033[K");
	if (total)
		outbuf_printf(&b, "%5.1f %%  ", 100.0 * (double)done / (double)total);
	else
		outbuf_text(&b, "reading  ");
	while (label.n > 1 && label.p[label.n - 1] == '/')
		label.n--;
	label = span_base_name(label);
	text_for_terminal(&b, span_first(label, room));
	outbuf_text(&b, label.n > room ? "..." : "");
	put(&b);
	outbuf_release(&b);
}

void progress_end(struct progress *p)
{
	struct outbuf b = outbuf_limited(16);

	if (!p->shown)
		return;
	outbuf_text(&b, "\r\033[K");
	put(&b);
	outbuf_release(&b);
	p->shown = false;
}
