/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What is wrong with an artifact by a policy (inventory.md, "Result"). Checks make findings from an inventory and a policy alone,
 * judge.c grades them, reports write them. Everything lives in the arena of the run; spans of the inventory and the policy are
 * shared, which live as long.
 */
#ifndef POSTERN_MODEL_FINDING_H
#define POSTERN_MODEL_FINDING_H

#include "model/inventory.h"

enum grade { GRADE_OFF, GRADE_INFO, GRADE_WARN, GRADE_FAIL, GRADE_COUNT };

enum finding_family {
	FINDINGS_NONE,
	FINDINGS_BACKEND,
	FINDINGS_CLAIMS,
	FINDINGS_TARGETS,
	FINDINGS_DRIVER,
	FINDINGS_LOADING,
	FINDINGS_BAGGAGE,
	FINDINGS_TRUST,
	FINDING_FAMILY_COUNT
};

/* One piece of evidence of an object or package, as the inventory has it. */
struct proof {
	struct span object; /* path; of a package's metadata its folder */
	uint32_t layer;     /* from 1; 0: none */
	struct span kind;   /* evidence_kind_name, or "device-code", "kernel-store", "claim", "problem" */
	struct span value;
	enum strength strength; /* STRENGTH_COUNT: it has none */
	const struct spans *links; /* further names of the object; NULL */
};

struct proofs {
	struct proof *v;
	size_t n, cap;
};

struct waiver;

struct finding {
	enum finding_id id;
	enum grade grade; /* after checks and overrides */
	struct span backend;
	bool has_level;
	enum level level;
	struct span class_name, target; /* where one is meant; else empty */
	struct span message, remedy;    /* one plain sentence each; remedy may be empty */
	struct span path;               /* where exactly one file is meant */
	uint32_t layer;                 /* the same; from 1, 0: none */
	struct span package;            /* id */
	uint64_t bytes;
	struct proofs evidence;   /* sorted by object, kind, value */
	struct spans chain;
	struct span fingerprint;  /* 32 hex digits */
	const struct waiver *waiver; /* that applies; NULL */
	bool incomplete;          /* it makes the verdict incomplete, whatever its grade */
	bool not_waivable;        /* no waiver applies: a limit, a digest, a waiver's own finding */
};

struct findings {
	struct finding *v;
	size_t n, cap;
};

enum verdict { VERDICT_PASS, VERDICT_FAIL, VERDICT_INCOMPLETE, VERDICT_COUNT };

/* Will this code run on that device? The better ones come first. */
enum answer { ANSWER_NATIVE, ANSWER_NATIVE_FAMILY, ANSWER_JIT, ANSWER_ELSEWHERE, ANSWER_UNKNOWN, ANSWER_NONE, ANSWER_NOT_NEEDED, ANSWER_COUNT };

struct object_answer {
	struct span path;
	bool store;
	enum answer answer;
	bool partial;
	uint64_t served, units; /* with partial */
	struct span why;        /* of unknown: a clause */
};

struct class_answer {
	struct span class_name;
	enum answer answer; /* the worst of its packages; a package answers with its best file */
	LIST(struct object_answer) objects; /* sorted by path; of files with device code of the class's backend */
	struct span why; /* of unknown: a clause */
};

struct judged {
	const struct artifact *artifact;
	enum verdict verdict;
	LIST(struct class_answer) classes;
	struct findings findings; /* worst grade first, then bytes, then id and package */
};

struct policy;

/* Everything that was judged in one run. */
struct judgement {
	const struct inventory *inventory;
	struct span inventory_digest; /* "sha256:..." of its compact form */
	const struct policy *policy;
	struct span date; /* "2026-12-01" */
	enum grade fail_on;
	enum verdict verdict; /* of all */
	bool fails_any;       /* something fails, also where not all was read */
	uint64_t fails, warns, infos, waived;
	LIST(struct judged) artifacts;   /* in the inventory's order */
	LIST(const struct waiver *) unused; /* waivers that fitted nothing */
	LIST(uint64_t) overridden;       /* findings that each override of the policy changed */
	struct spans notes;              /* sentences: a class, package or path of the policy that fits nothing */
};

const char *grade_name(enum grade g);
/* GRADE_COUNT when there is none. */
enum grade grade_by_name(struct span name);
const char *finding_family_name(enum finding_family f);
enum finding_family finding_family_by_name(struct span name);
enum finding_family finding_family_of(enum finding_id id);
/* As the list of findings has it, before any policy. */
enum grade finding_default(enum finding_id id);
/* What the finding means, in a clause. */
const char *finding_what(enum finding_id id);
const char *verdict_name(enum verdict v);
const char *answer_name(enum answer a);

#endif
