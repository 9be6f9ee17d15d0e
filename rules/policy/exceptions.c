/* SPDX-License-Identifier: Apache-2.0 */
/* Overrides and waivers: which findings they mean, and what is said about those. */
#include "parts.h"

static const struct row_key match_keys[] = {
        {"backend", KEY_GLOBS, false, offsetof(struct match, backends)},
        {"class", KEY_GLOBS, false, offsetof(struct match, classes)},
        {"fingerprint", KEY_GLOBS, false, offsetof(struct match, fingerprints)},
        {"image", KEY_GLOBS, false, offsetof(struct match, images)},
        {"layer", KEY_GLOBS, false, offsetof(struct match, layers)},
        {"level", KEY_GLOBS, false, offsetof(struct match, levels)},
        {"package", KEY_GLOBS, false, offsetof(struct match, packages)},
        {"path", KEY_GLOBS, false, offsetof(struct match, paths)},
        {"target", KEY_GLOBS, false, offsetof(struct match, targets)},
};

struct override_row {
	const struct node *match, *checks;
	struct span reason;
};

static const struct row_key override_keys[] = {
        {"checks", KEY_MAP, true, offsetof(struct override_row, checks)},
        {"match", KEY_MAP, true, offsetof(struct override_row, match)},
        {"reason", KEY_TEXT, true, offsetof(struct override_row, reason)},
};

struct waiver_row {
	const struct node *match, *finding;
	struct span reason, owner, ticket;
	struct row_date expires;
};

static const struct row_key waiver_keys[] = {
        {"expires", KEY_DATE, true, offsetof(struct waiver_row, expires)},
        {"finding", KEY_NODE, true, offsetof(struct waiver_row, finding)},
        {"match", KEY_MAP, true, offsetof(struct waiver_row, match)},
        {"owner", KEY_TEXT, true, offsetof(struct waiver_row, owner)},
        {"reason", KEY_TEXT, true, offsetof(struct waiver_row, reason)},
        {"ticket", KEY_TEXT, false, offsetof(struct waiver_row, ticket)},
};

/* What can be known now to fit nothing is a slip. */
static int match_value(const struct policy_reading *r, struct span key, const struct node *v)
{
	static const char *const levels[] = {"carried", "mentioned", "needed"};
	struct span backend;
	size_t place;

	if (span_eq(key, SPAN("level")))
		return word_choose(&place, v, "level", levels, LEVEL_COUNT, SIZE_MAX, r->e);
	if (span_eq(key, SPAN("backend")) && !strpbrk((const char *)v->text.p, "*?\\"))
		return policy_backend(r, &backend, v);
	if (span_eq(key, SPAN("path")) && v->text.p[0] == '/')
		return node_error(r->e, v, "'%s' fits nothing, for paths of an artifact do not start with '/'",
		                  (const char *)v->text.p);
	return 0;
}

static int match_read(const struct policy_reading *r, struct match *m, const struct node *map)
{
	if (row_read(m, map, KEYS(match_keys), r->mem, r->e) < 0)
		return -1;
	if (!map->first)
		return node_error(r->e, map, "'match' must have a key, or it would fit everything");
	for (const struct node *n = map->first; n; n = n->next)
		for (const struct node *v = values_first(n); v; v = values_next(n, v))
			if (match_value(r, n->key->text, v) < 0)
				return -1;
	for (size_t i = 0; i < m->backends.n; i++)
		m->backends.v[i] = policy_backend_id(r, m->backends.v[i]);
	return 0;
}

int policy_overrides(const struct policy_reading *r, const struct node *list)
{
	for (const struct node *v = list->first; v; v = v->next) {
		struct policy_override *o = list_add(r->mem, &r->policy->overrides);
		struct override_row row;

		memset(&row, 0, sizeof(row));
		if (row_read(&row, v, KEYS(override_keys), r->mem, r->e) < 0 || match_read(r, &o->match, row.match) < 0)
			return -1;
		if (!row.checks->first)
			return node_error(r->e, row.checks,
			                  "'checks' of an override must have a key, or it would change nothing");
		if (policy_checks(r, &o->checks, row.checks) < 0)
			return -1;
		o->reason = row.reason;
	}
	return 0;
}

/* What says that something was not read, or that a waiver is wrong, stays said. */
static bool can_be_waived(enum finding_id id)
{
	return id != FINDING_SCAN_INCOMPLETE && id != FINDING_DIGEST_MISMATCH && id != FINDING_WAIVER_EXPIRED &&
	       id != FINDING_WAIVER_UNUSED;
}

static int finding_read(const struct policy_reading *r, enum finding_id *id, const struct node *n)
{
	const char *words[FINDING_COUNT - 1];
	size_t place;

	for (int i = 1; i < FINDING_COUNT; i++)
		words[i - 1] = finding_name((enum finding_id)i);
	if (n->kind == NODE_TEXT && finding_family_by_name(n->text) != FINDINGS_NONE)
		return node_error(r->e, n, "'%s' is a family, and a waiver names one finding", (const char *)n->text.p);
	if (word_choose(&place, n, "finding", words, FINDING_COUNT - 1, SIZE_MAX, r->e) < 0)
		return -1;
	*id = (enum finding_id)(place + 1);
	return can_be_waived(*id) ? 0 : node_error(r->e, n, "'%s' cannot be waived", (const char *)n->text.p);
}

int policy_waivers(const struct policy_reading *r, const struct node *list)
{
	for (const struct node *v = list->first; v; v = v->next) {
		struct waiver *w = list_add(r->mem, &r->policy->waivers);
		struct waiver_row row;

		memset(&row, 0, sizeof(row));
		if (row_read(&row, v, KEYS(waiver_keys), r->mem, r->e) < 0 ||
		    finding_read(r, &w->finding, row.finding) < 0 || match_read(r, &w->match, row.match) < 0)
			return -1;
		w->reason = row.reason;
		w->owner = row.owner;
		w->ticket = row.ticket;
		w->expires = row.expires.text;
		w->last_day = row.expires.day;
	}
	return 0;
}
