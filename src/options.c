/* SPDX-License-Identifier: Apache-2.0 */
#include "options.h"

#include <sched.h>

#include "base/checked.h"
#include "nearest.h"

static const struct option_row rows[] = {
#define OPTION(name, letter, kind, min, max, target, argument, commands, help)                                         \
	{name, letter, kind, min, max, offsetof(struct options, target), argument, commands, help},
#include "options.def"
#undef OPTION
};

#define ROWS (sizeof(rows) / sizeof(rows[0]))

struct parser {
	struct options *o;
	struct arena *mem;
	uint32_t seen; /* bit i: row i was given */
};

const struct option_row *option_at(size_t i)
{
	return i < ROWS ? &rows[i] : NULL;
}

unsigned usable_processors(void)
{
	cpu_set_t set;
	int n;

	/* More than 1024 processors do not fit the set; the most that we use is less. */
	if (sched_getaffinity(0, sizeof(set), &set) < 0)
		return 1;
	n = CPU_COUNT(&set);
	return n < 1 ? 1 : n > 256 ? 256 : (unsigned)n;
}

/* Decimal digits, then perhaps K, M, G or T. False when that is not all, or does not fit. */
static bool number_read(const char *text, bool suffixes, uint64_t *out)
{
	static const char letters[] = "KMGT";
	uint64_t v = 0;
	const char *s = text, *at;

	for (; *s >= '0' && *s <= '9'; s++)
		if (!product_u64(v, 10, &v) || !sum_u64(v, (uint64_t)(*s - '0'), &v))
			return false;
	if (s == text)
		return false;
	if (*s && suffixes) {
		at = memchr(letters, *s, sizeof(letters) - 1);
		if (!at || !product_u64(v, UINT64_C(1) << (10 * (at - letters + 1)), &v))
			return false;
		s++;
	}
	*out = v;
	return *s == '\0';
}

static int format_set(const struct report_format **to, struct span name, const char *option, struct err *e)
{
	struct nearest n = nearest_to(name);

	*to = report_by_name(name);
	if (*to)
		return 0;
	for (size_t i = 0; report_at(i); i++)
		nearest_offer(&n, report_at(i)->name);
	if (n.best)
		return err_set(e, ERR_USAGE, 0, "'%s' knows no format '%.*s'; did you mean '%s'?", option, (int)name.n,
		               (const char *)name.p, n.best);
	return err_set(e, ERR_USAGE, 0, "'%s' knows no format '%.*s'; there are json and text", option, (int)name.n,
	               (const char *)name.p);
}

static int limit_set(struct options *o, const char *text, struct err *e)
{
	size_t eq = strcspn(text, "=");
	struct span name = {(const uint8_t *)text, eq};
	enum limit_id id = limit_by_name(name);
	struct nearest n = nearest_to(name);

	if (id == LIMIT_NONE) {
		for (int i = LIMIT_NONE + 1; i < LIMIT_COUNT; i++)
			nearest_offer(&n, limit_row((enum limit_id)i)->name);
		return n.best ? err_set(e, ERR_USAGE, 0, "unknown limit '%.*s'; did you mean '%s'?", (int)eq, text,
		                        n.best)
		              : err_set(e, ERR_USAGE, 0, "unknown limit '%.*s'", (int)eq, text);
	}
	if (!text[eq] || !number_read(text + eq + 1, true, &o->limits.v[id]))
		return err_set(e, ERR_USAGE, 0, "'--limit %s' needs a number, as in '--limit %.*s=%llu'", text, (int)eq,
		               text, (unsigned long long)limit_row(id)->value);
	return 0;
}

