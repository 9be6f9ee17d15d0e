/* SPDX-License-Identifier: Apache-2.0 */
/* Build steps, ENV and labels carry tokens: what is known to matter is kept, and the rest of it masked. */
#include "parts.h"

/* Variables that decide which files are loaded, whatever the backend; the rule data knows those of backends. */
static const struct span env_names[] = {
        SPAN_INIT("LD_LIBRARY_PATH"), SPAN_INIT("LD_PRELOAD"),  SPAN_INIT("PYTHONPATH"),
        SPAN_INIT("PYTHONHOME"),      SPAN_INIT("VIRTUAL_ENV"), SPAN_INIT("CONDA_PREFIX"),
};
/* And of those, what is a secret by its name all the same. */
static const char *const secret_words[] = {"TOKEN", "SECRET", "PASSW", "KEY", "CREDENTIAL"};

static bool contains(struct span s, struct span word)
{
	for (size_t i = 0; i + word.n <= s.n; i++)
		if (memcmp(s.p + i, word.p, word.n) == 0)
			return true;
	return false;
}

bool env_matters(const struct catalogue *c, struct span name)
{
	for (size_t i = 0; i < sizeof(env_names) / sizeof(env_names[0]); i++)
		if (span_eq(name, env_names[i]))
			return true;
	for (size_t i = 0; i < sizeof(secret_words) / sizeof(secret_words[0]); i++)
		if (contains(name, span_of(secret_words[i])))
			return false;
	return catalogue_claim(c, SPAN("env"), name) != NULL;
}

/* Length of what stands between "://" and the end of the host, up to and with the last '@'; 0 when there is none. */
static size_t user_info(struct span s)
{
	size_t found = 0;

	for (size_t i = 0; i < s.n && s.p[i] > ' ' && !memchr("/\"'`<>", s.p[i], 7); i++)
		if (s.p[i] == '@')
			found = i + 1;
	return found;
}

struct span without_secrets(struct arena *mem, struct span text, size_t most)
{
	/* "x@" becomes "***@": no more than twice as long, and a little. */
	uint8_t *to;
	size_t n = 0;

	to = arena_alloc(mem, 2 * text.n + 8);
	for (size_t i = 0; i < text.n;) {
		size_t secret = 0;

		if (i >= 3 && memcmp(text.p + i - 3, "://", 3) == 0)
			secret = user_info(span_after(text, i));
		if (secret) {
			memcpy(to + n, "***@", 4);
			n += 4;
			i += secret;
		} else {
			to[n++] = text.p[i++];
		}
	}
	return (struct span){to, n < most ? n : most};
}

static size_t word_end(struct span s, size_t at)
{
	while (at < s.n && s.p[at] != ' ' && s.p[at] != '\t')
		at++;
	return at;
}

static size_t words_begin(struct span s, size_t at)
{
	while (at < s.n && (s.p[at] == ' ' || s.p[at] == '\t'))
		at++;
	return at;
}

/* Where assignments begin in a step: after ENV, ARG, or the "|N" of build arguments; s.n when it has none. */
static size_t assignments_begin(struct span s)
{
	static const struct span shell = SPAN_INIT("/bin/sh -c #(nop)");
	size_t at = span_starts(s, shell) ? words_begin(s, shell.n) : 0;
	struct span rest = span_after(s, at);

	if (span_starts(rest, SPAN("ENV ")) || span_starts(rest, SPAN("ARG ")))
		return words_begin(s, at + 4);
	/* BuildKit: "RUN |1 A=b /bin/sh -c ...". */
	at = span_starts(rest, SPAN("RUN |")) ? at + 4 : at;
	if (at < s.n && s.p[at] == '|')
		return words_begin(s, word_end(s, at));
	return s.n;
}

/* Where the command begins behind build arguments; s.n when nothing tells. */
static size_t command_begins(struct span s, size_t at)
{
	for (; at < s.n; at++)
		if (span_starts(span_after(s, at), SPAN(" /bin/")))
			return at;
	return s.n;
}

struct span step_without_secrets(const struct job_context *ctx, struct span text, size_t most)
{
	struct arena *mem = ctx->mem;
	size_t at = assignments_begin(text), eq;
	struct span name, rest;

	while (at < text.n) {
		rest = span_after(text, at);
		eq = span_find(rest, '=');
		name = span_first(rest, eq);
		if (eq == rest.n || word_end(name, 0) < name.n)
			break; /* no assignment any more */
		if (!env_matters(ctx->catalogue, name)) {
			size_t command = command_begins(text, at);
			struct span after = span_after(text, command);

			/* Values may hold blanks: what follows is masked with it. */
			text = arena_printf(mem, "%.*s=***%.*s", (int)(at + name.n), (const char *)text.p, (int)after.n,
			                    (const char *)after.p);
			break;
		}
		at = words_begin(text, word_end(text, at + eq));
	}
	return without_secrets(mem, text, most);
}
