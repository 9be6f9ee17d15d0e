/* SPDX-License-Identifier: Apache-2.0 */
#include "model/policy.h"

const struct node_class *policy_class(const struct policy *p, struct span name)
{
	for (size_t i = 0; i < p->classes.n; i++)
		if (span_eq(p->classes.v[i].name, name))
			return &p->classes.v[i];
	return NULL;
}

static bool number_read(struct span text, size_t from, size_t digits, int64_t *n)
{
	*n = 0;
	for (size_t i = from; i < from + digits; i++) {
		if (text.p[i] < '0' || text.p[i] > '9')
			return false;
		*n = *n * 10 + (text.p[i] - '0');
	}
	return true;
}

static bool is_leap(int64_t year)
{
	return (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
}

/* Of the years before this one, from year 1 on. */
static int64_t days_before(int64_t year)
{
	int64_t y = year - 1;

	return y * 365 + y / 4 - y / 100 + y / 400;
}

bool date_parse(struct span text, int64_t *day)
{
	static const int8_t lengths[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
	int64_t year, month, in_month, most;

	if (text.n != 10 || text.p[4] != '-' || text.p[7] != '-' || !number_read(text, 0, 4, &year) ||
	    !number_read(text, 5, 2, &month) || !number_read(text, 8, 2, &in_month))
		return false;
	if (year < 1 || month < 1 || month > 12)
		return false;
	most = lengths[month - 1] + (month == 2 && is_leap(year));
	if (in_month < 1 || in_month > most)
		return false;
	*day = days_before(year) - days_before(1970) + in_month - 1;
	for (int64_t m = 1; m < month; m++)
		*day += lengths[m - 1] + (m == 2 && is_leap(year));
	return true;
}

enum glob_step {
	STEP_BYTE,    /* itself */
	STEP_ANY,     /* one byte, but no '/' */
	STEP_RUN,     /* any run without '/' */
	STEP_DEEP,    /* any run */
	STEP_FOLDERS, /* a choice: the next step, or the one behind it */
	STEP_INTO     /* any run that ends with '/' */
};

/* Never more steps than the glob has bytes; `on` has one place more, the end. */
struct glob_steps {
	uint8_t step[GLOB_BYTES + 1], byte[GLOB_BYTES + 1];
	bool on[GLOB_BYTES + 1];
	size_t n;
};

static void step_add(struct glob_steps *g, enum glob_step step, uint8_t byte)
{
	g->step[g->n] = (uint8_t)step;
	g->byte[g->n++] = byte;
}

static bool starts_folder(const struct glob_steps *g)
{
	return g->n == 0 || g->step[g->n - 1] == STEP_INTO ||
	       (g->step[g->n - 1] == STEP_BYTE && g->byte[g->n - 1] == '/');
}

/* A run of stars from i on; where it ends. */
static size_t stars_add(struct glob_steps *g, struct span glob, size_t i)
{
	size_t end = i;

	while (end < glob.n && glob.p[end] == '*')
		end++;
	if (end - i == 1) {
		step_add(g, STEP_RUN, 0);
	} else if (end < glob.n && glob.p[end] == '/' && starts_folder(g)) {
		step_add(g, STEP_FOLDERS, 0);
		step_add(g, STEP_INTO, 0);
		end++;
	} else {
		step_add(g, STEP_DEEP, 0);
	}
	return end;
}

static void steps_make(struct glob_steps *g, struct span glob)
{
	g->n = 0;
	for (size_t i = 0; i < glob.n;) {
		if (glob.p[i] == '*') {
			i = stars_add(g, glob, i);
			continue;
		}
		if (glob.p[i] == '?') {
			step_add(g, STEP_ANY, 0);
		} else {
			i += glob.p[i] == '\\' && i + 1 < glob.n;
			step_add(g, STEP_BYTE, glob.p[i]);
		}
		i++;
	}
	memset(g->on, 0, g->n + 1);
}

/* Places that are reached without a byte. The range of those that are on is kept: it is short in all but odd globs. */
static void steps_close(struct glob_steps *g, size_t lo, size_t *hi)
{
	for (size_t j = lo; j <= *hi && j < g->n; j++) {
		size_t last = j;

		if (!g->on[j])
			continue;
		if (g->step[j] == STEP_RUN || g->step[j] == STEP_DEEP || g->step[j] == STEP_FOLDERS)
			last = j + 1;
		if (g->step[j] == STEP_FOLDERS)
			last = j + 2;
		for (size_t k = j + 1; k <= last; k++)
			g->on[k] = true;
		*hi = last > *hi ? last : *hi;
	}
}

/* Place j takes this byte: does it stay on, does the next go on? */
static void step_take(struct glob_steps *g, size_t j, uint8_t c, size_t *hi)
{
	bool slash = c == '/', stays = false, moves = false;

	switch ((enum glob_step)g->step[j]) {
	case STEP_BYTE:
		moves = c == g->byte[j];
		break;
	case STEP_ANY:
		moves = !slash;
		break;
	case STEP_RUN:
		stays = !slash;
		break;
	case STEP_DEEP:
		stays = true;
		break;
	case STEP_INTO:
		stays = true;
		moves = slash;
		break;
	case STEP_FOLDERS:
		break;
	}
	g->on[j] = stays;
	if (moves)
		g->on[j + 1] = true;
	if ((stays || moves) && j + moves > *hi)
		*hi = j + moves;
}

bool glob_matches(struct span glob, struct span text)
{
	struct glob_steps g;
	size_t lo = 0, hi = 0;

	if (glob.n > GLOB_BYTES)
		return false;
	steps_make(&g, glob);
	g.on[0] = true;
	steps_close(&g, lo, &hi);
	for (size_t i = 0; i < text.n; i++) {
		size_t top = hi;

		g.on[g.n] = false;
		hi = lo;
		/* From the last place down: what a place turns on is not asked again for the same byte. */
		for (size_t j = top + 1; j-- > lo;)
			if (j < g.n && g.on[j])
				step_take(&g, j, text.p[i], &hi);
		while (lo <= hi && !g.on[lo])
			lo++;
		if (lo > hi)
			return false;
		steps_close(&g, lo, &hi);
	}
	return g.on[g.n];
}