static int output_add(struct parser *p, const char *text, struct err *e)
{
	size_t eq = strcspn(text, "=");
	struct output out = {NULL, text[eq] ? text + eq + 1 : ""};

	if (!*out.path || eq == 0)
		return err_set(e, ERR_USAGE, 0,
		               "'--output %s' needs a format and a file, as in '--output json=report.json'", text);
	if (format_set(&out.format, (struct span){(const uint8_t *)text, eq}, "--output", e) < 0)
		return -1;
	if (strcmp(out.path, "-") == 0)
		return err_set(e, ERR_USAGE, 0, "'--output %s': standard output gets what '--format' says", text);
	for (size_t i = 0; i < p->o->outputs.n; i++)
		if (strcmp(p->o->outputs.v[i].path, out.path) == 0)
			return err_set(e, ERR_USAGE, 0, "two reports would go to '%s'", out.path);
	*list_add(p->mem, &p->o->outputs) = out;
	return 0;
}

static int date_set(const char **to, const struct option_row *row, const char *value, struct err *e)
{
	int64_t day;

	if (!date_parse(span_of(value), &day))
		return err_set(e, ERR_USAGE, 0, "'--%s %s' is no date, as '2027-03-31' is one", row->name, value);
	*to = value;
	return 0;
}

static int grade_set(enum grade *to, const struct option_row *row, const char *value, struct err *e)
{
	enum grade g = grade_by_name(span_of(value));

	if (g == GRADE_COUNT || g == GRADE_OFF)
		return err_set(e, ERR_USAGE, 0, "'--%s %s': it is info, warn or fail", row->name, value);
	*to = g;
	return 0;
}

static int option_set(struct parser *p, const struct option_row *row, const char *value, struct err *e)
{
	void *to = (char *)p->o + row->target;
	uint64_t v;

	p->seen |= UINT32_C(1) << (row - rows);
	switch (row->kind) {
	case OPTION_FLAG:
		*(bool *)to = true;
		return 0;
	case OPTION_COUNT:
		if (!number_read(value, false, &v) || v < row->min || v > row->max)
			return err_set(e, ERR_USAGE, 0, "'--%s' needs a number from %llu to %llu, not '%s'", row->name,
			               (unsigned long long)row->min, (unsigned long long)row->max, value);
		*(uint64_t *)to = v;
		return 0;
	case OPTION_TEXT:
		if (!*value)
			return err_set(e, ERR_USAGE, 0, "'--%s' needs %s, not an empty word", row->name, row->argument);
		*(const char **)to = value;
		return 0;
	case OPTION_TEXTS:
		if (!*value)
			return err_set(e, ERR_USAGE, 0, "'--%s' needs %s, not an empty word", row->name, row->argument);
		*list_add(p->mem, (struct texts *)to) = value;
		return 0;
	case OPTION_DATE:
		return date_set((const char **)to, row, value, e);
	case OPTION_GRADE:
		return grade_set((enum grade *)to, row, value, e);
	case OPTION_FORMAT:
		return format_set((const struct report_format **)to, span_of(value), "--format", e);
	case OPTION_OUTPUT:
		return output_add(p, value, e);
	case OPTION_LIMIT:
		return limit_set(p->o, value, e);
	}
	return err_set(e, ERR_FAULT, 0, "option '--%s' is of no kind", row->name);
}

/* text: what follows "--". Takes the next word when the value is not in this one. */
static int long_option(struct parser *p, const char *text, char *const **next, struct err *e)
{
	size_t n = strcspn(text, "=");
	struct nearest near = nearest_to((struct span){(const uint8_t *)text, n});
	const struct option_row *row = NULL;

	for (size_t i = 0; i < ROWS && !row; i++) {
		if (span_eq(near.word, span_of(rows[i].name)))
			row = &rows[i];
		nearest_offer(&near, rows[i].name);
	}
	if (!row)
		return near.best ? err_set(e, ERR_USAGE, 0, "unknown option '--%.*s'; did you mean '--%s'?", (int)n,
		                           text, near.best)
		                 : err_set(e, ERR_USAGE, 0, "unknown option '--%.*s'", (int)n, text);
	if (!row->argument && text[n])
		return err_set(e, ERR_USAGE, 0, "'--%s' takes no value", row->name);
	if (!row->argument || text[n])
		return option_set(p, row, text[n] ? text + n + 1 : NULL, e);
	if (!**next)
		return err_set(e, ERR_USAGE, 0, "'--%s' needs %s", row->name, row->argument);
	return option_set(p, row, *(*next)++, e);
}

/* text: what follows "-": flags, the last of which may have a value. */
static int short_options(struct parser *p, const char *text, char *const **next, struct err *e)
{
	for (; *text; text++) {
		const struct option_row *row = NULL;

		for (size_t i = 0; i < ROWS && !row; i++)
			if (rows[i].letter == *text)
				row = &rows[i];
		if (!row)
			return err_set(e, ERR_USAGE, 0, "unknown option '-%c'", *text);
		if (!row->argument) {
			if (option_set(p, row, NULL, e) < 0)
				return -1;
			continue;
		}
		if (text[1])
			return option_set(p, row, text + 1, e);
		if (!**next)
			return err_set(e, ERR_USAGE, 0, "'-%c' needs %s", *text, row->argument);
		return option_set(p, row, *(*next)++, e);
	}
	return 0;
}

static int verb_set(struct options *o, const char *word, struct err *e)
{
	struct nearest n = nearest_to(span_of(word));
	enum command_id id = command_by_name(n.word);

	o->command = command_at(id);
	if (o->command)
		return 0;
	for (size_t i = 0; i < COMMAND_COUNT; i++)
		nearest_offer(&n, command_at(i)->name);
	return n.best ? err_set(e, ERR_USAGE, 0, "unknown command '%s'; did you mean '%s'?", word, n.best)
	              : err_set(e, ERR_USAGE, 0, "unknown command '%s'; 'postern --help' lists them", word);
}

/* OS/ARCH[/VARIANT], no part empty. */
static int platform_check(const char *text, struct err *e)
{
	size_t parts = 1, n = strlen(text);

	for (size_t i = 0; i < n; i++)
		parts += text[i] == '/';
	if (parts < 2 || parts > 3 || strstr(text, "//") || text[0] == '/' || text[n - 1] == '/')
		return err_set(e, ERR_USAGE, 0, "'--platform %s' is no platform, as 'linux/amd64' is one", text);
	return 0;
}

/* Options of other verbs are refused, whatever the order of words was. */
static int options_fit(const struct parser *p, struct err *e)
{
	unsigned bit = p->o->command ? 1u << command_by_name(span_of(p->o->command->name)) : 0;

	if (p->o->help || p->o->version)
		return 0;
	for (size_t i = 0; i < ROWS; i++)
		if (p->seen >> i & 1 && p->o->command && !(rows[i].commands & bit))
			return err_set(e, ERR_USAGE, 0, "'--%s' does not go with '%s'", rows[i].name,
			               p->o->command->name);
	if (p->o->platform && platform_check(p->o->platform, e) < 0)
		return -1;
	if (p->o->platform && p->o->all_platforms)
		return err_set(e, ERR_USAGE, 0, "'--platform' does not go with '--all-platforms'");
	if (p->o->command && p->o->names.n == 0 && p->o->command->arguments[0] != '[')
		return err_set(e, ERR_USAGE, 0, "'%s' needs %s", p->o->command->name, p->o->command->arguments);
	return 0;
}

int options_parse(struct options *o, int argc, char *const *argv, struct arena *mem, struct err *e)
{
	struct parser p = {o, mem, 0};
	char *const *next = argv + (argc > 0);
	bool words_only = false;
	int rc = 0;

	memset(o, 0, sizeof(*o));
	o->jobs = usable_processors();
	o->format = report_by_name(SPAN("text"));
	o->fail_on = GRADE_FAIL;
	limits_default(&o->limits);
	while (rc == 0 && *next) {
		const char *word = *next++;

		if (!words_only && strcmp(word, "--") == 0)
			words_only = true;
		else if (!words_only && word[0] == '-' && word[1] == '-')
			rc = long_option(&p, word + 2, &next, e);
		else if (!words_only && word[0] == '-' && word[1])
			rc = short_options(&p, word + 1, &next, e);
		else if (!o->command)
			rc = verb_set(o, word, e);
		else
			*list_add(mem, &o->names) = word;
	}
	return rc < 0 ? -1 : options_fit(&p, e);
}
